package machine

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// Peaks are the measured limits of a machine: what its arithmetic units and its
// layers of memory reach when nothing else holds them up (`ricci doctor --measure`).
// A machine that was never measured has none; the cost model then estimates.
type Peaks struct {
	Threads int      `json:"threads"` // of the speeds with all cores
	Rates   []Rate   `json:"rates"`
	Layers  []Memory `json:"layers"` // the fastest first; the last one is main memory
	Ratios  Ratios   `json:"ratios"` // of ways of computing
}

// A Speed is a number per second, of one thread and of all of them together.
type Speed struct {
	One float64 `json:"one"`
	All float64 `json:"all"`
}

// A Rate is the peak of a unit on an element type, in operations per second; a
// multiplication with an addition counts two.
type Rate struct {
	Type tensor.DType `json:"-"`
	Unit string       `json:"unit"` // such as "vector", "dot" or "matrix"
	Speed
}

// A Memory is a layer of memory with its bandwidths, in bytes per second. A copy counts
// what it reads and what it writes.
type Memory struct {
	Name   string `json:"name"`  // L1, L2, L3, memory
	Bytes  int64  `json:"bytes"` // its size for one core; 0 for main memory
	Shared bool   `json:"shared,omitempty"`
	Bandwidths
}

// Bandwidths are the speeds at which bytes move between a memory and a core, per second.
type Bandwidths struct {
	Read       Speed `json:"read"`
	Write      Speed `json:"write"`
	Copy       Speed `json:"copy"`
	Stream     Speed `json:"stream"`      // non-temporal stores
	StreamCopy Speed `json:"stream_copy"` // reads, and non-temporal stores
}

// A rate names its type as NumPy does.
type rateText struct {
	Type string `json:"type"`
	Unit string `json:"unit"`
	Speed
}

// MarshalJSON writes the name of the type.
func (r Rate) MarshalJSON() ([]byte, error) {
	return json.Marshal(rateText{r.Type.String(), r.Unit, r.Speed})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *Rate) UnmarshalJSON(data []byte) (err error) {
	var text rateText
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	r.Unit, r.Speed = text.Unit, text.Speed
	r.Type, err = tensor.ParseDType(text.Type)
	return err
}

// String is part of the keys of compiled kernels: equal peaks have equal texts.
func (p *Peaks) String() string {
	if p == nil {
		return "not measured"
	}
	return fmt.Sprintf("%d %v %v %v", p.Threads, p.Rates, p.Layers, p.Ratios)
}

// Of is the speed of a number of threads, supposed to grow evenly up to all cores.
func (s Speed) Of(threads, all int) float64 {
	switch {
	case threads <= 1 || all <= 1:
		return s.One
	case threads >= all:
		return s.All
	}
	return s.One + (s.All-s.One)*float64(threads-1)/float64(all-1)
}

// Flops is the best rate of multiplications and additions on elements of a type, with whatever
// unit; 0 when it is not known. The 16-bit floats may be computed with as float32, which vectors of
// some processors do faster than their instructions for pairs of bfloat16.
func (p *Peaks) Flops(t tensor.DType, threads int) float64 {
	best := 0.0
	for _, r := range p.Rates {
		if r.Type == t && r.Unit != PlainUnit {
			best = max(best, r.Of(threads, p.Threads))
		}
	}
	if t.Compute() != t {
		best = max(best, p.Flops(t.Compute(), threads))
	}
	return best
}

// VectorUnit is the unit of multiplications and additions of vectors, lane by lane; PlainUnit
// that of operations on integers that are no multiplications, DotUnit that of dot products of
// groups, MatrixUnit that of AMX.
const (
	VectorUnit = "vector"
	DotUnit    = "dot"
	PlainUnit  = "plain"
	MatrixUnit = "matrix"
)

// Parts is the peak of products of float32 whose parts are multiplied by a matrix unit
// (ein/parts.go), 0 without one for bfloat16.
func (p *Peaks) Parts(threads int) float64 {
	for _, r := range p.Rates {
		if r.Unit == MatrixUnit && r.Type == tensor.BFloat16 {
			return r.Of(threads, p.Threads) / ein.PartsProducts
		}
	}
	return 0
}

// Operations is the peak of any operations on elements of a type: of integers also of those
// that are simpler than multiplications, whatever the sign.
func (p *Peaks) Operations(t tensor.DType, threads int) float64 {
	best := p.Flops(t, threads)
	for _, r := range p.Rates {
		if r.Unit == PlainUnit && t.IsInteger() && r.Type.Size() == t.Size() {
			best = max(best, r.Of(threads, p.Threads))
		}
	}
	return best
}

// LayerOf returns the fastest memory that holds so many bytes when they are
// divided among threads; nil when nothing was measured.
func (p *Peaks) LayerOf(bytes int64, threads int) *Memory {
	for i := range p.Layers {
		l := &p.Layers[i]
		capacity := l.Bytes
		if !l.Shared {
			capacity *= int64(max(threads, 1))
		}
		if bytes <= capacity || i == len(p.Layers)-1 {
			return l
		}
	}
	return nil
}

// Seconds is how long the layer needs at least to move so many bytes: those that
// are written are taken together with as many that are read, as a copy, and the
// rest by itself. Streaming counts where it is faster.
func (l *Memory) Seconds(read, written int64, threads, all int) float64 {
	both := min(read, written)
	take := func(bytes int64, speeds ...Speed) float64 {
		best := 0.0
		for _, s := range speeds {
			best = max(best, s.Of(threads, all))
		}
		if bytes == 0 {
			return 0
		}
		return float64(bytes) / best
	}
	return take(2*both, l.Copy, l.StreamCopy) + take(read-both, l.Read) + take(written-both, l.Write, l.Stream)
}

// A Limit is what bounds the speed of a kernel from above.
type Limit struct {
	Seconds   float64 // the larger of the two
	Compute   float64 // seconds that the operations take at the peak
	Memory    float64 // seconds that the bytes take
	Layer     string  // that holds the arguments
	IsCompute bool
}

// LimitOf returns the least time for operations on elements of a type and bytes
// that must be moved, whatever the schedule; ok is false when a peak is missing.
func (p *Peaks) LimitOf(t tensor.DType, operations, read, written int64, threads int) (limit Limit, ok bool) {
	layer := p.LayerOf(read+written, threads)
	if layer == nil {
		return limit, false
	}
	if peak := p.Operations(t, threads); peak > 0 {
		limit.Compute = float64(operations) / peak
	} else if operations > 0 && t.IsFloat() {
		return limit, false
	}
	limit.Memory, limit.Layer = layer.Seconds(read, written, threads, p.Threads), layer.Name
	limit.Seconds = max(limit.Compute, limit.Memory)
	limit.IsCompute = limit.Compute > limit.Memory
	return limit, !math.IsInf(limit.Seconds, 0) && !math.IsNaN(limit.Seconds)
}
