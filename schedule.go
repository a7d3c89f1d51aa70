package ricci

import "github.com/ricci-lang/ricci/internal/compile"

// A Schedule is the order in which a def computes, for given sizes, as loops that are
// transformed: TeML's transformations, by the same names and with the same checks. It
// starts with one nest of loops for each statement, in the order of the program, and
// is never changed: every method returns a new value.
//
// Methods apply to one nest, at first that of the last statement; Of selects another.
// Levels count the loops of a nest from 1 at the outside. A transformation that does not
// fit leaves an error behind, and what follows has no effect: Err and Text return it.
// Whether the program keeps its meaning is asked in the end, by Text: between the steps it
// need not.
type Schedule struct{ nests *compile.Nests }

// Schedule returns the schedule of the def for given sizes that runs its statements as
// they are written. An error is kept, see Schedule.Err.
func (d *Def) Schedule(sizes map[string]int64, options Options) *Schedule {
	return &Schedule{compile.NestsOf(d.source, sizes, options.internal())}
}

// Default starts again with the nests of Ricci's default schedule for the statements as
// they are written, of which there may be fewer than statements; the last one is selected.
func (s *Schedule) Default() *Schedule { return &Schedule{s.nests.Default()} }

// Script starts again with the nests that a TeML script makes, which is written as for
// Options.Schedule; name is that of its file, for messages. The last nest is selected.
func (s *Schedule) Script(name, text string) *Schedule {
	return &Schedule{s.nests.Script(name, text)}
}

// Of selects the nest that computes a tensor. Where several statements write it, it is the
// last one's.
func (s *Schedule) Of(tensor string) *Schedule { return &Schedule{s.nests.Of(tensor)} }

// Apply applies a transformation by its name in TeML. Arguments are integers and names.
// What TeML composes of others, such as tile, is composed here by the same definitions.
func (s *Schedule) Apply(name string, args ...any) *Schedule {
	return &Schedule{s.nests.Apply(name, args...)}
}

// anys makes arguments of Apply.
func anys[T any](list []T) []any {
	args := make([]any, len(list))
	for k, v := range list {
		args[k] = v
	}
	return args
}

// Stripmine cuts level r into a loop over blocks of v and a loop inside of them.
func (s *Schedule) Stripmine(r, v int) *Schedule { return s.Apply("stripmine", r, v) }

// Interchange exchanges the loops at levels r1 and r2.
func (s *Schedule) Interchange(r1, r2 int) *Schedule { return s.Apply("interchange", r1, r2) }

// FuseOuter shares the outer r loops with the nest that computes another tensor, whose
// body comes second. Nothing may need what is computed between the two.
func (s *Schedule) FuseOuter(tensor string, r int) *Schedule {
	return &Schedule{s.nests.Fuse("fuse_outer", tensor, r)}
}

// FuseUnion is FuseOuter for loops whose ranges differ by constants: each body runs in
// its own range.
func (s *Schedule) FuseUnion(tensor string, r int) *Schedule {
	return &Schedule{s.nests.Fuse("fuse_union", tensor, r)}
}

// FuseInner makes one loop of the loops that stand side by side at level r.
func (s *Schedule) FuseInner(r int) *Schedule { return s.Apply("fuse_inner", r) }

// Unroll writes out the iterations of level r, which is no level any more.
func (s *Schedule) Unroll(r int) *Schedule { return s.Apply("unroll", r) }

// Parallelize spreads the iterations of level r over threads.
func (s *Schedule) Parallelize(r int) *Schedule { return s.Apply("parallelize", r) }

// Groups makes the iterations of level r groups of a grid, on a device.
func (s *Schedule) Groups(r int) *Schedule { return s.Apply("groups", r) }

// Items spreads the iterations of level r over n items of each group.
func (s *Schedule) Items(r, n int) *Schedule { return s.Apply("items", r, n) }

// Vectorize computes the iterations of level r by vectors: of as many lanes as the machine
// has, unless a number of lanes follows.
func (s *Schedule) Vectorize(r int, lanes ...int) *Schedule {
	return s.Apply("vectorize", append([]any{r}, anys(lanes)...)...)
}

// StripmineN cuts each of the first n levels into blocks of v.
func (s *Schedule) StripmineN(n, v int) *Schedule { return s.Apply("stripmine_n", n, v) }

// InterchangeN moves level r inwards by n levels.
func (s *Schedule) InterchangeN(r, n int) *Schedule { return s.Apply("interchange_n", r, n) }

// Tile cuts all levels into blocks of a size, with the loops over blocks outside; of several
// sizes each cuts one of the first levels.
func (s *Schedule) Tile(sizes ...int) *Schedule { return s.Apply("tile", anys(sizes)...) }

// Permute brings the levels into an order, outermost first; those that are not named stay
// further in.
func (s *Schedule) Permute(levels ...int) *Schedule { return s.Apply("permute", anys(levels)...) }

// UnrollPartial writes out blocks of f iterations of level r.
func (s *Schedule) UnrollPartial(r, f int) *Schedule { return s.Apply("unroll_partial", r, f) }

// UnrollJam writes out blocks of f iterations of level r inside of the innermost loop.
func (s *Schedule) UnrollJam(r, f int) *Schedule { return s.Apply("unroll_jam", r, f) }

// Promote keeps the block of a tensor that is used inside of level r, or everywhere when r
// is 0, in memory of its own: private, unless register or workspace follows.
func (s *Schedule) Promote(r int, tensor string, region ...string) *Schedule {
	return s.Apply("promote", append([]any{r, tensor}, anys(region)...)...)
}

// Pack copies the blocks of an input that are used inside of level r, or everywhere when
// r is 0, beforehand, with its dimensions in an order: the slowest first, from 1.
func (s *Schedule) Pack(r int, tensor string, dimensions ...int) *Schedule {
	return s.Apply("pack", append([]any{r, tensor}, anys(dimensions)...)...)
}

// Pad makes the last block of level r as large as the others.
func (s *Schedule) Pad(r int) *Schedule { return s.Apply("pad", r) }

// Stream lets what the vectors of level r write go past the caches.
func (s *Schedule) Stream(r int) *Schedule { return s.Apply("stream", r) }

// Ahead lets the vectors of level r ask for the memory that they reach some bytes later.
func (s *Schedule) Ahead(r, bytes int) *Schedule { return s.Apply("ahead", r, bytes) }

// Prefetch lets the vectors of level r2 ask for what they read and write in the next
// iteration of level r1.
func (s *Schedule) Prefetch(r1, r2 int) *Schedule { return s.Apply("prefetch", r1, r2) }

// Skew runs level r2 over the sum of its iterator and f times that of level r1.
func (s *Schedule) Skew(r1, r2, f int) *Schedule { return s.Apply("skew", r1, r2, f) }

// Shift adds n to the iterator of level r, which says what it meets in FuseUnion.
func (s *Schedule) Shift(r, n int) *Schedule { return s.Apply("shift", r, n) }

// Reverse runs level r from its last iteration to the first.
func (s *Schedule) Reverse(r int) *Schedule { return s.Apply("reverse", r) }

// Bind runs level r on a core layer of the machine: COR (threads) or SIMD (lanes).
func (s *Schedule) Bind(r int, layer string) *Schedule { return s.Apply("bind", r, layer) }

// Unchecked leaves out the test that the schedule keeps the dependences of the program.
// The results may then be wrong; what they are made of stays in bounds.
func (s *Schedule) Unchecked() *Schedule { return &Schedule{s.nests.Unchecked()} }

// Err returns the first error of the steps so far, not of the schedule as a whole, which
// Text checks.
func (s *Schedule) Err() error { return s.nests.Err() }

// Text returns the schedule as a tree, for Options.Schedule. The error of one that breaks
// a dependence names the transformation that broke it, and shows two instances.
func (s *Schedule) Text() (string, error) { return s.nests.Text() }

// Warnings returns which of the marks of loops, such as those of Parallelize and Vectorize,
// have no effect in the schedule, and why. There are none where Text has an error.
func (s *Schedule) Warnings() []*Diagnostic { return s.nests.Warnings() }

// String prints the nests as loops around the statements of the program.
func (s *Schedule) String() string { return s.nests.String() }

// Steps prints the selected nest after each of the transformations that made it. Marks that have
// no effect in the end say so from the beginning.
func (s *Schedule) Steps() string { return s.nests.Steps() }
