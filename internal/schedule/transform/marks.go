package transform

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// Marks without effect
//
// On the way to a statement one parallel loop is spread over threads, or several directly
// below each other; one further in runs in order in every thread. Such a mark has to keep the
// dependences all the same, since its loop may come to stand elsewhere: Tree checks another
// tree for each of them, in which its loop alone is parallel. What is legal, but has no
// effect, is told: Tree says so, and printed loops do.
//
// Loops that are fused need not have the same marks. A mark of one of them is lent to the other; it
// need not keep the dependences between their statements, and gives way where it does not.

// A markKind is one of the marks of a loop, or a place; those that give way first are before others.
type markKind uint8

const (
	padMark markKind = iota
	prefetchMark
	placeMark // which is a node of its own
	vectorMark
	parallelMark
	markKinds
)

// String is how a loop with the mark is called.
func (k markKind) String() string {
	return [...]string{"padded", "prefetching", "placed", "vector", "parallel"}[k]
}

// has reports whether a loop has a mark.
func (l *level) has(k markKind) bool {
	return [...]bool{l.Pad, l.Prefetch != "", false, l.Vector != 0, l.Parallel}[k]
}

// mark notes which step made a mark.
func (l *level) mark(k markKind, by *Step) { l.origins[k], l.lent[k] = []*origin{{by}}, false }

// unmark takes a mark off, with what only loops with the mark have.
func (l *level) unmark(k markKind) {
	switch k {
	case padMark:
		l.Pad = false
	case vectorMark:
		l.WholeLines = 0
		l.Vector, l.Stream, l.Hold, l.Words, l.Singly, l.Ahead, l.Prefetch, l.PrefetchTile = 0, false, false, false, false, 0, "", 0
	case prefetchMark:
		l.Prefetch, l.PrefetchTile = "", 0
	case parallelMark:
		l.Parallel = false
	}
}

// join makes a loop that of the statements of another one, too, with the marks of both. What
// only one of them had is lent to the other by the step.
func (l *level) join(o *level, by *Step) {
	for k := range markKinds {
		switch {
		case l.has(k) && o.has(k):
			l.origins[k], l.lent[k] = slices.Concat(l.origins[k], o.origins[k]), l.lent[k] || o.lent[k]
		case l.has(k) || o.has(k):
			l.mark(k, by)
			l.lent[k] = true
		}
	}
	l.Parallel, l.Pad = l.Parallel || o.Parallel, l.Pad || o.Pad
	l.Groups, l.Items = l.Groups || o.Groups, max(l.Items, o.Items)
	l.Hold, l.Words, l.Singly = l.Hold || o.Hold, l.Words || o.Words, l.Singly || o.Singly
	l.Stream, l.Ahead = l.Stream || o.Stream, max(l.Ahead, o.Ahead)
	l.WholeLines = max(l.WholeLines, o.WholeLines)
	if l.Vector == 0 || l.Vector == automatic && o.Vector != 0 || o.Vector > 0 && o.Vector < l.Vector {
		l.Vector = o.Vector // the fewer lanes, which are legal where more are
	}
	if l.Prefetch == "" {
		l.Prefetch, l.PrefetchTile = o.Prefetch, o.PrefetchTile
	}
	l.Loops = append(l.Loops, o.Loops...)
}

// An idle mark is one without effect.
type idle struct {
	loop   *level
	number int    // of the loop, in the order of the nests
	why    string // it has none
	help   string
}

// A nesting says where a loop is with respect to parallel loops.
type nesting struct {
	at    vicinity
	outer *level // the innermost parallel or vector loop around
	// apart says what else than a serial loop keeps parallel loops from being directly
	// below that one; empty if nothing does.
	apart string
}

type vicinity uint8

const (
	outside  vicinity = iota
	adjacent          // directly below one
	inside
)

// What keeps two parallel loops apart.
const (
	sums     = "a parallel loop over what is reduced stands alone"
	cutAgain = "loops inside of blocks are not joined with those around them"
	others   = "something else stands between the two"
)

// serialise leaves one parallel loop, or several directly below each other, on the way
// to a statement: the others run in order in every thread. The lanes of vectors are
// not spread over threads.
func (g *generator) serialise(list []*node, p path, in nesting) {
	for _, n := range list {
		inner, below := p, in
		if n.loop != nil {
			g.loops++
			inner, below = g.serialiseLoop(n.loop, p, in)
		}
		if below.at == adjacent && (n.between != nil || len(n.body) > 1) {
			below.at, below.apart = inside, others
		}
		g.serialise(n.body, inner, below)
	}
}

// serialiseLoop is serialise for a loop itself; it returns what is so in its body.
func (g *generator) serialiseLoop(l *level, p path, in nesting) (inner path, below nesting) {
	inner, ok := p.enter(l)
	reduced := slices.ContainsFunc(l.Loops, func(lp schedule.Loop) bool { return indexOf(g.f, lp).Combine.Kind != ein.Concat })
	_, again := p.left[axisOf(l.Loops[0])]
	below = in
	switch {
	case !ok || l.Parallel && reduced && g.isSingle(l):
		l.Parallel = false
	case l.Parallel && (in.at == outside || in.at == adjacent && !reduced && !again):
		if below = (nesting{at: adjacent, outer: l}); reduced {
			below.at, below.apart = inside, sums
		}
	case l.Parallel:
		l.Parallel = false
		g.idles = append(g.idles, idleIn(in, l, g.loops, reduced, again))
	}
	if l.Vector != 0 {
		below = nesting{at: inside, outer: l}
	} else if ok && !l.Parallel && in.at == adjacent {
		below.at = inside
	}
	return inner, below
}

// isSingle reports whether a loop has one iteration.
func (g *generator) isSingle(l *level) bool {
	if g.levels.Counted(&l.Member) {
		return false
	}
	size, known := g.frames.Of(l.Loops[0].Statement, indexOf(g.f, l.Loops[0])).Extent.IsConst()
	return known && size <= l.Tile
}

// idleIn says why a parallel loop inside of others has no effect.
func idleIn(in nesting, l *level, number int, reduced, again bool) idle {
	why, help := in.outer.name+", further out, is parallel", "interchange it to directly below the other one, or leave it serial"
	apart := in.apart
	switch {
	case reduced:
		apart = sums
	case again:
		apart = cutAgain
	}
	switch {
	case in.outer.Vector != 0:
		why, help = in.outer.name+", further out, is computed by vectors", "interchange it to outside of the vectors, or leave it serial"
	case apart != "":
		why, help = why+", and "+apart, "leave one of the two serial"
	}
	return idle{l, number, why, help}
}

// alone leaves one loop parallel, or a vector, and nothing else.
func (g *generator) alone(list []*node, v variant) {
	number := 0
	eachLoop(list, func(n *node) {
		number++
		n.loop.Parallel = number == v.alone && !v.asVector
		if number != v.alone || !v.asVector {
			n.loop.Vector = 0
		}
	})
}

// idles finds the idle marks of a list of nodes, of which those of parallel loops are taken off.
func idles(f *ein.Func, list []*node) []idle {
	g := &generator{f: f}
	g.measure(list)
	g.serialise(list, g.begin(), nesting{})
	return g.idles
}
