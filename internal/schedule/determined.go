package schedule

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
)

// How loops over indices that are determined run
//
// A reduction whose terms are the identity of its operator but where key[e] == v (package ein,
// indicator.go) has at most one term for every e that is worth a visit. The loop over v is then
// marked: it computes the value that the equality determines, and runs what is below for that
// value if it is in the block around:
//
//	domain S0[v, e]
//	accumulate S0 private
//	  band S0.e | S0.v determined
//
// The work is that of the points of e alone. Since the value is data, the accumulators of an
// index of results are an array that is subscripted by it; the test that the value is in range
// is what proves the subscripts to be in bounds. Points are left out and none is added, and those
// that remain keep their order, so that dependences are those of the loop without the mark.

// Conditions of the terms that are known outside of a loop guard it as a whole: it is marked
// "guarded", and does not run where its terms are the identity.

// An accumulator that is found by data waits for the store before where that was to the same
// one: 5 cycles, where others take little more than one. So a few points that follow each other
// may have partial results of their own, side by side:
//
//	accumulate S0 private
//	  band S0.e tile 4 | S0.e unroll apart | S0.v determined

// mostApart is how many points have partial results of their own at most.
const mostApart = 16

// DeterminationOf returns what determines an index of a reduction, or nil.
func DeterminationOf(c *ein.Comprehension, index *ein.Index) *ein.Determination {
	op, free := ein.ReductionOperator(c)
	if op == nil || !free || index == nil {
		return nil
	}
	return c.Determined(op, index)
}

// Uses lists the indices of a comprehension on which the value of a determined one depends.
func Uses(c *ein.Comprehension, d *ein.Determination) (list []*ein.Index) {
	for _, i := range c.Indices {
		if i != d.Index && (ein.DependsOn(d.Other, i) || d.Rest.Uses(i.Name)) {
			list = append(list, i)
		}
	}
	return list
}

// determined checks a loop over the one value that is determined.
func (c *checker) determined(b *Band, m *Member, st *state) {
	l := m.Loops[0]
	comp, index := c.f.Body[l.Statement], c.index(place{l.Statement, l.Index})
	if len(m.Loops) > 1 || m.Tile != 1 || m.Vector > 0 || m.Group > 0 || m.concurrent() != "" || m.Unroll || m.Reverse || len(m.Skews) > 0 {
		c.misfit(b, "%s is determined: its loop visits one point, and has no other mark, and no other statement", c.words.Loop(m))
		return
	}
	d := DeterminationOf(comp, index)
	acc, _ := st.accumulators[l.Statement].(*Accumulate)
	switch {
	case d == nil:
		c.misfit(b, "nothing determines %s: no equality with it, or the terms of %s are not the identity of its operator elsewhere", c.words.Index(l.Statement, l.Index), c.words.Statement(l.Statement))
	case c.levels.Counted(m) || c.frames.Involved(l.Statement, comp, index):
		c.misfit(b, "%s is skewed, fused with another range, or outside of its blocks: it cannot be determined", c.words.Index(l.Statement, l.Index))
	case acc == nil || acc.Region == Early || hasAccumulate(b.Child, l.Statement):
		c.misfit(b, "the results of %s must be open outside of the determined %s, and no other ones inside%s", c.words.Statement(l.Statement), l.Index, c.accumulateAt(l.Statement, "private, or output, above it"))
	case acc.Region == Register && index.Combine.Kind == ein.Concat && c.blockSize(l.Statement, index, *st) > 1:
		c.misfit(b, "registers are not found by the number %s that is computed%s", l.Index, c.accumulateAt(l.Statement, "private above"))
	case hasPlace(b.Child):
		c.misfit(b, "blocks of tensors are placed inside of the determined %s, of which one point is visited; place them above", l.Index)
	default:
		for _, i := range Uses(comp, d) {
			if st.left[place{l.Statement, i.Name}] != 1 || st.vectors[l.Statement] == i {
				c.misfit(b, "%s is determined by %s, whose points are not known here, or are those of a vector; move its loop further in", l.Index, i.Name)
			}
		}
	}
}

// GuardsKnown returns the guards of a statement's terms that use known indices only.
func GuardsKnown(comp *ein.Comprehension, known func(*ein.Index) bool) (list []ein.Guard) {
	op, free := ein.ReductionOperator(comp)
	if op == nil || !free {
		return nil
	}
	for _, g := range comp.Guards(op) {
		if !slices.ContainsFunc(comp.Indices, func(i *ein.Index) bool { return ein.DependsOn(g.Expr, i) && !known(i) }) && !hasLocal(g.Expr) {
			list = append(list, g)
		}
	}
	return list
}

// hasLocal reports whether an expression has names of values, which may be any.
func hasLocal(e ein.Expr) bool { return ein.DependsOn(e, nil) }

// guarded checks a loop that runs only where conditions hold.
func (c *checker) guarded(b *Band, m *Member, st *state) {
	s := m.Loops[0].Statement
	comp := c.f.Body[s]
	acc, _ := st.accumulators[s].(*Accumulate)
	known := func(i *ein.Index) bool { return st.left[place{s, i.Name}] == 1 && st.vectors[s] != i }
	switch {
	case len(m.Loops) > 1 || m.concurrent() != "" || m.Vector > 0 || m.Determined || c.levels.Counted(m):
		c.misfit(b, "%s is guarded: its loop is of one statement, and neither parallel, nor a vector, nor determined, nor outside of its blocks", c.words.Loop(m))
	case acc == nil || acc.Region != Register && acc.Region != Private || hasAccumulate(b.Child, s):
		c.misfit(b, "the guarded %s may not run, and its results must be there all the same%s", c.words.Loop(m), c.accumulateAt(s, "register, or private, right above it"))
	case len(GuardsKnown(comp, known)) == 0:
		c.misfit(b, "no condition without which the terms of %s are the identity of its operator is known outside of %s", c.words.Statement(s), c.words.Loop(m))
	}
}

// apart checks a written-out loop whose points have partial results of their own.
func (c *checker) apart(b *Band, m *Member, st *state) {
	l := m.Loops[0]
	index := c.index(place{l.Statement, l.Index})
	acc, _ := st.accumulators[l.Statement].(*Accumulate)
	_, free := ein.ReductionOperator(c.f.Body[l.Statement])
	if index == nil {
		return // reported elsewhere
	}
	switch units := LastTile(l.Statement, l.Index, acc); {
	case len(m.Loops) > 1 || m.Tile != 1 || !m.Unroll || m.Vector > 0 || m.Group > 0 || index.Combine.Kind != ein.Reduce || !free:
		c.misfit(b, "%s is apart: its loop is over points of an index that is reduced in any order, written out, of one statement, and no vector", c.words.Loop(m))
	case acc == nil || acc.Region != Private || hasAccumulate(b.Child, l.Statement):
		c.misfit(b, "the points of %s have partial results of their own, in an array%s", c.words.Loop(m), c.accumulateAt(l.Statement, "private, and no others, above it"))
	case units < 2 || units > mostApart:
		c.misfit(b, "the last tile of %s below the accumulators has %d points, and 2 to %d have partial results of their own", c.words.Index(l.Statement, l.Index), units, mostApart)
	case st.vectors[l.Statement] != nil || c.hasVector(b, l.Statement):
		c.misfit(b, "%s is apart, and its statement has vectors, whose lanes are apart already", c.words.Loop(m))
	case c.levels.Counted(m) || c.frames.Involved(l.Statement, c.f.Body[l.Statement], index):
		c.misfit(b, "%s is skewed, fused with another range, or outside of its blocks: its points cannot be apart", c.words.Index(l.Statement, l.Index))
	}
	for _, name := range indexNames(c.f.Body[l.Statement]) {
		if name != l.Index && ApartBelow(l.Statement, name, acc) > 0 {
			c.misfit(b, "the points of %s and of %s are apart; one of them may be", l.Index, name)
		}
	}
}

// hasVector reports whether a statement has vectors in a band or below.
func (c *checker) hasVector(b *Band, statement int) bool {
	return slices.ContainsFunc(indexNames(c.f.Body[statement]), func(name string) bool { return VectorBelow(statement, name, b) > 0 })
}

func indexNames(comp *ein.Comprehension) (names []string) {
	for _, i := range comp.Indices {
		names = append(names, i.Name)
	}
	return names
}

// ApartBelow returns how many points of an index have partial results of their own below an
// accumulate, or 0.
func ApartBelow(statement int, index string, n *Accumulate) int64 {
	isApart := func(m *Member) int {
		if m.Apart {
			return 1
		}
		return 0
	}
	if n == nil || markBelow(statement, index, n.Child, isApart) == 0 {
		return 0
	}
	return LastTile(statement, index, n)
}

// LastTile returns the size of the last tile of an index below an accumulate, or 0.
func LastTile(statement int, index string, a *Accumulate) (tile int64) {
	if a == nil {
		return 0
	}
	for n := a.Child; n != nil; n = childOf(n, statement) {
		if b, ok := n.(*Band); ok {
			for _, m := range b.Members {
				if l, ok := m.IndexOf(statement); ok && l.Index == index && m.Tile > 1 {
					tile = m.Tile
				}
			}
		}
	}
	return tile
}

// hasAccumulate reports whether accumulators of a statement are in a subtree.
func hasAccumulate(n Node, statement int) bool {
	a, ok := n.(*Accumulate)
	return ok && a.Statement == statement || slices.ContainsFunc(Children(n), func(child Node) bool { return hasAccumulate(child, statement) })
}

// hasPlace reports whether anything is placed in a subtree.
func hasPlace(n Node) bool {
	_, ok := n.(*Place)
	return ok || slices.ContainsFunc(Children(n), hasPlace)
}
