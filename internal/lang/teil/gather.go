package teil

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// How gathers work
//
// gather i e0 e1 reads dimension i of e1 at the places that the elements of e0 say,
// which count from 0 as the numbers of iota do. It has a type whatever the elements are, since
// each is tested while running. The test is that of an access of ein, so the dimension has to
// be one of a tensor: lift gives an operand that makes the dimension in another way a
// statement of its own.

// gather is T-Gather: s and [… nᵢ …] give s, and behind it the second without nᵢ.
func gather(j *judgement) (Shape, *Refusal) {
	i, s := j.e.Position(0), j.operands[1]
	if i < 1 || i > len(s) {
		return nil, j.refuse([]int{i}, s, dimensionsHelp(len(s)), "position %d is no dimension of a tensor of shape %s", i, s)
	}
	return slices.Concat(j.operands[0], s.without(i)), nil
}

// isGather reports whether an operation is a gather.
func isGather(o *syntax.Operation) bool { return o.Op.Class == syntax.Gathering }

// subscripts returns the type of the subscripts of a gather.
func (t *Typing) subscripts(e *syntax.Operation) tensor.DType {
	if element := t.elementOf(e.Operands[0]); element != tensor.Invalid {
		return element
	}
	return tensor.Int64
}

// gathered is the second operand where dimension i is the place that the first says.
func (l *lowerer) gathered(e *syntax.Operation, at []ein.Expr) ein.Expr {
	rank, outer := len(l.shape(e.Operands[0])), l.element
	l.element = l.subscripts(e)
	place := l.value(e.Operands[0], at[:rank])
	l.element = outer
	if place.Type() != tensor.Int64 {
		place = &ein.Cast{Pos: e.Pos, To: tensor.Int64, X: place}
	}
	l.places = append(l.places, place)
	return l.value(e.Operands[1], inserted(at[rank:], e.Position(0), place))
}

// isTested reports whether one of the subscripts is computed from the place of a gather.
func (l *lowerer) isTested(subscripts []ein.Expr) bool {
	tested := false
	for _, s := range subscripts {
		ein.Walk(s, func(e ein.Expr) bool {
			tested = tested || slices.Contains(l.places, e)
			return !tested
		})
	}
	return tested
}

// tests reports whether dimension i of an expression is one of a tensor that is read
// wherever the expression is computed, so that the test of the access is that of the dimension.
func (c *Context) tests(e syntax.Expr, i int) bool {
	o, ok := e.(*syntax.Operation)
	if !ok {
		return true
	}
	switch o.Op.Class {
	case syntax.Elementwise:
		return o.Op.Name != "select" && c.tests(o.Operands[0], i)
	case syntax.Multiplication:
		return c.tests(o.Operands[1], i)
	case syntax.OuterProduct:
		rank := c.rank(o.Operands[0])
		if i > rank {
			return c.tests(o.Operands[1], i-rank)
		}
		return c.tests(o.Operands[0], i)
	case syntax.Gathering:
		rank := c.rank(o.Operands[0])
		if i <= rank {
			return c.tests(o.Operands[0], i)
		}
		return c.tests(o.Operands[1], behind(i-rank, o.Position(0)))
	}
	switch first := o.Position(0); o.Op.Name {
	case "transp":
		switch second := o.Position(1); i {
		case first:
			i = second
		case second:
			i = first
		}
		return c.tests(o.Operands[0], i)
	case "proj":
		return c.tests(o.Operands[0], behind(i, first))
	case "diag":
		return c.tests(o.Operands[0], behind(i, o.Position(1)))
	case "flip":
		return c.tests(o.Operands[0], i)
	case "shift", "stride":
		return i != first && c.tests(o.Operands[0], i)
	}
	return false
}

// behind is the position of dimension i before dimension removed was removed.
func behind(i, removed int) int {
	if i >= removed {
		return i + 1
	}
	return i
}

// tested returns the operands of a gather so that the dimension which it reads is tested.
func (l *lifter) tested(o *syntax.Operation, operands []syntax.Expr) []syntax.Expr {
	if !l.Context.tests(operands[1], o.Position(0)) {
		operands[1] = l.apart(operands[1])
	}
	return operands
}

// wrongSubscripts reports subscripts that are no integers.
func (p *program) wrongSubscripts(e syntax.Expr) bool {
	got := p.typing.elementOf(e)
	if got == tensor.Invalid || got.IsInteger() {
		return false
	}
	p.errorf(source.CodeTeILElement, e.Span(), "the subscripts of a gather have elements of type %s, expected integers", got).WithHelp("convert them: int64 (…)")
	return true
}
