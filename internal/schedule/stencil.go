package schedule

import (
	"github.com/ricci-lang/ricci/internal/ein"
)

// How stencils are scheduled
//
// A point-wise statement that reads a tensor at several distances along an index
// uses every plane across that index several times. Where the planes between the
// first use and the last do not fit into the second-level cache, the next index is
// cut into blocks that do; below a block the planes follow one another, and every
// one is fetched once, but for the rows at the edges of blocks.

// stencil makes the subtree of one stencil whose planes are too large for the cache.
func (mk *maker) stencil(p *plan) Node {
	if len(p.g.statements) != 1 || p.vector < 0 || p.othersTiled(p.vector) {
		return nil
	}
	s := p.g.statements[0]
	c := mk.f.Body[s]
	if len(Reduced(c)) > 0 || len(c.Indices) != len(p.g.columns) {
		return nil
	}
	order := p.order() // the vectors last
	for at := 0; at+1 < len(order); at++ {
		across := p.g.columns[order[at]][0]
		if bytes, reused := mk.planes(c, across, order[at+1:], p); reused {
			if bytes <= mk.m.L2/2 {
				return nil
			}
			return mk.stencilBlocks(p, order, at, bytes)
		}
	}
	return nil
}

// planes returns the bytes of what is between the first and the last use of an
// element across an index; reused is false where no tensor is used at several
// distances.
func (mk *maker) planes(c *ein.Comprehension, across *ein.Index, inner []int, p *plan) (bytes int64, reused bool) {
	plane := int64(1)
	for _, col := range inner {
		plane = times(plane, max(1, estimate(p.g.columns[col][0].Extent)))
	}
	low, high := map[*ein.Tensor]int64{}, map[*ein.Tensor]int64{}
	for _, a := range c.Accesses() {
		for _, sub := range a.Subscripts {
			index, shift, ok := IndexPlusConstant(c, sub)
			if !ok || index != across {
				continue
			}
			if _, seen := low[a.Tensor]; !seen {
				low[a.Tensor], high[a.Tensor] = shift, shift
			}
			low[a.Tensor], high[a.Tensor] = min(low[a.Tensor], shift), max(high[a.Tensor], shift)
		}
	}
	for t := range low {
		reused = reused || high[t] > low[t]
		bytes += times(plane, (high[t]-low[t]+1)*int64(t.Type.Size()))
	}
	for _, w := range c.Writes {
		bytes += times(plane, int64(w.Tensor.Type.Size()))
	}
	return bytes, reused
}

// stencilBlocks makes the tree: blocks of the index after number at, of which the
// planes have the given bytes.
func (mk *maker) stencilBlocks(p *plan, order []int, at int, bytes int64) Node {
	const least = 4 // rows of a block, of which those at its edges are fetched twice
	across, cut := order[at], order[at+1]
	n, lanes := max(1, estimate(p.g.columns[cut][0].Extent)), int64(1)
	if cut == p.vector {
		lanes = int64(p.lanes)
	}
	rows := mk.m.L2 * 3 / 8 / max(1, bytes/n)
	if rows < least*lanes {
		return nil
	}
	pieces := (n + rows - 1) / rows
	size := roundUp((n+pieces-1)/pieces, lanes)
	if size >= n {
		return nil
	}
	var outer, inner []*Member
	for _, col := range order[:at] {
		outer = append(outer, p.column(col, 1))
		pieces *= max(1, estimate(p.g.columns[col][0].Extent))
	}
	outer = append(outer, p.column(cut, size))
	if planes, want := estimate(p.g.columns[across][0].Extent), int64(mk.m.Cores)*tasksPerCore; p.parallel && pieces < want {
		if each := (planes*pieces + want - 1) / want; each > 1 && each < planes {
			outer = append(outer, p.column(across, each))
		}
	}
	for _, col := range order[at:] {
		m := p.column(col, 1)
		if col == p.vector {
			m.Vector, m.Ahead = p.lanes, mk.aheadOf(p, 0, p.g.columns[col][0])
		}
		inner = append(inner, m)
	}
	for _, m := range outer {
		m.Parallel, m.Coincident = p.parallel, true
	}
	return wrap(outer, wrap(inner, &Leaf{}))
}
