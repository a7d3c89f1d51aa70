package machine

import (
	"slices"

	"github.com/ricci-lang/ricci/tensor"
)

// guessedUnits are the units that processors have, with the operations of a cycle and a unit of vectors on each
// element of a vector; of a matrix unit those of one product in a tile.
var guessedUnits = []struct {
	unit       string
	dtype      tensor.DType
	feature    string // without which a machine has none; empty for units of all
	operations float64
}{
	{VectorUnit, tensor.Float32, "", 2},
	{VectorUnit, tensor.Float64, "", 2},
	{VectorUnit, tensor.Float16, "avx512fp16", 2},
	{VectorUnit, tensor.Int32, "", 0.625},
	{PlainUnit, tensor.Int8, "", 1},
	{PlainUnit, tensor.Int16, "", 1},
	{PlainUnit, tensor.Int32, "", 1},
	{PlainUnit, tensor.Int64, "", 1},
	{DotUnit, tensor.BFloat16, "avx512bf16", 0.5},
	{DotUnit, tensor.Int8, "avx512vnni", 2},
	{MatrixUnit, tensor.BFloat16, "amx_bf16", 2},
	{MatrixUnit, tensor.Int8, "amx_int8", 2},
}

// Speeds returns the peaks of a machine: those that are known, or guesses from its clock and its vectors.
func (p *Processor) Speeds() *Peaks {
	if p.Peaks != nil && len(p.Peaks.Layers) > 1 {
		return p.Peaks
	}
	return p.guess()
}

// guess makes peaks of a processor of which no speed is known.
func (p *Processor) guess() *Peaks {
	cores := float64(max(1, p.Cores))
	all := func(one float64) Speed { return Speed{One: one, All: one * cores} }
	peaks := &Peaks{Threads: p.Cores}
	clock := p.CyclesPerSecond()
	for _, u := range guessedUnits {
		perCycle := u.operations * p.Value(Units) * float64(p.VectorBytes/u.dtype.Size())
		if u.unit == MatrixUnit {
			perCycle = u.operations * p.tileProducts(u.dtype) / p.Value(TileCycles)
		}
		if u.feature == "" || slices.Contains(p.Features, u.feature) {
			peaks.Rates = append(peaks.Rates, Rate{Type: u.dtype, Unit: u.unit, Speed: all(clock * perCycle)})
		}
	}
	memory := Speed{One: p.Value(OneCore) * 1e9, All: p.Value(AllCores) * 1e9}
	memory.All = min(memory.One*cores, memory.All)
	for _, l := range []Memory{
		{Name: "L1", Bytes: p.L1, Bandwidths: Bandwidths{Read: all(clock * p.Value(Loads) * float64(p.VectorBytes))}},
		{Name: "L2", Bytes: p.L2, Bandwidths: Bandwidths{Read: all(clock * p.Value(NextBytes))}},
		{Name: "L3", Bytes: p.Shared(), Shared: true, Bandwidths: Bandwidths{Read: all(clock * p.Value(LastBytes))}},
		{Name: "memory", Shared: true, Bandwidths: Bandwidths{Read: memory}},
	} {
		peaks.Layers = append(peaks.Layers, l.complete())
	}
	return peaks
}

// tileProducts is how many products of elements of a type a matrix unit makes of two tiles: of all rows of one with the
// columns of the other, whose rows are groups.
func (p *Processor) tileProducts(t tensor.DType) float64 {
	return p.Value(TileRows) * (p.Value(TileRow) / wordBytes) * min(p.Value(TileRow), p.Value(TileRows)*wordBytes) / float64(t.Size())
}

// wordBytes is the size of what a matrix unit sums in, and of a group.
const wordBytes = 4

// complete guesses the speeds of a memory that is read at a known one.
func (l Memory) complete() Memory {
	if l.Write == (Speed{}) {
		l.Write = Speed{One: l.Read.One / 2, All: l.Read.All / 2}
	}
	if l.Copy == (Speed{}) {
		l.Copy = l.Read
	}
	return l
}

// completed adds guesses to the speeds that are known of a machine where some are missing: whoever edits a machine
// need not know all of them. It is nil where none is known.
func (p *Processor) completed(m *Machine, known *Peaks) *Peaks {
	if len(known.Rates) == 0 && len(known.Layers) == 0 {
		return nil
	}
	guessed := p.guess()
	peaks := &Peaks{Threads: known.Threads, Rates: known.Rates}
	if len(peaks.Rates) == 0 {
		peaks.Rates = guessed.Rates
	}
	find := func(list []Memory, name string) (l Memory, ok bool) {
		at := slices.IndexFunc(list, func(l Memory) bool { return l.Name == name })
		if at < 0 {
			return l, false
		}
		return list[at], true
	}
	for _, l := range slices.Backward(m.Layers) {
		if l.Core || l.Name == RegisterLayer {
			continue
		}
		name := shortName(l.Name)
		guess, usual := find(guessed.Layers, name)
		memory, said := find(known.Layers, name)
		switch {
		case !said && !usual:
			continue
		case !said:
			memory = guess
		case memory.Read == (Speed{}):
			memory.Read = guess.Read
		}
		if memory.Bytes == 0 {
			memory.Bytes = guess.Bytes
		}
		peaks.Layers = append(peaks.Layers, memory.complete())
	}
	return peaks
}
