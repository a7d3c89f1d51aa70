package lower

import (
	"maps"
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/tensor"
)

// How groups are stored and multiplied
//
// A loop over groups visits some neighbouring points of a reduced index at once. The
// operand along the vector lies in its place with the members of a group side by side,
// then the groups along the fastest dimension: B[k, j] of a block of J columns is at
// g·((k/g)·J + j) + k mod g. So a vector of groups is one load. The other operand is read
// as a vector along the group. Where the index ends inside of a group, the rest of that
// vector is zero, and what the block has there counts for nothing.

// group returns the reduced index and the block of a statement of which the current
// points are a group.
func (sc *scope) group(s int, c *ein.Comprehension) (index *ein.Index, b block, ok bool) {
	for _, i := range ein.Reduced(c) {
		if b := sc.blocks[point{s, i.Name}]; b.group > 0 {
			return i, b, true
		}
	}
	return nil, block{}, false
}

// dot adds the dot product of a group to an accumulator.
func (l *lowerer) dot(s int, sc *scope) []loop.Stmt {
	c := l.f.Body[s]
	index, b, _ := sc.group(s, c)
	vector, lanes := "", 1
	for _, i := range c.ByKind(ein.Concat) {
		if n := sc.blocks[point{s, i.Name}].lanes; n > 1 {
			vector, lanes = i.Name, n
		}
	}
	a := sc.accumulator(s)
	along, shared, why := schedule.DotOperands(c, index, l.indexOrNil(s, vector), b.group)
	if why != "" || a == nil || a.buffers == nil || a.along != "" || a.value != nil {
		l.fail(c.Pos, "a dot product of groups: %s", why)
		return nil
	}
	x := l.context(s, sc)
	value := &loop.Dot{X: l.vectorOfGroups(x, along, vector, lanes, b.group), Z: a.read(x)[0]}
	other, signs := l.signs(shared.Tensor.Type, b)
	switch {
	case a.flips:
		value.Y = signs
	case b.flip:
		value.Y = &loop.Binary{Op: ein.Add, X: &loop.Cast{To: other, X: l.oneGroup(x, shared, index, b)}, Y: signs}
	default:
		value.Y = l.oneGroup(x, shared, index, b)
	}
	return append(x.before, a.store(x, []loop.Expr{value})...)
}

// signs returns the type of bytes that has a sign where another one has none, and a group
// of it with just the sign bits; adding these is flipping them. What is behind the end of
// an index has none.
func (l *lowerer) signs(t tensor.DType, b block) (other tensor.DType, signs loop.Expr) {
	bit := &loop.Const{Elem: tensor.Uint8, Bits: 0x80}
	if t == tensor.Uint8 {
		least := int64(math.MinInt8)
		bit = &loop.Const{Elem: tensor.Int8, Bits: uint64(least)}
	}
	other, signs = bit.Elem, broadcast(bit, b.group)
	if b.partial {
		signs = &loop.Select{Cond: l.tailMask(b.valid, b.group), Then: signs, Else: broadcast(&loop.Const{Elem: other}, b.group)}
	}
	return other, signs
}

// startFlipped starts accumulators with what is taken away from them since groups are
// flipped below: the dot products of the operand along the vector with sign bits alone. Of
// the indices on which they do not depend one point is enough. It returns nil where no
// groups are flipped for these accumulators.
func (l *lowerer) startFlipped(a *accumulator, n *schedule.Accumulate, vector string, sc *scope) []loop.Stmt {
	s, c := n.Statement, l.f.Body[n.Statement]
	reduced := ein.Reduced(c)
	at := slices.IndexFunc(reduced, func(i *ein.Index) bool { return schedule.FlippedBelow(s, i.Name, n.Child) })
	if at < 0 || accumulateBelow(s, n.Child) != nil {
		return nil
	}
	along, _, why := schedule.DotOperands(c, reduced[at], l.indexOrNil(s, vector), schedule.GroupBelow(s, reduced[at].Name, n.Child))
	if why != "" {
		l.fail(c.Pos, "a dot product of groups: %s", why)
		return nil
	}
	only := sc.clone()
	only.statements = []int{s}
	f := &accumulator{statement: s, op: a.op, lanes: a.lanes, units: 1, flips: true}
	length := int64(1)
	for _, d := range slices.Backward(a.dims) {
		if !ein.AnyDependsOn(along.Subscripts, l.index(point{s, d.index})) {
			only.blocks[point{s, d.index}] = block{base: d.base, size: affine.Const(1)}
			continue
		}
		f.dims = append([]accumulatorDim{{index: d.index, base: d.base, size: d.size, stride: affine.Const(length)}}, f.dims...)
		length *= d.size
	}
	b := l.fresh.Buffer(a.buffers[0].Name+"_flip", a.buffers[0].Type, length/int64(a.lanes), loop.Register)
	f.buffers = []*loop.Buffer{b}
	sums := l.node(n.Child, only.wholly(f).withAccumulator(s, f))
	return []loop.Stmt{&loop.Alloc{Buffer: b, Body: slices.Concat(l.initialise(f.buffers, a.op), sums, l.negated(a, f))}}
}

// negated stores the negative of one accumulator in another one, which may have more
// dimensions.
func (l *lowerer) negated(to, from *accumulator) []loop.Stmt {
	var at, source affine.Expr
	var loops []*loop.For
	for k, d := range to.dims {
		f := &loop.For{Var: l.newVar("n"), Lo: int64Const(0), Hi: int64Const(d.size), Step: 1, Kind: loop.Unrolled}
		position := affine.Symbol(f.Var.Name)
		if k == len(to.dims)-1 { // that of the vectors
			f.Hi, position = int64Const(d.size/int64(to.lanes)), position.Scale(int64(to.lanes))
		}
		loops = append(loops, f)
		at = at.Add(position.Mul(d.stride))
		for _, o := range from.dims {
			if o.index == d.index {
				source = source.Add(position.Mul(o.stride))
			}
		}
	}
	element := func(e affine.Expr) loop.Expr { return l.toLoop(divided(e, int64(to.lanes)), 1) }
	sums := &loop.Load{Buffer: from.buffers[0], Index: element(source), Lanes: to.lanes}
	list := []loop.Stmt{&loop.Store{Buffer: to.buffers[0], Index: element(at), Value: &loop.Unary{Op: ein.Neg, X: sums}}}
	for _, f := range slices.Backward(loops) {
		f.Body = list
		list = []loop.Stmt{f}
	}
	return list
}

func (l *lowerer) indexOrNil(s int, name string) *ein.Index {
	if name == "" {
		return nil
	}
	return l.index(point{s, name})
}

// vectorOfGroups reads a group for every lane.
func (l *lowerer) vectorOfGroups(x *context, a *ein.Access, vector string, lanes, group int) loop.Expr {
	first := x.atFirstLane(vector)
	index, _ := first.linear(a.Tensor, a.Subscripts)
	st := x.sc.storage[a.Tensor]
	load := st.load(index, lanes*group)
	if st.group != group {
		l.fail(a.Pos, "%s is not stored by groups of %d", a.Tensor.Name, group)
	}
	if x.tail != nil && !st.padded {
		load.Mask = l.tailMask(x.valid.Scale(int64(group)), lanes*group)
	}
	return load
}

// atFirstLane is a context in which the vector index has the value of the first lane.
func (x *context) atFirstLane(vector string) *context {
	first := *x
	first.env = maps.Clone(x.env)
	_, first.env[vector], _ = x.env[vector].Linear(laneSymbol)
	return &first
}

// oneGroup reads the group that is the same for all lanes.
func (l *lowerer) oneGroup(x *context, a *ein.Access, index *ein.Index, b block) loop.Expr {
	member := *x
	member.lanes, member.tail, member.mask = b.group, nil, nil
	member.env = maps.Clone(x.env)
	member.env[index.Name] = x.env[index.Name].Add(affine.Symbol(laneSymbol))
	if b.partial {
		member.tail = l.tailMask(b.valid, b.group)
	}
	e := member.load(a.Tensor, a.Subscripts, true)
	x.before = member.before
	return e
}

// groupsIn returns the dimension of a tensor along which the statements below read it by
// groups, for every lane of a vector, and their size; 0 where they do not.
func (l *lowerer) groupsIn(t *ein.Tensor, below schedule.Node, sc *scope) (dim, size int) {
	l.uses(t, sc, func(s int, c *ein.Comprehension, subscripts []ein.Expr) {
		vector, lanes := l.vectorIndex(s, below, sc)
		for _, i := range ein.Reduced(c) {
			g := schedule.GroupBelow(s, i.Name, below)
			if g == 0 || lanes < 2 {
				continue
			}
			along, _, why := schedule.DotOperands(c, i, l.indexOrNil(s, vector), g)
			for d, sub := range subscripts {
				if j, _, ok := schedule.IndexPlusConstant(c, sub); ok && j == i && why == "" && along.Tensor == t {
					dim, size = d, g
				}
			}
		}
	})
	return dim, size
}

// inGroups lets a block lie in groups: its strides, made for groups as elements, become
// those of elements. It returns the room.
func (st *storage) inGroups(dim, size int, room int64) int64 {
	st.group, st.grouped = size, dim
	for d, stride := range st.strides {
		st.strides[d] = stride.Scale(int64(size))
	}
	if st.panels != nil {
		st.panels.stride *= int64(size)
	}
	return room * int64(size)
}

// groups copies a block to one that lies in groups: the whole groups, and the rest. The
// members of a group are one more dimension, the fastest.
func (c *blockCopy) groups() []loop.Stmt {
	d, g := c.to.grouped, affine.Const(int64(c.to.group))
	whole := affine.Div(c.points[d], g)
	rest := c.points[d].Sub(whole.Mul(g))
	part := func(start, groups, members affine.Expr) []loop.Stmt {
		from, to := *c.from, *c.to
		to.group = 0
		for k, base := range to.base {
			from.offset = from.offset.Add(base.Sub(from.base[k]).Mul(from.strides[k]))
		}
		from.offset = from.offset.Add(start.Mul(g).Mul(from.strides[d]))
		to.offset = to.offset.Add(start.Mul(to.strides[d]))
		from.strides = append(slices.Clone(from.strides), from.strides[d])
		from.strides[d] = from.strides[d].Mul(g)
		to.strides = append(slices.Clone(to.strides), affine.Const(1))
		to.base = append(slices.Clone(to.base), affine.Expr{})
		from.base = to.base
		points := append(slices.Clone(c.points), members)
		points[d] = groups
		return (&blockCopy{l: c.l, from: &from, to: &to, points: points, fast: len(points) - 1, lanes: c.to.group, limits: c.limits}).statements()
	}
	var list []loop.Stmt
	if n, known := whole.IsConst(); !known || n > 0 {
		list = part(affine.Expr{}, whole, g)
	}
	if n, known := rest.IsConst(); !known || n > 0 {
		list = append(list, part(whole, affine.Const(1), rest)...)
	}
	return list
}
