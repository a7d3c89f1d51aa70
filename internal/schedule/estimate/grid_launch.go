package estimate

import (
	"fmt"
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// A Launch is what a part is of that runs as a grid.
type Launch struct {
	Times     float64 `json:"times"` // how often the host launches it
	Groups    float64 `json:"groups"`
	Items     int64   `json:"items"`     // of a group
	Cores     int64   `json:"cores"`     // that run groups
	Together  int64   `json:"together"`  // groups that a core has at the same time
	Limit     string  `json:"limit"`     // of what there is too little for more
	Registers int64   `json:"registers"` // of an item, guessed
	Local     int64   `json:"local"`     // bytes of local memory of a group
	Balance   float64 `json:"balance"`   // the part of the cores' time that is used
	Conflicts float64 `json:"conflicts"` // cycles of local memory
	// Wanted is which part of what is moved between cores and their caches was asked for, by tensor.
	Wanted map[string]float64 `json:"wanted"`

	groupsAlong, itemsAlong [3]float64 // x, y and z
}

// Fits reports whether a machine has what the launch takes.
func (l *Launch) Fits(g *machine.Grid) bool {
	fits := l.Items <= g.Items && (g.Local == 0 || l.Local <= g.Local)
	for k := range g.Along {
		fits = fits && (g.Along[k] == 0 || l.itemsAlong[k] <= float64(g.Along[k])) && (g.Groups[k] == 0 || l.groupsAlong[k] <= float64(g.Groups[k]))
	}
	return fits
}

// along says how many there are along x, y and z: the last axis is x, and those beyond z are one with it.
func along(counts []float64) (list [3]float64) {
	list = [3]float64{1, 1, 1}
	for k := range counts {
		list[min(k, 2)] *= counts[len(counts)-1-k]
	}
	return list
}

// The names of the components of a launch, besides those of memories.
const (
	launching    = "launch"
	issuing      = "instructions"
	computing    = "arithmetic"
	localMemory  = "local memory"
	transactions = "transactions"
	waiting      = "waiting"
)

// The memories of a device, as a report calls them.
const (
	nearCache, lastCache, deviceMemory = "core", "cache", "memory"
)

// launched judges a launch of groups, along the axes of a list, with so many items along theirs: what one of them does is walked by
// body.
func (g *gridWalk) launched(groups float64, list []groupAxis, items []int64, body func() groupWork) {
	total := 1.0
	for _, n := range items {
		total *= float64(n)
	}
	g.inGroup, g.whole = true, math.Ceil(total/float64(g.subGroup()))
	u := body()
	g.inGroup = false
	if g.err != nil {
		return
	}
	l := &Launch{Times: g.times, Groups: groups, Items: 1, Local: int64(u.local), Wanted: map[string]float64{}}
	l.itemsAlong = along(g.shape)
	for _, n := range g.shape {
		l.Items *= int64(n)
	}
	var trips []float64
	for _, x := range list {
		trips = append(trips, x.trips)
	}
	l.groupsAlong = along(trips)
	g.shape = nil
	g.occupy(l, &u)
	p := g.timed(l, &u)
	for _, s := range g.active {
		p.Statements = append(p.Statements, fmt.Sprintf("S%d", s))
	}
	for t, moved := range u.moved {
		if moved > 0 {
			l.Wanted[g.tensors[t].Name] = u.wanted[t] / (moved * g.machine.Value(machine.Transaction))
		}
	}
	g.memories(&p, &u, list)
	p.sum(g.times)
	g.parts = append(g.parts, p)
}

// timed makes a part of a launch, with what it takes of the cores that have most to do.
func (g *gridWalk) timed(l *Launch, u *groupWork) Part {
	p := Part{Threads: 1, Tasks: int64(l.Groups), Balance: l.Balance, Launch: l}
	perCore := math.Ceil(l.Groups / float64(l.Cores))
	cycle := 1e-9 / g.machine.Value(machine.GroupClock)
	p.add(launching, g.machine.Value(machine.Launch)*1e-6)
	p.add(issuing, perCore*u.issued/g.machine.Value(machine.Issue)*cycle)
	p.add(computing, perCore*u.lanes/g.machine.Value(machine.ItemLanes)*cycle)
	p.add(localMemory, perCore*u.banks*cycle)
	p.add(transactions, perCore*u.transactions/g.machine.Value(machine.Transactions)*cycle)
	p.add(waiting, math.Ceil(perCore/float64(l.Together))*(u.settled+u.wait+u.chain)*cycle)
	return p
}

// sum is the time of all launches of a part: behind the launch itself the largest component, and a share of the others.
func (p *Part) sum(times float64) {
	largest, total := 0.0, 0.0
	for k := range p.Components {
		c := &p.Components[k]
		c.Seconds *= times
		if c.Name == launching {
			continue
		}
		if total += c.Seconds; c.Seconds > largest {
			largest, p.Bound = c.Seconds, c.Name
		}
	}
	p.Seconds = p.Components[0].Seconds + largest + overlap*(total-largest)
	if p.Components[0].Seconds > largest {
		p.Bound = launching
	}
}

// occupy says how many groups a core has at the same time. What an item has no registers for is moved to memory and back.
func (g *gridWalk) occupy(l *Launch, u *groupWork) {
	m := g.machine
	l.Cores = g.cores()
	width := float64(g.subGroup())
	items := math.Ceil(float64(l.Items)/width) * width
	own := m.Value(machine.ItemBytes)
	if g.grid.Private > 0 {
		own = float64(g.grid.Private)
	}
	words := math.Floor(min(own/wordBytes, m.Value(machine.RegisterFile)/wordBytes/items))
	if spilled := u.registers - words; spilled > 0 {
		part := spilled / u.registers // of what is computed with, stored and loaded again
		u.issued *= 1 + 2*part
		u.transactions += 2 * part * u.lanes * wordBytes / m.Value(machine.Transaction)
		u.registers = words
	}
	l.Registers, l.Together = int64(math.Ceil(u.registers)), math.MaxInt64
	for _, limit := range []struct {
		name string
		most float64
	}{
		{"groups", m.Value(machine.ResidentGroups)},
		{"items", m.Value(machine.ResidentItems) / items},
		{"registers", m.Value(machine.RegisterFile) / (max(1, u.registers) * wordBytes * items)},
		{"local memory", max(m.Value(machine.LocalInCore), float64(g.grid.Local)) / max(1, u.local)},
		{"no more groups", math.Ceil(l.Groups / float64(l.Cores))},
	} {
		if n := max(1, int64(limit.most)); n < l.Together {
			l.Together, l.Limit = n, limit.name
		}
	}
	l.Conflicts = u.banks
	l.Balance = l.Groups / (math.Ceil(l.Groups/float64(l.Cores)) * float64(l.Cores))
}

// groupsApart is how far apart groups that run at the same time are, at most, in parts of all that they do: what one of them reads
// the others read soon.
const groupsApart = 0.25

// memories adds what comes from behind the caches of the cores, and from behind that of the device. Groups that run at the same time
// are next to each other along the last axes, and share what they read there.
func (g *gridWalk) memories(p *Part, u *groupWork, list []groupAxis) {
	m, l := g.machine, p.Launch
	line := m.Value(machine.Transaction)
	near := Traffic{Layer: nearCache, From: lastCache, Tensors: map[string]float64{}}
	far := Traffic{Layer: lastCache, From: deviceMemory, Tensors: map[string]float64{}}
	atOnce := min(l.Groups, float64(l.Cores*l.Together))
	wave, waveBytes := g.region(u, list, atOnce)
	all, allBytes := g.region(u, list, l.Groups)
	inWave, inAll := kept(waveBytes*groupsApart/m.Value(machine.LastCache)), kept(allBytes/m.Value(machine.LastCache))
	for t, n := range u.sectors {
		if n <= 0 {
			continue
		}
		name := g.tensors[t].Name
		near.Tensors[name] = n * l.Groups * line
		near.Bytes += near.Tensors[name]
		n *= atOnce
		n = inWave*min(n, wave[t]) + (1-inWave)*n
		n *= l.Groups / atOnce
		n = inAll*min(n, all[t]) + (1-inAll)*n
		far.Tensors[name] = n * line
		far.Bytes += far.Tensors[name]
	}
	p.Traffic = []Traffic{near, far}
	p.add(lastCache+" to "+nearCache, near.Bytes/(m.Value(machine.LastCached)*1e9))
	p.add(deviceMemory+" to "+lastCache, far.Bytes/(m.Value(machine.GroupsBytes)*1e9))
	for _, t := range p.Traffic {
		for name := range t.Tensors {
			t.Tensors[name] *= l.Times
		}
	}
	p.Traffic[0].Bytes *= l.Times
	p.Traffic[1].Bytes *= l.Times
}

// region is what so many neighbouring groups touch: transactions by tensor, and bytes together.
func (g *gridWalk) region(u *groupWork, list []groupAxis, groups float64) (lines []float64, bytes float64) {
	lines = make([]float64, len(g.tensors))
	line := g.machine.Value(machine.Transaction)
	wider := make([]block, len(g.statements))
	for s := range wider {
		wider[s] = slices.Clone(g.blocks[s])
	}
	for _, x := range inOrder(list) {
		n := max(1, min(x.trips, groups))
		groups /= n
		for _, loop := range x.member.Loops {
			if i, ok := g.indexOf(loop); ok {
				wider[loop.Statement][i] *= n
			}
		}
	}
	for k := range u.references {
		r := &u.references[k]
		if repeated(u.references[:k], r) {
			continue
		}
		n := min(r.access.sectors(wider[r.statement], line), g.most[r.access.tensor]/line+1)
		lines[r.access.tensor] += n
		bytes += n * line
	}
	return lines, bytes
}

// inOrder lists axes as groups begin along them, the fastest one first: the last one, or some of the one before where these come in strips.
func inOrder(list []groupAxis) (order []groupAxis) {
	for k, x := range slices.Backward(list) {
		strip := float64(x.member.Strips)
		if k+1 == len(list) || strip == 0 {
			order = append(order, x)
			continue
		}
		next := len(order) - 1 // the axis behind it, or its strips
		order = slices.Insert(order, next, groupAxis{x.member, min(strip, x.trips)})
		if strip < x.trips {
			order = append(order, groupAxis{x.member, x.trips / strip})
		}
	}
	return order
}

// productOperations are those of a multiplication with an addition.
const productOperations = 2

// gridFloor fills in the least time on a machine with groups: that of its lanes for the operations, of its memory for the bytes.
func (m *Model) gridFloor(r *Report) {
	sizes := map[string]int64{}
	for _, s := range m.f.Sizes {
		sizes[s.Name] = assumedExtent
		r.Assumed = assumedExtent
	}
	p := m.machine
	r.Floor.Operations, r.Floor.Bytes = m.f.Work(sizes)
	products := max(m.fragmentProducts(), p.Value(machine.ItemLanes)/rateOf(p, m.counted()))
	r.Floor.Compute = float64(r.Floor.Operations) / (productOperations * products * float64(m.cores()) * p.Value(machine.GroupClock) * 1e9)
	r.Floor.Memory = float64(r.Floor.Bytes) / (p.Value(machine.GroupsBytes) * 1e9)
	r.Floor.Seconds = max(r.Floor.Compute, r.Floor.Memory)
}

// cores is how many cores run groups.
func (m *Model) cores() int64 {
	if n := m.machine.Grid.Cores; n > 0 {
		return n
	}
	return max(1, m.machine.Whole(machine.GroupCores))
}

// Fits is Seconds on a machine with groups, and whether it has what the launches of the tree take.
func (m *Model) Fits(t *schedule.Tree) (seconds float64, fits bool, err error) {
	r, err := m.parts(t)
	if err != nil {
		return 0, false, err
	}
	fits = true
	for _, p := range r.Parts {
		fits = fits && p.Launch.Fits(m.machine.Grid)
	}
	return r.Seconds, fits, nil
}
