package schedule

import (
	"github.com/ricci-lang/ricci/internal/ein"
)

// How prefetching is scheduled
//
// Where the rows of a chain of statements stay in the nearest caches, a core waits
// for the memory when the first statement of a row reads its input, and the memory
// waits for the core when a later one computes functions. The vectors of the latter
// therefore fetch what they read for the next row, too: softmax of 4096² floats takes
// 18.7 instead of 22.4 ms on one thread.

// prefetch checks that a loop may fetch for the next value of another index. What is
// fetched is in bounds, since lowering leaves out the last value.
func (c *checker) prefetch(b *Band, m *Member, st *state) {
	s := m.Loops[0].Statement
	index := place{s, m.Prefetch}
	switch {
	case m.Vector == 0 || len(m.Loops) > 1:
		c.misfit(b, "vector loops of one statement prefetch, and %s is none", c.words.Loop(m))
	case c.index(index) == nil:
		c.misfit(b, "%s has no index %s", c.words.Statement(s), m.Prefetch)
	case m.Prefetch == m.Loops[0].Index || st.left[index] != 1:
		c.misfit(b, "the loop %s prefetches for the next %s, which has no loop around it that visits its points", c.words.Loop(m), c.words.Index(s, m.Prefetch))
	}
}

// prefetched returns the index for whose next value the vectors of statement number k
// fetch, or "": they do in the statement of a group that has the most arithmetic, if
// that calls functions.
func (mk *maker) prefetched(p *plan, k int, vector *ein.Index) string {
	const busy = 16 // operations
	if len(p.g.statements) < 2 || p.vector >= 0 || len(p.g.columns) == 0 || !mk.isBusiest(p.g, k, busy) {
		return ""
	}
	c := mk.f.Body[p.g.statements[k]]
	order := p.order()
	column := order[len(order)-1]
	row := p.g.columns[column][k]
	for _, i := range c.Indices {
		if _, known := i.Extent.IsConst(); !known || p.tiles[column] != 1 || i.Combine.Kind != ein.Concat {
			return ""
		}
	}
	for _, a := range c.Accesses() {
		if a.Tensor.Role == ein.Temp || !usesAny(a.Subscripts, row) || mk.along(c, a.Tensor, a.Subscripts, vector) != unit {
			continue
		}
		line, all := estimate(vector.Extent)*int64(a.Tensor.Type.Size()), int64(a.Tensor.Type.Size())
		for _, d := range a.Tensor.Dims {
			all = times(all, estimate(d.Extent))
		}
		if all > mk.m.L2 && line <= mk.m.L2/8 {
			return row.Name
		}
	}
	return ""
}

// isBusiest reports whether statement number k is the first with the most arithmetic of
// its group, at least so much.
func (mk *maker) isBusiest(g *group, k int, least float64) bool {
	most := arithmetic(mk.f.Body[g.statements[k]])
	for n, s := range g.statements {
		if other := arithmetic(mk.f.Body[s]); other > most || other == most && n < k {
			return false
		}
	}
	return most >= least
}
