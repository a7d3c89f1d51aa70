package tune

import (
	"maps"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// written estimates how often the statements of a tree are written out in its code:
// the copies of unrolled loops, twice for every tile that may be a partial one.
// Compilers take time in proportion.
func written(f *ein.Func, tree *schedule.Tree) int64 {
	return (&writer{f}).node(tree.Root, map[axis]int64{})
}

type writer struct{ f *ein.Func }

// An axis is an index of a statement.
type axis struct {
	statement int
	index     string
}

// unknownExtent stands for an extent that is not known: tiles of it may be partial.
const unknownExtent = 1<<40 + 1

// node counts below n; blocks has the size of the block around each loop.
func (w *writer) node(n schedule.Node, blocks map[axis]int64) int64 {
	factor := int64(1)
	if b, ok := n.(*schedule.Band); ok {
		blocks = maps.Clone(blocks)
		for _, m := range b.Members {
			factor = product(factor, w.member(m, blocks))
		}
	}
	sum := int64(0)
	for _, child := range schedule.Children(n) {
		sum = min(most, sum+w.node(child, blocks))
	}
	return product(factor, max(1, sum))
}

// member returns by what one loop multiplies the code inside of it.
func (w *writer) member(m *schedule.Member, blocks map[axis]int64) int64 {
	loop := m.Loops[0]
	at := axis{loop.Statement, loop.Index}
	around, known := blocks[at]
	if !known {
		around = w.extent(loop)
	}
	step := max(1, m.Tile, int64(m.Vector), int64(m.Group))
	blocks[at] = step
	switch {
	case m.Unroll && around != unknownExtent:
		return max(1, (around+step-1)/step)
	case around%step != 0 && !m.Pad:
		return 2
	}
	return 1
}

func (w *writer) extent(l schedule.Loop) int64 {
	for _, i := range w.f.Body[l.Statement].Indices {
		if n, known := i.Extent.IsConst(); known && i.Name == l.Index {
			return n
		}
	}
	return unknownExtent
}

// most is a number of copies that is far too large.
const most = 1 << 30

func product(a, b int64) int64 {
	if a > most/max(1, b) {
		return most
	}
	return a * b
}
