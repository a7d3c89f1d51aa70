package lower

import (
	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How ordered reductions work
//
// Scans, operators that do not commute, operators without an identity and
// nests of different operators keep the order of MDH: from the last index
// (innermost) to the first. The reduced indices form groups, a run of folds with
// one associative operator or a single index, and level g of the recursion passes
// every result of the groups below it to a consumer. A fold outside of a scan has a
// result per position of the scan, hence an array of accumulators.

type ordered struct {
	l      *lowerer
	s      int
	c      *ein.Comprehension
	groups []group
}

type group struct {
	indices []*ein.Index
	op      *ein.Operator
	scan    bool
}

func (l *lowerer) ordered(s int, sc *scope) []loop.Stmt {
	o := &ordered{l: l, s: s, c: l.f.Body[s]}
	for _, i := range schedule.Reduced(o.c) {
		scan := i.Combine.Kind == ein.Scan
		if n := len(o.groups); n > 0 && !scan && !o.groups[n-1].scan && i.Combine.Op.Associative && schedule.SameOperator(o.groups[n-1].op, i.Combine.Op) {
			o.groups[n-1].indices = append(o.groups[n-1].indices, i)
			continue
		}
		o.groups = append(o.groups, group{indices: []*ein.Index{i}, op: i.Combine.Op, scan: scan})
	}
	return o.level(0, sc, func(sc *scope, values []loop.Expr) []loop.Stmt { return l.write(s, sc, values) })
}

// A consumer takes the values at a point at which all outer indices and all
// scanned inner ones are fixed.
type consumer func(sc *scope, values []loop.Expr) []loop.Stmt

func (o *ordered) level(g int, sc *scope, consume consumer) []loop.Stmt {
	if g == len(o.groups) {
		x := o.l.context(o.s, sc)
		values := x.all(o.c.Values)
		if len(values) > 1 {
			values = x.bindAll(values)
		}
		return append(x.before, consume(sc, values)...)
	}
	group := o.groups[g]
	a := &accumulator{statement: o.s, op: group.op, units: 1, lanes: max(1, sc.lanes(o.s, o.c))}
	length := o.inner(g, a, sc)
	stack := sc.parallel || o.small(length, group.op, a.lanes)
	for k, t := range group.op.Types() {
		a.buffers = append(a.buffers, o.buffer(accumulatorName(o.c, k), loop.Type{Elem: t.Compute(), Lanes: a.lanes}, length, stack))
	}
	body := o.loops(group.indices, sc, func(inner *scope) []loop.Stmt {
		return o.level(g+1, inner, func(at *scope, values []loop.Expr) []loop.Stmt {
			list := o.join(a, group, at, values)
			if group.scan {
				x := o.l.context(o.s, at)
				list = append(list, consume(at, a.vector(x))...)
			}
			return list
		})
	})
	if group.op.Identity != nil {
		body = append(o.l.initialise(a.buffers, group.op), body...)
	}
	if !group.scan {
		body = append(body, o.loops(o.scanned(g), sc, func(at *scope) []loop.Stmt {
			x := o.l.context(o.s, at)
			return consume(at, a.vector(x))
		})...)
	}
	for k := len(a.buffers) - 1; k >= 0; k-- {
		if a.buffers[k].Region != loop.Workspace {
			body = []loop.Stmt{&loop.Alloc{Buffer: a.buffers[k], Body: body}}
		}
	}
	return body
}

// small reports whether accumulators fit on the stack; Check has counted them there.
func (o *ordered) small(length affine.Expr, op *ein.Operator, lanes int) bool {
	n, known := length.IsConst()
	bytes := int64(0)
	for _, t := range op.Types() {
		bytes += int64(t.Compute().Size() * lanes)
	}
	return known && n <= schedule.ScanArrayBytes/bytes
}

// buffer makes accumulators, on the stack or in the workspace.
func (o *ordered) buffer(name string, t loop.Type, length affine.Expr, stack bool) *loop.Buffer {
	if n, known := length.IsConst(); known && stack {
		region := loop.Private
		if n == 1 {
			region = loop.Register
		}
		return o.l.register(name, t, n, region)
	}
	b := &loop.Buffer{Name: o.l.fresh(name), Type: t, Region: loop.Workspace}
	o.l.setLength(b, length)
	o.l.reserve(b, length)
	return b
}

// scanned returns the scan indices of the groups inside of group g.
func (o *ordered) scanned(g int) []*ein.Index {
	var list []*ein.Index
	for _, inner := range o.groups[g+1:] {
		if inner.scan {
			list = append(list, inner.indices...)
		}
	}
	return list
}

// inner fills the dimensions of group g's accumulators.
func (o *ordered) inner(g int, a *accumulator, sc *scope) affine.Expr {
	length := affine.Const(1)
	indices := o.scanned(g)
	for k := len(indices) - 1; k >= 0; k-- {
		b := sc.blocks[point{o.s, indices[k].Name}]
		a.dims = append(a.dims, accumulatorDim{index: indices[k].Name, base: b.base, stride: length.Scale(int64(a.lanes))})
		length = length.Mul(b.size)
	}
	return length
}

// vector reads the accumulators at the current point.
func (a *accumulator) vector(x *context) []loop.Expr {
	list := make([]loop.Expr, len(a.buffers))
	for k, b := range a.buffers {
		list[k] = &loop.Load{Buffer: b, Index: x.l.toLoop(a.element(x.sc), 1), Lanes: a.lanes}
	}
	return list
}

// join combines values into the accumulators of a group, or stores the first.
func (o *ordered) join(a *accumulator, g group, sc *scope, values []loop.Expr) []loop.Stmt {
	x := o.l.context(o.s, sc)
	store := func(values []loop.Expr) []loop.Stmt {
		var list []loop.Stmt
		index := o.l.toLoop(a.element(sc), 1)
		for k, b := range a.buffers {
			list = append(list, &loop.Store{Buffer: b, Index: index, Value: broadcast(values[k], a.lanes)})
		}
		return list
	}
	old := a.vector(x)
	if len(old) > 1 {
		old = x.bindAll(old)
	}
	wide := make([]loop.Expr, len(values))
	for k, v := range values {
		wide[k] = broadcast(v, a.lanes)
	}
	combined := x.combine(g.op, old, wide)
	if len(combined) > 1 {
		combined = x.bindAll(combined)
	}
	update := append(x.before, store(combined)...)
	if !firstAsItIs(g.op) {
		return update
	}
	var first loop.Expr
	for _, i := range g.indices {
		at := sc.blocks[point{o.s, i.Name}].base
		var same loop.Expr = &loop.Binary{Op: ein.Eq, X: o.l.toLoop(at, 1), Y: o.l.toLoop(i.Min, 1)}
		if first != nil {
			same = &loop.Binary{Op: ein.And, X: first, Y: same}
		}
		first = same
	}
	return []loop.Stmt{&loop.If{Cond: first, Then: store(wide), Else: update}}
}

// firstAsItIs reports whether the first value must not be combined with an
// identity: there is none, or a NaN would be lost in it.
func firstAsItIs(op *ein.Operator) bool {
	return op.Identity == nil || (op.Kind == ein.MinOp || op.Kind == ein.MaxOp) && op.Left[0].DType.IsFloat()
}

// loops makes serial loops over whole indices.
func (o *ordered) loops(indices []*ein.Index, sc *scope, body func(*scope) []loop.Stmt) []loop.Stmt {
	var members []*schedule.Member
	for _, i := range indices {
		members = append(members, &schedule.Member{Loops: []schedule.Loop{{Statement: o.s, Index: i.Name}}, Tile: 1})
	}
	only := *sc
	only.statements = []int{o.s}
	return o.l.nest(members, nil, &only, body)
}
