package cuda

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/device/card"
	"github.com/ricci-lang/ricci/internal/machine"
)

// A generation is what the multiprocessors of an architecture are, as far as drivers do not say it.
type generation struct {
	since     int      // the first architecture, such as 80; up to that of the next row
	lanes     float64  // additions of float32 in a cycle
	double    float64  // such in the time of one of float64
	integer   float64  // such in the time of one of integers of 32 bits; those of 64 bits take two
	fragments float64  // products of float16 in a cycle of the matrix units
	ahead     float64  // bytes of a copy that runs ahead; 0: none does
	groups    float64  // at the same time
	near      float64  // bytes of the first cache, beside what groups usually take of it for local memory
	mma       []string // instructions, for the types of all of which the matrix units take the deepest products (ein.FragmentShapes)
}

// generations are in order. Lanes, doubles, integers and groups are those of NVIDIA's CUDA C++ Programming Guide (Arithmetic Instructions, and Technical
// Specifications per Compute Capability); fragments follow from the peaks of the data sheets of V100, T4, A100, A40, L40S and H100, which for the
// last one mma.sync reaches to five eighths.
var generations = []generation{
	{since: 70, lanes: 64, double: 2, integer: 1, fragments: 512, groups: 32, near: 64 << 10},
	{since: 75, lanes: 64, double: 32, integer: 1, fragments: 512, groups: 16, near: 32 << 10},
	{since: 80, lanes: 64, double: 2, integer: 1, fragments: 1024, ahead: 16, groups: 32, near: 128 << 10, mma: mmaOfAmpere},
	{since: 86, lanes: 128, double: 64, integer: 2, fragments: 512, ahead: 16, groups: 16, near: 64 << 10, mma: mmaOfAmpere},
	{since: 89, lanes: 128, double: 64, integer: 2, fragments: 512, ahead: 16, groups: 24, near: 64 << 10, mma: mmaOfAmpere},
	{since: 90, lanes: 128, double: 2, integer: 2, fragments: 1280, ahead: 16, groups: 32, near: 128 << 10, mma: mmaOfAmpere},
	{since: 100, lanes: 128, double: 2, integer: 2, fragments: 1280, ahead: 16, groups: 32, near: 128 << 10, mma: mmaOfAmpere},
	{since: 120, lanes: 128, double: 64, integer: 1, fragments: 512, ahead: 16, groups: 24, near: 64 << 10, mma: mmaOfAmpere},
}

var mmaOfAmpere = []string{"mma_f16", "mma_bf16", "mma_tf32", "mma_int8"}

// generationOf is the row of an architecture; one that is older than all has none.
func generationOf(sm int) (of generation) {
	for _, g := range generations {
		if g.since <= sm {
			of = g
		}
	}
	return of
}

// instructions are those of machines: the architecture with all before it, and the matrix units'.
func (g generation) instructions() (list []string) {
	for _, other := range generations {
		if other.since <= g.since {
			list = append(list, fmt.Sprintf("sm_%d", other.since))
		}
	}
	return append(list, g.mma...)
}

// The bytes of the last cache that a multiprocessor gets in a cycle: what microbenchmarks find from V100 to H100.
const cachedInCycle = 24

// describe asks what a block and a grid may have, and how fast a card is. The driver tells of clocks in kHz, of which memory moves two words
// in a cycle.
func (f *found) describe() {
	f.registers, f.processors = int64(f.attribute(attributeRegisters)), f.attribute(attributeProcessors)
	l := card.Limit{Region: "SM", Bytes: int64(max(f.attribute(attributeShared), f.attribute(attributeSharedGiven))), Items: int64(f.attribute(attributeThreads)), Cores: int64(f.processors)}
	for i := range l.Along {
		l.Along[i] = int64(f.attribute(attributeThreadsX + uintptr(i)))
		l.Groups[i] = int64(f.attribute(attributeBlocksX + uintptr(i)))
	}
	asked := func(number uintptr) float64 { return float64(f.attribute(number)) }
	g, clock := generationOf(int(f.major)*10+int(f.minor)), asked(attributeClock)/1e6
	memory := 2 * asked(attributeMemoryClock) * 1e3 * asked(attributeMemoryWidth) / 8 / 1e9
	l.Instructions = g.instructions()
	l.Quantities = map[machine.Quantity]float64{
		machine.GroupClock: clock, machine.GroupsBytes: memory, machine.LastCache: asked(attributeLastCache),
		machine.ResidentItems: asked(attributeResident), machine.LocalInCore: asked(attributeLocalInCore), machine.RegisterFile: 4 * asked(attributeRegisterFile),
		machine.ItemLanes: g.lanes, machine.ItemDouble: g.double, machine.ItemInteger: g.integer, machine.ItemLong: 2 * g.integer, machine.Fragments: g.fragments, machine.ItemAhead: g.ahead,
		machine.ResidentGroups: g.groups, machine.NearCache: g.near,
	}
	if clock > 0 && memory > 0 { // no cache is slower than what is behind it
		l.Quantities[machine.LastCached] = max(memory, cachedInCycle*float64(f.processors)*clock)
	}
	f.limit = l
}
