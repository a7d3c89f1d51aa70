package estimate

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/tensor"
)

const (
	lineBytes = 64
	pageBytes = 4096
	l1Ways    = 8
)

// A layer is a boundary in front of which data is kept: what does not fit comes
// from the memory behind it.
type layer struct {
	name    string
	behind  string                    // the name of the memory behind it
	bytes   float64                   // capacity
	private bool                      // every core has one
	streams bool                      // what is behind it is brought in advance if runs are long
	seconds func(threads int) float64 // to bring one line
	// What a line costs that is written, of those that are brought for it and taken back;
	// and one that is streamed past the caches.
	written, streamed func(threads int) float64
}

// speeds are what the model knows of a machine.
type speeds struct {
	cycle     func(threads int) float64 // seconds
	registers int
	vector    int // bytes
	cores     int
	layers    []layer
	peaks     *machine.Peaks
}

// Guesses for a machine that was not measured: a core of 2.5 GHz with two units for
// multiply-add and what caches and memory give it.
const guessedClock = 2.5e9

// guessedUnits are the units that processors have, with the operations of a cycle: on each
// element of a vector, or all of them of a unit that has no vectors.
var guessedUnits = []struct {
	unit       string
	dtype      tensor.DType
	feature    string // without which a machine has none; empty for units of all
	operations float64
}{
	{machine.VectorUnit, tensor.Float32, "", 4},
	{machine.VectorUnit, tensor.Float64, "", 4},
	{machine.VectorUnit, tensor.Float16, "avx512fp16", 4},
	{machine.VectorUnit, tensor.Int32, "", 1.25},
	{machine.PlainUnit, tensor.Int8, "", 2},
	{machine.PlainUnit, tensor.Int16, "", 2},
	{machine.PlainUnit, tensor.Int32, "", 2},
	{machine.PlainUnit, tensor.Int64, "", 2},
	{machine.DotUnit, tensor.BFloat16, "avx512bf16", 1},
	{machine.DotUnit, tensor.Int8, "avx512vnni", 4},
	{machine.MatrixUnit, tensor.BFloat16, "amx_bf16", 2 * 16 * 32},
	{machine.MatrixUnit, tensor.Int8, "amx_int8", 2 * 16 * 64},
}

// guess returns peaks for a machine that has none.
func guess(m *machine.Processor) *machine.Peaks {
	all := func(one float64) machine.Speed { return machine.Speed{One: one, All: one * float64(m.Cores)} }
	p := &machine.Peaks{Threads: m.Cores}
	for _, u := range guessedUnits {
		perCycle := u.operations
		if u.unit != machine.MatrixUnit {
			perCycle *= float64(m.VectorBytes / u.dtype.Size())
		}
		if u.feature == "" || slices.Contains(m.Features, u.feature) {
			p.Rates = append(p.Rates, machine.Rate{Type: u.dtype, Unit: u.unit, Speed: all(guessedClock * perCycle)})
		}
	}
	l1 := guessedClock * 2 * float64(m.VectorBytes)
	memory := machine.Speed{One: 12e9, All: min(12e9*float64(m.Cores), 40e9)}
	half := func(s machine.Speed) machine.Speed { return machine.Speed{One: s.One / 2, All: s.All / 2} }
	for _, l := range []struct {
		name   string
		bytes  int64
		shared bool
		read   machine.Speed
	}{
		{"L1", m.L1, false, all(l1)},
		{"L2", m.L2, false, all(l1 / 4)},
		{"L3", m.Shared(), true, all(l1 / 12)},
		{"memory", 0, true, memory},
	} {
		p.Layers = append(p.Layers, machine.Memory{Name: l.name, Bytes: l.bytes, Shared: l.shared, Bandwidths: machine.Bandwidths{Read: l.read, Write: half(l.read), Copy: l.read}})
	}
	return p
}

// speedsOf prepares a machine for work that is mostly on one type.
func speedsOf(m *machine.Processor, widest tensor.DType) speeds {
	p := m.Peaks
	if p == nil || len(p.Layers) < 2 {
		p = guess(m)
	}
	s := speeds{registers: m.VectorRegisters, vector: m.VectorBytes, cores: max(1, m.Cores), peaks: p}
	s.cycle = func(threads int) float64 {
		if flops := p.Flops(widest, threads); flops > 0 {
			return 4 * float64(m.VectorBytes/widest.Size()) * float64(threads) / flops
		}
		return 1 / guessedClock
	}
	for i := range len(p.Layers) - 1 {
		front, behind := p.Layers[i], p.Layers[i+1]
		s.layers = append(s.layers, layer{name: front.Name, behind: behind.Name, bytes: float64(front.Bytes), private: !front.Shared, streams: i > 0,
			seconds: func(threads int) float64 {
				return lineBytes / behind.Read.Of(threads, p.Threads)
			},
			written:  writeCost(behind.Read, behind.Copy, p.Threads),
			streamed: writeCost(behind.Read, behind.StreamCopy, p.Threads),
		})
	}
	return s
}

// writeCost returns what writing a line costs as a part of reading two, from the speeds
// of reading and of copying: a copy reads one line for each that it writes.
func writeCost(read, copied machine.Speed, all int) func(threads int) float64 {
	return func(threads int) float64 {
		if copied.Of(threads, all) == 0 {
			return 1
		}
		return min(1.5, max(0.5, read.Of(threads, all)/copied.Of(threads, all)-0.5))
	}
}
