package lower

import (
	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// An accumulator holds the partial results of a reduction for every Concat point
// of the block where it started. Where they are computed by vectors it is a buffer
// of vectors, which a target keeps in registers; the last one may have lanes that
// count for nothing. A reduction along lanes has one vector per point and unit
// (vector of the unrolled tile).
type accumulator struct {
	statement int
	op        *ein.Operator
	buffers   []*loop.Buffer // one per component; nil: the written tensors
	lanes     int            // of the elements of buffers
	group     int            // how many narrow terms go to a lane (narrow_sum.go); less than 2: one
	dims      []accumulatorDim
	axes      []*schedule.Member // the loops below over the items that hold them together; nil: one has all
	kept      []partialDim       // loops with copies of all that, outermost first
	along     string             // the reduced index along whose lanes vectors accumulate; "" for none
	units     int64              // vectors per point of such an accumulator
	chunk     affine.Expr
	// value is what is accumulated, outside the factors that the result is multiplied
	// with; nil: the value of the statement.
	value   ein.Expr
	outside []ein.Expr
	// fresh says of accumulators in the output that nothing is in them before the
	// first block of the reduction.
	fresh bool
	// once says that each element is stored once: what is delivered is not combined with what is there.
	once bool
	// byValue says that the dims are those of whole indices: positions are values of these,
	// also where their loops are skewed.
	byValue bool
	atomic  bool     // items update the buffers at once
	early   bool     // the last point of a result passes it on
	order   *ordered // nil: results are combined as they come
	flips   bool     // it sums what flipping the sign bits of an operand adds
	array   bool     // the buffers are arrays in memory, not registers
	streams bool     // results are written past the caches
	spread  *lineRun // of results, for which its steps ask; nil: they do not
	// inPlace is what a product of a matrix unit writes by itself, perhaps added to what is there.
	inPlace     *ein.Write
	addsInPlace bool
}

type accumulatorDim struct {
	index  string
	base   affine.Expr
	size   int64
	stride affine.Expr // in scalars, vectors counting as their lanes
	held   bool        // each item has a part of the points
}

// element returns the position of the current point, in elements of the buffer.
func (a *accumulator) element(sc *scope) affine.Expr {
	sum := a.chunk.Add(a.copyNumber(sc))
	for _, d := range a.dims {
		b := sc.blocks[point{a.statement, d.index}]
		position := b.position()
		if a.byValue {
			position = sc.value(a.statement, d.index)
		}
		if a.lanes > 1 && a.along == "" {
			position = b.base
		}
		if d.held {
			position = position.Add(b.own)
		} else {
			position = position.Sub(d.base)
		}
		sum = sum.Add(position.Mul(d.stride))
	}
	if a.lanes > 1 && a.along == "" {
		sum = divided(sum, int64(a.lanes))
	}
	return sum
}

// divided is an exact division: the value of e is a multiple of n.
func divided(e affine.Expr, n int64) affine.Expr {
	var sum affine.Expr
	for _, t := range e.Terms() {
		if t.Coefficient%n != 0 { // a loop that steps over vectors
			return affine.Div(e, affine.Const(n))
		}
		term := affine.Const(t.Coefficient / n)
		for _, atom := range t.Atoms {
			factor := affine.Symbol(atom.Symbol)
			if atom.Op != "" {
				factor = affine.Apply(atom.Op, atom.X, atom.Y)
			}
			term = term.Mul(factor)
		}
		sum = sum.Add(term)
	}
	return sum
}

// read returns the accumulators at the current point.
func (a *accumulator) read(x *context) []loop.Expr {
	if a.buffers == nil {
		return x.written(a.statement)
	}
	list := make([]loop.Expr, len(a.buffers))
	at := a.at(x)
	for k, b := range a.buffers {
		list[k] = &loop.Load{Buffer: b, Index: at.index, Lanes: at.lanes, Mask: at.mask}
	}
	return list
}

// An element is where the accumulators of a point, or a vector of points, are.
type element struct {
	index loop.Expr
	lanes int
	mask  loop.Expr
}

// at returns the element for the current point.
func (a *accumulator) at(x *context) element {
	position := a.element(x.sc)
	switch {
	case a.along != "":
		unit := affine.Expr{}
		if a.units > 1 {
			unit = x.sc.blocks[point{a.statement, a.along}].unit
		}
		return element{x.l.toLoop(position.Scale(a.units).Add(unit), 1), a.lanes, nil}
	case a.lanes > 1:
		return element{x.l.toLoop(position, 1), a.lanes, nil}
	}
	index, f := x.l.linearIndex(position, x.lanes)
	if f == uniform {
		return element{index, 1, nil}
	}
	return element{index, x.lanes, x.tail}
}

// store writes values to the accumulators of the current point.
func (a *accumulator) store(x *context, values []loop.Expr) []loop.Stmt {
	at := a.at(x)
	var list []loop.Stmt
	for k, b := range a.buffers {
		list = append(list, &loop.Store{Buffer: b, Index: at.index, Value: broadcast(values[k], at.lanes), Mask: at.mask})
	}
	return list
}

// written reads the tensors that a statement writes.
func (x *context) written(s int) []loop.Expr {
	c := x.l.f.Body[s]
	list := make([]loop.Expr, len(c.Writes))
	for k, w := range c.Writes {
		list[k] = x.load(w.Tensor, w.Subscripts, false)
	}
	return list
}

// summand is what is accumulated.
func (a *accumulator) summand(c *ein.Comprehension) ein.Expr {
	if a.value != nil {
		return a.value
	}
	return c.Values[0]
}

// update combines values into an accumulator.
func (l *lowerer) update(a *accumulator, s int, sc *scope, values []loop.Expr) []loop.Stmt {
	x := l.context(s, sc)
	if a.atomic {
		op, _ := a.op.Atomic()
		return append(x.before, &loop.Atomic{Buffer: a.buffers[0], Index: a.at(x).index, Op: op, Value: values[0]})
	}
	old := a.read(x)
	if a.group > 1 {
		sum := x.addGroups(old[0], values[0], a.summand(l.f.Body[s]))
		return append(x.before, a.store(x, []loop.Expr{sum})...)
	}
	for k := len(values); k < len(a.op.Left); k++ { // a value that is there (WithIdentity)
		values = append(values, x.expr(ein.IntConst(a.op.Left[k].DType, 1)))
	}
	if a.buffers != nil && a.along == "" && old[0].Type().Lanes > 1 {
		for k := range values {
			values[k] = broadcast(values[k], old[0].Type().Lanes)
		}
	}
	if len(values) > 1 {
		values = x.bindAll(values)
		old = x.bindAll(old)
	}
	combined := x.combine(a.op, old, values)
	if x.tail != nil && (a.along != "" || x.points != nil && a.lanes > 1) { // the other lanes keep what they have
		for k := range combined {
			combined[k] = &loop.Select{Cond: x.tail, Then: broadcast(combined[k], x.lanes), Else: old[k]}
		}
	}
	if len(values) > 1 {
		combined = x.bindAll(combined)
	}
	if a.buffers == nil {
		return x.writeAll(combined, false)
	}
	return append(x.before, a.store(x, combined)...)
}

// combine applies an operator: left ⊕ right. A float sum of products is a MulAdd.
func (x *context) combine(op *ein.Operator, left, right []loop.Expr) []loop.Expr {
	if op.Kind == ein.SumOp && !op.Ordered() && op.Left[0].DType.IsFloat() {
		if m, ok := right[0].(*loop.Binary); ok && m.Op == ein.Mul {
			w := widen(m.X, m.Y, left[0])
			return []loop.Expr{&loop.MulAdd{X: w[0], Y: w[1], Z: w[2]}}
		}
		// A product of narrower lanes that was widened as a whole.
		if b, ok := right[0].(*loop.Broadcast); ok {
			if m, ok := b.X.(*loop.Binary); ok && m.Op == ein.Mul {
				w := widen(m.X, m.Y, left[0])
				return []loop.Expr{&loop.MulAdd{X: w[0], Y: w[1], Z: w[2]}}
			}
		}
	}
	for k := range op.Left {
		x.locals[op.Left[k]], x.locals[op.Right[k]] = left[k], right[k]
	}
	return x.chosenTogether(x.all(op.Body))
}

// chosenTogether names the condition by which all of some vectors are chosen, as the value
// and the position of a maximum are, so that it is computed once.
func (x *context) chosenTogether(list []loop.Expr) []loop.Expr {
	for k, e := range list {
		s, ok := e.(*loop.Select)
		if !ok || len(list) < 2 || s.Cond.Type().Lanes < 2 || k > 0 && loop.ExprText(s.Cond) != loop.ExprText(list[0].(*loop.Select).Cond) {
			return list
		}
	}
	var cond loop.Expr
	chosen := make([]loop.Expr, len(list))
	for k, e := range list {
		s := *e.(*loop.Select)
		if cond == nil {
			cond = x.bind("right", s.Cond)
		}
		s.Cond, chosen[k] = cond, &s
	}
	return chosen
}

// initialise fills accumulators with the identity of the operator.
func (l *lowerer) initialise(buffers []*loop.Buffer, op *ein.Operator) []loop.Stmt {
	var list []loop.Stmt
	x := &context{l: l, locals: map[*ein.Local]loop.Expr{}, lanes: 1}
	for k, b := range buffers {
		value := broadcast(x.expr(op.Identity[k]), b.Type.Lanes)
		list = append(list, l.fill(b, value)...)
	}
	return list
}

// fill stores a value in every element of a buffer.
func (l *lowerer) fill(b *loop.Buffer, value loop.Expr) []loop.Stmt {
	if b.Length == 1 {
		return []loop.Stmt{&loop.Store{Buffer: b, Index: int64Const(0), Value: value}}
	}
	v := l.newVar("n")
	length := b.LengthExpr
	if length == nil {
		length = int64Const(b.Length)
	}
	kind := loop.Serial
	if b.Region == loop.Register {
		kind = loop.Unrolled
	}
	return []loop.Stmt{&loop.For{Var: v, Lo: int64Const(0), Hi: length, Step: 1, Kind: kind,
		Body: []loop.Stmt{&loop.Store{Buffer: b, Index: &loop.VarRef{Var: v}, Value: value}}}}
}
