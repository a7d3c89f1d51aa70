package estimate

import (
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/tensor"
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
	*machine.Processor
	cycle     func(threads int) float64 // seconds
	line      float64                   // bytes
	registers int
	vector    int // bytes
	cores     int
	layers    []layer
	peaks     *machine.Peaks
}

// speedsOf prepares a machine for work that is mostly on one type.
func speedsOf(m *machine.Processor, widest tensor.DType) speeds {
	p := m.Speeds()
	s := speeds{Processor: m, line: m.Value(machine.Line), registers: m.VectorRegisters, vector: m.VectorBytes, cores: max(1, m.Cores), peaks: p}
	s.cycle = func(threads int) float64 {
		if flops := p.Flops(widest, threads); flops > 0 {
			return 2 * m.Value(machine.Units) * float64(m.VectorBytes/widest.Size()) * float64(threads) / flops
		}
		return 1 / m.CyclesPerSecond()
	}
	for i := range len(p.Layers) - 1 {
		front, behind := p.Layers[i], p.Layers[i+1]
		s.layers = append(s.layers, layer{name: front.Name, behind: behind.Name, bytes: float64(front.Bytes), private: !front.Shared, streams: i > 0,
			seconds: func(threads int) float64 {
				return s.line / behind.Read.Of(threads, p.Threads)
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
