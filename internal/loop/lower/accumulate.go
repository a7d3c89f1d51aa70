package lower

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/tensor"
)

// accumulate lowers the life of a reduction's accumulators.
func (l *lowerer) accumulate(n *schedule.Accumulate, sc *scope) []loop.Stmt {
	c := l.f.Body[n.Statement]
	op, ok := ein.ReductionOperator(c)
	if _, scanned, scan := ein.ScanOperator(c); scan {
		if n.Region == schedule.Local || l.grids && n.Region == schedule.Workspace || !l.isTotal(n, sc) {
			return l.scan(n, sc)
		}
		op, ok = scanned, true
	}
	if !ok {
		return l.ordered(n, sc)
	}
	if op != nil {
		op = l.withIdentity(op)
	}
	switch n.Region {
	case schedule.Output:
		return l.accumulateInOutput(n, op, sc)
	case schedule.Workspace:
		if l.grids {
			return l.accumulateByGroups(n, sc)
		}
		return l.accumulateInChunks(n, sc)
	case schedule.Shared:
		return l.accumulateInArray(n, op, sc)
	case schedule.Early:
		return l.accumulateEarly(n, op, sc)
	case schedule.Local:
		if n.Atomic {
			return l.accumulateAtomically(n, op, sc)
		}
		return l.accumulateLocally(n, sc)
	}
	if sc.launch != nil && !sc.inItem {
		return l.accumulateInItems(n, op, sc)
	}
	return l.accumulateInBuffers(n, op, sc)
}

// accumulateInBuffers keeps accumulators in registers or private arrays until they are delivered.
func (l *lowerer) accumulateInBuffers(n *schedule.Accumulate, op *ein.Operator, sc *scope) []loop.Stmt {
	s, c := n.Statement, l.f.Body[n.Statement]
	a := &accumulator{statement: s, op: op, lanes: 1, units: 1, streams: streamsBelow(s, n.Child)}
	vector, w := l.vectorIndex(s, n.Child, sc)
	innermost := accumulateBelow(s, n.Child) == nil // else the inner ones have the lanes
	if innermost {
		a.accumulateAlong(c, n, vector, w)
	}
	elements := l.dimensions(a, c, vector, l.whereAligned(n, vector, w), sc)
	matrix, _ := schedule.MatrixBelow(s, c, n.Child)
	inMatrix := matrix != nil && innermost
	if inMatrix {
		a.lanes, a.array = 1, true
		if list, ok := l.multiplyInPlace(a, n, vector, sc.wholly(a)); ok {
			return list
		}
	}
	region := loop.Private
	if n.Region == schedule.Register && !l.isUneven(n, vector, w) && !inMatrix {
		region = loop.Register
	}
	a.outside, a.value = l.factors(s, op, sc)
	if a.along != "" && a.along == vector {
		a.group = groupOf(op, a.summand(c), w)
		a.lanes = w / a.group
	}
	all, _ := l.keepPartial(a, n, affine.Const(elements)).IsConst()
	l.accumulatorBuffers(a, all, region)
	a.spread = l.spreadOf(a, n, sc)
	sums := append(l.sums(a, n, vector, sc), l.combinePartial(a, elements)...)
	finish := l.delivered(s, sc, l.finishRagged(a, vector, w, sc))
	body := slices.Concat(l.prefetchResults(n, a, sc), sums, finish)
	for k := len(a.buffers) - 1; k >= 0; k-- {
		body = []loop.Stmt{&loop.Alloc{Buffer: a.buffers[k], Body: body}}
	}
	return body
}

// accumulateAlong finds the reduced index along whose lanes, or copies, vectors accumulate.
func (a *accumulator) accumulateAlong(c *ein.Comprehension, n *schedule.Accumulate, vector string, w int) {
	for _, i := range ein.Reduced(c) {
		if i.Name == vector {
			a.along, a.lanes = vector, w
			a.units = schedule.LaneUnits(a.statement, vector, w, n.Child)
		}
	}
	for _, i := range ein.Reduced(c) {
		if units := schedule.ApartBelow(a.statement, i.Name, n); units > 0 {
			a.along, a.units = i.Name, units
		}
	}
}

// sums starts accumulators and adds the terms.
func (l *lowerer) sums(a *accumulator, n *schedule.Accumulate, vector string, sc *scope) []loop.Stmt {
	if a.array {
		return l.multiply(a, n, vector, sc.wholly(a))
	}
	start := l.initialise(a.buffers, a.op)
	if flipped := l.startFlipped(a, n, vector, sc); flipped != nil {
		start = flipped
	}
	return append(start, l.node(n.Child, sc.wholly(a).withAccumulator(a.statement, a))...)
}

// longestVector is as many bytes as any vector has: longer ones of float32 are those of float16, in
// which minima and maxima are exact.
const longestVector = 64

// accumulatorBuffers makes room for so many results.
func (l *lowerer) accumulatorBuffers(a *accumulator, results int64, region loop.Region) {
	if a.along == "" {
		results /= int64(a.lanes)
	}
	for k, t := range a.op.Types() {
		elem := t.Compute()
		if elem.Size()*a.lanes > longestVector && ein.InHalves(l.f.Body[a.statement]) {
			elem = tensor.Float16
		}
		a.buffers = append(a.buffers, l.fresh.Buffer(accumulatorName(l.f.Body[a.statement], k), loop.Type{Elem: elem, Lanes: a.lanes}, results*a.units, region))
	}
}

func accumulatorName(c *ein.Comprehension, k int) string {
	if k == len(c.Writes) { // whether there is a value
		return c.Writes[0].Tensor.Name + "_some"
	}
	return c.Writes[k].Tensor.Name + "_acc"
}

// withIdentity is ein.Operator.WithIdentity, the same one for an operator everywhere.
func (l *lowerer) withIdentity(op *ein.Operator) *ein.Operator {
	if l.operators[op] == nil {
		l.operators[op] = op.WithIdentity()
	}
	return l.operators[op]
}

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

// isUneven reports whether the vectors of a statement begin anywhere in the block where an
// accumulate is, since smaller blocks inside of it do not consist of them. Its accumulators
// are scalars then.
func (l *lowerer) isUneven(n *schedule.Accumulate, vector string, lanes int) bool {
	return vector != "" && schedule.IsUneven(n.Statement, vector, lanes, n.Child)
}

// whereAligned is the number of lanes of accumulators.
func (l *lowerer) whereAligned(n *schedule.Accumulate, vector string, lanes int) int {
	if l.isUneven(n, vector, lanes) {
		return 1
	}
	return lanes
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
		if m := a.itemsOver(i.Name); m != nil {
			d.held, n = true, schedule.ItemShare(n, m)
			d.size = n
		}
		if i.Name == vector {
			a.lanes = w
			if l.isNarrow(point{a.statement, i.Name}, w) {
				a.lanes = int(n)
			}
			d.size = roundUp(n, int64(a.lanes)) // the last vector may be a partial one
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

// overBlock makes the loops over the points of an accumulator, by vectors along
// the vector index.
func (l *lowerer) overBlock(a *accumulator, vector string, w int, sc *scope, body func(*scope) []loop.Stmt) []loop.Stmt {
	return l.overPoints(a, vector, w, loop.MostWrittenOut, sc, body)
}

// overPoints is overBlock, which writes out so many points at most.
func (l *lowerer) overPoints(a *accumulator, vector string, w int, most int64, sc *scope, body func(*scope) []loop.Stmt) []loop.Stmt {
	var members []*schedule.Member
	points := int64(1)
	for _, d := range a.dims {
		p := point{a.statement, d.index}
		if b := sc.blocks[p]; b.isPoint() && (d.index != vector || b.lanes > 0) {
			continue
		}
		m := &schedule.Member{Loops: []schedule.Loop{{Statement: a.statement, Index: d.index}}, Tile: 1}
		points *= d.size
		if d.index == vector {
			m.Vector, m.Stream = w, a.streams
			points = (points + int64(w) - 1) / int64(w)
		}
		members = append(members, m)
	}
	for _, m := range members {
		m.Unroll = points <= most && !a.array
	}
	only := *sc
	only.statements = []int{a.statement}
	return l.nest(members, nil, &only, body)
}

// finishRagged passes the results of a block on of which perhaps not all points
// exist. Accumulators must not be subscripted by variables, or they would not stay in
// registers: for the ragged block they are copied first.
func (l *lowerer) finishRagged(a *accumulator, vector string, w int, sc *scope) []loop.Stmt {
	if sc.accumulator(a.statement) == nil && l.isThere(a.statement, sc) != nil {
		return l.finishExisting(a, sc, func(sc *scope, body func(*scope) []loop.Stmt) []loop.Stmt { return l.overBlock(a, vector, w, sc, body) })
	}
	all := sc.clone()
	var complete loop.Expr
	for _, d := range a.dims {
		p := point{a.statement, d.index}
		b := sc.blocks[p]
		if b.ragged && !b.whole {
			complete = both(complete, l.compare(b.exists, ein.Ge, b.size))
			b.ragged = false
			all.blocks[p] = b
		}
	}
	if complete == nil {
		return l.finishBlock(a, vector, w, all)
	}
	inRegisters := slices.ContainsFunc(a.buffers, func(b *loop.Buffer) bool { return b.Region == loop.Register })
	if a.array || !inRegisters {
		return when(complete, l.finishBlock(a, vector, w, all), l.finishBlock(a, vector, w, sc))
	}
	copied := *a
	copied.buffers = nil
	var save []loop.Stmt
	for _, b := range a.buffers {
		c := l.fresh.Buffer(b.Name+"_copy", b.Type, b.Length, loop.Private)
		v := l.newVar("n")
		save = append(save, &loop.For{Var: v, Lo: int64Const(0), Hi: int64Const(b.Length), Step: 1, Kind: loop.Unrolled, Body: []loop.Stmt{
			&loop.Store{Buffer: c, Index: &loop.VarRef{Var: v}, Value: &loop.Load{Buffer: b, Index: &loop.VarRef{Var: v}, Lanes: b.Type.Lanes}}}})
		copied.buffers = append(copied.buffers, c)
	}
	part := append(save, l.finishBlock(&copied, vector, w, sc)...)
	for _, b := range copied.buffers {
		part = []loop.Stmt{&loop.Alloc{Buffer: b, Body: part}}
	}
	return when(complete, l.finishBlock(a, vector, w, all), part)
}

// finishBlock passes the results of a block on. Where partial results live in the
// output, those of the first blocks of the reduction are stored, not added.
func (l *lowerer) finishBlock(a *accumulator, vector string, w int, sc *scope) []loop.Stmt {
	if list, ok := l.storedAcross(a, vector, sc); ok {
		return list
	}
	over := func(finish func(*scope) []loop.Stmt) []loop.Stmt { return l.overBlock(a, vector, w, sc, finish) }
	further := over(func(inner *scope) []loop.Stmt { return l.finish(a, inner) })
	parent := sc.accumulator(a.statement)
	if parent == nil || !parent.fresh {
		return further
	}
	first := over(func(inner *scope) []loop.Stmt {
		top := *inner
		top.accumulators = nil
		return l.finish(a, &top)
	})
	switch at, possible := l.atStart(a.statement, sc); {
	case !possible:
		return further
	case at != nil:
		return []loop.Stmt{&loop.If{Cond: at, Then: first, Else: further}}
	}
	return first
}

// atStart is true in the first of the blocks of the reduced indices, if this may be
// it; nil stands for always.
func (l *lowerer) atStart(s int, sc *scope) (all loop.Expr, possible bool) {
	for _, i := range ein.Reduced(l.f.Body[s]) {
		offset := sc.blocks[point{s, i.Name}].base.Sub(i.Min)
		if n, known := offset.IsConst(); known {
			if n != 0 {
				return nil, false
			}
			continue
		}
		all = both(all, &loop.Binary{Op: ein.Eq, X: l.toLoop(offset, 1), Y: int64Const(0)})
	}
	return all, true
}

// storesFirst reports whether the partial results that an accumulation in the
// output receives are those of blocks, the first of which may be stored.
func (l *lowerer) storesFirst(n *schedule.Accumulate) bool {
	c := l.f.Body[n.Statement]
	for _, i := range ein.Reduced(c) {
		if points, known := i.Extent.IsConst(); known && points < 1 || !known && i.MayBeEmpty || l.frames.Of(n.Statement, i).Guarded || l.levels.Any() {
			return false
		}
	}
	below := accumulateBelow(n.Statement, n.Child)
	if below == nil || below.Region == schedule.Workspace || below.Region == schedule.Local || l.grids && schedule.HasItems(below) {
		return false // threads' results, and those of items, are added as they come
	}
	return !l.backwards(n.Statement, n.Child) && c.Accumulate == nil
}

// backwards reports whether some blocks of a reduction in a subtree come from the last
// to the first.
func (l *lowerer) backwards(s int, n schedule.Node) bool {
	if b, ok := n.(*schedule.Band); ok {
		for _, m := range b.Members {
			if lp, ok := m.IndexOf(s); ok && m.Reverse && l.index(point{s, lp.Index}).Combine.Kind != ein.Concat {
				return true
			}
		}
	}
	return slices.ContainsFunc(schedule.Children(n), func(child schedule.Node) bool { return l.backwards(s, child) })
}

// accumulateBelow returns where further accumulators of a statement start in a subtree,
// or nil.
func accumulateBelow(s int, n schedule.Node) *schedule.Accumulate {
	if a, ok := n.(*schedule.Accumulate); ok && a.Statement == s {
		return a
	}
	for _, child := range schedule.Children(n) {
		if a := accumulateBelow(s, child); a != nil {
			return a
		}
	}
	return nil
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
	values = a.scaled(x, values)
	return append(x.before, l.deliver(a.statement, sc, values)...)
}

// deliver combines values with the innermost accumulators or writes them.
func (l *lowerer) deliver(s int, sc *scope, values []loop.Expr) []loop.Stmt {
	if parent := sc.accumulator(s); parent != nil && parent.once {
		x := l.context(s, sc)
		return append(x.before, parent.store(x, values)...)
	} else if parent != nil {
		return l.update(parent, s, sc, values)
	}
	return l.write(s, sc, values)
}

// accumulateInOutput keeps partial results in the written tensors: they start
// with the identity, or with the old values where the statement accumulates with
// the same operator.
func (l *lowerer) accumulateInOutput(n *schedule.Accumulate, op *ein.Operator, sc *scope) []loop.Stmt {
	s, c := n.Statement, l.f.Body[n.Statement]
	if list, ok := l.multiplyInOutput(n, op, sc); ok {
		return list
	}
	a := &accumulator{statement: s, op: op, lanes: 1, units: 1, fresh: l.storesFirst(n)}
	var list []loop.Stmt
	if c.Accumulate == nil && !a.fresh {
		list = l.overResults(n, sc, func(inner *scope) []loop.Stmt {
			x := l.context(s, inner)
			var stores []loop.Stmt
			for k, w := range c.Writes {
				stores = append(stores, x.stores(w, x.expr(op.Identity[k]), false)...)
			}
			return append(x.before, stores...)
		})
	}
	return append(list, l.node(n.Child, sc.withAccumulator(s, a))...)
}

// unskewed is a scope in which the indices of results that are skewed by reduced ones,
// and not enumerated yet, have their own ranges.
func (l *lowerer) unskewed(s int, sc *scope) *scope {
	own, c := sc.clone(), l.f.Body[s]
	others, _ := l.frames.OfResults(s, c, func(i *ein.Index) bool { return l.isCut(s, i, sc) })
	for _, i := range c.ByKind(ein.Concat) {
		p := point{s, i.Name}
		b := sc.blocks[p]
		if v, ok := others[i]; ok {
			b.value = slices.Concat(v.Coordinates, v.Indices)
		} else {
			own.unskewed = own.unskewed || len(l.frames.Of(s, i).By) > 0
			b.base, b.size, b.value = i.Min, i.Extent, nil
		}
		own.blocks[p] = b
	}
	return own
}
