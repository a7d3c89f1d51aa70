package lower

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How ordered reductions work
//
// Scans, operators that do not commute and
// nests of different operators keep the order of MDH: from the last index
// (innermost) to the first, where neighbours may have changed places
// (schedule.CombinedIn). The reduced indices form groups, a run of folds with
// one associative operator or a single index, and level g of the recursion passes
// every result of the groups below it to a consumer. A fold outside of a scan has a
// result per position of the scan, hence an array of accumulators.
//
// Where the loops are just those over the points of the reduced indices, they become this
// recursion. Otherwise they may be cut, and other loops be between, and it turns around:
// every point brings its value to the innermost group, and the last point of a group brings
// the result to the group outside of it. There is an accumulator per result then, or one
// where all other indices are known above.

type ordered struct {
	l            *lowerer
	s            int
	c            *ein.Comprehension
	groups       []group
	accumulators []*accumulator // of the groups, where points bring values
}

type group struct {
	indices []*ein.Index
	op      *ein.Operator
	scan    bool
}

func (l *lowerer) ordered(n *schedule.Accumulate, sc *scope) []loop.Stmt {
	s := n.Statement
	o := &ordered{l: l, s: s, c: l.f.Body[s]}
	for _, i := range schedule.CombinedIn(n.Child, s, o.c) {
		scan := i.Combine.Kind == ein.Scan
		if n := len(o.groups); n > 0 && !scan && !o.groups[n-1].scan && i.Combine.Op.Associative && ein.SameOperator(o.groups[n-1].op, i.Combine.Op) {
			o.groups[n-1].indices = append(o.groups[n-1].indices, i)
			continue
		}
		o.groups = append(o.groups, group{indices: []*ein.Index{i}, op: i.Combine.Op, scan: scan})
	}
	if n.Region == schedule.Shared || !schedule.Plain(n, o.c) {
		return o.points(n, sc)
	}
	return o.whole(sc)
}

// whole reduces to the result at a point.
func (o *ordered) whole(sc *scope) []loop.Stmt {
	return o.level(0, sc, func(sc *scope, values []loop.Expr) []loop.Stmt { return o.l.write(o.s, sc, values) })
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
	a := o.accumulator(g, sc)
	body := o.loops(group.indices, sc, func(inner *scope) []loop.Stmt {
		return o.level(g+1, inner, func(at *scope, values []loop.Expr) []loop.Stmt {
			list := o.join(a, group, at, values)
			if group.scan {
				x := o.l.context(o.s, at)
				list = append(list, consume(at, a.read(x))...)
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
			return consume(at, a.read(x))
		})...)
	}
	return alive(a, body)
}

// alive allocates accumulators that are not in the workspace.
func alive(a *accumulator, body []loop.Stmt) []loop.Stmt {
	for _, b := range slices.Backward(a.buffers) {
		if b.Region != loop.Workspace {
			body = []loop.Stmt{&loop.Alloc{Buffer: b, Body: body}}
		}
	}
	return body
}

// accumulator makes the accumulators of a group, where all other indices are known.
func (o *ordered) accumulator(g int, sc *scope) *accumulator {
	op := o.groups[g].op
	a := &accumulator{statement: o.s, op: op, units: 1, lanes: max(1, sc.lanes(o.s, o.c))}
	length := o.inner(g, a, sc)
	stack := sc.parallel || sc.many || o.small(length, op, a.lanes)
	for k, t := range op.Types() {
		a.buffers = append(a.buffers, o.buffer(accumulatorName(o.c, k), loop.Type{Elem: t.Compute(), Lanes: a.lanes}, length, stack))
	}
	return a
}

// points makes the loops of the tree, the points of which bring their values.
func (o *ordered) points(n *schedule.Accumulate, sc *scope) []loop.Stmt {
	for g, group := range o.groups {
		a := o.accumulator
		if n.Region == schedule.Shared {
			a = func(int, *scope) *accumulator {
				return o.l.wholeArray(n, group.op, accumulatorName, sc, o.scanned(g)...)
			}
		}
		o.accumulators = append(o.accumulators, a(g, sc))
	}
	empty, always := o.l.empty(o.s)
	nothing := func() []loop.Stmt {
		all := &ordered{l: o.l, s: o.s, c: o.c, groups: o.groups}
		return o.l.overResults(n, sc, func(at *scope) []loop.Stmt { return all.whole(o.l.uncut(o.s, at)) })
	}
	alone := len(sc.statements) == 1
	if always && alone {
		return nothing()
	}
	body := o.l.node(n.Child, sc.withAccumulator(o.s, &accumulator{statement: o.s, order: o}))
	for _, a := range slices.Backward(o.accumulators) {
		body = alive(a, body)
	}
	switch {
	case always: // no point brings a value, but others are there
		return append(nothing(), body...)
	case empty != nil && alone:
		return []loop.Stmt{&loop.If{Cond: empty, Then: nothing(), Else: body}}
	case empty != nil:
		return append([]loop.Stmt{&loop.If{Cond: empty, Then: nothing()}}, body...)
	}
	return body
}

// uncut is a scope in which reduced indices have their own ranges, not those of their coordinates,
// which have values of other statements, too.
func (l *lowerer) uncut(s int, sc *scope) *scope {
	own := sc.clone()
	own.unskewed = true
	for _, i := range ein.Reduced(l.f.Body[s]) {
		b := own.blocks[point{s, i.Name}]
		b.base, b.size, b.value = i.Min, affine.MaxOf(i.Extent, affine.Const(0)), nil
		own.blocks[point{s, i.Name}] = b
	}
	return own
}

// empty tests that a statement has nothing to reduce, so that no point brings a value; nil: there is.
func (l *lowerer) empty(s int) (test loop.Expr, always bool) {
	for _, i := range ein.Reduced(l.f.Body[s]) {
		n, known := i.Extent.IsConst()
		switch {
		case known && n < 1:
			return nil, true
		case known || !i.MayBeEmpty:
			continue
		}
		var none loop.Expr = &loop.Binary{Op: ein.Lt, X: l.toLoop(i.Extent, 1), Y: int64Const(1)}
		if test != nil {
			none = &loop.Binary{Op: ein.Or, X: test, Y: none}
		}
		test = none
	}
	return test, false
}

// arrive brings values to a group; behind the outermost one they are results.
func (o *ordered) arrive(g int, sc *scope, values []loop.Expr) []loop.Stmt {
	if g < 0 {
		return o.l.write(o.s, sc, values)
	}
	a, group := o.accumulators[g], o.groups[g]
	x := o.l.context(o.s, sc)
	list := o.join(a, group, sc, values)
	further := append(x.before, o.arrive(g-1, sc, a.read(x))...)
	if group.scan {
		return append(list, further...)
	}
	last := o.l.atPoint(o.s, sc, group.indices, lastOf)
	return append(list, when(last, further, nil)...)
}

// atPoint tests that indices of a statement have these values.
func (l *lowerer) atPoint(s int, sc *scope, indices []*ein.Index, value func(*ein.Index) affine.Expr) (all loop.Expr) {
	for _, i := range indices {
		all = both(all, l.compare(sc.value(s, i.Name), ein.Eq, value(i)))
	}
	return all
}

// lastOf is the last value of an index.
func lastOf(i *ein.Index) affine.Expr { return i.Min.Add(i.Extent).AddConst(-1) }

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
		return o.l.fresh.Buffer(name, t, n, region)
	}
	b := &loop.Buffer{Name: o.l.fresh.Name(name), Type: t, Region: loop.Workspace}
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

// join combines values into the accumulators of a group, or stores the first. Where nothing
// is in these before, the first is combined with the identity here.
func (o *ordered) join(a *accumulator, g group, sc *scope, values []loop.Expr) []loop.Stmt {
	first := func(x *context) []loop.Expr { return x.all(g.op.Identity) }
	switch {
	case g.op.Identity == nil:
		first = nil
	case o.accumulators == nil:
		return o.joined(a, g, sc, values, a.read)
	}
	at := o.l.atPoint(o.s, sc, g.indices, func(i *ein.Index) affine.Expr { return i.Min })
	return when(at, o.joined(a, g, sc, values, first), o.joined(a, g, sc, values, a.read))
}

// joined stores values, combined with the old ones if there are any.
func (o *ordered) joined(a *accumulator, g group, sc *scope, values []loop.Expr, before func(*context) []loop.Expr) []loop.Stmt {
	x := o.l.context(o.s, sc)
	if before == nil {
		return append(x.before, a.store(x, values)...)
	}
	lanes := a.at(x).lanes
	wide, old := make([]loop.Expr, len(values)), before(x)
	for k, v := range values {
		wide[k], old[k] = broadcast(v, lanes), broadcast(old[k], lanes)
	}
	if len(old) > 1 {
		old = x.bindAll(old)
	}
	combined := x.combine(g.op, old, wide)
	if len(combined) > 1 {
		combined = x.bindAll(combined)
	}
	return append(x.before, a.store(x, combined)...)
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
