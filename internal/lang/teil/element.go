package teil

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// How element types work
//
// An expression has one element type, that of its tensors; nothing is converted but by
// the casts, which are called like the types. A number has the type of what stands
// beside it, in the end that of the tensor to which the expression is assigned. Arithmetic
// on 16-bit floats is done in float32 and rounded where it is stored, so a cast to
// them only says the type.

// elementOf returns the type of an expression, Invalid for one that is made of
// numbers alone.
func (t *Typing) elementOf(e syntax.Expr) tensor.DType {
	switch e := e.(type) {
	case *syntax.Var:
		return t.Elements[e.Name]
	case *syntax.Operation:
		switch {
		case e.Op.Cast != tensor.Invalid:
			return e.Op.Cast
		case e.Op.Class == syntax.Generator:
			return tensor.Int64
		case isFold(e):
			return t.folding(e).types[e.Op.Component]
		case e.Op.IsComparison():
			return tensor.Bool
		}
		for _, o := range arithmetic(e) {
			if element := t.elementOf(o); element != tensor.Invalid {
				return element
			}
		}
	}
	return tensor.Invalid
}

// widened returns an expression of a 16-bit float type as one of the type in which it is
// computed: its tensors are converted, and what was converted from there is not.
func (t *Typing) widened(e syntax.Expr, from tensor.DType) syntax.Expr {
	to := from.Compute()
	switch e := e.(type) {
	case *syntax.Var:
		return operate(e.Pos, to.String(), nil, e)
	case *syntax.Operation:
		if e.Op.Cast != tensor.Invalid {
			if t.elementOf(e.Operands[0]) == to {
				return e.Operands[0]
			}
			return operate(e.Pos, to.String(), nil, e.Operands[0])
		}
		operands := slices.Clone(e.Operands)
		for n, o := range operands {
			if t.elementOfOperand(e, n, from) == from {
				operands[n] = t.widened(o, from)
			}
		}
		return e.WithOperands(operands...)
	}
	return e
}

// arithmetic returns the operands that have the type of the result; of a comparison
// those that are compared.
func arithmetic(e *syntax.Operation) []syntax.Expr {
	if e.Op.HasOwnFirst() {
		return e.Operands[1:]
	}
	return e.Operands
}

// operandElement returns the type in which the operands of an operation are computed whose
// result has the given type.
func (t *Typing) operandElement(e *syntax.Operation, result tensor.DType) tensor.DType {
	if e.Op.Cast == tensor.Invalid && !e.Op.IsComparison() {
		return result
	}
	for _, o := range e.Operands {
		if element := t.elementOf(o); element != tensor.Invalid {
			return element
		}
	}
	if e.Op.Cast != tensor.Invalid {
		return e.Op.Cast // a number is read as one of the type
	}
	return tensor.Float64
}

// elementOfOperand is the type of operand n.
func (t *Typing) elementOfOperand(e *syntax.Operation, n int, result tensor.DType) tensor.DType {
	switch {
	case isFold(e):
		return t.folding(e).types[n]
	case n > 0 || !e.Op.HasOwnFirst():
	case isGather(e):
		return t.subscripts(e)
	default:
		return tensor.Bool
	}
	return t.operandElement(e, result)
}

// elements checks that an expression has the element type of the tensor to which it
// is assigned.
func (p *program) elements(e syntax.Expr, target string) bool {
	before := p.errors
	p.element(e, p.typing.Elements[target], target)
	return p.errors == before
}

// element checks that an expression has the type want, which target or the operation
// around it asks for.
func (p *program) element(e syntax.Expr, want tensor.DType, target string) {
	switch e := e.(type) {
	case *syntax.Var:
		if got := p.typing.Elements[e.Name]; got != want {
			p.errorf(source.CodeTeILElement, e.Pos, "%s has elements of type %s, in an expression for %s of type %s", e.Name, got, target, want).
				WithHelp("allocate both with one type, such as alloc %s : %s [...], or convert: %s %s", target, got, want, e.Name)
		}
	case *syntax.Number:
		if _, err := numberOf(e.Text, want); err != nil {
			p.errorf(source.CodeTeILElement, e.Pos, "%s is no number of type %s, the type of %s", e.Text, want, target).WithHelp("%s", typesHelp(target, fittingNumber(e.Text)))
		}
	case *syntax.Operation:
		if got := p.typing.elementOf(e); got != tensor.Invalid && got != want && (e.Op.Cast != tensor.Invalid || e.Op.IsComparison() || e.Op.Class == syntax.Generator || isFold(e)) {
			p.errorf(source.CodeTeILElement, e.Pos, "%s gives elements of type %s, in an expression for %s of type %s", e.Op.Name, got, target, want).WithHelp("convert them: %s (%s …)", want, e.Op.Name)
			return
		}
		if why := wrongElement(e.Op, want); why != "" {
			p.errorf(source.CodeTeILElement, e.Pos, "%s is %s, and %s has elements of type %s", e.Op.Name, why, target, want).WithHelp("%s, or convert", typesHelp(target, func(d tensor.DType) bool { return wrongElement(e.Op, d) == "" }))
			return
		}
		for n, o := range e.Operands {
			if e.Op.Name == "select" && n == 0 {
				if got := p.typing.elementOf(o); got != tensor.Bool && got != tensor.Invalid {
					p.errorf(source.CodeTeILElement, o.Span(), "the condition of a select has elements of type %s, expected bool", got).WithHelp("comparisons give bools: select (lt e0 e1) …")
					continue
				}
			}
			if isGather(e) && n == 0 && p.wrongSubscripts(o) {
				continue
			}
			p.element(o, p.typing.elementOfOperand(e, n, want), target)
		}
	}
}

// fittingNumber reports for each type whether a number is one of it.
func fittingNumber(text string) func(tensor.DType) bool {
	return func(d tensor.DType) bool {
		_, err := numberOf(text, d)
		return err == nil
	}
}

// typesHelp names the types that a tensor could have instead.
func typesHelp(target string, fits func(tensor.DType) bool) string {
	names := []string{"float", "double"}
	all := []tensor.DType{tensor.Float32, tensor.Float64}
	for _, d := range tensor.DTypes() {
		if !slices.Contains(all, d) {
			all, names = append(all, d), append(names, d.String())
		}
	}
	var list []string
	for n, d := range all {
		if fits(d) {
			list = append(list, names[n])
		}
	}
	switch len(list) {
	case 0:
		return "no type of elements fits " + target
	case 1:
		return fmt.Sprintf("choose the type %s for %s", list[0], target)
	}
	last := len(list) - 1
	return fmt.Sprintf("choose the type %s or %s for %s", strings.Join(list[:last], ", "), list[last], target)
}

// wrongElement says why an operation does not work in a type; empty where it does.
func wrongElement(op *syntax.Op, t tensor.DType) string {
	switch op.Rule {
	case "T-Fun":
		if !t.IsFloat() {
			return "a function of floats"
		}
	case "T-And", "T-Or", "T-Not":
		if t != tensor.Bool {
			return "an operation on bools"
		}
	case "T-Bits":
		if !t.IsInteger() {
			return "an operation on the bits of integers"
		}
	case "T-Add", "T-Sub", "T-Div", "T-Mod", "T-Mul", "T-SMul", "T-Prod", "T-Neg", "T-Abs", "T-Red+", "T-Red*", "T-Contr":
		if t == tensor.Bool {
			return "an operation on numbers"
		}
	}
	return ""
}
