package tc

import (
	"regexp"
	"strings"

	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// checkDeclared reports names that would be indices and are in no subscript, on
// no left side and in no where clause: scalars that nobody declared.
func (s *statement) checkDeclared() {
	placed := map[string]bool{}
	visit := func(e syntax.Expr) { s.placedNames(e, false, placed, map[placeOfLet]bool{}) }
	visit(s.syntax.Value)
	for _, clause := range s.syntax.Where {
		if c, ok := clause.(*syntax.ExistsClause); ok {
			visit(c.Value)
		}
	}
	for _, i := range s.indices {
		if i.target || i.explicit != nil || i.MayBeEmpty || placed[i.Name] || s.failed {
			continue
		}
		s.undeclared(i.Name, i.pos)
	}
}

// A placeOfLet is a let that is used in a subscript or elsewhere.
type placeOfLet struct {
	name   string
	inside bool
}

// placedNames collects the names that stand in subscripts of e. What the
// arguments of an unknown function are is unknown, so they count.
func (s *statement) placedNames(e syntax.Expr, inside bool, placed map[string]bool, expanded map[placeOfLet]bool) {
	switch e := e.(type) {
	case *syntax.Name:
		if l, ok := s.lets[e.Name]; ok {
			if place := (placeOfLet{e.Name, inside}); !expanded[place] {
				expanded[place] = true
				s.placedNames(l.clause.Value, inside, placed, expanded)
			}
			return
		}
		placed[e.Name] = placed[e.Name] || inside
	case *syntax.Apply:
		inside = inside || s.def.symbols[e.Func.Name] != nil || !knownFunction(e.Func.Name)
	}
	for _, x := range operands(e) {
		s.placedNames(x, inside, placed, expanded)
	}
}

// knownFunction reports whether a name with parentheses computes a value.
func knownFunction(name string) bool {
	return functionOfLanguage(name) || name == "min" || name == "max"
}

// undeclared reports a name that nothing declares.
func (s *statement) undeclared(name string, pos source.Span) {
	diag := s.errorf(source.CodeUnknownName, pos, "%s is not declared", name)
	if value := otherConstants[strings.ToLower(name)]; value != "" {
		diag.WithHelp("write %s", value)
		return
	}
	if digits := strings.TrimRight(name, "uUlLfF"); digits != "" && strings.Trim(digits, "0123456789") == "" {
		if strings.HasSuffix(strings.ToLower(name), "f") {
			diag.WithHelp("write %s.0 for the number", digits)
		} else {
			diag.WithHelp("numbers have no suffix: write %s, or int64(%s) for a type", digits, digits)
		}
		return
	}
	if knownFunction(name) {
		diag.WithHelp("%[1]s is a function, whose arguments stand in parentheses: %[1]s(x)", name)
		return
	}
	if best := nearest(name, s.def.names()); best != "" {
		diag.WithHelp("did you mean %s?", best)
		return
	}
	diag.WithHelp("add it to the inputs of %s: float %s; a number that runs over a range is an index, and needs a range in the where clause", s.def.fn.Name, name)
}

// undeclaredBound reports a name in a bound that is neither declared nor an index.
func (s *statement) undeclaredBound(i *index, bad syntax.Expr) bool {
	name, ok := bad.(*syntax.Name)
	if !ok || s.byName[name.Name] != nil || s.def.symbols[name.Name] != nil || s.lets[name.Name] != nil {
		return false
	}
	diag := s.errorf(source.CodeUnknownName, name.Pos, "%s is not declared, and the range of %s needs its value", name.Name, i.Name)
	if best := nearest(name.Name, s.def.names()); best != "" {
		diag.WithHelp("did you mean %s?", best)
		return true
	}
	if len(s.def.fn.Sizes) == 0 {
		diag.WithHelp("the inputs have no sizes; add it to them as an integer: int %s", name.Name)
		return true
	}
	diag.WithHelp("the sizes are %s; others are integers among the inputs: int %s", s.def.listSizes(), name.Name)
	return true
}

// choiceForm is how a choice between values is written.
const choiceForm = "{1:c} ? {2:a} : {3:b}"

// otherFunctions says how to write functions of other languages; %s is the text of the
// first argument, and {2:y} that of the second, or y.
var otherFunctions = map[string]string{
	"relu": "fmax(%s, 0)", "sigmoid": "1/(1 + exp(-(%s)))", "silu": "%[1]s/(1 + exp(-(%[1]s)))", "softplus": "log1p(exp(%s))",
	"absolute": "abs(%s)", "ln": "log(%s)", "square": "(%[1]s)*(%[1]s)", "sqr": "(%[1]s)*(%[1]s)",
	"power": "pow(%s, {2:y})", "arctan": "atan(%s)", "arcsin": "asin(%s)", "arccos": "acos(%s)",
	"nearbyint": "rint(%s)", "roundeven": "rint(%s)", "round_half_even": "rint(%s)",
	"clip": "min(max(%s, {2:low}), {3:high})", "maximum": "max(%s, {2:y})", "minimum": "min(%s, {2:y})", "mod": "%s %% {2:y}",
	"sign": "copysign(1.0, %s)", "int": "int32(%s)",
	"if": choiceForm, "select": choiceForm, "iif": choiceForm, "ifelse": choiceForm,
	"not": "!(%s)", "and": "{1:a} && {2:b}", "or": "{1:a} || {2:b}",
	"sum": "s +=! %s", "add": "s +=! %s", "reduce_sum": "s +=! %s", "prod": "p *=! %s", "product": "p *=! %s",
	"argmax": "p argmax=! %s", "argmin": "p argmin=! %s", "cumsum": "S(i) scan(i) +=! %s",
	"mean": "s +=! %[1]s, then s / N", "average": "s +=! %[1]s, then s / N", "norm": "s +=! (%[1]s)*(%[1]s), then sqrt(s)",
	"dot": "s +=! A(i) * B(i)", "matmul": "C(i,j) +=! A(i,k) * B(k,j)", "transpose": "B(i,j) = A(j,i)",
	"any": "b max=! %s > 0", "all": "b min=! %s > 0",
	"softmax": "m max=! A(i), s +=! exp(A(i) - m), then S(i) = exp(A(i) - m) / s",
	"len":     "A.0, the extent of dimension 0 of a tensor A", "size": "A.0, the extent of dimension 0 of a tensor A", "shape": "A.0, the extent of dimension 0 of a tensor A",
}

// otherConstants says how to write constants that have a name elsewhere.
var otherConstants = map[string]string{
	"pi": "3.14159265358979", "true": "true", "false": "false", "inf": "1.0/0", "infinity": "1.0/0", "nan": "0.0/0",
}

var argumentMark = regexp.MustCompile(`\{[1-9]:\w+\}`)

// otherwise returns how to write a call of a function that does not exist here,
// or "".
func otherwise(e *syntax.Apply) string {
	form := otherFunctions[strings.ToLower(e.Func.Name)]
	if form == "" {
		return ""
	}
	argument := "x"
	if len(e.Args) > 0 {
		argument = inLine(e.Args[0].Span().Text())
	}
	form = strings.NewReplacer("%[1]s", argument, "%s", argument, "%%", "%").Replace(form)
	return "write " + argumentMark.ReplaceAllStringFunc(form, func(mark string) string {
		if n := int(mark[1] - '1'); n < len(e.Args) {
			return inLine(e.Args[n].Span().Text())
		}
		return mark[3 : len(mark)-1]
	})
}
