package teil

import (
	"fmt"

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
	known   map[string]syntax.Expr // what the current statement has lifted, by its text
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
	return isReduction(o)
}

// apart computes an expression into a tensor of its own, before the statement; equal
// expressions share it.
func (l *lifter) apart(e syntax.Expr) syntax.Expr {
	text := syntax.PrintExpr(e)
	if known := l.known[text]; known != nil {
		return known
	}
	value := l.top(e, ein.UserDefined)
	shape, _ := l.Context.Type(value)
	x := l.newLocal(fmt.Sprintf("t%d", len(l.steps)+1), shape, l.element, e.Span())
	l.Program.Statements = append(l.Program.Statements, &syntax.Statement{Pos: e.Span(), Targets: []syntax.Name{x}, Value: value})
	l.known[text] = &syntax.Var{Pos: e.Span(), Name: x.Name}
	l.steps = append(l.steps, Step{liftingLaw, value, l.known[text]})
	return l.known[text]
}
