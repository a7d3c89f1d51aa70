package loop

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
)

// How grids are evaluated
//
// Groups run one after the other, in an order that is drawn. Statements in which nobody meets are run by one item of a group
// after the other, again in an order that is drawn. Where items meet inside of a statement, all of them take it step by step:
// each evaluates the condition, and if they do not agree, the barrier is divergent. So no item has to be stopped in the middle,
// and one evaluator serves all: an item is its variables and its private memory. What order could hide, races.go sees.

// An item is one of a group.
type item struct {
	run    *gridRun
	number int64 // in the order in which the last axis runs fastest
	vars   map[*Var][]uint64
	memory map[*Buffer]*memory
	fault  *Fault // a Check has ended it
	noted  *Fault // the first of those after which it goes on
	flights
}

// A gridRun is one launch.
type gridRun struct {
	ev                 *evaluator
	grid               *Grid
	counts             []int64 // of groups
	group              int64   // that runs
	epoch, globalEpoch int     // barriers that it has met
	items              []*item
	random             *rand.Rand
	meets              map[Stmt]meeting
	fault              *Fault
	faultGroup         int64
}

// grid runs a launch. Of the faults of items that of the first group, and there of the first item, counts.
func (ev *evaluator) grid(s *Grid) {
	run := &gridRun{ev: ev, grid: s, random: rand.New(rand.NewPCG(ev.seed, 0x6772696473)), meets: map[Stmt]meeting{}}
	total := int64(1)
	for _, a := range s.Groups {
		n := max(0, int64(ev.expr(a.Count)[0]))
		run.counts = append(run.counts, n)
		total *= n
	}
	vars, memories := ev.vars, ev.memory
	for b, m := range memories {
		m.watch = newWatch(b, m.length)
	}
	for _, g := range run.drawn(total) {
		if run.runGroup(g, vars, memories); ev.ended != nil {
			break
		}
	}
	for _, m := range memories {
		m.watch = nil
	}
	ev.vars, ev.memory, ev.item, ev.fault = vars, memories, nil, run.fault
}

// drawn returns 0 to n-1 in an order that is drawn.
func (run *gridRun) drawn(n int64) []int64 {
	list := make([]int64, n)
	for i := range list {
		list[i] = int64(i)
	}
	run.random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// runGroup runs the items of a group.
func (run *gridRun) runGroup(g int64, vars map[*Var][]uint64, memories map[*Buffer]*memory) {
	run.group, run.epoch, run.globalEpoch, run.items = g, 0, 0, nil
	for n := range run.grid.GroupItems() {
		it := &item{run: run, number: n, vars: maps.Clone(vars), memory: maps.Clone(memories)}
		for i, at := range unlinear(g, run.counts) {
			it.vars[run.grid.Groups[i].Var] = []uint64{uint64(at)}
		}
		for i, at := range unlinear(n, run.itemCounts()) {
			it.vars[run.grid.Items[i].Var] = []uint64{uint64(at)}
		}
		run.items = append(run.items, it)
	}
	run.enter(run.items[0])
	for _, b := range run.grid.Local {
		run.ev.bind(b, garbage(b))
		for _, it := range run.items {
			it.memory[b] = run.ev.memory[b]
		}
	}
	run.block(run.grid.Body, run.items)
	run.landed()
	for _, it := range run.items {
		if it.noted != nil {
			it.fault = it.noted
		}
		if it.fault != nil && (run.fault == nil || g < run.faultGroup) {
			run.fault, run.faultGroup = it.fault, g
			break
		}
	}
}

func (run *gridRun) itemCounts() (list []int64) {
	for _, a := range run.grid.Items {
		list = append(list, a.Count)
	}
	return list
}

// unlinear takes a number apart, of which the last part runs fastest.
func unlinear(n int64, counts []int64) []int64 {
	list := make([]int64, len(counts))
	for i := len(counts) - 1; i >= 0; i-- {
		list[i] = n % counts[i]
		n /= counts[i]
	}
	return list
}

// place says which item of which group it is.
func (run *gridRun) place(group, item int64) string {
	text := func(list []int64) string { return strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ", "), "[]") }
	return fmt.Sprintf("item (%s) in group (%s)", text(unlinear(item, run.itemCounts())), text(unlinear(group, run.counts)))
}

// enter makes an item the one that runs.
func (run *gridRun) enter(it *item) {
	run.ev.item, run.ev.vars, run.ev.memory, run.ev.fault, run.ev.used = it, it.vars, it.memory, it.fault, 0
}

// block runs statements by a team: the items of a group, or of a sub-group.
func (run *gridRun) block(body []Stmt, team []*item) {
	for len(body) > 0 && !run.ev.isOver() {
		alone := 0
		for alone < len(body) && run.meeting(body[alone]) == nobody {
			alone++
		}
		if alone == 0 {
			run.together(body[0], team)
			body = body[1:]
			continue
		}
		for _, n := range run.drawn(int64(len(team))) {
			run.enter(team[n])
			run.ev.block(body[:alone])
			team[n].fault = run.ev.fault
		}
		body = body[alone:]
	}
}

func (run *gridRun) meeting(s Stmt) meeting {
	m, known := run.meets[s]
	if !known {
		m = meets(s)
		run.meets[s] = m
	}
	return m
}

// failed ends what runs by a Check that fails, unless it is one of an item that goes on.
func (ev *evaluator) failed(s *Check, f *Fault) {
	switch {
	case !s.Notes:
		ev.fault = f
	case ev.item.noted == nil:
		ev.item.noted = f
	}
}

// together runs a statement in which a team meets.
func (run *gridRun) together(s Stmt, team []*item) {
	if run.meeting(s) == subGroups && int64(len(team)) > run.grid.Width {
		for n := int64(0); n < int64(len(team)); n += run.grid.Width {
			run.together(s, team[n:n+run.grid.Width])
		}
		return
	}
	for _, it := range team {
		if it.fault != nil {
			run.diverges(s, it, "has ended by a check that failed", team[0], "waits")
		}
	}
	switch s := s.(type) {
	case *Barrier:
		if run.epoch++; s.Global {
			run.globalEpoch++
		}
	case *Shuffle:
		run.shuffle(s, team)
	case *Fragments:
		run.multiplyFragments(s, team)
	case *For:
		run.loop(s, team)
	case *While:
		for turn := 0; run.agreed(s, s.Cond, team) && !run.ev.isOver(); turn++ {
			if turn == run.ev.mostTurns {
				run.ev.fail("a loop has run %d times, as long as the evaluator waits", turn)
			}
			run.block(s.Body, team)
		}
	case *If:
		if run.agreed(s, s.Cond, team) {
			run.block(s.Then, team)
		} else {
			run.block(s.Else, team)
		}
	case *Alloc:
		for _, it := range team {
			run.enter(it)
			run.ev.bind(s.Buffer, garbage(s.Buffer))
		}
		run.block(s.Body, team)
	default:
		run.ev.fail("items of a grid meet inside of %s", headText(s))
	}
}

// value is what an expression of a statement is for an item.
func (run *gridRun) value(s Stmt, e Expr, it *item) uint64 {
	run.enter(it)
	run.ev.stmt = s
	return run.ev.expr(e)[0]
}

// agreed evaluates a condition that a team has to agree on.
func (run *gridRun) agreed(s Stmt, cond Expr, team []*item) bool {
	first := run.value(s, cond, team[0])
	for _, it := range team[1:] {
		if run.value(s, cond, it) != first {
			run.diverges(s, it, fmt.Sprintf("has %v", first == 0), team[0], fmt.Sprintf("has %v", first != 0))
		}
	}
	return first != 0
}

// loop runs a loop of which all items of a team have as many iterations.
func (run *gridRun) loop(s *For, team []*item) {
	starts := make([]int64, len(team))
	count := int64(0)
	for n, it := range team {
		lo, hi := int64(run.value(s, s.Lo, it)), int64(run.value(s, s.Hi, it))
		iterations := max(0, (hi-lo+s.Step-1)/s.Step)
		if starts[n] = lo; n == 0 {
			count = iterations
		} else if iterations != count {
			run.diverges(s, it, fmt.Sprintf("has %d iterations", iterations), team[0], fmt.Sprintf("has %d", count))
		}
	}
	for k := range count {
		for n, it := range team {
			it.vars[s.Var] = []uint64{uint64(starts[n] + k*s.Step)}
		}
		if run.block(s.Body, team); run.ev.ended != nil {
			return
		}
	}
}

// shuffle gives the items of a sub-group values of each other.
func (run *gridRun) shuffle(s *Shuffle, team []*item) {
	values := make([]uint64, len(team))
	for n, it := range team {
		values[n] = run.value(s, s.X, it)
	}
	for n, it := range team {
		from := n
		switch by := int(s.By); s.Kind {
		case Xor:
			from = n ^ by
		case Down:
			from = n + by
		case Up:
			from = n - by
		}
		if from < 0 || from >= len(team) {
			from = n
		}
		it.vars[s.Var] = []uint64{values[from]}
	}
}

// diverges ends the run: two items that have to come to a statement together do not.
func (run *gridRun) diverges(s Stmt, a *item, does string, b *item, other string) {
	run.ev.fail("%w: items meet inside of %s, where %s %s, and %s %s", ErrDivergent, headText(s), run.place(run.group, a.number), does, run.place(run.group, b.number), other)
}
