package transform

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// unroll is equations (24) and (25): k = (e - b) / s + 1 copies of the body, with s·j + b for the
// iterator in copy j. The nest keeps one copy, in a loop that is marked; lowering makes the
// others. The number k has to be known; a last block that is smaller is written out on its own.
func unroll(c *call) error {
	n, err := c.level(0)
	if err != nil {
		return err
	}
	if n.loop.Vector != 0 {
		return fmt.Errorf("the iterations of %s are the lanes of vectors; unroll the loop over its blocks", n.loop.name)
	}
	trips, known := tripsIn(c.f, c.list).of(n.loop)
	switch {
	case !known:
		return fmt.Errorf("the number of iterations of %s is not a constant: %s; give the sizes or stripmine it first", n.loop.name, indexOf(c.f, n.loop.Loops[0]).Extent)
	case trips > schedule.MostCopies:
		return fmt.Errorf("%s has %d iterations, and at most %d are written out; stripmine it first", n.loop.name, trips, schedule.MostCopies)
	}
	n.loop.Unroll, n.loop.Parallel = true, false
	if copies := tripsIn(c.f, c.list).mostCopies(c.list); copies > schedule.MostCopies {
		return fmt.Errorf("with the other loops that are written out there would be at least %d copies of a statement, and at most %d are made; leave one of them a loop, or stripmine it first", copies, schedule.MostCopies)
	}
	if c.isSingle(n.loop) {
		c.list = replaced(c.list, n, singly(n.loop, n.body))
	}
	return nil
}

// trips counts the iterations of the loops of a list, also of those whose coordinates are sums of
// indices.
type trips struct {
	f      *ein.Func
	levels []*level
	frames schedule.Frames
}

func tripsIn(f *ein.Func, list []*node) trips {
	return trips{f, levelsIn(list), schedule.FramesOf(f, &schedule.Tree{Root: bare(list)})}
}

// of is the largest number of iterations of a loop.
func (t trips) of(l *level) (int64, bool) {
	if l.once {
		return 1, true
	}
	size, known := t.frames.Of(l.Loops[0].Statement, indexOf(t.f, l.Loops[0])).Extent.IsConst()
	if around := aroundOf(t.levels, l); around != nil && (!known || around.Tile < size) {
		size, known = around.Tile, true
	}
	return (max(size, 0) + l.Tile - 1) / l.Tile, known && len(l.Skews) == 0
}

// mostCopies is how often a statement is written out at most, or more than schedule.MostCopies.
func (t trips) mostCopies(list []*node) (most int64) {
	for _, n := range list {
		copies := max(1, t.mostCopies(n.body))
		if n.loop != nil && n.loop.Unroll && copies <= schedule.MostCopies {
			trips, _ := t.of(n.loop)
			copies *= max(1, trips)
		}
		most = max(most, copies)
	}
	return most
}

// isSingle reports whether a loop has one iteration, for each of its statements. What is
// written out then is no other than its body.
func (c *call) isSingle(l *level) bool {
	if l.once {
		return true
	}
	first := indexOf(c.f, l.Loops[0])
	return !skewedBy(levelsIn(c.list), l) && len(l.Skews) == 0 && !slices.ContainsFunc(l.Loops, func(lp schedule.Loop) bool {
		i := indexOf(c.f, lp)
		n, known := i.Extent.IsConst()
		return !known || n < 1 || n > l.Tile || len(lp.By) > 0 || !i.Extent.Equal(first.Extent) || !i.Min.AddConst(lp.Shift).Equal(first.Min.AddConst(l.Loops[0].Shift))
	})
}

// replaced puts nodes in the place of one.
func replaced(list []*node, n *node, with []*node) []*node {
	if k := slices.Index(list, n); k >= 0 {
		return slices.Replace(slices.Clone(list), k, k+1, with...)
	}
	for _, o := range list {
		o.body = replaced(o.body, n, with)
	}
	return list
}

// singly returns a body whose statements have the one iteration of a loop around them: no
// loop stands between its levels and those of what is around. One over blocks is left out.
func singly(l *level, body []*node) []*node {
	if l.once || l.Tile > 1 {
		return body
	}
	return aroundStatements(l, body)
}

// aroundStatements puts a loop directly around each statement of a body.
func aroundStatements(l *level, body []*node) []*node {
	var out []*node
	for _, n := range body {
		if n.isStatement() {
			own := *l
			at := slices.IndexFunc(l.Loops, func(lp schedule.Loop) bool { return lp.Statement == n.statement })
			own.Loops, own.single = cloneLoops(l.Loops[at:at+1]), true
			n = &node{loop: &own, body: []*node{n}}
		} else {
			n.body = aroundStatements(l, n.body)
		}
		out = append(out, n)
	}
	return out
}
