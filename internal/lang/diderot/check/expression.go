package check

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/field"
	"github.com/ricci-lang/ricci/internal/lang/diderot/syntax"
	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
	"github.com/ricci-lang/ricci/internal/source"
)

// expr gives an expression its type. The type that is wanted, or nil, helps only what has no type of its own.
func (c *checker) expr(e syntax.Expr, want *typed.Type) typed.Expr {
	switch e := e.(type) {
	case *syntax.Ref:
		return c.ref(e)
	case *syntax.KernelAt:
		return c.kernelAt(e)
	case *syntax.Number:
		return c.number(e, false)
	case *syntax.String:
		return &typed.Literal{Node: typed.Node{Pos: e.Pos, T: &typed.Type{Kind: typed.String}}, Value: &typed.Value{Text: e.Value()}}
	case *syntax.Constant:
		return constantWord(e)
	case *syntax.Unary:
		return c.unary(e, want)
	case *syntax.Binary:
		return c.binary(e, want)
	case *syntax.Conditional:
		return c.conditional(e, want)
	case *syntax.Apply:
		return c.application(e, want)
	case *syntax.Index:
		return c.index(e)
	case *syntax.All:
		c.errorf(source.CodeDiderotShape, e.Pos, "a colon stands only among the indices of a tensor")
	case *syntax.Select:
		return c.selection(e)
	case *syntax.Reduce:
		return c.reduction(e)
	case *syntax.Sequence:
		return c.sequence(e, want)
	case *syntax.Comprehension:
		return c.comprehension(e)
	case *syntax.Tensor:
		return c.tensor(e)
	case *syntax.Norm:
		return c.apply("||", typed.Bars, e.Pos, e.Pos, []typed.Expr{c.expr(e.X, nil)})
	case *syntax.ToReal:
		return c.apply("real", typed.Named, e.Pos, e.Pos, []typed.Expr{c.expr(e.X, nil)})
	case *syntax.Load:
		return c.load(e, want)
	case *syntax.Identity:
		return c.identity(e)
	case *syntax.Zeros:
		if shape, ok := c.shape(e.Shape); ok {
			row := typed.Candidates("zeros", typed.Named)[0]
			return &typed.Apply{Node: typed.Node{Pos: e.Pos, T: typed.TensorOf(shape...)}, Row: row, Numbers: shape}
		}
	case *syntax.NaN:
		if e.Shape == nil {
			return realLiteral(e.Pos, math.NaN())
		}
		if shape, ok := c.shape(e.Shape); ok {
			return &typed.NaN{Node: typed.Node{Pos: e.Pos, T: typed.TensorOf(shape...)}}
		}
	}
	return nothing(e.Span())
}

// value gives a type to an expression and coerces it to the type that it must have. What it is for is told in errors.
func (c *checker) value(e syntax.Expr, want *typed.Type, what string) typed.Expr {
	return c.convert(c.expr(e, want), want, what)
}

// convert coerces an expression to a type, or reports that it has another one.
func (c *checker) convert(x typed.Expr, want *typed.Type, what string) typed.Expr {
	from := x.Type()
	if coercible(from, want) {
		return coerce(x, want)
	}
	if smoother(from, want) {
		c.tooSmooth(x, want, what)
	} else {
		c.errorf(source.CodeDiderotType, x.Span(), "%s is of type %v, but this is %v", what, want, from).Help = convertHelp(from, want)
	}
	return nothing(x.Span())
}

// convertHelp says how a value of one type becomes one of another, if there is a way.
func convertHelp(from, want *typed.Type) string {
	switch {
	case from.Kind == typed.Field && (want.Kind == typed.Tensor || want.Kind == typed.Int):
		return "a field is a function of the position: probe it, F(x)"
	case from.IsReal() && want.Kind == typed.Int, from.Kind == typed.Sequence && want.Kind == typed.Sequence && from.Element.IsReal() && want.Element.Kind == typed.Int:
		return "a real number does not become an int: keep it a real, or compute with ints from the beginning"
	case from.Kind == typed.Int && want.Kind == typed.Bool:
		return "an int is no truth value: write x != 0"
	case from.Kind == typed.Bool && (want.Kind == typed.Int || want.IsReal()):
		return "a truth value is no number: write 1 if b else 0"
	case from.Kind == typed.Tensor && want.Kind == typed.Tensor && len(from.Shape) > 0 && len(want.Shape) == 0:
		return "take a component, v[0], or the norm, |v|"
	case from.IsReal() && want.Kind == typed.Tensor:
		return "write all components: [1.0, 0.0]"
	case from.Kind == typed.Image && want.Kind == typed.Field:
		return "a field is an image convolved with a kernel: bspln3 ⊛ img"
	case from.Kind == typed.Image && want.Kind == typed.Tensor:
		return "an image is no value: make a field of it, bspln3 ⊛ img, and probe that"
	case from.Kind == typed.Tensor && want.Kind == typed.Sequence:
		return "{a, b} is a sequence, [a, b] is a tensor"
	case from.Kind == typed.Sequence && want.Kind == typed.Tensor:
		return "[a, b] is a tensor, {a, b} is a sequence"
	case from.IsDynamic() && want.Kind == typed.Sequence:
		return "how many elements the sequence has is not known when the program is compiled: declare it without a length"
	case from.Kind == typed.Field && want.Kind == typed.Field && from.Dim != want.Dim:
		return "the dimension in parentheses is that of the space of the image"
	case from.Kind == typed.Field && want.Kind == typed.Field && !sameShape(from, want):
		return "the shape in brackets is that of what the field gives: that of the samples, with one axis more for each ∇⊗"
	}
	return ""
}

// smoother reports whether types differ only in that more continuity is asked than there is.
func smoother(from, want *typed.Type) bool {
	return from.Kind == want.Kind && (from.Kind == typed.Field || from.Kind == typed.Kernel) && from.Continuity < want.Continuity &&
		withContinuity(from, want.Continuity).Equal(want)
}

func (c *checker) tooSmooth(x typed.Expr, want *typed.Type, what string) {
	d := c.errorf(source.CodeDiderotContinuity, x.Span(), "%s is of type %v, but this is %v", what, want, x.Type())
	switch {
	case want.Continuity == typed.Smooth:
		d.WithHelp("without # a field has all derivatives; declare it %v", x.Type())
	case x.Type().Kind == typed.Kernel:
		d.WithHelp("declare it %v, or take a smoother kernel", x.Type())
	default:
		d.WithHelp("declare it %v, or take a smoother kernel: ctmr has 1 continuous derivative, bspln3 2, bspln5 and c4hexic 4", x.Type())
	}
}

func (c *checker) ref(e *syntax.Ref) typed.Expr {
	if v := c.find(e.Name); v != nil {
		c.reads(v, e.Pos)
		return &typed.Ref{Node: typed.Node{Pos: e.Pos, T: v.Type}, Variable: v}
	}
	if k := field.LookupKernel(e.Name); k != nil {
		return &typed.KernelRef{Node: typed.Node{Pos: e.Pos, T: &typed.Type{Kind: typed.Kernel, Continuity: k.Continuity}}, Kernel: k}
	}
	d := c.errorf(source.CodeDiderotName, e.Pos, "there is no variable %s", e.Name)
	switch {
	case c.findFunction(e.Name) != nil || isBuiltin(e.Name):
		d.Message = e.Name + " is a function, and no value"
		d.WithHelp("apply it: %s(x)", e.Name)
	case c.file.Program.Strand != nil && c.file.Program.Strand.Name.Name == e.Name:
		d.Message = e.Name + " is the strand, and no value"
		d.WithHelp("%s.active, %s.stable and %s.all are its sets; new %s(…) makes one", e.Name, e.Name, e.Name, e.Name)
	case foreignNames[e.Name] != "":
		d.WithHelp("write %s", foreignNames[e.Name])
	case c.declaredLater(e.Name):
		d.WithHelp("%s is declared below: a name is known behind its declaration", e.Name)
	case c.program.Strand != nil && c.region.allows&seesSets != 0 && slices.ContainsFunc(c.program.Strand.State, func(v *typed.Variable) bool { return v.Name == e.Name }):
		d.WithHelp("%s is a state of each strand: fold it, sum{ t.%s | t in %s.all }", e.Name, e.Name, c.program.Strand.Name)
	case c.region == &regions[inCreate] && slices.ContainsFunc(c.file.Program.Create.Iterators, func(i *syntax.Iterator) bool { return i.Name.Name == e.Name }):
		d.WithHelp("iterators do not see each other: there is a strand for each combination; leave some out by die, in a collection")
	default:
		d.Message += source.DidYouMean(e.Name, c.variableNames())
	}
	return nothing(e.Pos)
}

// foreignNames are what other languages call things.
var foreignNames = map[string]string{
	"pi": "π", "PI": "π", "M_PI": "π", "True": "true", "False": "false", "infinity": "inf, or ∞", "INFINITY": "inf, or ∞", "NaN": "nan",
	"self": "the names of the state variables alone", "this": "the names of the state variables alone", "null": "a value of the type",
}

// declaredLater reports whether a global, or a state variable, of that name stands further below.
func (c *checker) declaredLater(name string) bool {
	p := c.file.Program
	for _, g := range p.Globals {
		switch g := g.(type) {
		case *syntax.Variable:
			if g.Name.Name == name {
				return true
			}
		case *syntax.ClosedForm:
			if g.Name.Name == name {
				return true
			}
		}
	}
	return c.region == &regions[inState] && slices.ContainsFunc(p.Strand.State, func(v *syntax.Variable) bool { return v.Name.Name == name })
}

// variableNames are all that could stand where a variable does.
func (c *checker) variableNames() []string {
	var names []string
	for s := c.scope; s != nil; s = s.outer {
		for _, v := range s.variables {
			names = append(names, v.Name)
		}
	}
	for _, k := range field.Kernels() {
		names = append(names, k.Name)
	}
	return names
}

func (c *checker) kernelAt(e *syntax.KernelAt) typed.Expr {
	k := c.continuity(e.Continuity)
	x := c.ref(&syntax.Ref{Pos: e.Name.Pos, Name: e.Name.Name})
	t := &typed.Type{Kind: typed.Kernel, Continuity: k}
	switch kernel, ok := x.(*typed.KernelRef); {
	case k < 0 || x.Type().Kind == typed.Nothing:
	case ok:
		return &typed.KernelRef{Node: typed.Node{Pos: e.Pos, T: t}, Kernel: kernel.Kernel}
	case x.Type().Kind != typed.Kernel:
		c.errorf(source.CodeDiderotType, e.Pos, "%s is of type %v, and # says how smooth a kernel is taken to be", e.Name.Name, x.Type()).WithHelp("write %s alone", e.Name.Name)
	default:
		return &typed.Coerce{Node: typed.Node{Pos: e.Pos, T: t}, How: typed.ToSmoothness, X: x}
	}
	return nothing(e.Pos)
}

func realLiteral(pos source.Span, v float64) *typed.Literal {
	return &typed.Literal{Node: typed.Node{Pos: pos, T: typed.Real()}, Value: &typed.Value{Real: v}}
}

func constantWord(e *syntax.Constant) typed.Expr {
	switch e.Name {
	case "inf":
		return realLiteral(e.Pos, math.Inf(1))
	case "π":
		return realLiteral(e.Pos, math.Pi)
	}
	return &typed.Literal{Node: typed.Node{Pos: e.Pos, T: &typed.Type{Kind: typed.Bool}}, Value: &typed.Value{Bool: e.Name == "true"}}
}

// number reads a literal. Behind a minus sign the least int may stand.
func (c *checker) number(e *syntax.Number, negated bool) typed.Expr {
	if strings.ContainsAny(e.Text, ".eE") {
		l := realLiteral(e.Pos, 0)
		l.Value = realValue(e.Text)
		return l
	}
	bits := 32
	if c.options.LongInt {
		bits = 64
	}
	text := e.Text
	if negated {
		text = "-" + text
	}
	n, err := strconv.ParseInt(text, 10, bits)
	if err != nil {
		c.errorf(source.CodeDiderotConstant, e.Pos, "%s is too large for an int of %d bits", e.Text, bits).WithHelp("%s", largeHelp(bits, e.Text))
		return nothing(e.Pos)
	}
	if negated {
		n = -n
	}
	return &typed.Literal{Node: typed.Node{Pos: e.Pos, T: &typed.Type{Kind: typed.Int}}, Value: &typed.Value{Int: n}}
}

func largeHelp(bits int, text string) string {
	if bits == 32 {
		return "write a real, " + text + ".0; with --long-int ints have 64 bits"
	}
	return "write a real, " + text + ".0"
}

// longestExact is how many digits, before or behind the point, a real that is kept exactly may have.
const longestExact = 400

func realValue(text string) *typed.Value {
	v := &typed.Value{}
	// An overflow gives infinity, which is what is nearest.
	v.Real, _ = strconv.ParseFloat(text, 64)
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	power, err := strconv.Atoi(strings.TrimPrefix("0"+strings.TrimPrefix(exponent, "+"), "0-"))
	if len(mantissa) <= longestExact && err == nil && power <= longestExact {
		v.Exact, _ = new(big.Rat).SetString(text)
	}
	return v
}
