package estimate

import (
	"math"

	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/source"
)

// How grids are judged
//
// A tree with groups and items is walked as others are, but for one group of each launch: what a subtree takes of the core that
// runs the group (grid_group.go). An access is one of a whole sub-group: the addresses of its items follow from the strides of
// the loops over items, and are written down, one by one (grid_lanes.go). So many transactions as they are in are moved; in local
// memory the items wait for each other as often as the fullest bank has words. What a group reads again is in the cache of its core, as
// long as what it touches in between fits there.
//
// Then the launch is put together (grid_launch.go): how many groups a core has at the same time, which their items, registers and
// local memory limit; how often the cores take turns, of which the last is perhaps not full; what groups that run at the same
// time, next to each other, share in the cache of the device. The time is that of what takes longest: instructions, arithmetic, local memory,
// transactions, the memories, or waiting, where there are too few items to do something else meanwhile. To it comes the launch itself.

// A groupWork is what one execution of a subtree takes of a group, in cycles of its core where nothing else is said.
type groupWork struct {
	issued       float64 // instructions of sub-groups
	lanes        float64 // additions, those of items that do not take part, too
	banks        float64 // of local memory
	transactions float64
	wait, chain  float64   // of one after the other, in the iteration of the innermost loop: for loads, for arithmetic
	settled      float64   // of one after the other, otherwise
	moved        []float64 // by tensor: transactions between the core and its cache
	wanted       []float64 // by tensor: bytes that they were for
	sectors      []float64 // by tensor: transactions from behind the cache
	references   []reference
	registers    float64 // of an item, in words
	local        float64 // bytes of the group
	tested       bool    // subscripts are tested, before which no load of a later step begins
}

func (w *walker) noWork() groupWork {
	n := len(w.tensors)
	return groupWork{moved: make([]float64, n), wanted: make([]float64, n), sectors: make([]float64, n)}
}

// sums are what is added up by loops and sequences.
func (u *groupWork) sums() []*float64 {
	list := []*float64{&u.issued, &u.lanes, &u.banks, &u.transactions, &u.settled}
	for t := range u.moved {
		list = append(list, &u.moved[t], &u.wanted[t], &u.sectors[t])
	}
	return list
}

// repeat makes a loop of a body. One that is written out overlaps what its iterations wait for, unless they add to the same sums.
func (u *groupWork) repeat(trips float64, overlapped, summed bool, inFlight float64) {
	if u.tested {
		inFlight = 1
	}
	switch {
	case overlapped && u.tested:
		u.wait, u.chain = u.wait*trips, u.chain*trips
	case overlapped && summed:
		u.chain *= trips
	case !overlapped:
		u.settled += u.wait/min(inFlight, max(trips, 1)) + u.chain
		u.wait, u.chain = 0, 0
	}
	for _, x := range u.sums() {
		*x *= trips
	}
}

// then adds what runs behind it.
func (u *groupWork) then(o *groupWork) {
	to := u.sums()
	for i, x := range o.sums() {
		*to[i] += *x
	}
	u.settled += o.wait + o.chain
	u.references = append(u.references[:len(u.references):len(u.references)], o.references...)
	u.registers, u.local = max(u.registers, o.registers), u.local+o.local
}

// A gridWalk is the state on the way from the root of a tree with groups.
type gridWalk struct {
	*walker
	axes    []axis              // of the loops over items around
	inGroup bool                // loops are those of a group or an item
	sums    map[int]accumulator // of statements, the innermost ones
	blocksL map[int]*localBlock // by tensor: blocks in local memory
	held    map[int]bool        // by tensor: blocks in registers
	passed  map[int]int         // by tensor: the statement that stores what items hold of it
	rooms   []block             // by statement: how large the blocks at hand are at most
	beside  []block             // by statement and index: how many blocks the items of a group have of it together
	entry   []block             // by statement: rooms outside of the loops over items
	times   float64             // a launch, by loops of the host
	parts   []Part              // of the launches so far
	whole   float64             // sub-groups of the launch at hand
	shape   []float64           // items along the axes of the launch at hand
	grid    *machine.Grid       // of the machine
}

// An axis is a loop over items.
type axis struct {
	member *schedule.Member
	count  int64 // items
	active int64 // of which so many take part
}

// An accumulator says where the sums of a statement are.
type accumulator struct {
	region      schedule.Region
	inRegisters bool
	atomic      bool                 // items update them at once
	fragments   *schedule.Fragmented // how a matrix unit adds to them; nil: none does
}

func (m *Model) newGridWalk() *gridWalk {
	g := &gridWalk{walker: m.newWalker(), sums: map[int]accumulator{}, blocksL: map[int]*localBlock{}, held: map[int]bool{}, passed: map[int]int{}, times: 1, grid: m.machine.Grid}
	for s := range m.statements {
		room, beside := make(block, len(m.statements[s].extents)), make(block, len(m.statements[s].extents))
		for i, n := range m.statements[s].extents {
			room[i], beside[i] = float64(n), 1
		}
		g.rooms, g.beside = append(g.rooms, room), append(g.beside, beside)
	}
	return g
}

// gridParts estimates the launches of a tree.
func (m *Model) gridParts(t *schedule.Tree) (*Report, error) {
	r := &Report{Function: m.f.Name}
	g := m.newGridWalk()
	for _, part := range parts(t.Root) {
		g.onHost(part)
		if g.err != nil {
			return nil, g.err
		}
	}
	for _, p := range g.parts {
		r.Parts = append(r.Parts, p)
		r.Seconds += p.Seconds
	}
	return r, nil
}

// onHost walks a subtree that is in no group: the host goes through it, and launches grids.
func (g *gridWalk) onHost(n schedule.Node) {
	if !schedule.HasGrids(n) {
		g.launched(1, nil, nil, func() groupWork { return g.node(n) })
		return
	}
	switch n := n.(type) {
	case *schedule.Sequence:
		for _, child := range n.Children {
			g.onHost(child)
		}
	case *schedule.Filter:
		before := g.active
		g.active = n.Statements
		g.onHost(n.Child)
		g.active = before
	case *schedule.Band:
		g.hostBand(n, 0)
	case *schedule.Accumulate:
		g.hostSums(n)
	case *schedule.Place:
		g.onHost(n.Child)
	default:
		g.err = source.Internalf("estimate", g.f.Pos, "no estimate for a node of type %T on the host", n)
	}
}

// hostBand walks the members of a band on the host from number k on, up to the groups.
func (g *gridWalk) hostBand(b *schedule.Band, k int) {
	if k == len(b.Members) {
		g.onHost(b.Child)
		return
	}
	if !b.Members[k].Groups {
		trips, leave := g.enterRoom(b.Members[k])
		g.times *= trips
		g.hostBand(b, k+1)
		g.times /= trips
		leave()
		return
	}
	end := k
	groups, leaves := 1.0, []func(){}
	var list []groupAxis
	for end < len(b.Members) && b.Members[end].Groups {
		trips, leave := g.enterRoom(b.Members[end])
		groups, leaves = groups*trips, append(leaves, leave)
		list = append(list, groupAxis{b.Members[end], trips})
		end++
	}
	g.launched(groups, list, schedule.ItemsOf(b.Members[end:], b.Child), func() groupWork { return g.band(b, end) })
	for i := len(leaves) - 1; i >= 0; i-- {
		leaves[i]()
	}
}

// A groupAxis is a loop over groups.
type groupAxis struct {
	member *schedule.Member
	trips  float64
}

// enterRoom is enter, and notes how large the blocks may be.
func (g *gridWalk) enterRoom(m *schedule.Member) (trips float64, leave func()) {
	trips, leaveBlocks := g.enter(m)
	type saved struct {
		statement, index int
		room             float64
	}
	var before []saved
	for _, l := range m.Loops {
		if i, ok := g.indexOf(l); ok {
			before = append(before, saved{l.Statement, i, g.rooms[l.Statement][i]})
			g.rooms[l.Statement][i] = min(g.rooms[l.Statement][i], float64(max(m.Tile, int64(m.Vector), int64(m.Group), 1)))
		}
	}
	return trips, func() {
		leaveBlocks()
		for _, b := range before {
			g.rooms[b.statement][b.index] = b.room
		}
	}
}

// together is the block of a statement that the items of a group have side by side.
func (g *gridWalk) together(s int) block {
	b := make(block, len(g.blocks[s]))
	for i := range b {
		b[i] = g.blocks[s][i] * g.beside[s][i]
	}
	return b
}

// subGroup is how many items run the same instruction at the same time.
func (g *gridWalk) subGroup() int64 {
	if g.grid.Width > 0 {
		return g.grid.Width
	}
	return max(1, g.machine.Whole(machine.SubGroup))
}

// subGroups is how many sub-groups have an item that takes part in the loops at hand.
func (g *gridWalk) subGroups() float64 {
	total, width := int64(1), g.subGroup()
	for _, a := range g.axes {
		total *= a.count
	}
	busy := 0.0
	for first := int64(0); first < total; first += width {
		for l := first; l < min(total, first+width); l++ {
			if g.takesPart(l) {
				busy++
				break
			}
		}
	}
	return math.Max(busy, 1)
}

// takesPart reports whether the item of a number has an iteration.
func (g *gridWalk) takesPart(l int64) bool {
	for k := len(g.axes) - 1; k >= 0; k-- {
		a := &g.axes[k]
		if l%a.count >= a.active {
			return false
		}
		l /= a.count
	}
	return true
}
