package estimate

import (
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/source"
)

// Instructions that compilers make, and registers that they take.
const (
	perLoopStep     = 3  // of the control of a loop: counting, comparing, jumping
	perPlace        = 1  // of an access, beside itself: its address
	perSwizzle      = 2  // more of an access to a block whose units are exchanged
	perCopied       = 6  // of an element that is copied into local memory: where it is from and where it goes
	perCopiedDim    = 4  // more for each dimension, along which both are taken apart
	perResult       = 2  // of a result: its beginning, its address
	fewestRegisters = 16 // of an item: its numbers, what is left of addresses
	wordsOfAddress  = 2  // registers of an address
	mostAddresses   = 8  // that are kept; others are computed where they are needed
	wordsOfCopies   = 8  // registers of what items copy to local memory: where from, where to, how far
	mostOperands    = 32 // that are loaded before they are used
	wordBytes       = 4  // of a register
)

// node walks a subtree in a group.
func (g *gridWalk) node(n schedule.Node) groupWork {
	switch n := n.(type) {
	case *schedule.Sequence:
		total := g.noWork()
		for _, child := range n.Children {
			u := g.node(child)
			total.then(&u)
		}
		g.keepNear(&total, g.touched(&total))
		return total
	case *schedule.Filter:
		before := g.active
		g.active = n.Statements
		g.loops = append(g.loops, enclosing{boundary: true})
		u := g.node(n.Child)
		g.active, g.loops = before, g.loops[:len(g.loops)-1]
		return u
	case *schedule.Band:
		return g.band(n, 0)
	case *schedule.Accumulate:
		return g.accumulate(n)
	case *schedule.Place:
		return g.place(n)
	case *schedule.Leaf:
		return g.leaf()
	}
	g.err = source.Internalf("estimate", g.f.Pos, "no estimate for a node of type %T in a group", n)
	return g.noWork()
}

// band walks the members of a band from number k on.
func (g *gridWalk) band(b *schedule.Band, k int) groupWork {
	if k == len(b.Members) {
		return g.node(b.Child)
	}
	m := b.Members[k]
	if m.Items > 0 {
		return g.overItems(b, k)
	}
	trips, leave := g.enterRoom(m)
	u := g.band(b, k+1)
	fits := g.touched(&u)
	e := g.loops[len(g.loops)-1]
	summed := g.isReduced(m)
	leave()
	written := unrolled(e, 1)
	u.repeat(trips, written, summed, g.machine.Value(machine.InFlight))
	if !written {
		u.issued += perLoopStep * trips * g.walking()
	}
	g.keepNear(&u, fits)
	return u
}

// walking is how many sub-groups go through a loop: outside of the loops over items all do.
func (g *gridWalk) walking() float64 {
	if len(g.axes) == 0 {
		return g.whole
	}
	return g.subGroups()
}

// isHeld reports whether the items have sums for themselves that began outside of their loops: they need not wait for each other.
func (g *gridWalk) isHeld() bool {
	if len(g.active) != 1 {
		return false
	}
	sum, ok := g.sums[g.active[0]]
	return ok && sum.region != schedule.Workspace
}

// isReduced reports whether a member is over what a statement reduces.
func (g *gridWalk) isReduced(m *schedule.Member) bool {
	return slices.ContainsFunc(m.Loops, func(l schedule.Loop) bool {
		i, ok := g.indexOf(l)
		return ok && g.statements[l.Statement].reduced[i]
	})
}

// overItems walks the axes of items from number k on.
func (g *gridWalk) overItems(b *schedule.Band, k int) groupWork {
	if len(g.active) == 1 {
		if sum, ok := g.sums[g.active[0]]; ok && sum.fragments != nil {
			return g.fragments(g.active[0], sum.fragments)
		}
	}
	before, entry := g.axes, g.entry
	g.axes, g.entry = nil, nil
	for s := range g.rooms {
		g.entry = append(g.entry, slices.Clone(g.rooms[s]))
	}
	type widened struct {
		s, i   int
		before float64
	}
	var restore []widened
	var leaves []func()
	turns, end := 1.0, k
	for ; end < len(b.Members) && b.Members[end].Items > 0; end++ {
		m := b.Members[end]
		trips, leave := g.enterRoom(m)
		leaves = append(leaves, leave)
		round := math.Ceil(trips / float64(m.Items))
		g.loops[len(g.loops)-1].trips, g.loops[len(g.loops)-1].boundary = round, true
		a := axis{m, m.Items, int64(min(float64(m.Items), math.Ceil(trips)))}
		turns *= round
		for _, l := range m.Loops {
			if i, ok := g.indexOf(l); ok {
				restore = append(restore, widened{l.Statement, i, g.beside[l.Statement][i]})
				g.beside[l.Statement][i] *= trips / round
			}
		}
		g.axes = append(g.axes, a)
	}
	g.shape = nil // is the same for all loops over items of a launch
	for _, a := range g.axes {
		g.shape = append(g.shape, float64(a.count))
	}
	u := g.band(b, end)
	fits := g.touched(&u)
	active := g.subGroups()
	for _, r := range slices.Backward(restore) {
		g.beside[r.s][r.i] = r.before
	}
	for _, leave := range slices.Backward(leaves) {
		leave()
	}
	u.repeat(turns, turns == 1, false, g.machine.Value(machine.InFlight))
	if !g.isHeld() {
		u.settled += g.machine.Value(machine.Barrier)
	}
	if turns > 1 {
		u.issued += perLoopStep * turns * active
	}
	g.axes, g.entry = before, entry
	g.keepNear(&u, fits)
	return u
}

// touched is which part of what a subtree touches its core still has when the next iteration begins: groups that it has at the same
// time share its cache.
func (g *gridWalk) touched(u *groupWork) float64 {
	size := 0.0
	line := g.machine.Value(machine.Transaction)
	for k := range u.references {
		if r := &u.references[k]; !repeated(u.references[:k], r) {
			size += line * r.access.sectors(g.together(r.statement), line)
		}
	}
	return kept(size / g.machine.Value(machine.NearCache))
}

// keepNear lowers the transactions from behind the cache of a core to what a subtree touches, as far as that stays there.
func (g *gridWalk) keepNear(u *groupWork, fits float64) {
	line := g.machine.Value(machine.Transaction)
	region := make([]float64, len(g.tensors))
	for k := range u.references {
		if r := &u.references[k]; !repeated(u.references[:k], r) {
			region[r.access.tensor] += r.access.sectors(g.together(r.statement), line)
		}
	}
	for t := range region {
		n := min(region[t], g.most[t]/line+1)
		u.sectors[t] = fits*min(u.sectors[t], n) + (1-fits)*u.sectors[t]
	}
}

// leaf is the work of a point, of all items that take part.
func (g *gridWalk) leaf() groupWork {
	u := g.noWork()
	if len(g.active) != 1 {
		return u
	}
	s := g.active[0]
	st := &g.statements[s]
	sub := g.subGroups()
	v := g.vectorOf(s)
	lanes := v.lanes
	leaves := g.writtenOut(s)
	operations, depth := g.costOf(s)
	u.issued += sub * lanes * operations
	u.lanes += sub * lanes * operations * float64(g.subGroup())
	u.chain = g.machine.Value(machine.ItemLatency) * depth
	operands := 0.0
	for k := range st.reads {
		a := &st.reads[k]
		if g.isLed(s, a.tensor) {
			continue
		}
		weight := g.share(s, a)
		if !g.held[a.tensor] {
			operands += a.count * min(weight*leaves, mostOperands)
		}
		g.moves(&u, s, a, weight, v, sub)
		wait := g.latency(a)
		if !g.isGathered(a.tensor) {
			wait += g.leading(s, a.tensor)
		}
		u.wait = max(u.wait, wait*min(1, weight*leaves))
	}
	if tests := g.tests(s); tests > 0 {
		u.issued += sub * lanes * tests * perTest
		u.tested = true
	}
	u.registers = g.addresses(s) + min(operands, mostOperands)*math.Ceil(st.widest/wordBytes)*lanes
	for k := range st.writes {
		if a := &st.writes[k]; g.isStep(s, a) {
			g.moves(&u, s, a, 1, v, sub)
		}
	}
	if slices.Contains(st.reduced, true) {
		g.addsTo(&u, s, sub, lanes)
	}
	return u
}

// addresses is the registers of an item without what it computes with.
func (g *gridWalk) addresses(s int) float64 {
	return fewestRegisters + wordsOfAddress*min(float64(len(g.statements[s].all)), mostAddresses)
}

// isStep reports whether a result is written at each point of a statement: nothing is reduced, or it is a scan.
func (g *gridWalk) isStep(s int, a *access) bool {
	st := &g.statements[s]
	for i, reduced := range st.reduced {
		if reduced && a.depends(i) {
			return true
		}
	}
	return !slices.Contains(st.reduced, true)
}

// meetInBank is how many items of a sub-group are at one bank, about, where each is at any.
const meetInBank = 3

// addsTo is the work of adding to sums that are not in registers.
func (g *gridWalk) addsTo(u *groupWork, s int, sub, lanes float64) {
	sum, known := g.sums[s]
	switch {
	case !known || sum.inRegisters:
	case sum.atomic: // data says where, and some meet in a bank
		u.issued += 2 * sub * lanes
		u.banks += 2 * meetInBank * sub * lanes
	case sum.region == schedule.Local:
		u.issued += 2 * sub * lanes
		u.banks += 2 * sub * lanes * g.inBanks(g.side(g.statements[s].widest), g.statements[s].widest)
		u.chain += g.machine.Value(machine.LocalLatency)
	default: // in memory of the device, side by side for the items
		u.issued += 2 * sub * lanes
		u.transactions += 2 * sub * lanes * float64(g.subGroup()) * g.statements[s].widest / g.machine.Value(machine.Transaction)
		u.chain += g.machine.Value(machine.LocalLatency)
	}
}

// side are offsets of neighbours.
func (g *gridWalk) side(bytes float64) (list []float64) {
	for l := range g.subGroup() {
		list = append(list, float64(l)*bytes)
	}
	return list
}

// A vector says which elements an access takes at once: along an index of its statement, or, where that is less than 0, side by side
// as they lie.
type vector struct {
	index int
	lanes float64
}

// one is a single element.
var one = vector{-1, 1}

// sideBySide are so many elements as they lie.
func sideBySide(n float64) vector { return vector{-1, n} }

// moves is an access of a leaf, as often as the weight says.
func (g *gridWalk) moves(u *groupWork, s int, a *access, weight float64, v vector, sub float64) {
	if g.isKept(s, a) {
		return
	}
	times, bytes := weight*a.count*sub, a.bytes
	switch {
	case v.index < 0:
		bytes *= v.lanes
	case g.step(a, v.index) == a.bytes:
		bytes *= v.lanes
	case a.depends(v.index):
		times *= v.lanes
	}
	u.issued += (1 + perPlace) * times
	if b := g.blocksL[a.tensor]; b != nil {
		u.issued += b.exchanged() * times
		banks := g.bank(b, a, g.offsets(s, func(i int) float64 { return g.step(a, i) }), bytes)
		if a.scatters && b.numbers == nil && g.spreadsOver(s, a.loose) {
			banks = meetInBank
		}
		u.banks += times * banks
		return
	}
	n := g.onDevice(s, a, bytes)
	u.transactions += times * n.transactions
	u.moved[a.tensor] += times * n.transactions
	u.wanted[a.tensor] += times * n.wanted
	if r := (reference{s, a, 1, 1}); !repeated(u.references, &r) {
		u.references = append(u.references, r)
	}
	region := a.sectors(g.together(s), g.machine.Value(machine.Transaction))
	u.sectors[a.tensor] += min(times*n.transactions, min(weight, 1)*a.count*region)
}

// spreadsOver reports whether the items differ along one of some indices.
func (g *gridWalk) spreadsOver(s int, indices []bool) bool {
	return slices.ContainsFunc(g.axes, func(x axis) bool {
		i, ok := g.indexIn(x.member, s)
		return ok && indices[i] && x.active > 1
	})
}

// step is by how many bytes the address of an access moves with an index, in the memory where the tensor is at hand.
func (g *gridWalk) step(a *access, index int) float64 {
	if b := g.blocksL[a.tensor]; b != nil {
		return b.step(a, index)
	}
	return a.along(index) * a.bytes
}

// vectorOf returns along which index a leaf is a vector.
func (g *gridWalk) vectorOf(s int) vector {
	for _, e := range g.loops {
		if e.member != nil && e.member.Vector > 1 {
			if i, ok := g.indexIn(e.member, s); ok {
				return vector{i, min(float64(e.member.Vector), float64(g.statements[s].extents[i]))}
			}
		}
	}
	return one
}

// writtenOut is of how many leaves the code of the innermost loops consists.
func (g *gridWalk) writtenOut(s int) float64 {
	n := 1.0
	for _, e := range slices.Backward(g.loops) {
		if e.boundary || !unrolled(e, 1) {
			break
		}
		n *= e.trips
	}
	return n
}

// share is how often a leaf loads what it reads: loops that are written out share it where the address is the same, and of those
// around compilers take out what does not change.
func (g *gridWalk) share(s int, a *access) float64 {
	weight, inside := 1.0, true
	for _, e := range slices.Backward(g.loops) {
		if e.boundary {
			break
		}
		i, ok := g.indexIn(e.member, s)
		moves := ok && a.depends(i)
		if inside = inside && unrolled(e, 1); !inside && moves {
			break
		}
		if !moves {
			weight /= max(1, e.trips)
		}
	}
	return weight
}
