package tc

import (
	"math"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// How comparisons are noticed that have one outcome
//
// i == N is never true where i runs over 0:N, x(i) < 0 never of an unsigned x, and no integer is 0.5: what was to be chosen by
// such a comparison is not chosen. A test that always holds, as i >= 0, does no harm, and is let alone, but for
// unsigned numbers, of which it was thought that they could be negative.

// warnDecided warns of comparisons in the value and in the lets.
func (l *lowering) warnDecided(p *prover) {
	for _, part := range l.partsOf(l.syntax.Value) {
		l.decidedIn(part, p)
	}
}

func (l *lowering) decidedIn(e syntax.Expr, p *prover) {
	if b, ok := e.(*syntax.Binary); ok && binaryOperators[b.Op].IsComparison() {
		if why, always := l.outcome(b, p); why != "" {
			outcome := map[bool]string{false: "never", true: "always"}[always]
			l.def.warnOnce(l.statement, source.CodeDecided, b.Pos, "%s is %s true: %s", oneLine(b.Pos.Text()), outcome, why).
				WithHelp("change the comparison, or leave it out")
		}
	}
	for _, x := range operands(e) {
		l.decidedIn(x, p)
	}
}

// outcome says why a comparison has one outcome, "" where it has not.
func (l *lowering) outcome(e *syntax.Binary, p *prover) (why string, always bool) {
	op := binaryOperators[e.Op]
	if l.isStatic(e.X) && l.isStatic(e.Y) {
		return l.neverHolds(e, op, p)
	}
	x, y := e.X, e.Y
	if l.types[x].constant {
		x, y, op = y, x, exchanged[op]
	}
	left, right := l.types[x], l.types[y]
	text := oneLine(x.Span().Text())
	switch {
	case !right.constant || !left.isInteger() || left.weak != strong:
	case right.weak == weakFloat && right.float != math.Trunc(right.float) && (op == ein.Eq || op == ein.Ne):
		return text + " is an integer", op == ein.Ne
	case right.weak == weakInt && right.integer == 0 && isUnsigned(left) && !wrapsBelow(x) && (op == ein.Lt || op == ein.Ge):
		return text + " is " + left.dtype.String() + ", which has no negative numbers", op == ein.Ge
	}
	return "", false
}

// wrapsBelow reports whether an expression is one of which wrapsBefore warns below zero.
func wrapsBelow(e syntax.Expr) bool {
	switch e := withoutParens(e).(type) {
	case *syntax.Unary:
		return e.Op == "-"
	case *syntax.Binary:
		return e.Op == "-"
	}
	return false
}

// exchanged are the comparisons with exchanged operands.
var exchanged = map[ein.BinaryOp]ein.BinaryOp{ein.Lt: ein.Gt, ein.Gt: ein.Lt, ein.Le: ein.Ge, ein.Ge: ein.Le, ein.Eq: ein.Eq, ein.Ne: ein.Ne}

// neverHolds says why a comparison of an index is false at all points, or holds at all as an inequality.
func (l *lowering) neverHolds(e *syntax.Binary, op ein.BinaryOp, p *prover) (why string, always bool) {
	probe, budget := &lowering{statement: l.statement}, l.budget
	l.budget = budgetNodes // that was enough for the value
	defer func() { l.budget = budget }()
	x, okX := p.provedAffine(probe.subscript(e.X))
	y, okY := p.provedAffine(probe.subscript(e.Y))
	if !okX || !okY || l.failed {
		return "", false
	}
	less, more := y.Sub(x), x.Sub(y) // positive where x < y, and where x > y
	var index *index
	for _, i := range l.indices {
		if less.Uses(i.Name) {
			index = i
		}
	}
	holds := func(e affine.Expr) bool { return p.provesWhere(e, ein.Alternatives{nil}) }
	apart := func() bool { return holds(less.AddConst(-1)) || holds(more.AddConst(-1)) }
	never := map[ein.BinaryOp]func() bool{
		ein.Eq: apart, ein.Ne: apart,
		ein.Lt: func() bool { return holds(more) }, ein.Le: func() bool { return holds(more.AddConst(-1)) },
		ein.Gt: func() bool { return holds(less) }, ein.Ge: func() bool { return holds(less.AddConst(-1)) },
	}[op]
	if index == nil || !never() {
		return "", false
	}
	return index.Name + " runs over " + index.min.String() + ":" + index.end.String(), op == ein.Ne
}

// extremeLiteral warns of a literal that float32 does not hold.
func (l *lowering) extremeLiteral(t valueType, want tensor.DType, pos source.Span) {
	v := math.Abs(t.float)
	if t.weak != weakFloat || want.Compute() != tensor.Float32 || v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return
	}
	became := math.Abs(float64(float32(v)))
	if became != 0 && !math.IsInf(became, 0) {
		return
	}
	what := map[bool]string{true: "infinite", false: "0"}[became != 0]
	l.def.warnOnce(l.statement, source.CodeExtremeLiteral, pos, "%s is %s in float32", oneLine(pos.Text()), what).
		WithHelp("float32 holds numbers from 1.4e-45 to 3.4e38; declare a double, or write 1.0/0 for infinity")
}
