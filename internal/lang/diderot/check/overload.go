package check

import (
	"fmt"
	"strings"

	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
	"github.com/ricci-lang/ricci/internal/source"
)

// apply makes an operator or builtin of its arguments: the first row of the name that takes them as they are, or else
// the first that takes them coerced. The sign is the place of the name.
func (c *checker) apply(name string, form typed.Form, pos, sign source.Span, args []typed.Expr) typed.Expr {
	for _, a := range args {
		if a.Type().Kind == typed.Nothing {
			return nothing(pos)
		}
	}
	if m := c.resolve(name, form, args); m != nil {
		return c.applied(m, pos, args)
	}
	c.unresolved(name, form, pos, sign, args)
	return nothing(pos)
}

func (c *checker) resolve(name string, form typed.Form, args []typed.Expr) *match {
	for _, coerce := range []bool{false, true} {
		for _, row := range typed.Candidates(name, form) {
			if m := c.match(signatures[row], args, coerce); m != nil {
				return m
			}
		}
	}
	return nil
}

// applied makes the application that a match found.
func (c *checker) applied(m *match, pos source.Span, args []typed.Expr) typed.Expr {
	a := &typed.Apply{Node: typed.Node{Pos: pos, T: m.result()}, Row: m.signature.row}
	unknown := a.T == nil
	for _, p := range m.signature.params {
		unknown = unknown || p.kind == sequencePattern && m.instance(p) == nil
	}
	if unknown {
		c.errorf(source.CodeDiderotSequence, pos, "the type of the elements of {} is not known here").WithHelp("declare a variable: real[] s = {}")
		return nothing(pos)
	}
	if a.T.Components() > largestTensor {
		c.errorf(source.CodeDiderotShape, pos, "a tensor has at most %d components, not %d", largestTensor, a.T.Components()).WithHelp("a sequence holds more")
		return nothing(pos)
	}
	if a.T.Kind == typed.Field && a.T.Continuity < 0 {
		c.notSmooth(a, args[0])
		return nothing(pos)
	}
	for n, p := range m.signature.params {
		if p.kind == constantPattern {
			a.Numbers = append(a.Numbers, int(c.folder.fold(args[n]).Int))
			continue
		}
		if t := m.instance(p); p.kind != fieldPattern && args[n].Type().Kind != typed.Field && t != nil {
			a.Args = append(a.Args, coerce(args[n], t))
		} else {
			a.Args = append(a.Args, args[n])
		}
	}
	return c.restricted(a)
}

// restricted reports operators that stand where they cannot.
func (c *checker) restricted(a *typed.Apply) typed.Expr {
	ok := true
	switch a.Row.Means {
	case typed.Query:
		ok = c.query(a)
	case typed.Count:
		ok = c.only(counts, a.Pos, a.Row.Name, "strands are counted in methods of the strand, and in the global start and update")
		if ok && c.region.allows&seesStrands != 0 {
			c.program.Uses.Counts = true
		}
	}
	if !ok {
		return nothing(a.Pos)
	}
	return a
}

func (c *checker) notSmooth(a *typed.Apply, x typed.Expr) {
	c.errorf(source.CodeDiderotContinuity, a.Pos, "%v has no continuous derivative", x.Type()).
		WithHelp("take a smoother kernel: ctmr has 1 continuous derivative, bspln3 2, bspln5 and c4hexic 4; each ∇ takes one")
}

// unresolved reports arguments that no row takes.
func (c *checker) unresolved(name string, form typed.Form, pos, sign source.Span, args []typed.Expr) {
	if form == typed.Infix && c.exponent(name, args) {
		return
	}
	types := make([]string, len(args))
	for n, a := range args {
		types[n] = a.Type().String()
	}
	rows := typed.Candidates(name, form)
	shown := name
	if form == typed.Bars {
		shown = "|x|"
	}
	d := c.errorf(source.CodeDiderotOperands, sign, "%s does not take %s", shown, listed(types))
	help := "it takes " + listOfSignatures(rows)
	if special := operandHelp(name, form, args); special != "" {
		help = special
	}
	d.WithHelp("%s", help)
}

// exponent reports a field to a power that is not constant.
func (c *checker) exponent(name string, args []typed.Expr) bool {
	if name != "^" || args[0].Type().Kind != typed.Field || len(args[0].Type().Shape) > 0 || args[1].Type().Kind != typed.Int {
		return false
	}
	d := c.errorf(source.CodeDiderotConstant, args[1].Span(), "the exponent of a field is a constant int from %d to %d", -mostPower, mostPower)
	d.WithHelp("write a number, or a const; the power of a value is F(x)^i")
	return true
}

// listed joins types: "vec2 and real".
func listed(words []string) string {
	switch len(words) {
	case 0:
		return "no arguments"
	case 1:
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// listOfSignatures says what rows take.
func listOfSignatures(rows []*typed.Row) string {
	var list []string
	for _, row := range rows {
		takes, gives, _ := strings.Cut(row.Signature, "->")
		text := fmt.Sprintf("%s and gives %s", strings.TrimSpace(takes), strings.TrimSpace(gives))
		if strings.TrimSpace(takes) == "" {
			text = "nothing and gives " + strings.TrimSpace(gives)
		}
		if row.Lifted {
			text += ", also of fields"
		}
		list = append(list, text)
	}
	return strings.Join(list, "; or ")
}
