package transform

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// Marks without effect
//
// On the way to a statement one parallel loop is spread over threads, or several directly
// below each other; one further in runs in order in every thread. A vector loop whose
// blocks have an odd number of iterations has no vectors. Such a mark has to keep the
// dependences all the same, since its loop may come to stand elsewhere: Tree checks another
// tree for each of them, in which its loop alone is parallel (where there are no vectors,
// the iterations of a block would be the lanes). What is legal, but has no effect, is told:
// IdleOf says so, and printed loops do.

// An idle mark is one without effect.
type idle struct {
	loop   *level
	number int // of the loop, in the order of the nests
	why    string
}

// A nesting says where a loop is with respect to parallel loops.
type nesting struct {
	at    vicinity
	outer *level // the innermost parallel or vector loop around
}

type vicinity uint8

const (
	outside  vicinity = iota
	adjacent          // directly below one
	inside
)

// serialise leaves one parallel loop, or several directly below each other, on the way
// to a statement: the others run in order in every thread. The lanes of vectors are
// not spread over threads.
func (g *generator) serialise(list []*node, p path, in nesting) {
	for _, n := range list {
		inner, below := p, in
		if n.loop != nil {
			g.loops++
			entered, ok := p.enter(n.loop)
			reduced := slices.ContainsFunc(n.loop.Loops, func(l schedule.Loop) bool { return indexOf(g.f, l).Combine.Kind != ein.Concat })
			left, again := p.left[axisOf(n.loop.Loops[0])]
			if n.loop.Vector != 0 && again && left%2 != 0 {
				g.idles = append(g.idles, idle{n.loop, g.loops, fmt.Sprintf("blocks of %d do not consist of vectors", left)})
			}
			switch {
			case !ok:
				n.loop.Parallel = false
			case n.loop.Parallel && (in.at == outside || in.at == adjacent && !reduced && !again):
				if below = (nesting{adjacent, n.loop}); reduced {
					below.at = inside
				}
			case n.loop.Parallel:
				n.loop.Parallel = false
				what := "is parallel"
				if in.outer.Vector != 0 {
					what = "is computed by vectors"
				}
				g.idles = append(g.idles, idle{n.loop, g.loops, in.outer.name + ", further out, " + what})
			}
			if inner = entered; n.loop.Vector != 0 {
				below = nesting{inside, n.loop}
			} else if ok && !n.loop.Parallel && in.at == adjacent {
				below.at = inside
			}
		}
		if below.at == adjacent && (n.between != nil || len(n.body) > 1) {
			below.at = inside
		}
		g.serialise(n.body, inner, below)
	}
}

// alone leaves one loop parallel, and nothing a vector.
func (g *generator) alone(list []*node, number int, seen *int) {
	for _, n := range list {
		if n.loop != nil {
			if *seen++; *seen == number && n.loop.Vector != 0 {
				g.asLanes = n.loop
			}
			n.loop.Parallel, n.loop.Vector = *seen == number, 0
		}
		g.alone(n.body, number, seen)
	}
}

// An Idle is a loop that is marked without effect.
type Idle struct{ Loop, Why, Help string }

// String says so.
func (i Idle) String() string { return i.Loop + " has no effect: " + i.Why }

// IdleOf lists the marks without effect of nests that are generated.
func IdleOf(nests []*Nest) []Idle {
	var list []Idle
	for _, n := range nests {
		for _, i := range idles(n.f, clone(n.body)) {
			w := Idle{"the parallel loop " + i.loop.name + " of " + n.Title(), i.why, "interchange it to directly below the other one, or leave it serial"}
			if i.loop.Vector != 0 {
				w.Loop, w.Help = "the vector loop "+i.loop.name+" of "+n.Title(), "cut the loop into blocks of a multiple of the lanes"
			}
			list = append(list, w)
		}
	}
	return list
}

// idles finds the idle marks of a list of nodes, of which those of parallel loops are taken off.
func idles(f *ein.Func, list []*node) []idle {
	g := &generator{f: f, levels: schedule.LevelsOf(&schedule.Tree{Root: bare(list)})}
	g.serialise(list, g.begin(), nesting{})
	return g.idles
}
