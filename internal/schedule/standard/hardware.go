package standard

import "github.com/ricci-lang/ricci/internal/machine"

// What rules ask the machine for
//
// Rules know no processor. Sizes of caches, cores and vectors are fields of the machine, what else the hardware
// does and costs are its quantities (machine/quantities.go). Here are those that several rules ask for, and
// what follows from them. Numbers that remain in rules are of three kinds: costs of pieces of code, in cycles or
// instructions, that a C compiler makes of a loop; counts of points, rows, steps or uses from which on something
// pays; and sizes that were found by measuring and are capped by a part of a cache, so that smaller caches
// have smaller blocks. Each that has a name has its kind in a list, internal/doctest/testdata/constants.txt.

// line and page are sizes in bytes.
func (mk *maker) line() int64 { return mk.m.Whole(machine.Line) }
func (mk *maker) page() int64 { return mk.m.Whole(machine.Page) }

// run is how many bytes are read side by side at least where the prefetchers of the hardware are to keep up.
func (mk *maker) run() int64 { return mk.m.Whole(machine.Run) }

// farApart is the distance in bytes from which on rows are no neighbours: the sets of the nearest cache lie along
// a page, and rows so far apart share few of them.
func (mk *maker) farApart() int64 { return mk.page() / 4 }

// How far ahead lines are asked for: of a stream, of what is read in several places, and of several rows side by side.
func (mk *maker) aheadBytes() int64  { return mk.m.Whole(machine.Ahead) }
func (mk *maker) aroundBytes() int64 { return mk.aheadBytes() * 5 / 6 }
func (mk *maker) besideBytes() int64 { return mk.aheadBytes() * 2 / 3 }

// forkCycles is the time of one thread, in clock cycles, from which a second one pays: a third more than until
// threads have begun and ended. Workers that spin start within a microsecond; waking those that sleep costs the
// caller a few.
func (mk *maker) forkCycles() float64 {
	return mk.m.Value(machine.Fork) * mk.m.Value(machine.Clock) * 1e3 * 4 / 3
}

// pending is how many lines may be on their way: with more vectors that are written past the caches at a time each
// waits for another, while nothing is computed (5 x 5, 8 or 10 vectors 7.5 ms, 12 7.9, 16 8.6; 12 where sums have no
// loop, 0.97 of the time).
func (mk *maker) pending() int64 { return mk.m.Whole(machine.Pending) }

// units is how many instructions of vector arithmetic begin in a cycle, and loads how many loads.
func (mk *maker) units() float64 { return mk.m.Value(machine.Units) }
func (mk *maker) loads() float64 { return mk.m.Value(machine.Loads) }

// loadMiss is what a load costs always, in cycles: some miss the nearest cache.
func (mk *maker) loadMiss() float64 { return mk.m.Value(machine.LoadMiss) }

// addLatency is how many cycles an addition waits for the one before.
func (mk *maker) addLatency() float64 { return mk.m.Value(machine.AddLatency) }

// nextBytes and lastBytes are what the second-level cache and those behind it deliver in a cycle beside arithmetic and
// stores, as tiles were found to count with: five eighths and two thirds of what loops that only read get.
func (mk *maker) nextBytes() float64 { return mk.m.Value(machine.NextBytes) * 5 / 8 }
func (mk *maker) lastBytes() float64 { return mk.m.Value(machine.LastBytes) * 2 / 3 }
