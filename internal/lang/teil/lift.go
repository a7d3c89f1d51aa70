package teil

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
	"github.com/ricci-lang/ricci/tensor"
)

// How lifting works
//
// The value of a reduction inside of another operation is computed again for every
// index of the surrounding one: contr 2 5 (prod A (contr 2 5 (prod B t))) takes
// O(n⁶) operations if n is the size of all dimensions. Lifting gives the inner one a
// statement and a tensor of its own, t1 = contr 2 5 (prod B t), and the sum of both
// takes O(n⁵); theorem lifting of proofs/Lifting.v says that nothing else changes.
//
// A reduction stays where it is as long as it is computed once for each element of
// the result: below operations that only choose or exchange indices, and below
// reductions with the same operator, which become one comprehension with it.

// lift gives reductions inside of other operations statements of their own. In a
// direct program sums stay inside of products, which are folded as a whole.
func (t *Typing) lift(direct bool) []Step {
	l := &lifter{Typing: t, direct: direct}
	statements := t.Program.Statements
	t.Program.Statements = nil
	for _, s := range statements {
		l.element, l.known = t.Elements[s.Targets[0].Name], map[string]syntax.Expr{}
		c := *s
		c.Value = l.top(s.Value, ein.UserDefined)
		t.Program.Statements = append(t.Program.Statements, &c)
	}
	return l.steps
}

type lifter struct {
	*Typing
	direct  bool
	element tensor.DType           // of the expression at hand
	known   map[string]syntax.Expr // what the current statement has lifted, by type and text
	steps   []Step
}

// top rewrites an expression that is computed once for each element of the statement;
// around is the operator of the reductions that it stands in.
func (l *lifter) top(e syntax.Expr, around ein.OperatorKind) syntax.Expr {
	o, ok := e.(*syntax.Operation)
	if !ok {
		return e
	}
	switch {
	case isReduction(o):
		if around != ein.UserDefined && around != o.Op.Combine {
			return l.apart(e)
		}
		return o.WithOperands(l.top(o.Operands[0], o.Op.Combine))
	case isFold(o) && around != ein.UserDefined:
		return l.apart(e)
	case once[o.Op.Name]:
		return o.WithOperands(l.top(o.Operands[0], around))
	case l.direct && isProduct(o) && (around == ein.UserDefined || around == ein.SumOp):
		return o.WithOperands(l.top(o.Operands[0], ein.SumOp), l.top(o.Operands[1], ein.SumOp))
	}
	return l.below(o)
}

// once lists the operations that take every element of the operand at most once.
var once = map[string]bool{"transp": true, "diag": true, "proj": true, "shift": true, "stride": true, "flip": true}

func isReduction(o *syntax.Operation) bool {
	return o.Op.Class == syntax.Reduction || o.Op.Class == syntax.Contraction
}

func isProduct(o *syntax.Operation) bool {
	return o.Op.Class == syntax.Multiplication || o.Op.Class == syntax.OuterProduct
}

// below rewrites the operands of an operation that may take them more than once, or
// computes with them.
func (l *lifter) below(o *syntax.Operation) syntax.Expr {
	operands := make([]syntax.Expr, len(o.Operands))
	outer := l.element
	defer func() { l.element = outer }()
	for n, c := range o.Operands {
		operands[n] = c
		l.element = l.elementOfOperand(o, n, outer)
		if p, ok := c.(*syntax.Operation); ok {
			if standsApart(p) {
				operands[n] = l.apart(p)
			} else {
				operands[n] = l.below(p)
			}
		}
	}
	if isGather(o) {
		l.element = outer
		operands = l.tested(o, operands)
	}
	return o.WithOperands(operands...)
}

// standsApart reports whether an operand gets a statement of its own: a reduction, also
// below operations that move values.
func standsApart(o *syntax.Operation) bool {
	for once[o.Op.Name] {
		next, ok := o.Operands[0].(*syntax.Operation)
		if !ok {
			return false
		}
		o = next
	}
	return isReduction(o) || isFold(o)
}

// apart computes an expression into a tensor of its own, before the statement; equal
// expressions share it. Exchanges of dimensions stay with the use.
func (l *lifter) apart(e syntax.Expr) syntax.Expr {
	if o, ok := operation(e, "transp"); ok {
		return o.WithOperands(l.apart(o.Operands[0]))
	}
	key := l.element.String() + " " + syntax.PrintExpr(e) // numbers take their type from outside
	if known := l.known[key]; known != nil {
		return known
	}
	value := l.top(e, ein.UserDefined)
	swaps := l.layout(value)
	for _, i := range swaps {
		value = exchanged(value, i)
	}
	shape, _ := l.Context.Type(value)
	element := l.element.Compute() // that of arithmetic: lifting does not round to a 16-bit float
	if element != l.element {
		value = l.widened(value, l.element)
	}
	x := l.newLocal(fmt.Sprintf("t%d", len(l.steps)+1), shape, element, e.Span())
	l.Program.Statements = append(l.Program.Statements, &syntax.Statement{Pos: e.Span(), Targets: []syntax.Name{x}, Value: value})
	var use syntax.Expr = &syntax.Var{Pos: e.Span(), Name: x.Name}
	if element != l.element {
		use = operate(e.Span(), l.element.String(), nil, use)
	}
	l.steps = append(l.steps, Step{liftingLaw, value, use})
	for _, i := range slices.Backward(swaps) {
		use = exchanged(use, i)
	}
	l.known[key] = use
	return use
}

// layout decides in which order of dimensions a contraction with a matrix is kept: that
// of the other operand in memory, with the dimension that the matrix adds in the place
// of the contracted one. Then both tensors are walked through in the same order, and
// the innermost loop has contiguous elements: for the operators of the paper that is
// several times faster. The answer are the exchanges of neighbours that lead there.
func (l *lifter) layout(e syntax.Expr) (swaps []int) {
	c, ok := operation(e, "contr")
	if !ok {
		return nil
	}
	p, ok := operation(c.Operands[0], "prod")
	if !ok {
		return nil
	}
	left, right := l.Context.rank(p.Operands[0]), l.Context.rank(p.Operands[1])
	i0, i1 := c.Position(0), c.Position(1)-left
	var places []int // of the dimensions of the result in the memory of the larger operand
	switch {
	case i0 > left || i1 < 1: // not across the product
	case left == 2 && right > 2:
		places = l.places(p.Operands[1])
		places = append([]int{places[i1-1]}, removed(places, i1)...)
	case right == 2 && left > 2:
		places = l.places(p.Operands[0])
		places = append(removed(places, i0), places[i0-1])
	}
	for n := range places {
		for k := len(places) - 1; k > n; k-- {
			if places[k-1] > places[k] {
				places[k-1], places[k] = places[k], places[k-1]
				swaps = append(swaps, k)
			}
		}
	}
	return swaps
}

// places returns for each dimension of an expression which one it is in memory.
func (l *lifter) places(e syntax.Expr) []int {
	if o, ok := operation(e, "transp"); ok {
		places := l.places(o.Operands[0])
		i, j := o.Position(0)-1, o.Position(1)-1
		places[i], places[j] = places[j], places[i]
		return places
	}
	places := make([]int, l.Context.rank(e))
	for k := range places {
		places[k] = k
	}
	return places
}

// exchanged exchanges dimension i with the next one.
func exchanged(e syntax.Expr, i int) syntax.Expr {
	return operate(e.Span(), "transp", []syntax.Size{position(i), position(i + 1)}, e)
}
