package estimate

import (
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/source"
)

// usage is what one execution of a subtree takes.
type usage struct {
	work       work
	misses     []float64 // lines, by layer and tensor
	references []reference
	buffers    float64 // bytes of placed blocks and of accumulators in memory
	threads    int
}

// walker is the state on the way from the root.
type walker struct {
	*Model
	blocks   []block     // by statement and index: the average size of what is left
	chains   [][][]int64 // by statement and index: the tiles so far
	counts   [][]float64 // by statement and index: how many blocks there are
	active   []int
	loops    []enclosing
	placed   []int // by tensor: 1 + the fastest dimension of its block, 0 for none
	threads  int
	written  []bool    // by statement: the subtree just left writes its results
	streamed []bool    // by tensor: it is written past the caches
	lines    []float64 // of a region, by tensor
	kept     float64   // copies of the accumulators at hand, by loops that keep partial results
	found    details
	err      error
}

// enclosing is a loop around the current node, or a boundary that unrolling does
// not cross.
type enclosing struct {
	member   *schedule.Member
	trips    float64
	boundary bool
	gathers  *schedule.Accumulate // what made the boundary, if it was that
}

func (m *Model) newWalker() *walker {
	w := &walker{Model: m, placed: make([]int, len(m.tensors)), written: make([]bool, len(m.statements)), threads: 1}
	w.lines, w.streamed = make([]float64, len(m.tensors)), make([]bool, len(m.tensors))
	for s := range m.statements {
		extents := m.statements[s].extents
		b, counts := make(block, len(extents)), make([]float64, len(extents))
		for i, n := range extents {
			b[i], counts[i] = float64(n), 1
		}
		w.blocks, w.counts = append(w.blocks, b), append(w.counts, counts)
		w.chains = append(w.chains, make([][]int64, len(extents)))
		w.active = append(w.active, s)
	}
	return w
}

// node returns the usage of a subtree.
func (w *walker) node(n schedule.Node) usage {
	switch n := n.(type) {
	case *schedule.Sequence:
		return w.sequence(n)
	case *schedule.Filter:
		before := w.active
		w.active = n.Statements
		w.loops = append(w.loops, enclosing{boundary: true})
		u := w.node(n.Child)
		w.active, w.loops = before, w.loops[:len(w.loops)-1]
		return u
	case *schedule.Band:
		return w.band(n, 0)
	case *schedule.Accumulate:
		return w.accumulate(n)
	case *schedule.Place:
		return w.place(n)
	case *schedule.Leaf:
		return w.leaf()
	}
	w.err = source.Internalf("estimate", w.f.Pos, "no estimate for a node of type %T", n)
	return w.nothing()
}

func (w *walker) nothing() usage {
	return usage{misses: make([]float64, len(w.speeds.layers)*len(w.tensors)), threads: 1}
}

func (w *walker) sequence(n *schedule.Sequence) usage {
	total := w.nothing()
	for _, child := range n.Children {
		u := w.node(child)
		total.work.add(&u.work, 1)
		for i := range total.misses {
			total.misses[i] += u.misses[i]
		}
		total.references = append(total.references, u.references...)
		total.buffers = max(total.buffers, u.buffers)
		total.threads = max(total.threads, u.threads)
	}
	w.reuse(&total, w.fits(&total), nil)
	return total
}

// indexOf returns the number of the index that a loop enumerates.
func (w *walker) indexOf(l schedule.Loop) (int, bool) {
	if l.Statement < 0 || l.Statement >= len(w.statements) {
		return 0, false
	}
	i := slices.IndexFunc(w.statements[l.Statement].c.Indices, func(i *ein.Index) bool { return i.Name == l.Index })
	return i, i >= 0
}

// guardedShare is how many of guarded loops are taken to run, of which nobody knows: those that the
// look-up of keys leaves are for rare data.
const guardedShare = 1.0 / 64

// enter makes a member the innermost loop and returns its trips and what undoes it.
func (w *walker) enter(m *schedule.Member) (trips float64, leave func()) {
	type saved struct {
		statement, index int
		size, count      float64
	}
	var before []saved
	trips = 1
	for _, l := range m.Loops {
		if schedule.IsSingle(l.Index) {
			continue
		}
		i, ok := w.indexOf(l)
		if !ok {
			w.err = source.Internalf("estimate", w.f.Pos, "the schedule names an index %s that is not there", l.Index)
			continue
		}
		s := l.Statement
		before = append(before, saved{s, i, w.blocks[s][i], w.counts[s][i]})
		if m.Determined { // one point of all
			w.blocks[s][i], w.counts[s][i] = 1, float64(w.statements[s].extents[i])
			w.chains[s][i] = append(w.chains[s][i], 1)
			continue
		}
		tile := max(m.Tile, int64(m.Vector), int64(m.Group), 1)
		w.chains[s][i] = append(w.chains[s][i], tile)
		n := blocks(w.statements[s].extents[i], w.chains[s][i])
		trips = n / w.counts[s][i]
		w.counts[s][i] = n
		w.blocks[s][i] = float64(w.statements[s].extents[i]) / n
	}
	if m.Guarded {
		trips *= guardedShare
	}
	if m.Partial != 0 { // of one statement
		w.kept *= trips
	}
	w.loops = append(w.loops, enclosing{member: m, trips: trips})
	return trips, func() {
		w.loops = w.loops[:len(w.loops)-1]
		for _, b := range before {
			w.blocks[b.statement][b.index], w.counts[b.statement][b.index] = b.size, b.count
			chain := w.chains[b.statement][b.index]
			w.chains[b.statement][b.index] = chain[:len(chain)-1]
		}
	}
}

// blocks counts the innermost blocks of n points that are cut into tiles, and these
// into smaller ones.
func blocks(n int64, tiles []int64) float64 {
	if len(tiles) == 0 {
		return 1
	}
	t := tiles[0]
	if len(tiles) == 1 {
		return float64((n + t - 1) / t)
	}
	total := 0.0
	if whole := n / t; whole > 0 {
		total = float64(whole) * blocks(t, tiles[1:])
	}
	if rest := n % t; rest > 0 {
		total += blocks(rest, tiles[1:])
	}
	return total
}

// band walks the members of a band from number k on.
func (w *walker) band(b *schedule.Band, k int) usage {
	if k == len(b.Members) {
		return w.node(b.Child)
	}
	m := b.Members[k]
	starts := m.Parallel && w.threads == 1
	trips, leave := w.enter(m)
	tasks := trips
	if starts {
		tasks = w.tasks(b, k, trips)
		w.threads = int(max(1, min(float64(w.speeds.cores), math.Ceil(tasks))))
	}
	child := w.band(b, k+1)
	fits := w.fits(&child)
	leave()
	u := w.nothing()
	u.buffers, u.references, u.threads = child.buffers, child.references, max(child.threads, w.threads)
	u.work.add(&child.work, trips)
	u.work.loop(m, trips, w.speeds.Processor)
	for i := range u.misses {
		u.misses[i] = trips * child.misses[i]
	}
	if !starts {
		w.reuse(&u, fits, nil)
		return u
	}
	threads := float64(w.threads)
	w.threads = 1
	w.reuse(&u, fits, parallelLoops(b, k))
	u.work.divide(math.Ceil(tasks/threads) / tasks)
	u.work.fork += w.speeds.Value(machine.Fork) * 1e-6 / w.speeds.cycle(int(threads))
	w.found.tasks, w.found.threads = max(w.found.tasks, tasks), max(w.found.threads, threads)
	return u
}

// parallelLoops returns the loops of the adjacent parallel members from number k on.
func parallelLoops(b *schedule.Band, k int) []schedule.Loop {
	var list []schedule.Loop
	for _, m := range b.Members[k:] {
		if !m.Parallel {
			break
		}
		list = append(list, m.Loops...)
	}
	return list
}

// tasks counts the iterations of adjacent parallel members.
func (w *walker) tasks(b *schedule.Band, k int, trips float64) float64 {
	for _, m := range b.Members[k+1:] {
		if !m.Parallel {
			break
		}
		l := m.Loops[0]
		if i, ok := w.indexOf(l); ok {
			trips *= math.Ceil(w.blocks[l.Statement][i] / float64(max(1, m.Tile)))
		}
	}
	return trips
}
