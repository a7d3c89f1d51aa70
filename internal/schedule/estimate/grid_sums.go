package estimate

import (
	"fmt"
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// accumulate adds the life of sums to their subtree.
func (g *gridWalk) accumulate(n *schedule.Accumulate) groupWork {
	s := n.Statement
	if s < 0 || s >= len(g.statements) {
		return g.node(n.Child)
	}
	st := &g.statements[s]
	before, inner := g.sums[s]
	fragments, why := schedule.FragmentedBelow(st.c, n)
	if why != "" {
		fragments = nil
	}
	registers := fragments != nil || (n.Region == schedule.Register || n.Region == schedule.Local) && !n.Atomic && g.allWrittenOut(n)
	g.sums[s] = accumulator{n.Region, registers, n.Atomic, fragments}
	g.loops = append(g.loops, enclosing{boundary: true})
	u := g.node(n.Child)
	g.loops = g.loops[:len(g.loops)-1]
	own := g.sums[s]
	if delete(g.sums, s); inner {
		g.sums[s] = before
	}
	leave := g.holding(n)
	defer leave()
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
	if n.Atomic {
		results = g.shared(&u, n, s, results)
	}
	u.issued += perResult * results * sub
	if n.Region == schedule.Local && !n.Atomic {
		g.combine(&u, n, s, results)
		if sub = 1; len(g.axes) > 0 {
			sub = g.subGroups()
		}
	}
	switch {
	case inner && before.region == schedule.Workspace:
		u.issued += 2 * results * sub
		u.transactions += results * sub * float64(g.subGroup()) * st.widest / g.machine.Value(machine.Transaction)
		return u
	case inner: // they are added to those further out
		u.issued += results * sub
		g.addsTo(&u, s, results*sub, 1)
		return u
	}
	v := one
	for i, index := range st.c.Indices {
		if lanes := schedule.VectorBelow(s, index.Name, n); lanes > 1 && !st.reduced[i] {
			v = vector{i, min(float64(lanes), results)}
		}
	}
	end := g.noWork()
	for k := range st.writes {
		if g.isStep(s, &st.writes[k]) {
			continue
		}
		for range 1 + numberOf(st.c.Accumulate != nil) {
			g.moves(&end, s, &st.writes[k], results/v.lanes, v, sub)
		}
	}
	u.then(&end)
	return u
}

// numberOf is 1 for what is true.
func numberOf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// holding enters the loops over items below sums that items hold outside of them: what is over results, for what they have at the
// end. In sums in local memory those beside each other are teams.
func (g *gridWalk) holding(n *schedule.Accumulate) (leave func()) {
	if len(g.axes) > 0 || !g.inGroup {
		return func() {}
	}
	s := n.Statement
	room, blocks, beside := slices.Clone(g.rooms[s]), slices.Clone(g.blocks[s]), slices.Clone(g.beside[s])
	for _, m := range itemMembers(n.Child) {
		i, ok := g.indexIn(m, s)
		if !ok || g.statements[s].reduced[i] {
			if n.Region == schedule.Local {
				g.axes = append(g.axes, axis{m, m.Items, 1}) // the first of the team has the result
			}
			continue
		}
		trips := math.Ceil(g.blocks[s][i] / float64(max(m.Tile, int64(m.Vector), 1)))
		active := min(float64(m.Items), trips)
		g.axes = append(g.axes, axis{m, m.Items, int64(active)})
		g.beside[s][i] *= active
		g.blocks[s][i] /= active
		g.rooms[s][i] = math.Ceil(g.rooms[s][i] / active)
	}
	return func() {
		g.axes = nil
		copy(g.rooms[s], room)
		copy(g.blocks[s], blocks)
		copy(g.beside[s], beside)
	}
}

// itemMembers are the members over items that a subtree comes to first.
func itemMembers(n schedule.Node) (list []*schedule.Member) {
	if b, ok := n.(*schedule.Band); ok {
		for _, m := range b.Members {
			if m.Items > 0 {
				list = append(list, m)
			}
		}
		if len(list) > 0 {
			return list
		}
	}
	for _, child := range schedule.Children(n) {
		if list = itemMembers(child); len(list) > 0 {
			return list
		}
	}
	return nil
}

// allWrittenOut reports whether all loops over results below sums, but those over items, are written out: then these have registers.
func (g *gridWalk) allWrittenOut(n *schedule.Accumulate) bool {
	s := n.Statement
	for i, index := range g.statements[s].c.Indices {
		if g.statements[s].reduced[i] || g.rooms[s][i] <= 1 {
			continue
		}
		room := g.rooms[s][i]
		for _, m := range schedule.MembersOver(s, index.Name, n.Child) {
			trips := room / float64(max(m.Tile, int64(m.Vector), 1))
			if m.Items > 0 {
				trips /= float64(m.Items) // turns
			}
			if !m.Unroll && m.Vector == 0 && trips > shortLoop {
				return false
			}
			room = min(room, float64(max(m.Tile, 1)))
		}
	}
	return true
}

// combine is how the items of a team combine their sums of so many results: by shuffles in sub-groups, and in local memory in a tree,
// with a barrier before each step.
func (g *gridWalk) combine(u *groupWork, n *schedule.Accumulate, s int, results float64) {
	team, beside := 1.0, 1.0
	for _, m := range itemMembers(n.Child) {
		if i, ok := g.indexIn(m, s); ok && !g.statements[s].reduced[i] {
			beside *= float64(m.Items)
		} else {
			team *= float64(m.Items)
		}
	}
	width, bytes := float64(g.subGroup()), g.statements[s].widest
	step := g.machine.Value(machine.LocalLatency) + g.machine.Value(machine.ItemLatency)
	parts := team
	if n.Shuffle > 0 {
		within := min(team, float64(n.Shuffle))
		steps := math.Ceil(math.Log2(within))
		u.issued += 2 * steps * results * math.Ceil(team*beside/width)
		u.settled += steps * step
		if parts = math.Ceil(team / within); parts > 1 { // the first items put them into local memory, and all sub-groups go on
			u.issued += 2 * math.Ceil(math.Log2(parts)) * results * math.Ceil(team*beside/width)
			u.banks += 2 * results * math.Ceil(team*beside/width)
			u.settled += g.machine.Value(machine.Barrier) + step*(1+math.Ceil(math.Log2(parts)))
			u.local += parts * beside * results * bytes
		}
		return
	}
	if team > 1 {
		u.local += team * beside * results * bytes
	}
	for left := team; left > 1; left = math.Ceil(left / 2) {
		busy := math.Ceil(math.Ceil(left/2) * beside / width)
		u.issued += results * busy * (3 + perPlace)
		u.banks += 3 * results * busy * g.inBanks(g.side(bytes), bytes)
		u.settled += g.machine.Value(machine.Barrier) + step
	}
}

// shared is an array of sums that the items of a group set in turns, update at once, and pass on in turns: it returns how many of so many
// results an item has.
func (g *gridWalk) shared(u *groupWork, n *schedule.Accumulate, s int, results float64) float64 {
	team := 1.0
	for _, m := range itemMembers(n.Child) {
		team *= float64(m.Items)
	}
	turns := math.Ceil(results / team)
	busy := turns * math.Ceil(team/float64(g.subGroup()))
	u.local += results * g.statements[s].widest
	u.issued += 2 * busy * (3 + perPlace)
	u.banks += 2 * busy
	u.settled += 2 * g.machine.Value(machine.Barrier)
	return turns
}

// hostSums are sums on the host: in the workspace each group has a part of its own, and a launch behind combines the parts.
func (g *gridWalk) hostSums(n *schedule.Accumulate) {
	axes, _, _, ok := schedule.PartsByGroups(n)
	s := n.Statement
	if !ok || s < 0 || s >= len(g.statements) {
		g.onHost(n.Child)
		return
	}
	st := &g.statements[s]
	parts, results := 1.0, 1.0
	for _, m := range axes {
		if i, ok := g.indexIn(m, s); ok && st.reduced[i] {
			parts *= math.Ceil(g.blocks[s][i] / float64(max(m.Tile, 1)))
		}
	}
	for i := range st.extents {
		if !st.reduced[i] {
			results *= g.blocks[s][i]
		}
	}
	g.sums[s] = accumulator{region: schedule.Workspace}
	g.onHost(n.Child)
	delete(g.sums, s)
	g.combining(n, parts, results)
}

// combining is the launch that combines parts which groups have left in the workspace.
func (g *gridWalk) combining(n *schedule.Accumulate, parts, results float64) {
	s, m := n.Statement, g.machine
	side, tree := float64(max(1, n.Items)), float64(max(1, n.Tree))
	bytes, line := g.statements[s].widest, m.Value(machine.Transaction)
	l := &Launch{Times: g.times, Groups: math.Ceil(results / side), Items: int64(side * tree), Wanted: map[string]float64{}}
	l.itemsAlong, l.groupsAlong = along([]float64{tree, side}), along([]float64{l.Groups})
	if tree > 1 {
		l.Local = int64(side * tree * bytes)
	}
	turns, sub := math.Ceil(parts/tree), math.Ceil(side*tree/float64(g.subGroup()))
	steps := math.Ceil(math.Log2(tree))
	u := g.noWork()
	u.issued = sub * (turns*(perLoopStep+3) + 4*steps + perResult)
	u.lanes = sub * float64(g.subGroup()) * (turns + steps)
	u.transactions = (math.Ceil(min(side, results)*bytes/line)*parts + math.Ceil(side*bytes/line))
	u.banks = 3 * steps * sub
	u.settled = math.Ceil(turns/m.Value(machine.InFlight))*m.Value(machine.DeviceLatency) + steps*(m.Value(machine.Barrier)+m.Value(machine.LocalLatency))
	u.registers = fewestRegisters
	g.occupy(l, &u)
	p := g.timed(l, &u)
	p.Statements = []string{fmt.Sprintf("S%d", s)}
	moved := (parts + 1) * results * bytes
	near := Traffic{Layer: nearCache, From: lastCache, Bytes: moved * g.times, Tensors: map[string]float64{}}
	p.Traffic = []Traffic{near}
	p.add(lastCache+" to "+nearCache, moved/(m.Value(machine.LastCached)*1e9))
	p.sum(g.times)
	g.parts = append(g.parts, p)
}
