package standard

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How stencils are scheduled
//
// A point-wise statement that reads a tensor at several distances along an index
// uses every plane across that index several times. Where the planes between the
// first use and the last do not fit into the second-level cache, the next index is
// cut into blocks that do; below a block the planes follow one another, and every
// one is fetched once, but for the rows at the edges of blocks. Points that read much in
// common are computed together (jam.go).

// stencil makes the subtree of one stencil whose planes are too large for the cache, or whose
// points share much of what they read.
func (mk *maker) stencil(p *plan) schedule.Node {
	if len(p.g.statements) != 1 || p.vector < 0 || p.othersTiled(p.vector) {
		return nil
	}
	s := p.g.statements[0]
	c := mk.f.Body[s]
	if len(schedule.Reduced(c)) > 0 || len(c.Indices) != len(p.g.columns) {
		return nil
	}
	order := p.order() // the vectors last
	for at := 0; at+1 < len(order); at++ {
		across := p.g.columns[order[at]][0]
		if bytes, reused := mk.planes(c, across, order[at+1:], p); reused {
			together := mk.jam(p, order[at:len(order)-1])
			if bytes > mk.m.L2/2 {
				return mk.stencilBlocks(p, order, at, bytes, together)
			}
			if len(together) == 0 {
				return nil
			}
			return mk.stencilRows(p, order, at, together)
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
		plane = schedule.Times(plane, max(1, estimate(p.g.columns[col][0].Extent)))
	}
	low, high := map[*ein.Tensor]int64{}, map[*ein.Tensor]int64{}
	for _, a := range c.Accesses() {
		for _, sub := range a.Subscripts {
			index, shift, ok := schedule.IndexPlusConstant(c, sub)
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
		bytes += schedule.Times(plane, (high[t]-low[t]+1)*int64(t.Type.Size()))
	}
	for _, w := range c.Writes {
		bytes += schedule.Times(plane, int64(w.Tensor.Type.Size()))
	}
	return bytes, reused
}

// stencilBlocks makes the tree: blocks of the index after number at, of which the
// planes have the given bytes.
func (mk *maker) stencilBlocks(p *plan, order []int, at int, bytes int64, together map[int]int64) schedule.Node {
	const least = 4 // rows of a block, of which those at its edges are fetched twice
	across, cut := order[at], order[at+1]
	n, unit := max(1, estimate(p.g.columns[cut][0].Extent)), max(1, together[cut])
	if cut == p.vector {
		unit = int64(p.lanes)
	}
	rows := mk.m.L2 * 3 / 8 / max(1, bytes/n)
	if rows < least*unit {
		return nil
	}
	pieces := (n + rows - 1) / rows
	size := roundUp((n+pieces-1)/pieces, unit)
	if size >= n {
		return nil
	}
	outer := []*schedule.Member{p.column(cut, size)}
	for _, col := range order[:at] {
		pieces *= max(1, estimate(p.g.columns[col][0].Extent))
	}
	if each := mk.planesOfTask(p, across, pieces, together); each > 1 {
		outer = append(outer, p.column(across, each))
	}
	return mk.stencilTree(p, order, at, outer, together)
}

// stencilRows makes the tree of a stencil whose planes stay in the cache: blocks of planes
// for the threads.
func (mk *maker) stencilRows(p *plan, order []int, at int, together map[int]int64) schedule.Node {
	pieces := int64(1)
	for _, col := range order[:at] {
		pieces *= max(1, estimate(p.g.columns[col][0].Extent))
	}
	var outer []*schedule.Member
	if each := mk.planesOfTask(p, order[at], pieces, together); each > 1 {
		outer = append(outer, p.column(order[at], each))
	}
	return mk.stencilTree(p, order, at, outer, together)
}

// planesOfTask returns how many planes a task has where there are so few pieces that they are cut
// across the planes, too; 0 where they are not.
func (mk *maker) planesOfTask(p *plan, across int, pieces int64, together map[int]int64) int64 {
	planes, want := estimate(p.g.columns[across][0].Extent), int64(mk.m.Cores)*tasksPerCore
	if !p.parallel || pieces >= want {
		return 0
	}
	each, unit := (planes*pieces+want-1)/want, together[across]
	if unit > 0 {
		each = max(roundUp(each, unit), 2*unit)
	}
	if each >= planes {
		return 0
	}
	return each
}

// stencilTree makes the tree below the loops over the indices before number at: blocks, and in
// them the points, of which some are computed together.
func (mk *maker) stencilTree(p *plan, order []int, at int, blocks []*schedule.Member, together map[int]int64) schedule.Node {
	var outer, inner, points []*schedule.Member
	for _, col := range order[:at] {
		outer = append(outer, p.column(col, 1))
	}
	outer = append(outer, blocks...)
	for _, m := range outer {
		m.Parallel, m.Coincident = p.parallel, true
	}
	for _, col := range order[at:] {
		m := p.column(col, 1)
		if col == p.vector {
			m.Vector, m.Ahead = p.lanes, mk.aheadOf(p, 0, p.g.columns[col][0])
			m.Stream = mk.streamsOut(p, 0, p.g.columns[col][0]) && (len(together) == 0 || mk.vectorsAtLines(mk.f.Body[p.g.statements[0]], p.g.columns[col][0]))
		}
		switch tile := max(together[col], int64(m.Vector)); {
		case len(together) == 0:
		case tile > 1:
			m.Unroll = m.Vector == 0
			points = append(points, m)
			m = p.column(col, tile)
		}
		inner = append(inner, m)
	}
	return wrap(outer, wrap(inner, wrap(points, &schedule.Leaf{})))
}
