package schedule

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
)

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
		c.misfit(on(b, m, "prefetch"), "vector loops prefetch, and %s is none", c.words.Loop(m))
	case len(m.Loops) > 1:
		c.misfit(on(b, m, "prefetch"), "vectors of one statement prefetch, and %s has those of %d", c.words.Loop(m), len(m.Loops))
	case c.index(index) == nil:
		c.misfit(on(b, m, "prefetch"), "%s", c.noIndex(s, m.Prefetch))
	case m.PrefetchTile > 0:
		if by := c.levels.Of(s, m.Prefetch, m.PrefetchTile); by == nil || !slices.Contains(st.paths[index], by) {
			c.misfit(on(b, m, "prefetch"), "the loop %s prefetches for the next block of %d of %s, which has no loop around it", c.words.Loop(m), m.PrefetchTile, c.words.Index(s, m.Prefetch))
		}
	case m.Prefetch == m.Loops[0].Index && c.isScannedInPieces(b, m.Loops[0]):
	case m.Prefetch == m.Loops[0].Index || st.left[index] != 1:
		c.misfit(on(b, m, "prefetch"), "the loop %s prefetches for the next %s, which has no loop around it that visits its points", c.words.Loop(m), c.words.Index(s, m.Prefetch))
	}
}

// isScannedInPieces reports whether a loop of a band is along a scan, inside of pieces that
// run in parallel: it may fetch what the next piece reads.
func (c *checker) isScannedInPieces(b *Band, l Loop) bool {
	index, _, scan := ein.ScanOperator(c.f.Body[l.Statement])
	var within func(n Node, inPieces bool) bool
	within = func(n Node, inPieces bool) bool {
		if a, ok := n.(*Accumulate); ok && a.Statement == l.Statement {
			inPieces = inPieces || a.Region == Workspace
		}
		return n == b && inPieces || slices.ContainsFunc(Children(n), func(child Node) bool { return within(child, inPieces) })
	}
	return scan && index.Name == l.Index && within(c.tree.Root, false)
}
