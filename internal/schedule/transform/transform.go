// Package transform has the loop transformations of TeML as functions on loop nests,
// and makes schedule trees of nests.
package transform

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How it works
//
// A loop expression of TeML denotes a tree of loops over assignments (the domain L of
// the paper, equations (2) and (3)). Here it is a Nest: nodes that are loops or
// statements of one ein.Func. A loop is a member of a schedule's band: it enumerates
// the blocks of a size, or the points, of the block of its index around it, and never
// rewrites a subscript, which is what equation (20) says of stripmine. The rows of
// Table are the transformations; each copies the nest and matches the pattern of its
// equation on the copy. A pattern that fails is an error in words. Whether the meaning
// of the program survives is not asked until Tree joins nests: an intermediate nest may
// break dependences.
//
// unroll writes a loop out: k copies of its body stand one after the other. The nest
// keeps one copy, in a loop that is marked as written out. It is no level any more,
// the chain of levels ends above it, and fuse_inner moves it into the loop that all of
// its copies begin with, so that unroll and fuse_inner are unroll-and-jam.
//
// Tree makes bands of loops and sequences of statements side by side, chooses where
// the accumulators of reductions live for the order that the loops have
// (accumulate.go), and checks the result. A refused tree is blamed on a transformation
// by going back: the nests remember what they were made of (blame.go).

// A Nest is a loop expression: loops around statements of a function. It is never
// changed; transformations return new ones.
type Nest struct {
	f    *ein.Func
	body []*node
	step *Step   // nil of a nest that was built
	from []*Nest // what the step was applied to
	// inside is the nest that the last of the steps made of which a composed one consists.
	inside *Nest
	// ofTree says that the nest is a part of a tree, which no step made.
	ofTree bool
}

// A Step is one application of a transformation.
type Step struct {
	Transformation *Transformation
	Arguments      []Argument
	Call           Call // of a program that says so
}

// A node is a loop around its body; or a statement; or what a schedule tree has between
// loops, a place or an accumulate, around its body.
type node struct {
	loop      *level
	between   schedule.Node
	origin    *origin // of a place
	idle      bool    // of a place: there is no code for it
	statement int     // of a leaf, which has neither loop nor between
	body      []*node
}

// A level is a loop. Unroll says that it is written out, so that it does not count
// as a level.
type level struct {
	schedule.Member
	name string
	once bool // it has one iteration: the block around it is no larger than its own
	// single says that it is written out, has one iteration, and stands directly around its
	// statement.
	single  bool
	origins [markKinds][]*origin // of its marks
	lent    [markKinds]bool      // by one of several loops that were fused; the others did not have it
}

// automatic as Member.Vector stands for the lanes of the machine's vectors.
const automatic = -1

// Build returns the perfect nest of a statement: a loop for each of its indices, in
// their order (equation (19)). Where reduced indices have to be enumerated in their
// order, point by point, they come last.
func Build(f *ein.Func, statement int) *Nest {
	list := []*node{{statement: statement}}
	c := f.Body[statement]
	indices := c.Indices
	if _, free := ein.ReductionOperator(c); !free {
		indices = append(c.ByKind(ein.Concat), ein.Reduced(c)...)
	}
	for _, i := range slices.Backward(indices) {
		list = []*node{{loop: &level{Member: schedule.Member{Loops: []schedule.Loop{{Statement: statement, Index: i.Name}}, Tile: 1}, name: i.Name}, body: list}}
	}
	return &Nest{f: f, body: list}
}

// Of returns the nests of a tree: one for each child of a sequence at the root, else
// one. Members that are unrolled count as written out.
func Of(f *ein.Func, t *schedule.Tree) []*Nest {
	var nests []*Nest
	roots := []schedule.Node{t.Root}
	if seq, ok := t.Root.(*schedule.Sequence); ok {
		roots = schedule.Children(seq)
	}
	for _, root := range roots {
		active := make([]int, len(f.Body))
		for s := range active {
			active[s] = s
		}
		body := nodesOf(root, active)
		distinct(body, nil)
		nests = append(nests, &Nest{f: f, body: body, ofTree: true})
	}
	return nests
}

// nodesOf converts a subtree with some statements.
func nodesOf(n schedule.Node, active []int) []*node {
	switch n := n.(type) {
	case *schedule.Sequence:
		var list []*node
		for _, child := range n.Children {
			list = append(list, nodesOf(child, active)...)
		}
		return list
	case *schedule.Filter:
		return nodesOf(n.Child, n.Statements)
	case *schedule.Band:
		list := nodesOf(n.Child, active)
		for _, m := range slices.Backward(n.Members) {
			l := &level{Member: *m, name: m.Loops[0].Index}
			l.Coincident, l.Pipeline, l.Loops, l.Skews = false, false, cloneLoops(m.Loops), slices.Clone(m.Skews)
			for k := range markKinds {
				l.mark(k, nil)
			}
			if m.Tile > 1 {
				l.name = freshBlock(list, l.name)
			}
			list = []*node{{loop: l, body: list}}
		}
		return list
	case *schedule.Accumulate:
		return []*node{{between: &schedule.Accumulate{Statement: n.Statement, Region: n.Region}, body: nodesOf(n.Child, active)}}
	case *schedule.Place:
		return []*node{{between: &schedule.Place{Tensor: n.Tensor, Region: n.Region, Layout: n.Layout}, origin: &origin{}, body: nodesOf(n.Child, active)}}
	}
	var list []*node
	for _, s := range active {
		list = append(list, &node{statement: s})
	}
	return list
}

// Step returns what made the nest and of what; nil for one that was built.
func (n *Nest) Step() (step *Step, from []*Nest) { return n.step, n.from }

// defaultTitle is what makes the nests of the default schedule.
const defaultTitle = "default()"

// Title says what made the nest, such as "build(C)", as a program writes it.
func (n *Nest) Title() string {
	switch {
	case n.step != nil:
		return n.step.Written()
	case n.ofTree:
		return defaultTitle
	}
	return "build(" + written(n.f, n.Statements()[0]) + ")"
}

// Func returns the function whose statements the nest has.
func (n *Nest) Func() *ein.Func { return n.f }

// Statements lists the statements of the nest in the order of their first instances.
func (n *Nest) Statements() []int { return statements(n.body) }

func statements(list []*node) []int {
	var all []int
	for _, n := range list {
		if n.isStatement() {
			all = append(all, n.statement)
		}
		all = append(all, statements(n.body)...)
	}
	return all
}

// withoutSingle is the statement of a node that is directly inside of loops of one iteration
// that are written out, and any other node itself.
func (n *node) withoutSingle() *node {
	for n.loop != nil && n.loop.single {
		n = n.body[0]
	}
	return n
}

func (n *node) isStatement() bool { return n.loop == nil && n.between == nil }

// clone copies a list of nodes.
func clone(list []*node) []*node {
	out := make([]*node, len(list))
	for k, n := range list {
		c := *n
		if n.loop != nil {
			l := *n.loop
			l.Loops, l.Skews = cloneLoops(l.Loops), slices.Clone(l.Skews)
			c.loop = &l
		}
		c.body = clone(n.body)
		out[k] = &c
	}
	return out
}

func cloneLoops(list []schedule.Loop) []schedule.Loop {
	out := slices.Clone(list)
	for k := range out {
		out[k].By = slices.Clone(out[k].By)
	}
	return out
}

// next returns the one loop that a body consists of, through what stands between
// loops; nil when there are several nodes, a statement or a loop that is written out.
func next(list []*node) *node {
	for len(list) == 1 {
		switch n := list[0]; {
		case n.loop != nil && n.loop.Unroll, n.isStatement():
			return nil
		case n.loop != nil:
			return n
		default:
			list = n.body
		}
	}
	return nil
}

// chain returns the levels of a nest, outermost first.
func chain(list []*node) []*node {
	var levels []*node
	for n := next(list); n != nil; n = next(n.body) {
		levels = append(levels, n)
	}
	return levels
}
