package schedule

import (
	"cmp"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
)

// How parts are combined in another order than they are computed
//
// In the order of its loops a reduction combines the inner ones first: with k cut into blocks,
// Σ over blocks of Σ in a block. The loop over the points of the blocks may keep what each of its
// iterations has:
//
//	accumulate S0 private
//	  band S0.k tile 8 | S0.k partial 1
//
// Then there are eight accumulators for each result, number p for the points p, 8+p, 16+p, …, and
// these are combined when the accumulators end: Σ over points of Σ over blocks. Of several loops that
// keep, the one with the greatest number is combined first. MDH's parameter R1 is such an order.
// Shared accumulators are for all threads; a parallel loop over what is reduced that keeps has them apart.

// A Kept is a loop whose iterations have partial results of their own, and how many there are.
type Kept struct {
	Member *Member
	Count  int64
}

// KeptIn lists the loops whose partial results the accumulators of a node have, those first that are
// combined last.
func (v Levels) KeptIn(f *ein.Func, a *Accumulate) (list []Kept) {
	for n := a.Child; n != nil; n = childOf(n, a.Statement) {
		if inner, ok := n.(*Accumulate); ok && inner.Statement == a.Statement {
			break // which has what is kept below
		}
		if b, ok := n.(*Band); ok {
			for _, m := range b.Members {
				if l, of := m.IndexOf(a.Statement); of && m.Partial != 0 {
					list = append(list, Kept{m, v.countOf(f, m, l)})
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b Kept) int { return cmp.Compare(a.Member.Partial, b.Member.Partial) })
	return list
}

// countOf returns how many blocks a loop has in the block around it, or unknownBytes.
func (v Levels) countOf(f *ein.Func, m *Member, l Loop) int64 {
	room := int64(unknownBytes)
	if around := v.Around(m, l); around != nil {
		room = around.Tile
	}
	for _, i := range f.Body[l.Statement].Indices {
		if n, known := i.Extent.IsConst(); known && i.Name == l.Index {
			room = min(room, max(1, n))
		}
	}
	if room == unknownBytes {
		return room
	}
	return (room + m.Tile - 1) / m.Tile
}

// keep checks a loop whose iterations have partial results of their own.
func (c *checker) keep(b *Band, m *Member, st *state) {
	l := m.Loops[0]
	index := c.index(place{l.Statement, l.Index})
	if index == nil {
		return // reported elsewhere
	}
	comp := c.f.Body[l.Statement]
	acc, _ := st.accumulators[l.Statement].(*Accumulate)
	_, free := ein.ReductionOperator(comp)
	at := on(b, m, "partial")
	switch {
	case len(m.Loops) > 1 || m.Vector > 0 || m.Group > 0 || m.Apart || m.Determined || m.Guarded:
		c.misfit(at, "%s keeps partial results: its loop is of one statement, and neither a vector, in groups, apart, determined nor guarded", c.words.Loop(m))
	case index.Combine.Kind != ein.Reduce || !free:
		c.misfit(at, "%s keeps partial results, and its index is not reduced in any order", c.words.Loop(m))
	case acc == nil || acc.Region != Private && acc.Region != Shared && (acc.Region != Register || !m.Unroll):
		c.misfit(at, "the iterations of %s have partial results of their own, in an array, or, where the loop is written out, in registers%s", c.words.Loop(m), c.accumulateAt(l.Statement, "private, or shared, above it"))
	case acc.Region == Shared && c.levels.countOf(c.f, m, l) == unknownBytes:
		c.misfit(at, "how many iterations %s has is not known; cut %s into blocks", c.words.Loop(m), c.words.Index(l.Statement, l.Index))
	case len(m.Skews) > 0 || c.frames.Involved(l.Statement, comp, index):
		c.misfit(at, "%s is skewed, or fused with another range: its iterations partial no partial results", c.words.Loop(m))
	case c.groupsBelow(acc, l.Statement):
		c.misfit(at, "%s keeps partial results, and those of groups have one place", c.words.Loop(m))
	default:
		for _, other := range c.levels.KeptIn(c.f, acc) {
			if other.Member != m && other.Member.Partial == m.Partial {
				c.misfit(at, "two loops have 'partial %d'; the numbers say which of them is combined first", m.Partial)
				return
			}
		}
	}
}

// groupsBelow reports whether a statement is computed in groups, or by points apart, below accumulators.
func (c *checker) groupsBelow(a *Accumulate, statement int) bool {
	for n := a.Child; n != nil; n = childOf(n, statement) {
		if b, ok := n.(*Band); ok && slices.ContainsFunc(b.Members, func(m *Member) bool { return m.Group > 0 || m.Apart }) {
			return true
		}
	}
	return false
}
