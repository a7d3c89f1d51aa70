package estimate

import (
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// place is a block in local memory, which the items of the group copy together, or an item's own.
func (g *gridWalk) place(n *schedule.Place) groupWork {
	t := slices.IndexFunc(g.tensors, func(t *ein.Tensor) bool { return t.Name == n.Tensor })
	if t < 0 {
		g.err = errUnknownTensor(n.Tensor, g.f.Name)
		return g.noWork()
	}
	if g.inGroup && len(g.axes) == 0 && n.IsHeld() {
		return g.heldTogether(n, t)
	}
	s, a := g.useOf(t)
	if a != nil && n.Region == schedule.Register {
		return g.kept(n, t, s, a)
	}
	if n.Region != schedule.Local || a == nil || g.blocksL[t] != nil {
		g.loops = append(g.loops, enclosing{boundary: true})
		u := g.node(n.Child)
		g.loops = g.loops[:len(g.loops)-1]
		return u
	}
	b := g.blockOf(n, s, a)
	g.blocksL[t] = b
	if g.isComputed(t) {
		u := g.node(n.Child)
		delete(g.blocksL, t)
		u.local += b.bytes
		return u
	}
	g.loops = append(g.loops, enclosing{boundary: true})
	u := g.node(n.Child)
	g.loops = g.loops[:len(g.loops)-1]
	delete(g.blocksL, t)
	copies := g.copied(n, s, a, b)
	if g.runsAhead(n) { // what comes from memory has the time of the steps between
		steps := float64(n.Stages-1) * (u.settled + u.wait + u.chain + u.issued/g.machine.Value(machine.Issue))
		copies.settled -= min(g.machine.Value(machine.DeviceLatency), steps)
	}
	copies.then(&u)
	copies.registers += wordsOfCopies
	return copies
}

// padded is a room in which padded tiles of groups go on behind the end of the index, where no others are within them.
func (g *gridWalk) padded(s int, room block) block {
	padded := slices.Clone(room)
	for _, e := range g.loops {
		if e.member == nil || e.member.Items > 0 {
			continue
		}
		if i, ok := g.indexIn(e.member, s); ok && e.member.Groups && e.member.Pad {
			padded[i] = float64(e.member.Tile)
		} else if ok {
			padded[i] = room[i]
		}
	}
	return padded
}

// isComputed reports whether the statements at hand write a tensor.
func (g *gridWalk) isComputed(t int) bool {
	return slices.ContainsFunc(g.active, func(s int) bool {
		return slices.ContainsFunc(g.statements[s].writes, func(a access) bool { return a.tensor == t })
	})
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
	room := slices.Clone(block(g.rooms[s]))
	for _, x := range g.axes {
		if i, ok := g.indexIn(x.member, s); ok {
			room[i] = g.entry[s][i]
		}
	}
	span := (*dimension).span
	if f := g.sums[s].fragments; f != nil {
		span = (*dimension).beyond
		for _, m := range []*schedule.Member{f.Rows, f.Columns, f.Unit} {
			if i, ok := g.indexIn(m, s); ok {
				room[i] = g.wholeRoom(s, i)
			}
		}
	}
	b := &localBlock{strides: make([]float64, len(a.dims)), room: make([]float64, len(a.dims)), bytes: a.bytes}
	padded := g.padded(s, room)
	for d := range a.dims {
		dim := &a.dims[d]
		if b.room[d] = span(dim, room); dim.beyond(padded) <= schedule.MostRoom*dim.extent {
			b.room[d] = max(b.room[d], dim.beyond(padded))
		}
	}
	for d, indirect := range a.indirect {
		if indirect { // all of it
			b.room[d] = a.dims[d].extent
		}
	}
	if n.Gathered {
		b.gatheredBlock(a, room)
	}
	order := n.Layout
	if order == nil {
		for d := range a.dims {
			order = append(order, d+1)
		}
	}
	length := 1.0
	for k, d := range slices.Backward(order) {
		b.strides[d-1] = length
		if length *= b.room[d-1]; k == len(order)-1 {
			length = float64(n.Swizzle.Row(int64(length) + n.Pad))
			b.row, b.swizzle = length, n.Swizzle
		}
	}
	b.bytes *= length
	return b
}

// runsAhead reports whether copies of a block are on their way while the items compute.
func (g *gridWalk) runsAhead(n *schedule.Place) bool {
	return n.Async && g.machine.Value(machine.ItemAhead) > 0
}

// copied is the work of copying a block into local memory, element by element in turns, between two barriers.
func (g *gridWalk) copied(n *schedule.Place, s int, a *access, b *localBlock) groupWork {
	u := g.noWork()
	elements := 1.0
	for _, room := range b.room {
		elements *= room
	}
	count := int64(1)
	for _, x := range g.axes {
		count *= x.count
	}
	if len(g.axes) == 0 { // outside of the loops over items
		for _, c := range schedule.ItemsOf(nil, n.Child) {
			count *= c
		}
	}
	width, side := float64(g.subGroup()), float64(max(1, n.Vector))
	turns := math.Ceil(elements / side / float64(count))
	stores, stored := 1.0, side // a vector goes to one place, or each of its elements has its own
	if d := len(b.strides) - 1; d >= 0 && b.strides[d] != 1 {
		stores, stored = side, 1
	}
	u.issued = turns * math.Ceil(float64(count)/width) * (2 + perCopied + perCopiedDim*float64(len(a.dims)-1) + stores - 1 + stores*b.exchanged())
	line := g.machine.Value(machine.Transaction)
	sectors := a.sectors(g.together(s), line)
	if a.scatters && !n.Gathered {
		sectors = max(sectors, elements*a.bytes/line)
	}
	u.transactions, u.moved[a.tensor], u.sectors[a.tensor] = sectors, sectors, sectors
	u.wanted[a.tensor] = min(elements*a.bytes, sectors*line)
	u.banks = math.Ceil(elements/side/width) * stores * g.bank(b, a, b.first(width, side, a.bytes), stored*a.bytes)
	late, barriers := math.Ceil(turns/g.machine.Value(machine.InFlight)), 2.0
	if g.runsAhead(n) {
		late = 1 // all are on their way at once
	}
	if n.Stages > 0 {
		barriers = 1
	}
	u.settled = late*g.machine.Value(machine.DeviceLatency) + g.machine.Value(machine.LocalLatency) + barriers*g.machine.Value(machine.Barrier)
	u.references = []reference{{s, a, 1, 1}}
	if n.Gathered {
		u.settled += late * g.leading(s, a.tensor)
		g.led(&u, s, a, b, float64(count), elements/side)
	}
	u.local = b.bytes * float64(max(1, n.Stages))
	return u
}

// kept is a block that an item has in registers: it is loaded once, several elements at a time where they lie side by side.
func (g *gridWalk) kept(n *schedule.Place, t, s int, a *access) groupWork {
	elements, side := 1.0, 1.0
	for d := range a.dims {
		span := a.dims[d].span(g.rooms[s])
		elements *= span
		if g.strideOf(a, d) == 1 && span > 1 {
			side = min(span, g.machine.Value(machine.ItemVector)/a.bytes)
		}
	}
	sub := g.subGroups()
	u := g.noWork()
	g.moves(&u, s, a, elements/side/a.count, sideBySide(side), sub)
	u.wait = g.latency(a)
	before := g.held[t]
	g.held[t] = true
	g.loops = append(g.loops, enclosing{boundary: true})
	below := g.node(n.Child)
	g.loops = g.loops[:len(g.loops)-1]
	g.held[t] = before
	below.registers += elements * math.Ceil(a.bytes/wordBytes)
	below.wait += u.wait // what comes before in the same iteration
	u.wait = 0
	wait, chain := below.wait, below.chain
	below.wait, below.chain = 0, 0
	u.then(&below)
	u.wait, u.chain = wait, chain
	return u
}

// strideOf is how many elements apart neighbours along a dimension are, where a tensor is at hand.
func (g *gridWalk) strideOf(a *access, d int) float64 {
	if b := g.blocksL[a.tensor]; b != nil {
		return b.strides[d]
	}
	return a.dims[d].stride
}

// latency is how long a load takes.
func (g *gridWalk) latency(a *access) float64 {
	switch {
	case g.held[a.tensor]:
		return 0
	case g.blocksL[a.tensor] != nil:
		return g.machine.Value(machine.LocalLatency)
	}
	return g.machine.Value(machine.DeviceLatency)
}

// first are the places in a block of its first elements, so many side by side, in the order of the tensor.
func (b *localBlock) first(count, side, bytes float64) (list []float64) {
	total := 1.0
	for _, n := range b.room {
		total *= n
	}
	for l := 0.0; l < count && l*side < total; l++ {
		at, rest := 0.0, l*side
		for d := len(b.room) - 1; d >= 0; d-- {
			at += math.Mod(rest, b.room[d]) * b.strides[d]
			rest = math.Floor(rest / b.room[d])
		}
		list = append(list, at*bytes)
	}
	return list
}
