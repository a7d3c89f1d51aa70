package lower

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How blocks get into local memory
//
// A place in local memory stands inside of the loops over items, and its block is that of all items of the group: what each of them
// reads, and the others. They copy it together (grid_copy.go), in turns, between two barriers: before, all have read what was
// there; behind, all is there. So all of them have to come to it. Where some do not, because a block at the end has fewer points than
// there are items, the tensor is read where it is.

// withItems is a scope in which the indices over which there are items have the block of the whole group.
func (sc *scope) withItems() *scope {
	c := sc.clone()
	if !sc.inItem {
		return c
	}
	for p, b := range sc.launch.blocks {
		if _, active := c.blocks[p]; active {
			c.blocks[p] = b
		}
	}
	return c
}

// placedLocally lowers a place in local memory, and those directly below it.
func (l *lowerer) placedLocally(n *schedule.Place, sc *scope) []loop.Stmt {
	if sc.apart {
		return l.node(n.Child, sc)
	}
	if sc.ahead != nil {
		return l.readAhead(n, sc)
	}
	before := &loop.Barrier{}
	inner, copies := sc, []loop.Stmt{before}
	if n.Stages > 0 {
		copies = nil // the block before lies elsewhere, and all have read that before it
	}
	below := schedule.Node(n)
	for {
		place, ok := below.(*schedule.Place)
		if !ok || place.Region != schedule.Local {
			break
		}
		if t := l.f.Tensor(place.Tensor); l.isCopied(place, t, sc.withItems()) {
			before.Global = before.Global || !sc.inItem && t.Role != ein.Input // what others have computed before
			st, limits := l.localBlock(place, t, sc.withItems())
			if readsCopies(st, sc, inner) {
				copies = append(copies, &loop.Barrier{})
			}
			copies = append(copies, l.copiedTogether(place, t, st, limits, sc, inner)...)
			inner = inner.withStorage(t, st)
		}
		below = place.Child
	}
	body := l.node(below, inner)
	if len(body) == 0 { // nobody reads what they would copy
		return nil
	}
	if _, waits := body[0].(*loop.Barrier); !waits {
		copies = append(copies, &loop.Barrier{})
	}
	return append(copies, body...)
}

// computedLocally lowers the place of a temporary that a group computes in local memory. Its items wait for each other between statements anyway.
func (l *lowerer) computedLocally(n *schedule.Place, t *ein.Tensor, sc *scope) []loop.Stmt {
	dims := len(t.Dims)
	st := &storage{base: make([]affine.Expr, dims), strides: make([]affine.Expr, dims), room: make([]int64, dims)}
	for d := range t.Dims {
		base, size, ok := l.frames.Box(l.f, t, l.placements[n].Uses, d, sc.unclamped)
		if !ok {
			l.fail(t.Pos, "%s is placed in local memory but its size along dimension %d is not known", t.Name, d+1)
		}
		st.base[d], st.room[d] = base, size
	}
	l.localBuffer(n, t, st, l.localRows(n, st), sc)
	return l.node(n.Child, sc.withStorage(t, st))
}

// copiesNoMore reports whether the copies of a place read nothing that the points there do not, or nothing that others write
// meanwhile.
func (l *lowerer) copiesNoMore(n *schedule.Place, t *ein.Tensor, sc *scope) bool {
	for d := range t.Dims {
		if _, _, common := l.commonBlock(t, d, sc); sc.launch.writes[t] && (!common || !l.isPlain(t, l.placements[n], d, sc)) {
			return false
		}
	}
	return true
}

// hasTurns reports whether the steps of a loop have blocks in turns right below: a step in pieces would have its block again and again.
func (l *lowerer) hasTurns(m *schedule.Member, below schedule.Node) bool {
	p, ok := below.(*schedule.Place)
	return ok && p.Stages > 0 && schedule.TurnsOf(l.tree.Root, p) == m
}

// isOneBlock reports whether a block has nothing but what the points there touch: all of them at the same place along each dimension, and
// all of them there, or it would end among those of others.
func (l *lowerer) isOneBlock(t *ein.Tensor, sc *scope) bool {
	for d := range t.Dims {
		if b, _, common := l.commonBlock(t, d, sc); !common || b.ragged {
			return false
		}
	}
	return true
}

// localBlock gives the block of a tensor room in local memory: one buffer for all blocks of a place, of which a group has one at
// a time. The limits are set along dimensions along which perhaps not all of it is there. Where reads stay within the block even at
// points that do not exist, it is filled.
func (l *lowerer) localBlock(n *schedule.Place, t *ein.Tensor, sc *scope) (st *storage, limits []bounds) {
	dims := len(t.Dims)
	st, limits = &storage{base: make([]affine.Expr, dims), strides: make([]affine.Expr, dims), room: make([]int64, dims), filled: make([]bool, dims)}, make([]bounds, dims)
	box := l.frames.Box
	if sc.fragments != nil {
		box = l.frames.Whole
	}
	for d := range t.Dims {
		base, size, ok := box(l.f, t, l.placements[n].Uses, d, sc.unclamped)
		if !ok && !n.Gathered {
			l.fail(t.Pos, "%s is placed in local memory but its size along dimension %d is not known", t.Name, d+1)
		}
		extent, known := t.Dims[d].Extent.IsConst()
		within := l.staysWithin(n, t, d, sc)
		if low, room, ok := l.frames.Whole(l.f, t, l.placements[n].Uses, d, sc.unclamped); ok && within && known && room > extent && room <= schedule.MostRoom*extent {
			base, size = low, room // so that no subscript further in has to stay below the end of the tensor
		}
		isPart := !known || size != extent
		if st.filled[d] = isPart && within; !st.filled[d] {
			base, _, _ = box(l.f, t, l.placements[n].Uses, d, sc.of)
		}
		st.base[d], st.room[d] = base, size
		b, _, common := l.commonBlock(t, d, sc)
		if points, ok := b.size.IsConst(); isPart && (!common || !ok || points != size || b.ragged || b.partial || !l.isPlain(t, l.placements[n], d, sc)) {
			limits[d] = there(t, d, sc.storage[t])
			if common && sc.launch.writes[t] {
				limits[d] = bounds{true, base, base.Add(b.points())}
			}
		}
	}
	if n.Gathered {
		l.gather(n, t, st, limits, sc)
	}
	if !slices.Contains(st.filled, true) {
		st.copied = limits
	}
	length := l.localRows(n, st)
	if turns := schedule.TurnsOf(l.tree.Root, n); n.Stages > 0 && turns != nil {
		one := length
		if b := sc.launch.local[n]; b != nil {
			one = max(one, b.Length/n.Stages)
		}
		lp := first(turns, sc)
		step := sc.blocks[point{lp.Statement, lp.Index}].base.Sub(l.frames.Of(lp.Statement, l.index(point{lp.Statement, lp.Index})).Min)
		st.offset, length = affine.Rem(affine.Div(step, affine.Const(turns.Tile)), affine.Const(n.Stages)).Scale(one), n.Stages*one
	}
	l.localBuffer(n, t, st, length, sc)
	return st, limits
}

// localRows decides where the elements of a block lie in local memory, and returns how many it has room for.
func (l *lowerer) localRows(n *schedule.Place, st *storage) int64 {
	length := int64(1)
	for k, d := range orderOf(n, len(st.room)) {
		st.strides[d] = affine.Const(length)
		if length *= st.room[d]; k == 0 && len(st.room) > 1 {
			length = n.Swizzle.Row(length + n.Pad)
			st.swizzle = swizzleOf(n, length)
		}
	}
	return length
}

// localBuffer is the one buffer of all blocks of a place.
func (l *lowerer) localBuffer(n *schedule.Place, t *ein.Tensor, st *storage, length int64, sc *scope) {
	at := sc.launch
	if st.buffer = at.local[n]; st.buffer == nil {
		st.buffer = l.fresh.Buffer(t.Name+"_local", loop.Scalar(t.Type), length, loop.Local)
		at.local[n], at.grid.Local = st.buffer, append(at.grid.Local, st.buffer)
	}
	st.buffer.Length = max(st.buffer.Length, length)
}

// staysWithin reports whether all reads below a place are within its block along a dimension, whether their points exist or not:
// they are those of pieces of the block that is here.
func (l *lowerer) staysWithin(n *schedule.Place, t *ein.Tensor, d int, sc *scope) bool {
	for _, u := range l.placements[n].Uses {
		c := l.f.Body[u.Statement]
		for _, i := range c.Indices {
			if ein.DependsOn(u.Subscripts[d], i) && l.goesBeyond(n, u.Statement, i, sc) {
				return false
			}
		}
		if _, affine := ein.AffineOf(u.Subscripts[d]); !affine {
			return false
		}
	}
	return true
}

// goesBeyond reports whether loops below a place perhaps have points of an index beyond the block that is here.
func (l *lowerer) goesBeyond(n *schedule.Place, s int, i *ein.Index, sc *scope) bool {
	if sc.isGroup(s, i) {
		return false
	}
	b := sc.blocks[point{s, i.Name}]
	return b.ragged && (!b.whole || b.beyond) || slices.ContainsFunc(schedule.MembersOver(s, i.Name, n.Child), func(m *schedule.Member) bool { return m.Pad })
}

// orderOf is the order of the dimensions of a block, the fastest first: that of the tree, or of the tensor itself.
func orderOf(n *schedule.Place, dims int) (order []int) {
	for d := dims - 1; d >= 0; d-- {
		order = append(order, d)
	}
	if n.Layout != nil {
		for k, d := range n.Layout {
			order[len(order)-1-k] = d - 1
		}
	}
	return order
}
