package transform

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// Where accumulators live
//
// A reduction may be split and reordered in any way, so every order of its loops has
// a place for its partial results. From the outermost loop over a reduced index on,
// the results of all points further in are open. If they fit in registers, which takes
// that the loops over them are written out or vectors, accumulators start there. If
// not, partial results live in the output itself, as in the C text that the loops look
// like; and registers are used further in, from the first loop on below which the
// points do fit. An array like the output takes its place where that cannot hold them:
// it is read by the statement, has a narrower type, or the points come in a fixed order.
// The iterations of a parallel loop over a reduced index have partial results of their own
// in the workspace.
//
// Loops over a reduced index may be shared with other statements, which then run in the
// life of the accumulators. A statement that follows the last iteration there, by its
// shift, finds the sum only if it is in the output: that is tried second. What the output
// cannot hold is passed on early, by the last point of each result, which is tried third.

// accumulators puts the accumulates of a statement around its loops, some of which may be
// those of other statements too.
func (g *generator) accumulators(s int, list []*node) {
	a := &accumulation{g: g, s: s, c: g.f.Body[s]}
	p := g.begin()
	for n := withStatement(list, s); !n.isStatement(); n = withStatement(n.body, s) {
		if n.loop == nil {
			continue
		}
		inner, ok := p.enter(n.loop)
		if !ok {
			continue
		}
		l, _ := n.loop.IndexOf(s)
		index := indexOf(g.f, l)
		a.loops = append(a.loops, turn{node: n, level: n.loop, index: index, before: p, lanes: g.lanes(n.loop)})
		p = inner
	}
	a.place()
}

// withStatement returns the node of a list that has a statement.
func withStatement(list []*node, s int) *node {
	return list[slices.IndexFunc(list, func(n *node) bool { return slices.Contains(statements([]*node{n}), s) })]
}

// An accumulation is a statement with its loops, outermost first.
type accumulation struct {
	g     *generator
	s     int
	c     *ein.Comprehension
	loops []turn
}

// A turn is a loop on the way to the statement.
type turn struct {
	node   *node
	level  *level
	index  *ein.Index
	before path
	lanes  int // 0 of a scalar loop
}

func (t turn) reduced() bool { return t.index.Combine.Kind != ein.Concat }

// byReduced says of a loop that its index is skewed by a reduced one.
func (a *accumulation) byReduced(t turn) bool {
	l, _ := t.level.IndexOf(a.s)
	reduced := func(index string) bool {
		return indexOf(a.g.f, schedule.Loop{Statement: a.s, Index: index}).Combine.Kind != ein.Concat
	}
	return slices.ContainsFunc(l.By, func(t schedule.Term) bool { return reduced(t.Index) }) ||
		slices.ContainsFunc(t.level.Skews, func(s schedule.Skew) bool {
			o, ok := a.g.levels.By(&t.level.Member, s).IndexOf(a.s)
			return ok && reduced(o.Index)
		})
}

// shared says of a loop over a reduced index that other statements are in it.
func (t turn) shared() bool { return t.reduced() && len(t.level.Loops) > 1 }

// inPieces says of a loop over a reduced index that threads, groups or items take its iterations. A scan whose
// loops others share has no code for it, and the mark gives way.
func (t turn) inPieces() bool { return t.reduced() && t.level.IsConcurrent() }

// parts is where those who take the iterations of a loop have their partial results.
func (t turn) parts() schedule.Region {
	if t.level.Items > 0 {
		return schedule.Local
	}
	return schedule.Workspace
}

// put makes accumulators start above loop k, inside of those that are there.
func (a *accumulation) put(k int, region schedule.Region) {
	n := a.loops[k].node
	loop := *n
	*n = node{between: &schedule.Accumulate{Statement: a.s, Region: region}, body: []*node{&loop}}
	a.loops[k].node = &loop
}

func (a *accumulation) place() {
	op, free := ein.ReductionOperator(a.c)
	first := slices.IndexFunc(a.loops, func(t turn) bool { return t.reduced() || a.byReduced(t) })
	_, _, scan := ein.ScanOperator(a.c)
	for first > 0 && (a.isOpen(first) || !a.follow(first)) {
		first--
	}
	switch {
	case free:
		a.free(op, first)
	case !free && slices.ContainsFunc(a.loops, turn.shared) && !(scan && slices.ContainsFunc(a.loops, turn.inPieces)):
		a.put(first, schedule.Shared)
	case scan:
		a.carries(first)
	case a.oneResult(first) && !slices.ContainsFunc(a.loops[first:], a.movesScan):
		a.put(first, schedule.Register)
	default:
		a.put(first, schedule.Shared)
	}
}

// oneResult reports whether all inside of loop k is about one result, in one thread.
func (a *accumulation) oneResult(k int) bool {
	elements, known := a.open(k, true)
	vectors := slices.ContainsFunc(a.loops[k:], func(t turn) bool { return t.lanes > 0 })
	return known && elements == 1 && !vectors && !a.parallelInside(k)
}

// movesScan says of a loop that it scans and is skewed by what is reduced, so that the results
// which pass through it have no place that its coordinate says.
func (a *accumulation) movesScan(t turn) bool {
	return t.index.Combine.Kind == ein.Scan && a.byReduced(t)
}

// carries places the carries of a scan: around its loops, and around those inside of a
// parallel loop over its pieces.
func (a *accumulation) carries(first int) {
	parallel := slices.IndexFunc(a.loops, turn.inPieces)
	if parallel != first {
		a.carry(first, true)
	}
	if parallel < 0 {
		return
	}
	a.put(parallel, a.loops[parallel].parts())
	if next := slices.IndexFunc(a.loops[parallel+1:], turn.reduced); next >= 0 {
		a.carry(parallel+1+next, false)
	}
}

// isOpen reports whether blocks of results are open above loop k, so that no accumulators
// can start there.
func (a *accumulation) isOpen(k int) bool {
	return slices.ContainsFunc(a.c.ByKind(ein.Concat), func(i *ein.Index) bool { return a.loops[k].before.count.OpenOver(a.s, i.Name) != nil })
}

// follow reports whether the results that are visited below loop k follow from the coordinates
// that are cut into blocks above it.
func (a *accumulation) follow(k int) bool {
	_, ok := a.g.frames.OfResults(a.s, a.c, func(i *ein.Index) bool {
		_, cut := a.loops[k].before.left[axis{a.s, i.Name}]
		return cut
	})
	return ok
}

// carry puts the carries of a scan above loop k: the outermost ones, or those of a piece.
func (a *accumulation) carry(k int, outermost bool) {
	elements, known := a.open(k, true)
	threads := slices.ContainsFunc(a.loops[k:], func(t turn) bool { return t.level.IsConcurrent() && !t.reduced() })
	switch {
	case threads || !known || elements > mostPrivate:
		if outermost {
			a.put(k, schedule.Shared)
		}
	case elements == 1:
		a.put(k, schedule.Register)
	default:
		a.put(k, schedule.Private)
	}
}

// free places the accumulators of a reduction that may be reordered.
func (a *accumulation) free(op *ein.Operator, first int) {
	lanesAlong := slices.IndexFunc(a.loops, func(t turn) bool { return t.reduced() && t.lanes > 0 })
	parallel := slices.IndexFunc(a.loops, turn.inPieces)
	why := schedule.InOutput(a.c, op)
	start := first + 1
	switch {
	case a.g.inOutput && (why == "" || a.g.early) && parallel < 0 && lanesAlong < 0 && slices.ContainsFunc(a.loops, turn.shared):
		region := schedule.Output
		if why != "" {
			region = schedule.Early
		}
		a.put(first, region)
		return
	case parallel == first:
	case parallel < 0 && a.inRegisters(first):
		a.put(first, schedule.Register)
		return
	case lanesAlong == first && a.inPrivate(first):
		a.put(first, schedule.Private)
		return
	case why == "":
		a.put(first, schedule.Output)
	case parallel >= 0 || !a.inPrivate(first):
		a.put(first, schedule.Shared)
	default:
		a.put(first, schedule.Private)
	}
	if parallel >= 0 {
		a.put(parallel, a.loops[parallel].parts())
		start = parallel + 1
	}
	if items := slices.IndexFunc(a.loops, func(t turn) bool { return t.reduced() && t.level.Items > 0 }); parallel >= 0 && items > parallel {
		a.put(items, schedule.Local) // in each group that has a part
		start = items + 1
	}
	for k := start; k < len(a.loops) && slices.ContainsFunc(a.loops[k:], turn.reduced); k++ {
		if a.inRegisters(k) {
			a.put(k, schedule.Register)
			return
		}
	}
	for k := start; k <= lanesAlong; k++ { // lanes have accumulators of their own
		if a.inPrivate(k) {
			a.put(k, schedule.Private)
			return
		}
	}
	if lanesAlong >= 0 {
		a.g.fail(a.s, "the vectors along the reduced %s of %s have loops of unknown or large size inside, or skewed ones; move them outside, or stripmine them", a.loops[lanesAlong].level.name, written(a.g.f, a.s))
	}
}

// inRegisters reports whether accumulators for all points inside of loop k stay in
// registers. Short loops over them are written out for that.
func (a *accumulation) inRegisters(k int) bool {
	const short = 8 // iterations
	elements, known := a.open(k, true)
	if !known || elements > int64(max(1, a.g.options.Machine.VectorRegisters)) || a.parallelInside(k) {
		return false
	}
	var shorts []*level
	simple := true // no loop inside that stays a loop
	for j := len(a.loops) - 1; j >= k; j-- {
		t := a.loops[j]
		switch {
		case a.g.levels.Counted(&t.level.Member) && !t.reduced():
			return false
		case t.level.Unroll:
		case t.reduced():
			simple = false
		default:
			trips, known := a.trips(j)
			if known && trips == 1 {
				continue
			}
			if !simple || !known || trips > short {
				return false
			}
			shorts = append(shorts, t.level)
		}
	}
	for _, l := range shorts {
		l.Unroll = true
	}
	return true
}

// mostPrivate is how many accumulators may be on the stack of a thread.
const mostPrivate = machine.StackBytes / 4 / 8

// inPrivate reports whether accumulators for all points inside of loop k may be on the
// stack of a thread: they fit, and no threads share them.
func (a *accumulation) inPrivate(k int) bool {
	elements, known := a.open(k, false)
	return known && elements <= mostPrivate && !a.parallelInside(k)
}

func (a *accumulation) parallelInside(k int) bool {
	return slices.ContainsFunc(a.loops[k:], func(t turn) bool { return t.level.IsConcurrent() })
}

// open counts the points inside of loop k, vectors as one where asked for.
func (a *accumulation) open(k int, vectors bool) (elements int64, known bool) {
	elements = 1
	for _, i := range a.c.ByKind(ein.Concat) {
		size, ok := a.left(k, i).IsConst()
		if a.isOpen(k) || a.involved(k, i) || slices.ContainsFunc(a.loops, func(t turn) bool { return t.index == i && a.byReduced(t) }) {
			return 0, false // not all values are points
		}
		if !ok || elements > machine.StackBytes {
			return 0, false
		}
		for _, t := range a.loops[k:] {
			if vectors && t.index == i && t.lanes > 0 {
				size = (size + int64(t.lanes) - 1) / int64(t.lanes)
			}
		}
		elements *= max(size, 1)
	}
	return elements, true
}

// involved reports whether a loop from k on is over an index that not all values of its
// coordinate are points of, or by which another one is skewed.
func (a *accumulation) involved(k int, i *ein.Index) bool {
	return a.g.frames.Involved(a.s, a.c, i) && slices.ContainsFunc(a.loops[k:], func(t turn) bool {
		l, _ := t.level.IndexOf(a.s)
		return t.index == i || slices.ContainsFunc(l.By, func(t schedule.Term) bool { return t.Index == i.Name })
	})
}

// left is how many values of an index are not enumerated above loop k.
func (a *accumulation) left(k int, i *ein.Index) affine.Expr {
	if left, cut := a.loops[k].before.left[axis{a.s, i.Name}]; cut {
		if extent, known := i.Extent.IsConst(); known {
			left = min(left, max(extent, 0))
		}
		return affine.Const(left)
	}
	return i.Extent
}

// trips is the largest number of iterations of loop k.
func (a *accumulation) trips(k int) (int64, bool) {
	t := a.loops[k]
	size, known := a.left(k, t.index).IsConst()
	step := max(t.level.Tile, int64(t.lanes))
	return (size + step - 1) / step, known
}
