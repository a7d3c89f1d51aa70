package schedule

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
)

// How prefetching is scheduled
//
// Where the rows of a chain of statements stay in the nearest caches, a core waits
// for the memory when the first statement of a row reads its input, and the memory
// waits for the core when a later one computes functions. The vectors of the latter
// therefore fetch what they read for the next row, too: softmax of 4096² floats takes
// 18.7 instead of 22.4 ms on one thread.

// A processor follows the places that are read or written in order, and fetches what comes
// next, but not far enough to keep the memory busy, and it stops at the ends of pages. So
// vectors that go through memory ask for the lines some way ahead of them, for those that
// they read first and for those that they write: on Cascade Lake a copy of 2^24 floats
// takes 11.1 ms instead of 14.7, a stencil of five points 11.5 instead of 13.9, and 6.3
// instead of 9.5 on two threads.

// aheadBytes is how far ahead: 1 to 4 KB do equally well.
const aheadBytes = 2048

// aheadOf returns how many bytes ahead the vectors of statement number k ask for lines, or
// 0: they do where they run along memory that is larger than the caches of a core, and
// that is met here for the first time, or written.
func (mk *maker) aheadOf(p *plan, k int, vector *ein.Index) int64 {
	const shortest = 512 // bytes of a run
	c := mk.f.Body[p.g.statements[k]]
	if column := p.vector; column >= 0 && p.othersTiled(column) || !mk.runsInOrder(c, vector) {
		return 0
	}
	for _, a := range mk.accesses[p.g.statements[k]] {
		bytes := int64(a.Tensor.Type.Size())
		if estimate(vector.Extent)*bytes < shortest || a.Writes && len(Reduced(c)) > 0 ||
			mk.along(c, a.Tensor, a.Subscripts, vector) != unit || !metOnce(c, a) || !a.Writes && mk.isNear(p, k, a.Tensor) {
			continue
		}
		for _, d := range a.Tensor.Dims {
			bytes = Times(bytes, max(1, estimate(d.Extent)))
		}
		if bytes > mk.m.L2 && !slices.Contains(p.near, a.Tensor) && !(a.Tensor.Role == ein.Temp && mk.keeps(p.g, a.Tensor)) {
			return aheadBytes
		}
	}
	return 0
}

// runsInOrder reports whether the points of a statement follow one another along an index:
// it is a reduced one, the last of them, or nothing is reduced.
func (mk *maker) runsInOrder(c *ein.Comprehension, vector *ein.Index) bool {
	rest := Reduced(c)
	return len(rest) == 0 || rest[len(rest)-1] == vector
}

// metOnce reports whether the points of a statement are met at different elements by an
// access: each index is in a subscript of its own.
func metOnce(c *ein.Comprehension, a Access) bool {
	var met []*ein.Index
	for _, sub := range a.Subscripts {
		if i, _, plain := IndexPlusConstant(c, sub); plain && !slices.Contains(met, i) {
			met = append(met, i)
		}
	}
	return len(met) == len(c.Indices)
}

// isNear reports whether an earlier statement of a group has read a tensor, or another one
// fetches it.
func (mk *maker) isNear(p *plan, k int, t *ein.Tensor) bool {
	for n, s := range p.g.statements {
		if n == k || !slices.ContainsFunc(mk.accesses[s], func(a Access) bool { return a.Tensor == t }) {
			continue
		}
		if own := p.own[s]; n < k || own != nil && mk.prefetched(p, n, own) != "" {
			return true
		}
	}
	return false
}

// PrefetchText writes what a loop fetches for: the next value of an index, "i", or its next
// block of so many, "i/8".
func PrefetchText(index string, tile int64) string {
	if tile == 0 {
		return index
	}
	return fmt.Sprintf("%s/%d", index, tile)
}

// ParsePrefetch reads what PrefetchText writes.
func ParsePrefetch(text string) (index string, tile int64, ok bool) {
	index, number, blocks := strings.Cut(text, "/")
	if blocks {
		n, err := strconv.ParseInt(number, 10, 32)
		if err != nil || n < 2 {
			return "", 0, false
		}
		tile = n
	}
	return index, tile, index != ""
}

// MostAhead is how many bytes ahead vectors may ask for lines.
const MostAhead int64 = 1 << 16

// prefetch checks that a loop may fetch for the next value of another index, or the next block of
// any. What is fetched is in bounds, since lowering leaves out the last value.
func (c *checker) prefetch(b *Band, m *Member, st *state) {
	s := m.Loops[0].Statement
	index := place{s, m.Prefetch}
	switch {
	case m.Vector == 0:
		c.misfit(b, "vector loops prefetch, and %s is none", c.words.Loop(m))
	case len(m.Loops) > 1:
		c.misfit(b, "vectors of one statement prefetch, and %s has those of %d", c.words.Loop(m), len(m.Loops))
	case c.index(index) == nil:
		c.misfit(b, "%s has no index %s", c.words.Statement(s), m.Prefetch)
	case m.PrefetchTile > 0:
		if by := c.levels.Of(s, m.Prefetch, m.PrefetchTile); by == nil || !slices.Contains(st.paths[index], by) {
			c.misfit(b, "the loop %s prefetches for the next block of %d of %s, which has no loop around it", c.words.Loop(m), m.PrefetchTile, c.words.Index(s, m.Prefetch))
		}
	case m.Prefetch == m.Loops[0].Index && c.isScannedInPieces(b, m.Loops[0]):
	case m.Prefetch == m.Loops[0].Index || st.left[index] != 1:
		c.misfit(b, "the loop %s prefetches for the next %s, which has no loop around it that visits its points", c.words.Loop(m), c.words.Index(s, m.Prefetch))
	}
}

// isScannedInPieces reports whether a loop of a band is along a scan, inside of pieces that
// run in parallel: it may fetch what the next piece reads.
func (c *checker) isScannedInPieces(b *Band, l Loop) bool {
	index, _, scan := ScanOperator(c.f.Body[l.Statement])
	var within func(n Node, inPieces bool) bool
	within = func(n Node, inPieces bool) bool {
		if a, ok := n.(*Accumulate); ok && a.Statement == l.Statement {
			inPieces = inPieces || a.Region == Workspace
		}
		return n == b && inPieces || slices.ContainsFunc(Children(n), func(child Node) bool { return within(child, inPieces) })
	}
	return scan && index.Name == l.Index && within(c.tree.Root, false)
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
		if a.Tensor.Role == ein.Temp || !AnyDependsOn(a.Subscripts, row) || mk.along(c, a.Tensor, a.Subscripts, vector) != unit {
			continue
		}
		line, all := estimate(vector.Extent)*int64(a.Tensor.Type.Size()), int64(a.Tensor.Type.Size())
		for _, d := range a.Tensor.Dims {
			all = Times(all, estimate(d.Extent))
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
