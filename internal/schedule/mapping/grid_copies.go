package mapping

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// copies are the tensors of which a tile has a copy in shared memory: what is only read, and several times, as far as there is room
// for their blocks, in the order in which they are read (the greedy heuristic of section 5.5). Of a dimension that is
// read through an index array all of it is in the block.
func (b *branch) copies(points, reduced []*ein.Index, cut []*schedule.Member) (list []*ein.Tensor) {
	if b.v.shared == noCopies {
		return nil
	}
	block := map[string]int64{}
	for _, i := range append(slices.Clone(points), reduced...) {
		block[i.Name] = b.size(i)
	}
	for _, m := range cut {
		block[m.Loops[0].Index] = m.Tile
	}
	work := int64(1)
	for _, n := range block {
		work = multiplied(work, n)
	}
	for _, a := range b.c.Accesses() {
		t := a.Tensor
		if slices.Contains(list, t) || len(t.Dims) == 0 || !schedule.OnlyRead(b.f, t, []int{b.s}) || a.Checked {
			continue
		}
		elements, reads := int64(1), int64(0)
		for d, dim := range t.Dims {
			elements = multiplied(elements, b.extent(t, d, dim, block))
		}
		for _, o := range b.c.Accesses() {
			if o.Tensor == t {
				reads += work
			}
		}
		bytes := multiplied(elements, int64(t.Type.Compute().Size()))
		if reads > elements && b.takes(bytes) {
			list = append(list, t)
		}
	}
	return list
}

// extent is how many values the subscripts of a tensor may have along a dimension in a block, or how many there are where that is
// not known.
func (b *branch) extent(t *ein.Tensor, d int, dim ein.Dim, block map[string]int64) int64 {
	all, known := dim.Extent.IsConst()
	if !known {
		all = 1 << 30
	}
	var first *affine.Expr
	var low, high int64
	for _, a := range b.c.Accesses() {
		if a.Tensor != t {
			continue
		}
		e, linear := ein.AffineOf(a.Subscripts[d])
		if !linear {
			return all
		}
		least, most := int64(0), int64(0)
		for name, size := range block {
			step, rest, ok := e.Linear(name)
			if !ok {
				return all
			}
			least, most, e = least+min(0, step*(size-1)), most+max(0, step*(size-1)), rest
		}
		if first == nil {
			first, low, high = &e, least, most
			continue
		}
		apart, ok := e.Sub(*first).IsConst()
		if !ok {
			return all
		}
		low, high = min(low, apart+least), max(high, apart+most)
	}
	return min(high-low+1, max(all, 1))
}

// multiplied is that of sizes, which stays small enough to be multiplied again.
func multiplied(a, b int64) int64 {
	const most = 1 << 40
	if a > most/max(b, 1) {
		return most
	}
	return a * b
}
