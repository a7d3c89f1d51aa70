package lower

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How the first register tile fills a block: packing is fused with the first use
//
// A copy of a block waits for what it reads: the processor has nothing else to do. Where few
// register tiles share the block, that counts. So the first of them copies it: in each step of the
// reduction the vectors that it multiplies, whose rows are asked for some steps ahead. The stores
// take no time beside arithmetic. The loops that the block does not depend on have their first
// iteration written out for that. With strips that are fetched before, 64 x 256 x 3136 floats take
// 0.84 of the time, 128 x 512 x 784 0.95, 96 x 512 x 4096 0.94 on one thread and 0.92 on two.

// A fusedPacking is a block of an input that the first register tile copies.
type fusedPacking struct {
	tensor *ein.Tensor
	read   *ein.Access
	from   *storage
	vector point
	lanes  int
	ahead  int64              // rows that are asked for
	shared []*schedule.Member // the loops whose iterations share the block
}

// shares reports whether the iterations of a loop share a block that is to be filled.
func (f *fusedPacking) shares(m *schedule.Member) bool {
	return f != nil && slices.Contains(f.shared, m)
}

// withoutPacking is a scope in which nothing is left to fill.
func (sc *scope) withoutPacking() *scope {
	c := *sc
	c.filling = nil
	return &c
}

// fusedPackingOf returns how the first register tile below a place fills it; nil where it is copied
// before.
func (l *lowerer) fusedPackingOf(n *schedule.Place, t *ein.Tensor, st *storage, r footprint, order []int, sc *scope) *fusedPacking {
	from := sc.storage[t]
	if n.Region != schedule.Private || len(sc.statements) != 1 || sc.filling != nil || len(order) == 0 || !l.isOnlyRead(t, sc) {
		return nil
	}
	if !st.isPlain() || !from.isPlain() || from.panels != nil || from.buffer.Region != loop.Argument || st.buffer.Type.Elem != from.buffer.Type.Elem || !r.isWhole() {
		return nil
	}
	for _, each := range []*storage{from, st} {
		if step, known := each.strides[order[0]].IsConst(); !known || step != 1 {
			return nil
		}
	}
	s := sc.statements[0]
	c := l.f.Body[s]
	reads := slices.DeleteFunc(c.Accesses(), func(a *ein.Access) bool { return a.Tensor != t })
	vector, lanes := l.vectorIndex(s, n.Child, sc)
	if len(reads) != 1 || lanes < 2 {
		return nil
	}
	f := &fusedPacking{tensor: t, read: reads[0], from: from, vector: point{s, vector}, lanes: lanes, ahead: n.Fill}
	if !l.fillsRows(f, order[0], sc) || !l.fillsBelow(f, n.Child, sc) {
		return nil
	}
	return f
}

// isPlain reports whether elements lie where strides say, in a panel if there are some.
func (st *storage) isPlain() bool {
	return st.group == 0 && st.phases < 2 && st.steps == nil
}

// isWhole reports whether all elements that there is room for are there.
func (r *footprint) isWhole() bool {
	for d, points := range r.points {
		if r.ragged[d] || r.limits[d].set || r.steps[d] != 1 || !points.Equal(affine.Const(r.sizes[d])) {
			return false
		}
	}
	return true
}

// fillsRows reports whether a step of the reduction reads one row of a block, along a dimension:
// of the other dimensions of the results the block has one point, and the reduction has no
// step without a row of its own.
func (l *lowerer) fillsRows(f *fusedPacking, fast int, sc *scope) bool {
	c := l.f.Body[f.vector.statement]
	for d, sub := range f.read.Subscripts {
		i, _, plain := schedule.IndexPlusConstant(c, sub)
		if !plain || !ein.InBounds(c, f.read, d) || (i.Name == f.vector.index) != (d == fast) {
			return false
		}
	}
	for _, i := range c.Indices {
		n, known := sc.blocks[point{f.vector.statement, i.Name}].size.IsConst()
		if !known || i.Combine.Kind == ein.Concat && i.Name != f.vector.index && n > 1 && ein.DependsOn(f.read, i) ||
			i.Combine.Kind != ein.Concat && n > 1 && !ein.DependsOn(f.read, i) {
			return false
		}
	}
	return true
}

// fillsBelow reports whether the loops below a place visit it in whole vectors, tile by tile.
func (l *lowerer) fillsBelow(f *fusedPacking, below schedule.Node, sc *scope) bool {
	s := f.vector.statement
	width, known := sc.blocks[f.vector].size.IsConst()
	accumulates := false
	for known {
		switch n := below.(type) {
		case *schedule.Place:
			if n.Tensor == f.tensor.Name {
				return false // it is copied from a block that is not full yet
			}
			below = n.Child
		case *schedule.Accumulate:
			if accumulates || n.Region != schedule.Register {
				return false
			}
			accumulates, below = true, n.Child
		case *schedule.Band:
			for _, m := range n.Members {
				lp, ok := m.IndexOf(s)
				if !ok || !isSimple(m) || l.levels.Counted(m) {
					return false
				}
				p := point{s, lp.Index}
				i, size := l.index(p), max(m.Tile, int64(m.Vector))
				switch {
				case p == f.vector:
					if width%size != 0 {
						return false
					}
					width = size
				case i.Combine.Kind != ein.Concat:
					if size != 1 || !accumulates {
						return false
					}
				case !accumulates && !ein.DependsOn(f.read, i):
					if l.frames.Involved(s, l.f.Body[s], i) {
						return false // the first pieces may be none
					}
					f.shared = append(f.shared, m)
				}
			}
			below = n.Child
		case *schedule.Leaf:
			return accumulates && width == int64(f.lanes)
		default:
			return false
		}
	}
	return false
}

// isSimple reports whether a member is a plain loop over an index, perhaps written out or by vectors.
func isSimple(m *schedule.Member) bool {
	return len(m.Loops) == 1 && len(m.Loops[0].By) == 0 && len(m.Skews) == 0 && !m.IsConcurrent() && m.Group == 0 && !m.Reverse && !m.Determined &&
		!m.Guarded && !m.Stream && !m.Apart && m.Partial == 0 && m.Prefetch == "" && m.Ahead == 0
}

// firstAlone lets the first piece of a loop that a block to be filled does not depend on be a
// segment of its own, if there is one; the others find the block full.
func firstAlone(segs []segment) []segment {
	alone, rest := segs[0], segs[0]
	one := affine.Const(1)
	alone.count = affine.MinOf(segs[0].count, one)
	rest.start, rest.count = rest.start.AddConst(rest.tile), affine.MaxOf(segs[0].count.Sub(one), affine.Const(0))
	if n, known := segs[0].count.IsConst(); known && n < 2 {
		return segs
	}
	return append([]segment{alone, rest}, segs[1:]...)
}

// fillStep copies what a step of a reduction reads of a block that is to be filled, and returns the
// scope of what it computes; outer is that outside of the loop over the steps.
func (l *lowerer) fillStep(b *schedule.Band, outer, sc *scope) ([]loop.Stmt, *scope) {
	f := sc.filling
	if f == nil || sc.accumulator(f.vector.statement) == nil {
		return nil, sc
	}
	s := f.vector.statement
	step, ok := l.reducedBy(b, s, outer)
	if !ok {
		return nil, sc
	}
	sc = sc.withoutPacking()
	source := sc.withStorage(f.tensor, f.from)
	var list []loop.Stmt
	if row, linear := l.stepOf(f.tensor, f.read.Subscripts, step.index, source); linear && row != 0 {
		list = l.prefetchStep(s, f.read, f.vector, f.lanes, row*f.ahead, source)
	}
	m := &schedule.Member{Loops: []schedule.Loop{{Statement: s, Index: f.vector.index}}, Tile: int64(f.lanes), Unroll: true}
	return append(list, l.nest([]*schedule.Member{m}, nil, sc, func(inner *scope) []loop.Stmt {
		inner = inner.clone()
		inner.blocks[f.vector] = block{base: inner.blocks[f.vector].base, size: affine.Const(int64(f.lanes)), lanes: f.lanes}
		x := l.context(s, inner.withStorage(f.tensor, f.from))
		from, _ := x.linear(f.tensor, f.read.Subscripts)
		y := l.context(s, inner)
		to, _ := y.linear(f.tensor, f.read.Subscripts)
		store := &loop.Store{Buffer: sc.storage[f.tensor].buffer, Index: to, Value: &loop.Load{Buffer: f.from.buffer, Index: from, Lanes: f.lanes}}
		return slices.Concat(x.before, y.before, []loop.Stmt{store})
	})...), sc
}
