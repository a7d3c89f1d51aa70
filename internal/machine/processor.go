package machine

import (
	"fmt"
	"slices"
)

// A Processor is what rules and the model read of a machine whose programs are schedule trees: caches that
// each core has, cores that are alike, vectors. It follows from the machine (Machine.Processor).
type Processor struct {
	VectorBytes     int   // of one vector register
	VectorRegisters int   // per core
	L1, L2, L3      int64 // bytes of the data caches that one core sees
	Cores           int   // threads that run at the same time
	Features        []string
	// Quantities are what is known besides, by their numbers; what is 0 or not there is as usual (Value).
	Quantities []float64
	// Given are the ratios that are given or assumed; those of Peaks count more (Ratios).
	Given Ratios
	// Peaks are the measured speeds; nil where nobody has measured.
	Peaks *Peaks
	// Grid is what a device has whose programs are grids of groups and items; nil of processors with threads.
	Grid *Grid
}

// Host returns the processor that the program runs on, as far as the system describes it.
func Host() *Processor { return Detect().processor() }

// Processor returns what makers of schedules read of a machine; an error says what it lacks.
func (m *Machine) Processor() (*Processor, error) {
	if !m.Trees {
		return nil, fmt.Errorf("the machine %s does not run schedule trees, which have to be its programs", m.Name)
	}
	for _, name := range []string{MainMemory, "L1", RegisterLayer, CoreLayer, LaneLayer} {
		if m.Find(name) == 0 {
			return nil, fmt.Errorf("the machine %s has no layer %s", m.Name, name)
		}
	}
	lanes := m.Layer(m.Find(LaneLayer))
	for _, fact := range []struct {
		what  string
		value int64
	}{
		{"the capacity of L1", m.bytesOf("L1")}, {"the width of " + LaneLayer, lanes.Width}, {"the registers of " + LaneLayer, lanes.Registers},
		{"the count of " + CoreLayer, m.Layer(m.Find(CoreLayer)).Units},
	} {
		if fact.value < 1 {
			return nil, fmt.Errorf("the machine %s does not say %s", m.Name, fact.what)
		}
	}
	return m.processor(), nil
}

// processor is Processor of a machine that has all the layers.
func (m *Machine) processor() *Processor {
	cores, lanes := m.Layer(m.Find(CoreLayer)), m.Layer(m.Find(LaneLayer))
	p := &Processor{VectorBytes: int(lanes.Width), VectorRegisters: int(lanes.Registers), Cores: int(cores.Units), Features: slices.Clone(lanes.Instructions), Given: lanes.Ratios}
	p.L1 = m.bytesOf("L1")
	p.L2 = max(p.L1, m.bytesOf("L2"))
	p.L3 = max(p.L2, m.bytesOf("L3"))
	p.readQuantities(m)
	p.Peaks = p.completed(m, m.peaks())
	return p
}

// bytesOf returns the capacity of a memory that a machine may not have.
func (m *Machine) bytesOf(name string) int64 {
	if n := m.Find(name); n > 0 {
		return m.Layer(n).Bytes
	}
	return 0
}

// Machine returns the machine of a processor; Machine.Processor is the inverse.
func (p *Processor) Machine() *Machine {
	cores, lanes := core(CoreLayer), core(LaneLayer)
	cores.Units = int64(p.Cores)
	lanes.Width, lanes.Registers, lanes.Instructions = int64(p.VectorBytes), int64(p.VectorRegisters), slices.Clone(p.Features)
	lanes.Ratios = p.Given
	private := func(name string, bytes int64) Layer { return copied(name, name, CoreLayer, bytes) }
	m := withTrees(HostName, []Layer{private("L1", p.L1), private("L2", p.L2), {Name: "L3", Region: "L3", Bytes: p.L3}}, cores, lanes)
	m.setQuantities(p)
	m.WithPeaks(p.Peaks)
	return m
}

// Ratios are what is known of ways of computing: measured, else given or assumed.
func (p *Processor) Ratios() Ratios {
	if p.Peaks == nil {
		return p.Given
	}
	return p.Peaks.Ratios.or(p.Given)
}

// Of returns the machine of a processor for values of some bytes.
func Of(p *Processor, elementBytes int) *Machine { return p.Machine().For(elementBytes) }

// HasMasks reports whether vectors are loaded and stored under masks that cost nothing, and put together of any lanes of two:
// those of AVX-512. Where nobody has said which instructions there are, the width of the vectors tells.
func (p *Processor) HasMasks() bool {
	if len(p.Features) == 0 {
		return p.VectorBytes >= 64
	}
	return slices.Contains(p.Features, "avx512f") || slices.Contains(p.Features, "avx512bw")
}

// HasManyRegisters reports whether the sums of a register tile leave registers for all that it reads in a step.
func (p *Processor) HasManyRegisters() bool { return p.VectorRegisters >= 32 }

// SumRegisters is how many registers sums may take: some are left for operands, relatively more where there are few.
func (p *Processor) SumRegisters() int64 {
	if p.HasManyRegisters() {
		return int64(p.VectorRegisters) * 13 / 16
	}
	return int64(p.VectorRegisters) * 3 / 4
}

// Gathers reports whether one instruction that loads from everywhere is faster than a load for
// each lane: it is where there is 16-bit float arithmetic, unless it is known to be slower. Before that came a
// microcode against gather data sampling.
func (p *Processor) Gathers() bool {
	return slices.Contains(p.Features, "avx512fp16") && p.Ratios().Gathers <= 1
}

// With returns the same machine with other vector registers and instructions, as it would be
// scheduled for. What was measured of its arithmetic units is taken to follow the length of
// the registers, where they remain; that of matrix units is their own. Of other instructions only the ratios of memory
// are known.
func (p *Processor) With(vectorBytes, vectorRegisters int, features []string) *Processor {
	other := *p
	other.VectorBytes, other.VectorRegisters, other.Features = vectorBytes, vectorRegisters, features
	same := len(features) == len(p.Features) && !slices.ContainsFunc(features, func(f string) bool { return !slices.Contains(p.Features, f) })
	if !same {
		other.Given = p.Given.ofMemory()
	}
	if p.Peaks == nil {
		return &other
	}
	peaks := *p.Peaks
	if !same {
		peaks.Ratios = p.Peaks.Ratios.ofMemory()
	}
	peaks.Rates = nil
	scale := float64(vectorBytes) / float64(p.VectorBytes)
	for _, r := range p.Peaks.Rates {
		if r.Type.Compute() == r.Type && (r.Unit == VectorUnit || r.Unit == PlainUnit) {
			r.One, r.All = r.One*scale, r.All*scale
			peaks.Rates = append(peaks.Rates, r)
		} else if r.Unit == MatrixUnit && other.MultipliesMatrices(r.Type) {
			peaks.Rates = append(peaks.Rates, r)
		}
	}
	other.Peaks = &peaks
	return &other
}

// Shared guesses how many bytes the cores that one sees may count on in the last cache: a
// virtual machine is told the size of all of it, where its neighbours have the most.
func (p *Processor) Shared() int64 {
	return min(p.L3, max(p.L2, p.Whole(Share))*int64(max(p.Cores, 1)))
}
