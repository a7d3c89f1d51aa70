package mdh

import (
	"slices"
)

// How the three phases become one nest
//
// On the host the loops are those of the scalar function: the levels with more than one part in the
// order of S1, walked as S2 says. The other two phases happen around and in them.
//
// De-composition. In the order of D1 a copy (a change of D3 or D4) is made inside of the loops before
// it, P. In the nest it is made inside of as many loops as can be that are all in P: at the end of the
// common beginning where the orders differ, so that what it has is there for every point that wants it.
// A copy that is copied back before anybody reads it is not made. Loops on COR stay outside of copies,
// which belong to a core.
//
// Re-composition. R1 says what is combined first. Partial results are combined as they come where the
// order of the reduced levels is that of S1. Otherwise orders are cut where they have come through the
// same levels (k and l below are a run); a run has accumulators of its own, and the levels that R1 walks
// outside of others which S1 has outside of them keep their partial results:
//
//	S1 k, l, m   R1 l, k, m      accumulate; loop k; loop l, which keeps; loop m
//
// and so does a level that one phase writes out and the other does not. Accumulators come to life where a
// change of R3 is in R1, by the rule of copies, but never between the loops of a run. Outside of loops on
// COR they are in main memory, where all threads see them; a loop on COR over what is reduced keeps there
// what each thread has where it is not the first of its run.
//
// What is combined in order is computed in order, too: along the reduced dimensions S1 follows R1.
//
// Lanes run in lockstep, so the loop of SIMD is inside of those that S1 has inside of it. The first loop on
// COR is parallel, with its neighbours there unless it is reduced; those further in are walked by the
// thread that gets there.

// A nestOrder is the nest of a configuration.
type nestOrder struct {
	c       *Computation
	k       *Configuration
	loops   []Level
	threads []Level             // the loops whose iterations threads share
	keep    map[Level]int       // loops that keep partial results: 1 is combined last
	runs    []run               // of the levels of a reduction in any order
	starts  map[Level]residence // where accumulators come to life: before a loop
	wanted  map[Level]residence // from where on R3 wants them nearby: before a loop
	copies  map[Level][]copied  // before a loop
	unread  []int               // inputs with copies that are copied back before they are read
	// itemsApart says that what items reduce is kept apart.
	itemsApart bool
	back       []int       // inputs with copies to slower memory than one that is around
	refused    []Violation // what no tree says
}

// A copied is an input that is copied.
type copied struct {
	input int
	place Place
}

// nestOf orders the phases of a configuration that has the shape of the computation.
func nestOf(c *Computation, k *Configuration) *nestOrder {
	n := &nestOrder{c: c, k: k, loops: k.Active(Scalar), keep: map[Level]int{}, starts: map[Level]residence{}, copies: map[Level][]copied{}}
	if c.Ordered {
		n.loops = n.inOrder()
	}
	n.sinkLanes()
	n.shareThreads()
	n.placeCopies()
	n.wanted = n.wantedAt()
	if !c.writesOnce() {
		n.asWritten()
	}
	switch {
	case c.Ordered:
		n.startInOrder()
	case c.Op != nil:
		n.keepApart()
		n.startResults()
	}
	return n
}

func (n *nestOrder) reduced(l Level) bool { return n.c.Dims[l.Dim-1].Reduced() }

func (n *nestOrder) refuse(parameter string, l Level, message string) {
	n.refused = append(n.refused, Violation{parameter, l, message})
}

// inOrder lists the levels of S1, the reduced ones among them in the order of R1.
func (n *nestOrder) inOrder() []Level {
	combined := slices.DeleteFunc(n.k.Active(Recompose), func(l Level) bool { return !n.reduced(l) })
	list := n.k.Active(Scalar)
	for i, l := range list {
		if n.reduced(l) {
			list[i], combined = combined[0], combined[1:]
		}
	}
	return list
}

// sinkLanes moves the loop over lanes inside of those that have to be outside of it.
func (n *nestOrder) sinkLanes() {
	at := slices.IndexFunc(n.loops, func(l Level) bool { return n.k.kind(l) == lanesLoop })
	if at < 0 {
		return
	}
	last := at
	for k := at + 1; k < len(n.loops); k++ {
		if l := n.loops[k]; n.k.kind(l) != writtenOutLoop && !(n.c.Ordered && n.reduced(l)) {
			last = k
		}
	}
	lanes := n.loops[at]
	n.loops = slices.Insert(slices.Delete(n.loops, at, at+1), last, lanes)
}

// shareThreads finds the loops whose iterations threads share.
func (n *nestOrder) shareThreads() {
	if n.k.onGrid() {
		n.shareGrid()
		n.takeTurns()
		return
	}
	for _, l := range n.loops {
		switch onCores := n.k.kind(l) == coresLoop; {
		case len(n.threads) == 0 && !onCores:
		case !onCores || len(n.threads) > 0 && n.reduced(l):
			return
		case slices.ContainsFunc(n.threads, func(o Level) bool { return o.Dim == l.Dim }):
			return
		default:
			if n.threads = append(n.threads, l); n.reduced(l) {
				return
			}
		}
	}
}

// isParallel reports whether threads share the iterations of a level.
func (n *nestOrder) isParallel(l Level) bool { return slices.Contains(n.threads, l) }

// afterThreads is the number of the first loop behind which none is parallel.
func (n *nestOrder) afterThreads() int {
	if len(n.threads) == 0 {
		return 0
	}
	return 1 + slices.Index(n.loops, n.threads[len(n.threads)-1])
}

// isOpen reports whether, before loop number at, some loop over one of the dimensions has been met
// that counts in blocks of a loop further in.
func (n *nestOrder) isOpen(at int, dims func(d int) bool) bool {
	for _, outer := range n.loops[:at] {
		if dims(outer.Dim-1) && slices.ContainsFunc(n.loops[at:], func(inner Level) bool { return inner.Dim == outer.Dim && inner.Layer < outer.Layer }) {
			return true
		}
	}
	return false
}

// within is the number of the loop before which something happens that a phase has inside of some levels:
// as far in as all loops around are of these, and no dimension of it is open.
func (n *nestOrder) within(levels []Level, dims func(d int) bool) int {
	at := 0
	for at < len(n.loops) && slices.Contains(levels, n.loops[at]) {
		at++
	}
	for n.isOpen(at, dims) {
		at--
	}
	return at
}

// placeCopies finds where inputs are copied.
func (n *nestOrder) placeCopies() {
	order := n.k.Active(Decompose)
	for b, input := range n.c.Inputs {
		dims := func(d int) bool {
			return slices.ContainsFunc(rowMajor(input.Rank()), func(k int) bool { return n.c.uses(input, k-1, d) })
		}
		at, last := Place{1, rowMajor(input.Rank())}, -1
		places := map[int]Place{}
		for i, l := range order {
			p := n.k.Row(l).In[b]
			isCopy := n.k.Model.Layer(p.Region).Copied
			if p.Region == at.Region && (!isCopy || slices.Equal(p.Layout, at.Layout)) {
				continue
			}
			if at = p; !isCopy { // what was copied before is copied back unread
				if len(places) > 0 && !slices.Contains(n.unread, b) {
					n.unread = append(n.unread, b)
				}
				clear(places)
				continue
			}
			where := n.copiedAt(n.within(order[:i], dims), p)
			for n.isOpen(where, dims) || where < len(n.loops) && n.isBetween(where) {
				where++
			}
			if where < len(n.loops) {
				places[where] = p
			}
			last = max(last, where)
		}
		near := 0
		for where := 0; where <= last && where < len(n.loops); where++ {
			if p, ok := places[where]; ok {
				if near = max(near, p.Region); n.k.onGrid() && p.Region < near { // what an item has for itself is not given back
					n.back = append(n.back, b)
					continue
				}
				n.copies[n.loops[where]] = append(n.copies[n.loops[where]], copied{b, p})
			}
		}
	}
}

// concat reports whether results have a dimension.
func (n *nestOrder) concat(d int) bool { return !n.c.Dims[d].Reduced() }

// asWritten asks for one order of scalar function and re-composition where points write what others write.
func (n *nestOrder) asWritten() {
	again := n.k.Active(Recompose)
	for i, l := range n.k.Active(Scalar) {
		if again[i] != l {
			n.refuse("R1", again[i], n.c.Name+" writes elements more than once, in the order in which they are computed: the order differs from S1")
			return
		}
	}
}

// startInOrder finds where what is carried by a scan, or a reduction in order, comes to life.
func (n *nestOrder) startInOrder() {
	live, pending, scan := delivered, delivered, n.c.scan != nil
	pieces := len(n.threads) > 0 && n.reduced(n.threads[0]) // outside of which carries are anywhere
	start := func(at int, where residence) {
		n.starts[n.loops[at]], live = where, where
	}
	for at, l := range n.loops {
		pending = max(pending, n.wanted[l])
		switch reduced := n.reduced(l); {
		case reduced && n.isParallel(l):
			if n.isOpen(at, n.concat) {
				n.refuse("S1", l, "threads share the pieces of "+n.c.Name+", and which results these have is not known there: loops over smaller blocks are outside, those over larger ones inside")
			}
			start(at, inWorkspace)
			pending = delivered
		case !scan && (!reduced || live != delivered): // they come to life once
		case pending > live && !n.isOpen(at, n.concat) && (pieces || at >= n.afterThreads()):
			start(at, pending)
		case scan && n.k.kind(l) == lanesLoop && (live == inWorkspace || reduced && live < inPrivate):
			start(at, inRegister)
		case reduced && live == delivered:
			start(n.outward(at), inArray)
		}
	}
}

// A run is a part of the order of reduced levels: S1 and R1 have the same levels before it and in it.
type run struct {
	computed, combined []Level // its levels in the order of S1, and in that of R1
	kept               int     // so many of the latter keep partial results
}

// findRuns cuts the orders of the reduced levels, but for those of lanes.
func (n *nestOrder) findRuns() {
	var computed, combined []Level
	for _, l := range n.loops {
		if n.reduced(l) && n.k.kind(l) != lanesLoop {
			computed = append(computed, l)
		}
	}
	for _, l := range n.k.Active(Recompose) {
		if slices.Contains(computed, l) {
			combined = append(combined, l)
		}
	}
	from := 0
	for end := 1; end <= len(computed); end++ {
		if !slices.ContainsFunc(computed[from:end], func(l Level) bool { return !slices.Contains(combined[from:end], l) }) {
			r := run{computed: computed[from:end], combined: combined[from:end]}
			r.kept = n.kept(r)
			n.runs, from = append(n.runs, r), end
		}
	}
}

// kept returns how many of the levels of a run, in the order of R1, keep partial results.
func (n *nestOrder) kept(r run) (count int) {
	for i, l := range r.combined {
		outside := r.computed[:slices.Index(r.computed, l)] // in S1
		late := slices.ContainsFunc(outside, func(o Level) bool { return slices.Index(r.combined, o) > i })
		written := n.k.kindIn(Recompose, l) == writtenOutLoop
		if late || n.combinedApart(l) || !n.isParallel(l) && written != (n.k.kind(l) == writtenOutLoop) {
			count = i + 1
		}
	}
	for i, l := range r.combined {
		if count > 0 && n.isParallel(l) {
			count = max(count, i+1)
		}
	}
	return count
}

// keepApart finds the loops that keep partial results, and where their accumulators come to life.
func (n *nestOrder) keepApart() {
	n.findRuns()
	if n.k.onGrid() {
		n.keepAllItems()
	}
	number := 0
	for _, r := range n.runs {
		if r.kept == 0 {
			continue
		}
		at := n.outward(min(n.reducedLanes(), slices.Index(n.loops, r.computed[0])))
		if at >= n.afterThreads() {
			n.starts[n.loops[at]] = n.room(r, at)
		} else { // in the memory of all threads, outside of all that is reduced
			at = n.outward(slices.IndexFunc(n.loops, n.reduced))
			n.starts[n.loops[at]] = inArray
		}
		for _, l := range r.combined[:r.kept] {
			number++
			n.keep[l] = number
		}
	}
	for at := n.reducedLanes(); at+1 < len(n.loops) && (n.inRun(at) || n.isOpen(at, n.concat)); at++ { // where their accumulators can come to life
		n.loops[at], n.loops[at+1] = n.loops[at+1], n.loops[at]
	}
}

// room is where the partial results of a run live that is in one thread: in registers where R3 wants it, if the
// loops that keep are written out.
func (n *nestOrder) room(r run, at int) residence {
	near := slices.ContainsFunc(n.loops[:at+1], func(l Level) bool { return n.wanted[l] == inRegister })
	if near && !slices.ContainsFunc(r.combined[:r.kept], func(l Level) bool { return n.k.kind(l) != writtenOutLoop }) {
		return inRegister
	}
	return inPrivate
}

// reducedLanes is the number of the loop over lanes along what is reduced, or how many loops there are: no
// accumulators come to life inside of it.
func (n *nestOrder) reducedLanes() int {
	for at, l := range n.loops {
		if n.k.kind(l) == lanesLoop && n.reduced(l) {
			return at
		}
	}
	return len(n.loops)
}

// outward is the number of the next loop further out before which no dimension of results is open, and which is no further axis
// of groups, or of items.
func (n *nestOrder) outward(at int) int {
	for n.isOpen(at, n.concat) || n.isBetween(at) {
		at--
	}
	return at
}

// inRun reports whether what is before loop number at is inside of accumulators that loops further in keep.
func (n *nestOrder) inRun(at int) bool {
	return slices.ContainsFunc(n.runs, func(r run) bool {
		return r.kept > 0 && slices.Contains(n.loops[:at], r.computed[0]) &&
			slices.ContainsFunc(r.combined[:r.kept], func(l Level) bool { return slices.Contains(n.loops[at:], l) })
	})
}

// startResults finds where the accumulators of a reduction come to life.
func (n *nestOrder) startResults() {
	live, pending, lanes := delivered, delivered, n.reducedLanes()
	for at, l := range n.loops {
		pending = max(pending, n.wanted[l])
		own := (at >= n.afterThreads() || n.heldByItems(at)) && at <= lanes
		switch start := n.starts[l]; {
		case start != delivered:
			live = start
		case n.reduced(l) && n.isParallel(l) && n.keep[l] == 0 && live < inWorkspace:
			n.starts[n.loops[n.together(at)]], live = n.ofUnits(), n.ofUnits()
		case n.inParts(pending, live): // which are in the memory of the group
		case pending > live && own && !n.inRun(at) && !n.isOpen(at, n.concat):
			n.starts[l], live = pending, pending
		case n.reduced(l) && n.k.kind(l) == lanesLoop && live < inPrivate:
			n.starts[l], live = inRegister, inRegister
		case n.reduced(l) && live == delivered:
			if live = inOutput; n.c.partialInOutput() != "" {
				live = inArray
			}
			n.starts[n.loops[n.outward(at)]] = live
		}
	}
	if n.k.onGrid() {
		n.partsOfGroups()
	}
}

// wantedAt says from which loop on R3 wants results nearby.
func (n *nestOrder) wantedAt() map[Level]residence {
	list, live := map[Level]residence{}, delivered
	order := n.k.Active(Recompose)
	for i, l := range order {
		if n.c.scan != nil && n.reduced(l) && n.isParallel(l) {
			live = delivered // pieces are handed their carries
		}
		if w := n.k.wanted(l); w > live && w >= inPrivate {
			if at := n.within(order[:i], n.concat); at < len(n.loops) {
				list[n.loops[at]] = max(list[n.loops[at]], w)
			}
			live = w
		}
	}
	return list
}
