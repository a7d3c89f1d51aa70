package standard

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/tensor"
)

// How register tiles of products hold their vectors
//
// Where compilers read a vector from memory in each multiplication of a tile, and the processor takes longer for that
// (machine.Ratios.FoldedLoads), what several points of the tile share is held in registers, if there are enough: the
// sums, the vectors that are held, and one for what the other operand repeats in all lanes. Only products: they share
// vectors among points of other indices, while a stencil reads each of its vectors in another place.

// chooseWays marks loops with the faster ones of ways of computing the same, as far as the machine knows them.
func chooseWays(f *ein.Func, t *schedule.Tree, m *machine.Processor) {
	for _, choose := range []func(*ein.Func, *schedule.Tree, *machine.Processor){holdTiles, makeWords, storeSingly} {
		choose(f, t, m)
	}
}

// holdTiles marks the vectors of all register tiles of products in a tree.
func holdTiles(f *ein.Func, t *schedule.Tree, m *machine.Processor) {
	if m.Ratios().FoldedLoads <= 1 {
		return
	}
	holdBelow(f, t.Root, m, nil)
}

// holdBelow is holdTiles for a subtree; around has the members of the bands around it, from outside.
func holdBelow(f *ein.Func, n schedule.Node, m *machine.Processor, around []*schedule.Member) {
	switch n := n.(type) {
	case *schedule.Band:
		around = append(slices.Clip(around), n.Members...)
	case *schedule.Accumulate:
		if c := f.Body[n.Statement]; n.Region == schedule.Register && multiplies(c) && c.Writes[0].Tensor.Type.IsFloat() {
			r := heldTile{c: c, statement: n.Statement, around: around}
			r.hold(n.Child, m.VectorRegisters)
		}
	}
	for _, child := range schedule.Children(n) {
		holdBelow(f, child, m, around)
	}
}

// A heldTile is the loops below an accumulate that are written out.
type heldTile struct {
	c         *ein.Comprehension
	statement int
	around    []*schedule.Member
	inside    []*schedule.Member
	vector    *schedule.Member
}

// hold marks the vectors of a tile where that pays.
func (r *heldTile) hold(n schedule.Node, registers int) {
	for n != nil {
		b, isBand := n.(*schedule.Band)
		if isBand && !r.add(b) {
			return
		}
		children := schedule.Children(n)
		if n = nil; len(children) == 1 {
			n = children[0]
		}
	}
	if r.vector == nil {
		return
	}
	sums, held := r.points(r.vector), int64(0)
	for _, m := range r.inside {
		if r.index(m).Combine.Kind == ein.Concat {
			sums *= r.points(m)
		}
	}
	for _, a := range r.c.Accesses() {
		held += r.shared(a)
	}
	if held > 0 && sums+held+1 <= int64(registers) {
		r.vector.Hold = true
	}
}

// add notes the loops of a band; false where dot products of groups, or a matrix unit, compute the tile.
func (r *heldTile) add(b *schedule.Band) bool {
	for _, m := range b.Members {
		_, ok := m.IndexOf(r.statement)
		switch {
		case !ok:
		case m.Group > 0:
			return false
		case m.Tile > 1:
			r.around = append(slices.Clip(r.around), m)
		case m.Vector > 0:
			r.vector = m
		case m.Unroll:
			r.inside = append(r.inside, m)
		}
	}
	return true
}

// shared is how many vectors of an operand are read at several points of a tile.
func (r *heldTile) shared(a *ein.Access) int64 {
	vector := r.index(r.vector)
	if t := a.Tensor.Type; t != tensor.Float32 && t != tensor.Float64 || !ein.AnyDependsOn(a.Subscripts, vector) {
		return 0
	}
	count, shares := r.points(r.vector), false
	for _, m := range r.inside {
		if ein.AnyDependsOn(a.Subscripts, r.index(m)) {
			count *= r.points(m)
		} else {
			shares = shares || r.points(m) > 1
		}
	}
	if !shares {
		return 0
	}
	return count
}

func (r *heldTile) index(m *schedule.Member) *ein.Index {
	l, _ := m.IndexOf(r.statement)
	at := slices.IndexFunc(r.c.Indices, func(i *ein.Index) bool { return i.Name == l.Index })
	return r.c.Indices[at]
}

// points is how many times a loop runs at most: those of the block around it.
func (r *heldTile) points(m *schedule.Member) int64 {
	l, _ := m.IndexOf(r.statement)
	n := estimate(r.index(m).Extent)
	for _, outer := range r.around {
		if o, ok := outer.IndexOf(r.statement); ok && o.Index == l.Index && outer.Tile > 1 {
			n = min(n, outer.Tile)
		}
	}
	lanes := int64(max(m.Vector, 1))
	return (n + lanes - 1) / lanes
}
