package lower

import (
	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// An accumulator holds the partial results of a reduction for every Concat point
// of the block where it started. Where the width of the vector loop divides the
// block it is a buffer of vectors, which a target keeps in registers. A reduction
// along lanes has one vector per point and unit (vector of the unrolled tile),
// and scalars for the rest of the range that fills no vector.
type accumulator struct {
	statement int
	op        *ein.Operator
	buffers   []*loop.Buffer // one per component; nil: the written tensors
	tail      []*loop.Buffer // scalars beside lane accumulators; nil until needed
	lanes     int            // of the elements of buffers
	dims      []accumulatorDim
	along     string // the reduced index along whose lanes vectors accumulate; "" for none
	units     int64  // vectors per point of such an accumulator
	chunk     affine.Expr
}

type accumulatorDim struct {
	index  string
	base   affine.Expr
	size   int64
	stride affine.Expr // in scalars, vectors counting as their lanes
}

// element returns the position of the current point, in elements of the buffer.
func (a *accumulator) element(sc *scope) affine.Expr {
	sum := a.chunk
	for _, d := range a.dims {
		b := sc.blocks[point{a.statement, d.index}]
		position := b.position()
		if a.lanes > 1 && a.along == "" {
			position = b.base
		}
		sum = sum.Add(position.Sub(d.base).Mul(d.stride))
	}
	if a.lanes > 1 && a.along == "" {
		sum = divided(sum, int64(a.lanes))
	}
	return sum
}

// divided is an exact division: every coefficient is a multiple of n.
func divided(e affine.Expr, n int64) affine.Expr {
	var sum affine.Expr
	for _, t := range e.Terms() {
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
	buffers, index, lanes := a.at(x)
	for k, b := range buffers {
		list[k] = &loop.Load{Buffer: b, Index: index, Lanes: lanes}
	}
	return list
}

// at chooses the buffers and the index for the current point.
func (a *accumulator) at(x *context) (buffers []*loop.Buffer, index loop.Expr, lanes int) {
	element := a.element(x.sc)
	if a.along == "" {
		if a.lanes > 1 {
			return a.buffers, x.l.toLoop(element, 1), a.lanes
		}
		index, f := x.l.linearIndex(element, x.lanes)
		if f == uniform {
			return a.buffers, index, 1
		}
		return a.buffers, index, x.lanes
	}
	b := x.sc.blocks[point{a.statement, a.along}]
	if b.lanes > 1 {
		unit := affine.Expr{}
		if a.units > 1 {
			unit = b.unit
		}
		return a.buffers, x.l.toLoop(element.Scale(a.units).Add(unit), 1), a.lanes
	}
	if a.tail == nil {
		for _, v := range a.buffers {
			a.tail = append(a.tail, x.l.register(v.Name+"_tail", loop.Scalar(v.Type.Elem), v.Length/a.units, v.Region))
		}
	}
	return a.tail, x.l.toLoop(element, 1), 1
}

func (l *lowerer) register(name string, t loop.Type, length int64, region loop.Region) *loop.Buffer {
	b := &loop.Buffer{Name: l.fresh(name), Type: t, Region: region, Length: length}
	l.out.Buffers = append(l.out.Buffers, b)
	return b
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

// update combines values into an accumulator.
func (l *lowerer) update(a *accumulator, s int, sc *scope, values []loop.Expr) []loop.Stmt {
	x := l.context(s, sc)
	old := a.read(x)
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
	if len(values) > 1 {
		combined = x.bindAll(combined)
	}
	list := x.before
	if a.buffers == nil {
		c := l.f.Body[s]
		for k, w := range c.Writes {
			index, _ := x.linear(w.Tensor, w.Subscripts)
			list = append(list, &loop.Store{Buffer: sc.storage[w.Tensor].buffer, Index: index, Value: broadcast(combined[k], x.lanes)})
		}
		return list
	}
	buffers, index, lanes := a.at(x)
	for k, b := range buffers {
		list = append(list, &loop.Store{Buffer: b, Index: index, Value: broadcast(combined[k], lanes)})
	}
	return list
}

// combine applies an operator: left ⊕ right. A float sum of products is a MulAdd.
func (x *context) combine(op *ein.Operator, left, right []loop.Expr) []loop.Expr {
	if op.Kind == ein.SumOp && op.Left[0].DType.IsFloat() {
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
	return x.all(op.Body)
}

// accumulate lowers the life of a reduction's accumulators.
func (l *lowerer) accumulate(n *schedule.Accumulate, sc *scope) []loop.Stmt {
	s, c := n.Statement, l.f.Body[n.Statement]
	op, ok := schedule.ReductionOperator(c)
	if !ok {
		return l.ordered(s, sc)
	}
	if n.Region == schedule.Output {
		return l.accumulateInOutput(n, op, sc)
	}
	a := &accumulator{statement: s, op: op, lanes: 1, units: 1}
	vector, w := l.vectorIndex(s, n.Child, sc)
	for _, i := range schedule.Reduced(c) {
		if i.Name == vector {
			a.along, a.lanes = vector, w
			a.units = schedule.LaneUnits(s, vector, w, n.Child)
		}
	}
	elements := l.dimensions(a, c, vector, w, sc)
	if n.Region == schedule.Workspace {
		return l.accumulateInChunks(n, a, elements, sc)
	}
	region := loop.Private
	if n.Region == schedule.Register {
		region = loop.Register
	}
	for k, t := range op.Types() {
		length := elements
		if a.along == "" {
			length /= int64(a.lanes)
		}
		a.buffers = append(a.buffers, l.register(accumulatorName(c, k), loop.Type{Elem: t.Compute(), Lanes: a.lanes}, length*a.units, region))
	}
	body := l.node(n.Child, sc.withAccumulator(s, a))
	finish := l.overBlock(a, vector, w, sc, func(inner *scope) []loop.Stmt { return l.finish(a, inner) })
	body = append(append(l.initialise(a.buffers, op), body...), finish...)
	if a.tail != nil {
		body = append(l.initialise(a.tail, op), body...)
	}
	buffers := append(append([]*loop.Buffer(nil), a.buffers...), a.tail...)
	for k := len(buffers) - 1; k >= 0; k-- {
		body = []loop.Stmt{&loop.Alloc{Buffer: buffers[k], Body: body}}
	}
	return body
}

func accumulatorName(c *ein.Comprehension, k int) string { return c.Writes[k].Tensor.Name + "_acc" }

// vectorIndex returns the index of a statement that is, or further down will be,
// enumerated by vectors, and their width.
func (l *lowerer) vectorIndex(s int, below schedule.Node, sc *scope) (string, int) {
	for _, i := range l.f.Body[s].Indices {
		p := point{s, i.Name}
		if n := sc.blocks[p].lanes; n > 1 {
			return i.Name, n
		}
		if n := width(p, nil, below); n > 1 {
			return i.Name, n
		}
	}
	return "", 1
}

// dimensions fills the dims of an accumulator, the vector index innermost, and
// returns the number of scalars.
func (l *lowerer) dimensions(a *accumulator, c *ein.Comprehension, vector string, w int, sc *scope) int64 {
	for _, i := range c.ByKind(ein.Concat) {
		b := sc.blocks[point{a.statement, i.Name}]
		n, ok := b.size.IsConst()
		if !ok {
			l.fail(c.Pos, "the accumulators of %s start where the size of %s is not known", l.tree.Statements[a.statement].Name, i.Name)
		}
		d := accumulatorDim{index: i.Name, base: b.base, size: n}
		if i.Name == vector {
			switch {
			case n%int64(w) == 0:
				a.lanes = w
			case n < int64(w) && n&(n-1) == 0:
				a.lanes = int(max(n, 1))
			}
			a.dims = append(a.dims, d)
		} else {
			a.dims = append([]accumulatorDim{d}, a.dims...)
		}
	}
	stride := int64(1)
	for k := len(a.dims) - 1; k >= 0; k-- {
		a.dims[k].stride = affine.Const(stride)
		stride *= a.dims[k].size
	}
	return stride
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

// overBlock makes the loops over the points of an accumulator, by vectors along
// the vector index.
func (l *lowerer) overBlock(a *accumulator, vector string, w int, sc *scope, body func(*scope) []loop.Stmt) []loop.Stmt {
	var members []*schedule.Member
	points := int64(1)
	for _, d := range a.dims {
		p := point{a.statement, d.index}
		if sc.blocks[p].isPoint() {
			continue
		}
		m := &schedule.Member{Loops: []schedule.Loop{{Statement: a.statement, Index: d.index}}, Tile: 1}
		points *= d.size
		if d.index == vector {
			m.Vector = w
			points /= int64(w)
		}
		members = append(members, m)
	}
	const most = 64 // register tiles are written out, larger blocks are looped over
	for _, m := range members {
		m.Unroll = points <= most
	}
	only := *sc
	only.statements = []int{a.statement}
	return l.nest(members, nil, &only, body)
}

// finish passes the result at one point on: to the accumulators further up, or
// to the written tensors.
func (l *lowerer) finish(a *accumulator, sc *scope) []loop.Stmt {
	x := l.context(a.statement, sc)
	var values []loop.Expr
	if a.along == "" {
		values = a.read(x)
	} else {
		values = a.folded(x)
	}
	if len(values) > 1 {
		values = x.bindAll(values)
	}
	return append(x.before, l.deliver(a.statement, sc, values)...)
}

// deliver combines values with the innermost accumulators or writes them.
func (l *lowerer) deliver(s int, sc *scope, values []loop.Expr) []loop.Stmt {
	if parent := sc.accumulator(s); parent != nil {
		return l.update(parent, s, sc, values)
	}
	return l.write(s, sc, values)
}

// folded combines the lanes of every unit, and the scalars of the rest.
func (a *accumulator) folded(x *context) []loop.Expr {
	element := a.element(x.sc)
	var sum loop.Expr
	for u := int64(0); u < a.units; u++ {
		var v loop.Expr = &loop.Load{Buffer: a.buffers[0], Index: x.l.toLoop(element.Scale(a.units).AddConst(u), 1), Lanes: a.lanes}
		if sum != nil {
			v = x.combine(a.op, []loop.Expr{sum}, []loop.Expr{v})[0]
		}
		sum = v
	}
	fold, _ := schedule.FoldOperator(a.op)
	var result loop.Expr = &loop.Fold{Op: fold, X: sum}
	if a.tail != nil {
		rest := &loop.Load{Buffer: a.tail[0], Index: x.l.toLoop(element, 1), Lanes: 1}
		result = x.combine(a.op, []loop.Expr{result}, []loop.Expr{rest})[0]
	}
	return []loop.Expr{result}
}

// accumulateInOutput keeps partial results in the written tensors: they start
// with the identity, or with the old values where the statement accumulates with
// the same operator.
func (l *lowerer) accumulateInOutput(n *schedule.Accumulate, op *ein.Operator, sc *scope) []loop.Stmt {
	s, c := n.Statement, l.f.Body[n.Statement]
	a := &accumulator{statement: s, op: op, lanes: 1, units: 1}
	var list []loop.Stmt
	if c.Accumulate == nil {
		vector, w := l.vectorIndex(s, n.Child, sc)
		over := &accumulator{statement: s}
		for _, i := range c.ByKind(ein.Concat) {
			d := accumulatorDim{index: i.Name, size: 1 << 20}
			if i.Name == vector {
				over.dims = append(over.dims, d)
				continue
			}
			over.dims = append([]accumulatorDim{d}, over.dims...)
		}
		list = l.overBlock(over, vector, w, sc, func(inner *scope) []loop.Stmt {
			x := l.context(s, inner)
			var stores []loop.Stmt
			for k, w := range c.Writes {
				index, _ := x.linear(w.Tensor, w.Subscripts)
				stores = append(stores, &loop.Store{Buffer: inner.storage[w.Tensor].buffer, Index: index, Value: broadcast(x.expr(op.Identity[k]), x.lanes)})
			}
			return append(x.before, stores...)
		})
	}
	return append(list, l.node(n.Child, sc.withAccumulator(s, a))...)
}

// accumulateInChunks gives every iteration of the parallel loop below partial
// results of its own, and combines them in the order of the iterations, so that
// the result does not depend on the number of threads.
func (l *lowerer) accumulateInChunks(n *schedule.Accumulate, a *accumulator, elements int64, sc *scope) []loop.Stmt {
	s, c := n.Statement, l.f.Body[n.Statement]
	b, ok := n.Child.(*schedule.Band)
	if !ok || !b.Members[0].Parallel {
		l.fail(c.Pos, "accumulate %s workspace without a parallel loop below", l.tree.Statements[s].Name)
		return nil
	}
	m := b.Members[0]
	a.lanes, a.along, a.units = 1, "", 1
	var chunks affine.Expr
	cuts := l.cut(m, b.Members[1:], b.Child, sc)
	for _, seg := range cuts {
		chunks = chunks.Add(seg.count)
	}
	for k, t := range a.op.Types() {
		buffer := &loop.Buffer{Name: l.fresh(accumulatorName(c, k) + "s"), Type: loop.Scalar(t.Compute()), Region: loop.Workspace}
		length := chunks.Scale(elements)
		l.setLength(buffer, length)
		l.reserve(buffer, length)
		a.buffers = append(a.buffers, buffer)
	}
	v := l.newVar("p")
	f := &loop.For{Var: v, Lo: int64Const(0), Hi: l.toLoop(chunks, 1), Step: 1, Kind: loop.Parallel}
	number := affine.Symbol(v.Name)
	a.chunk = number.Scale(elements)
	f.Body = l.pieces([]*schedule.Member{m}, [][]segment{cuts}, []affine.Expr{number}, sc.inParallel(), func(inner *scope) []loop.Stmt {
		list := l.overBlock(a, "", 1, inner, func(at *scope) []loop.Stmt { return l.reset(a, at) })
		return append(list, l.nest(b.Members[1:], b.Child, inner.withAccumulator(s, a), func(sc *scope) []loop.Stmt {
			return l.node(b.Child, sc)
		})...)
	})
	return append([]loop.Stmt{f}, l.recompose(a, chunks, elements, sc)...)
}

func (sc *scope) inParallel() *scope {
	c := *sc
	c.parallel = true
	return &c
}

// reset stores the identity at the current point.
func (l *lowerer) reset(a *accumulator, sc *scope) []loop.Stmt {
	x := l.context(a.statement, sc)
	buffers, index, lanes := a.at(x)
	var list []loop.Stmt
	for k, b := range buffers {
		list = append(list, &loop.Store{Buffer: b, Index: index, Value: broadcast(x.expr(a.op.Identity[k]), lanes)})
	}
	return list
}

// recompose combines the partial results of all chunks.
func (l *lowerer) recompose(a *accumulator, chunks affine.Expr, elements int64, sc *scope) []loop.Stmt {
	return l.overBlock(a, "", 1, sc, func(at *scope) []loop.Stmt {
		c := l.f.Body[a.statement]
		total := &accumulator{statement: a.statement, op: a.op, lanes: 1, units: 1}
		for k, b := range a.buffers {
			total.buffers = append(total.buffers, l.register(accumulatorName(c, k), loop.Scalar(b.Type.Elem), 1, loop.Register))
		}
		v := l.newVar("chunk")
		part := *a
		part.chunk = affine.Symbol(v.Name).Scale(elements)
		x := l.context(a.statement, at)
		sum := &loop.For{Var: v, Lo: int64Const(0), Hi: l.toLoop(chunks, 1), Step: 1, Kind: loop.Serial,
			Body: l.update(total, a.statement, at, part.read(x))}
		body := append(l.initialise(total.buffers, a.op), sum)
		body = append(body, l.finish(total, at)...)
		for k := len(total.buffers) - 1; k >= 0; k-- {
			body = []loop.Stmt{&loop.Alloc{Buffer: total.buffers[k], Body: body}}
		}
		return body
	})
}
