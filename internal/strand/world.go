package strand

import (
	"context"
	"io"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
)

// ReduceBlock is how many strands are folded before partial results are joined, in order.
const ReduceBlock = 4096

// Options say how a world runs; all of them but ShowStable and Only give the same results.
type Options struct {
	// ForceBSP runs super-steps where strands cannot notice each other, too.
	ForceBSP bool
	// BruteForce answers queries by looking at all strands.
	BruteForce bool
	// Order gives the order in which n strands of a step run; nil is that of their numbers.
	Order func(n int) []int
	// ShowStable has strands that stabilize be seen as they end by those that run after them in the
	// same step, as the original does, whose recorded outputs show it. Results then depend on the
	// order of strands, so it is not what a program means.
	ShowStable bool
	// Print is where texts go; nil is nowhere.
	Print io.Writer
	// Only has the numbers of the first strands that are created, ascending; nil is all. Outputs are lists of
	// these. It is right where strands cannot notice each other.
	Only []int
	// Memory is the most bytes that strands, and what they make, may take; 0 is any number. More is a fault before it is
	// made.
	Memory int64
}

// maxStrands is how many strands a program may create at first.
const maxStrands = 1<<31 - 1

// A World is a running program.
type World struct {
	program *Program
	options Options
	run     *runner
	images  map[*Image]*ImageData
	strings []string // those of the program, and of inputs

	grid    []int     // the extents of an array
	strands []*strand // alive, in the order of their numbers
	lowest  int       // the number of the first strand, 0 but in an Outline and for Options.Only
	active  int       // how many strands are
	created int       // how many there ever were
	step    int       // how many steps were run
	exitAll []ExitKind
	lookup  *Cells // of the states at the start of a step, once it is asked for
	moved   []int  // strands of the step that others see where they have ended, for Options.ShowStable
	ended   error  // why no more steps are run
	memory  budget
}

// values are what a strand keeps: scalars of parameters and states, and dynamic sequences.
type values struct {
	scalars   []ein.Number
	sequences [][]ein.Number
}

// A strand is its values at the start of a step, and what the step makes.
type strand struct {
	number   int
	place    int // where others keep it, for an Outline
	step     int // that it runs
	isStable bool
	fresh    bool // its start has not run
	in       *values
	seen     *values // by others: in, but where Options.ShowStable says otherwise

	out     *values
	end     flow
	printed []text
	born    []*strand
}

// A text is what a strand has printed in a step.
type text struct {
	step int
	data []byte
}

// NewWorld checks a program, gives it its inputs and images, initialises globals, creates strands,
// and runs the global start.
func NewWorld(ctx context.Context, p *Program, given Given, options Options) (*World, error) {
	w, err := prepare(ctx, p, given, options)
	if err != nil {
		return nil, err
	}
	if err := w.create(); err != nil {
		return nil, err
	}
	if err := w.global(w.run.globalStart); err != nil {
		return nil, err
	}
	return w, nil
}

// prepare is NewWorld up to the creation of strands.
func prepare(ctx context.Context, p *Program, given Given, options Options) (*World, error) {
	if err := Verify(p); err != nil {
		return nil, err
	}
	w := &World{program: p, options: options, images: map[*Image]*ImageData{}, strings: slices.Clone(p.Strings)}
	var err error
	if w.run, err = compile(w); err != nil {
		return nil, err
	}
	w.run.ctx = ctx
	if err := w.take(given); err != nil {
		return nil, err
	}
	if err := w.global(w.run.initialize); err != nil {
		return nil, err
	}
	return w, nil
}

// global runs a block of the world, and what it wants of all strands.
func (w *World) global(block code) error {
	block()
	if w.run.fault != nil {
		return w.run.fault
	}
	for _, kind := range w.exitAll {
		if err := w.endAll(kind); err != nil {
			return err
		}
	}
	w.exitAll = nil
	return nil
}

// endAll has all active strands stabilize or die.
func (w *World) endAll(kind ExitKind) error {
	for _, s := range w.strands {
		switch {
		case s.isStable:
			s.end = onward
		case kind == Stabilize:
			w.enter(s, w.step)
			w.conclude(s, stabilized)
		default:
			s.end, s.out = died, s.in
		}
	}
	return w.finish()
}

// ranges runs what computes the ranges of iterators. It returns the lowest values, and how many strands there are.
func (w *World) ranges() (low []int64, total int, err error) {
	r, c := w.run, &w.program.Create
	r.before()
	if r.fault != nil {
		return nil, 0, r.fault
	}
	low = make([]int64, len(c.Iterators))
	total = 1
	for k := range c.Iterators {
		low[k] = r.low[k]().Int
		extent, high := 0, r.high[k]().Int
		if high >= low[k] {
			apart := uint64(high) - uint64(low[k]) // which no int64 need hold
			if apart >= maxStrands || total > maxStrands/int(apart+1) {
				return nil, 0, problem(source.StrandTooMany, c.Pos, "the program creates more than %d strands", maxStrands)
			}
			extent = int(apart) + 1
		}
		w.grid = append(w.grid, extent)
		total *= extent
	}
	return low, total, nil
}

// first makes strand n of the first ones.
func (w *World) first(low []int64, n int) error {
	r, c := w.run, &w.program.Create
	for k, at := range w.place(n) {
		r.scalar.Set(r.scalar.Slot(c.Iterators[k].Variable.Parts[0]), ein.Number{Int: low[k] + int64(at)})
	}
	if r.body() != failed {
		r.create(r.arguments, c.Pos)
	}
	if r.fault != nil || r.expired() {
		return r.fault
	}
	return nil
}

// create makes the first strands, the last iterator being the fastest.
func (w *World) create() error {
	low, total, err := w.ranges()
	if err != nil {
		return err
	}
	count := total
	if w.options.Only != nil {
		count = len(w.options.Only)
	}
	if err := w.crowded(count, int64(count)*w.perStrand()); err != nil {
		return err
	}
	for n := range total {
		if w.options.Only != nil {
			if _, is := slices.BinarySearch(w.options.Only, n); !is {
				continue
			}
			w.lowest = n - len(w.strands) // so that it keeps its number
		}
		if err := w.first(low, n); err != nil {
			return err
		}
	}
	w.created, w.active = total, len(w.strands)
	w.flush(0)
	return nil
}

// place returns the position in the grid of creation.
func (w *World) place(n int) []int {
	at := make([]int, len(w.grid))
	for k := len(at) - 1; k >= 0; k-- {
		at[k] = n % w.grid[k]
		n /= w.grid[k]
	}
	return at
}

// gridPlace is the place of a strand of an array, nil in a collection.
func (w *World) gridPlace(n int) []int {
	if w.program.Create.Collection {
		return nil
	}
	return w.place(n)
}

// Count returns the number of strands of a set.
func (w *World) Count(set Set) int {
	switch set {
	case Active:
		return w.active
	case Stable:
		return len(w.strands) - w.active
	}
	return len(w.strands)
}

// Steps returns how many super-steps were run.
func (w *World) Steps() int { return w.step }

// has reports whether a strand is in a set.
func (s *strand) has(set Set) bool { return set == All || s.isStable == (set == Stable) }
