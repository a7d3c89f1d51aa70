package estimate

import (
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// Instructions that compilers make, and registers that they take.
const (
	perLoopStep     = 3  // of the control of a loop: counting, comparing, jumping
	perPlace        = 1  // of an access, beside itself: its address
	perCopied       = 6  // of an element that is copied into local memory: where it is from and where it goes
	perCopiedDim    = 4  // more for each dimension, along which both are taken apart
	perResult       = 2  // of a result: its beginning, its address
	fewestRegisters = 16 // of an item: its numbers, what is left of addresses
	wordsOfAddress  = 2  // registers of an address
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
		u.issued += perLoopStep * trips * g.subGroups()
	}
	g.keepNear(&u, fits)
	return u
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
	u.settled += g.machine.Value(machine.Barrier)
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
	vector, lanes := g.vectorOf(s)
	leaves := g.writtenOut(s)
	operations, depth := g.costOf(s)
	u.issued += sub * lanes * operations
	u.lanes += sub * lanes * operations * float64(g.subGroup())
	u.chain = g.machine.Value(machine.ItemLatency) * depth
	operands := 0.0
	for k := range st.reads {
		a := &st.reads[k]
		weight := g.share(s, a)
		operands += a.count * min(weight*leaves, mostOperands)
		g.moves(&u, s, a, weight, vector, lanes, sub)
		latency := g.machine.Value(machine.DeviceLatency)
		if g.blocksL[a.tensor] != nil {
			latency = g.machine.Value(machine.LocalLatency)
		}
		u.wait = max(u.wait, latency*min(1, weight*leaves))
	}
	u.registers = fewestRegisters + wordsOfAddress*float64(len(st.all)) + operands*math.Ceil(st.widest/wordBytes)*lanes
	if !slices.Contains(st.reduced, true) {
		for k := range st.writes {
			g.moves(&u, s, &st.writes[k], 1, vector, lanes, sub)
		}
		return u
	}
	g.addsTo(&u, s, sub, lanes)
	return u
}

// addsTo is the work of adding to sums that are not in registers.
func (g *gridWalk) addsTo(u *groupWork, s int, sub, lanes float64) {
	sum, known := g.sums[s]
	switch {
	case !known || sum.inRegisters:
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

// moves is an access of a leaf, as often as the weight says.
func (g *gridWalk) moves(u *groupWork, s int, a *access, weight float64, vector int, lanes, sub float64) {
	times, bytes := weight*a.count*sub, a.bytes
	if vector >= 0 && a.depends(vector) {
		if a.along(vector) == 1 && g.blocksL[a.tensor] == nil {
			bytes *= lanes
		} else {
			times *= lanes
		}
	}
	u.issued += (1 + perPlace) * times
	if b := g.blocksL[a.tensor]; b != nil {
		u.banks += times * g.inBanks(g.offsets(s, func(i int) float64 { return b.step(a, i) }), bytes)
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

// vectorOf returns the index along which a leaf is a vector, less than 0 for none, and its lanes.
func (g *gridWalk) vectorOf(s int) (index int, lanes float64) {
	for _, e := range g.loops {
		if e.member != nil && e.member.Vector > 1 {
			if i, ok := g.indexIn(e.member, s); ok {
				return i, min(float64(e.member.Vector), float64(g.statements[s].extents[i]))
			}
		}
	}
	return -1, 1
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

// costOf is how many additions a point of a statement takes, and how many of them wait for one another.
func (g *gridWalk) costOf(s int) (operations, depth float64) {
	c := g.statements[s].c
	products, sums := 0.0, 0.0
	count := func(e ein.Expr) bool {
		switch e := e.(type) {
		case *ein.Access:
			return false
		case *ein.Call:
			operations += g.machine.Value(machine.ItemCall)
		case *ein.Select, *ein.Cast, *ein.Unary:
			operations++
		case *ein.Binary:
			switch e.Op {
			case ein.Mul:
				products++
			case ein.Add, ein.Sub:
				sums++
			case ein.Div, ein.Mod:
				operations += g.machine.Value(machine.ItemDivide)
			default:
				operations++
			}
		}
		return true
	}
	for _, v := range c.Values {
		ein.Walk(v, count)
	}
	if reduced := ein.Reduced(c); len(reduced) > 0 {
		sums++
		for _, e := range reduced[0].Combine.Op.Body {
			ein.Walk(e, count)
		}
		depth = 1
	}
	operations += max(products, sums) // a multiplication feeds an addition
	if depth == 0 {
		depth = operations
	}
	if g.widest() == tensor.Float64 {
		operations *= g.machine.Value(machine.ItemDouble)
	}
	return max(1, operations), depth
}

// accumulate adds the life of sums to their subtree.
func (g *gridWalk) accumulate(n *schedule.Accumulate) groupWork {
	s := n.Statement
	if s < 0 || s >= len(g.statements) {
		return g.node(n.Child)
	}
	st := &g.statements[s]
	before, inner := g.sums[s]
	g.sums[s] = accumulator{n.Region, n.Region == schedule.Register && g.allWrittenOut(n)}
	g.loops = append(g.loops, enclosing{boundary: true})
	u := g.node(n.Child)
	g.loops = g.loops[:len(g.loops)-1]
	own := g.sums[s]
	if delete(g.sums, s); inner {
		g.sums[s] = before
	}
	results := 1.0
	for i := range st.extents {
		if !st.reduced[i] {
			results *= g.blocks[s][i]
		}
	}
	sub := g.subGroups()
	words := math.Ceil(st.widest / wordBytes)
	if own.inRegisters {
		u.registers += results * words
	}
	u.issued += perResult * results * sub
	if n.Region == schedule.Local {
		g.combine(&u, n, s, results)
	}
	if inner { // they are added to those further out
		u.issued += results * sub
		g.addsTo(&u, s, results*sub, 1)
		return u
	}
	end := g.noWork()
	for k := range st.writes {
		a := &st.writes[k]
		g.moves(&end, s, a, results, -1, 1, sub)
		if st.c.Accumulate != nil {
			g.moves(&end, s, a, results, -1, 1, sub)
		}
	}
	u.then(&end)
	return u
}

// allWrittenOut reports whether all loops over results below sums are written out: then these have registers.
func (g *gridWalk) allWrittenOut(n *schedule.Accumulate) bool {
	s := n.Statement
	for i, index := range g.statements[s].c.Indices {
		if g.statements[s].reduced[i] || g.rooms[s][i] <= 1 {
			continue
		}
		for _, m := range schedule.MembersOver(s, index.Name, n.Child) {
			if !m.Unroll && m.Vector == 0 && g.rooms[s][i]/float64(max(m.Tile, 1)) > shortLoop {
				return false
			}
		}
	}
	return true
}

// combine is the tree in which items combine their parts in local memory, that many for each result.
func (g *gridWalk) combine(u *groupWork, n *schedule.Accumulate, s int, results float64) {
	b, ok := n.Child.(*schedule.Band)
	if !ok {
		return
	}
	count := 1.0
	for _, n := range schedule.ItemsOf(b.Members, b.Child) {
		count *= float64(n)
	}
	width := float64(g.subGroup())
	bytes := g.statements[s].widest
	u.local += count * results * bytes
	for left := count; left > 1; left = math.Ceil(left / 2) {
		busy := math.Ceil(left / 2 / width)
		u.issued += results * busy * (3 + perPlace)
		u.banks += 3 * results * busy * g.inBanks(g.side(bytes), bytes)
		u.settled += g.machine.Value(machine.Barrier) + g.machine.Value(machine.LocalLatency) + g.machine.Value(machine.ItemLatency)
	}
}

// place is a block in local memory, which the items of the group copy together, or an item's own.
func (g *gridWalk) place(n *schedule.Place) groupWork {
	t := slices.IndexFunc(g.tensors, func(t *ein.Tensor) bool { return t.Name == n.Tensor })
	if t < 0 {
		g.err = errUnknownTensor(n.Tensor, g.f.Name)
		return g.noWork()
	}
	s, a := g.useOf(t)
	if n.Region != schedule.Local || a == nil || g.blocksL[t] != nil {
		g.loops = append(g.loops, enclosing{boundary: true})
		u := g.node(n.Child)
		g.loops = g.loops[:len(g.loops)-1]
		return u
	}
	b := g.blockOf(n, s, a)
	g.blocksL[t] = b
	g.loops = append(g.loops, enclosing{boundary: true})
	u := g.node(n.Child)
	g.loops = g.loops[:len(g.loops)-1]
	delete(g.blocksL, t)
	copies := g.copied(s, a, b)
	copies.then(&u)
	return copies
}

// useOf returns the first access of the statements at hand to a tensor.
func (g *gridWalk) useOf(t int) (int, *access) {
	for _, s := range g.active {
		for k := range g.statements[s].reads {
			if a := &g.statements[s].reads[k]; a.tensor == t {
				return s, a
			}
		}
	}
	return 0, nil
}

// blockOf lays out the block of a tensor that a group has in local memory.
func (g *gridWalk) blockOf(n *schedule.Place, s int, a *access) *localBlock {
	room := slices.Clone(g.rooms[s])
	for _, x := range g.axes {
		if i, ok := g.indexIn(x.member, s); ok {
			room[i] = g.entry[s][i]
		}
	}
	b := &localBlock{strides: make([]float64, len(a.dims)), room: make([]float64, len(a.dims)), bytes: a.bytes}
	for d := range a.dims {
		b.room[d] = a.dims[d].span(room)
	}
	order := n.Layout
	if order == nil {
		for d := range a.dims {
			order = append(order, d+1)
		}
	}
	length := 1.0
	for _, d := range slices.Backward(order) {
		b.strides[d-1] = length
		length *= b.room[d-1]
	}
	b.bytes *= length
	return b
}

// copied is the work of copying a block into local memory, element by element in turns, between two barriers.
func (g *gridWalk) copied(s int, a *access, b *localBlock) groupWork {
	u := g.noWork()
	elements := b.bytes / a.bytes
	count := int64(1)
	for _, x := range g.axes {
		count *= x.count
	}
	width := float64(g.subGroup())
	turns := math.Ceil(elements / float64(count))
	accesses := math.Ceil(elements / width)
	u.issued = turns * math.Ceil(float64(count)/width) * (2 + perCopied + perCopiedDim*float64(len(a.dims)-1))
	line := g.machine.Value(machine.Transaction)
	n := a.sectors(g.together(s), line)
	u.transactions, u.moved[a.tensor], u.sectors[a.tensor] = n, n, n
	u.wanted[a.tensor] = min(elements*a.bytes, n*line)
	u.banks = accesses * g.inBanks(b.first(width, a.bytes), a.bytes)
	u.settled = math.Ceil(turns/g.machine.Value(machine.InFlight))*g.machine.Value(machine.DeviceLatency) + g.machine.Value(machine.LocalLatency) + 2*g.machine.Value(machine.Barrier)
	u.references = []reference{{s, a, 1, 1}}
	u.local = b.bytes
	return u
}

// first are the places in a block of its first elements, in the order of the tensor.
func (b *localBlock) first(count, bytes float64) (list []float64) {
	total := 1.0
	for _, n := range b.room {
		total *= n
	}
	for l := 0.0; l < min(count, total); l++ {
		at, rest := 0.0, l
		for d := len(b.room) - 1; d >= 0; d-- {
			at += math.Mod(rest, b.room[d]) * b.strides[d]
			rest = math.Floor(rest / b.room[d])
		}
		list = append(list, at*bytes)
	}
	return list
}
