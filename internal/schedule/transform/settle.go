package transform

import (
	"cmp"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How marks give way
//
// Loops that keep all dependences are never refused for their marks, nor for places of data. A
// tree that does not fit the function with all of them is made again without one, or without
// several where one is not enough: first without hints, places and vectors, then without
// parallel loops. Of several, those are put back that fit without the others. What was left
// out is told, with what did not fit, and has to keep the dependences all the same, unless it is
// lent: then it is left out, too, where it breaks one. Marks that
// have no effect since another loop is parallel are left out, too, where that one is.
//
// A parallel loop with vectors is one over blocks of some vectors, with the vectors inside.
// The blocks do not depend on the number of threads. Its iterations have to be independent
// as those of any parallel loop, also where there is one block only.

// A mark is one of the marks of the loops of some nests, or a place: its number in their order.
type mark struct {
	number int
	kind   markKind
}

// marksOf lists the marks of a list, those that give way first before others.
func marksOf(list []*node) (marks []mark) {
	for k := range markKinds {
		number := 0
		k.each(list, func(n *node) {
			if number++; k == placeMark || n.loop.has(k) {
				marks = append(marks, mark{number, k})
			}
		})
	}
	return marks
}

// without takes marks off a list.
func without(list []*node, marks []mark) {
	for k := range markKinds {
		number := 0
		k.each(list, func(n *node) {
			switch number++; {
			case !slices.Contains(marks, mark{number, k}):
			case k == placeMark:
				n.idle = true
			default:
				n.loop.unmark(k)
			}
		})
	}
}

// each visits the nodes that may have a mark, outermost first.
func (k markKind) each(list []*node, visit func(n *node)) {
	if k == placeMark {
		eachPlace(list, visit)
	} else {
		eachLoop(list, visit)
	}
}

// eachLoop visits the loops of a list, outermost first.
func eachLoop(list []*node, visit func(n *node)) {
	for _, n := range list {
		if n.loop != nil {
			visit(n)
		}
		eachLoop(n.body, visit)
	}
}

// eachPlace visits the places of a list, outermost first.
func eachPlace(list []*node, visit func(n *node)) {
	for _, n := range list {
		if _, ok := n.between.(*schedule.Place); ok {
			visit(n)
		}
		eachPlace(n.body, visit)
	}
}

// A settlement is the tree that fits, and what it took.
type settlement struct {
	tree *schedule.Tree
	g    *generator
	left []leftOut
}

// A leftOut is a mark that the tree is made without, and what did not fit with it.
type leftOut struct {
	mark
	why error
}

// settle makes the tree that fits. The error of none that fits is that with all marks.
func settle(f *ein.Func, nests []*Nest, options Options) (settlement, error) {
	with := func(left []mark) (settlement, error) { return attempt(f, nests, options, left) }
	all, why := with(nil)
	if decided(why, nil) {
		return all, why
	}
	for _, marks := range fewer(all.g.marks) {
		x, err := with(marks)
		if !decided(err, marks) {
			continue
		}
		reasons := map[mark]error{}
		for _, m := range slices.Backward(marks) { // what is inside of others first
			rest := slices.DeleteFunc(slices.Clone(marks), func(other mark) bool { return other == m })
			if err != nil || len(rest) == 0 {
				break
			}
			more, misfit := with(rest)
			if reasons[m] = misfit; misfit == nil {
				x, marks = more, rest
			}
		}
		for _, m := range marks {
			x.left = append(x.left, leftOut{m, cmp.Or(reasons[m], why)})
		}
		return x, err
	}
	return all, why
}

// decided reports whether a tree without some marks is the answer: it fits, or keeping the
// dependences is all that it fails to do, which a place that is left out may have done.
func decided(err error, left []mark) bool {
	return err == nil || isIllegal(err) && !slices.ContainsFunc(left, func(m mark) bool { return m.kind == placeMark })
}

// attempt makes the tree without some marks, and if it breaks a dependence, without lent ones that
// do.
func attempt(f *ein.Func, nests []*Nest, options Options, left []mark) (x settlement, err error) {
	x.tree, x.g, err = fitting(f, nests, options, left)
	if !isIllegal(err) {
		return x, err
	}
	broken := err
	lent := slices.DeleteFunc(slices.Clone(x.g.marks), func(m mark) bool { return !x.g.isLent(m) || slices.Contains(left, m) })
	for _, marks := range fewer(lent) {
		x.left = nil
		for _, m := range marks {
			x.left = append(x.left, leftOut{m, broken})
		}
		if x.tree, x.g, err = fitting(f, nests, options, slices.Concat(left, marks)); !isIllegal(err) {
			break
		}
	}
	return x, err
}

// isLent reports whether a mark is that of one of several loops that were fused.
func (g *generator) isLent(m mark) bool { return m.kind != placeMark && g.all[m.number-1].lent[m.kind] }

// fewer lists what may be left out of some marks, in the order in which it is tried: each of
// them, all of a kind, and ever more.
func fewer(marks []mark) (list [][]mark) {
	for k := range marks {
		list = append(list, marks[k:k+1])
	}
	for k := range markKinds {
		if kind := slices.DeleteFunc(slices.Clone(marks), func(m mark) bool { return m.kind != k }); len(kind) > 1 {
			list = append(list, kind)
		}
	}
	for k := 2; k <= len(marks); k++ {
		list = append(list, marks[:k])
	}
	return list
}

// fitting makes the tree without some marks, with partial results where they fit, and without
// blocks that are all there is where they differ from those of other statements.
func fitting(f *ein.Func, nests []*Nest, options Options, left []mark) (*schedule.Tree, *generator, error) {
	t, g, err := generate(f, nests, options, variant{left: left})
	if err == nil {
		err = schedule.CheckFor(f, t, g.words)
	}
	if err == nil {
		return t, g, nil
	}
	for _, v := range []variant{{left: left, inOutput: true}, {left: left, inOutput: true, early: true}, {left: left, noUnits: true}} {
		again, h, failure := generate(f, nests, options, v)
		if failure == nil && schedule.Check(f, again) == nil {
			return again, h, nil
		}
	}
	return t, g, err
}

// alone lists the trees in which one mark alone has to keep the dependences, since it has no
// effect in the tree that fits, or not between all iterations. Lent ones need not.
func (x settlement) alone() []variant {
	var list []variant
	add := func(m mark) {
		if m.kind >= vectorMark && !x.g.isLent(m) {
			list = append(list, variant{inOutput: x.g.inOutput, early: x.g.early, alone: m.number, asVector: m.kind == vectorMark})
		}
	}
	for _, i := range x.g.idles {
		add(mark{i.number, parallelMark})
	}
	for _, number := range x.g.joined {
		add(mark{number, parallelMark})
	}
	for _, m := range x.left {
		add(m.mark)
	}
	return list
}

// join makes a loop over blocks of vectors around each parallel loop with vectors, whose
// number is noted. Number is how many loops are before.
func (g *generator) join(list []*node, number *int) {
	for _, n := range list {
		if n.loop != nil {
			*number++
		}
		if lanes := int64(0); n.loop != nil && n.loop.Parallel && n.loop.Vector != 0 && !n.loop.once {
			if lanes = int64(g.lanes(n.loop)); lanes == 0 {
				n.loop.Vector = 0
			} else {
				g.joined = append(g.joined, *number+1)
				g.spread(n, lanes)
			}
		}
		g.join(n.body, number)
	}
}

// spread cuts a parallel loop with vectors into blocks of some vectors for the threads; it
// stays in order where there is one vector.
func (g *generator) spread(n *node, lanes int64) {
	const blocks = 64
	vectors := int64(blocks)
	if size, known := g.block(n.loop); known {
		vectors = max(1, (size+lanes*blocks-1)/(lanes*blocks))
	}
	inner, outer := *n.loop, *n.loop
	inner.Loops, inner.Parallel = cloneLoops(n.loop.Loops), false
	outer.Tile = lanes * vectors
	outer.unmark(vectorMark)
	if size, known := g.block(n.loop); known && outer.Tile >= size {
		outer.once = true
	}
	g.depth[&inner] = g.depth[n.loop]
	g.depth[&outer] = g.depth[n.loop]
	n.body = []*node{{loop: &inner, body: n.body}}
	n.loop = &outer
}
