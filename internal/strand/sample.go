package strand

import (
	"fmt"
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/field"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// sample compiles a probe: the sum over the support of voxels times a weight for each axis, the
// kernel or a derivative of it at the distance from the voxel. Weights and sums are float64.
func (r *runner) sample(s *Sample) code {
	at, outside, to := r.slots(s.At), r.slots(s.Outside), make([]int, len(s.Wanted))
	for k, c := range s.Wanted {
		to[k] = r.scalar.Slot(c.To)
	}
	derivatives := s.Kernel.derivatives(s.Wanted)
	return func() flow {
		data := r.w.images[s.Image]
		n, f := make([]int, len(at)), make([]float64, len(at))
		for axis, slot := range at {
			x := r.scalar.Get(slot).Float
			if !finite(x) || s.Border == NoBorder && !s.Kernel.covers(x, data.Sizes[axis]) {
				return r.outside(s, data)
			}
			floor := math.Floor(x)
			n[axis], f[axis] = r.whole(floor), x-floor
		}
		for k, c := range s.Wanted {
			weights := make([][]float64, len(at))
			for axis, order := range c.Orders {
				weights[axis] = weigh(derivatives[order], f[axis])
			}
			w := &windowSum{ImageData: data, voxel: c.Voxel, first: 1 - s.Kernel.Support, n: n, weights: weights, border: s.Border}
			if s.Border == Constant {
				w.outside = r.scalar.Get(outside[c.Voxel]).Float
			}
			value := w.sum(len(at)-1, 0, false)
			r.scalar.Set(to[k], ein.Number{Float: roundTo(r.w.program.Real, value)})
		}
		return onward
	}
}

// whole is the integer of a position without a fraction: of 32 bits where reals have that many, for such is what lanes of
// vectors count in, and far enough from the ends of int64 otherwise.
func (r *runner) whole(x float64) int {
	if r.w.program.Real == tensor.Float32 {
		return int(max(math.MinInt32, min(x, math.MaxInt32)))
	}
	return int(max(-1<<53, min(x, 1<<53)))
}

// covers reports whether the support around a place in an axis is inside.
func (k *Kernel) covers(x float64, size int) bool {
	n, s := math.Floor(x), float64(k.Support)
	return s-1 <= n && n < float64(size)-s
}

// outside is the fault of a probe.
func (r *runner) outside(s *Sample, data *ImageData) flow {
	index := make([]float64, len(s.At))
	for axis, l := range s.At {
		index[axis] = r.scalar.Get(r.scalar.Slot(l)).Float
	}
	return r.fail(source.StrandProbe, s.Pos, probeHelp, "%s", s.outside(data, index))
}

const probeHelp = "ask inside(x, F) before, or give the image a border: clamp, mirror, wrap or a value"

// outside says where a probe is, in world space and in that of the image.
func (s *Sample) outside(data *ImageData, index []float64) string {
	position := slices.Clone(data.Origin)
	for axis, x := range index {
		for row := range position {
			position[row] += data.Directions[row*len(s.At)+axis] * x
		}
	}
	what := "the image " + s.Image.Name
	if s.Field != "" {
		what = "the field " + s.Field
	}
	return fmt.Sprintf("%s is probed at %.6g, which is outside: at %.6g of the samples %v of %s, of which %s needs %d on each side",
		what, position, index, data.Sizes, s.Image.Name, s.Kernel.Name, s.Kernel.Support)
}

// A windowSum is the sum over the samples around a place.
type windowSum struct {
	*ImageData
	voxel, first int
	n            []int
	weights      [][]float64
	border       Border
	outside      float64 // what stands outside of an image with the border Constant
}

// sum adds up the axes from axis down to 0. offset is the sample so far, in voxels, unless that is outside.
func (s *windowSum) sum(axis, offset int, isOutside bool) float64 {
	total := 0.0
	for k, w := range s.weights[axis] {
		i, size := s.n[axis]+s.first+k, s.Sizes[axis]
		at, out := offset*size+s.border.index(i, size), isOutside || s.border == Constant && (i < 0 || i >= size)
		switch {
		case axis > 0:
			total += w * s.sum(axis-1, at, out)
		case out:
			total += w * s.outside
		default:
			total += w * s.Samples[at*s.Components+s.voxel]
		}
	}
	return total
}

// index maps the index of a sample into an axis.
func (b Border) index(i, size int) int {
	switch b {
	case Clamp, Constant:
		return min(max(i, 0), size-1)
	case Mirror:
		if i < 0 {
			i = -1 - i
		}
		if r := i % size; i/size%2 == 0 {
			return r
		}
		return size - 1 - i%size
	case Wrap:
		return (i%size + size) % size
	}
	return i
}

// derivatives are the weights of the samples around a place as polynomials, those of a kernel and of its derivatives up to
// the highest that is wanted (field.Kernel.Taps).
func (k *Kernel) derivatives(wanted []Component) [][][]float64 {
	most := 0
	for _, c := range wanted {
		most = max(most, slices.Max(c.Orders))
	}
	of := &field.Kernel{Support: k.Support, Pieces: k.Pieces}
	var all [][][]float64
	for order := range most + 1 {
		var rounded [][]float64
		for _, tap := range of.Taps(order) {
			row := make([]float64, len(tap))
			for power, c := range tap {
				row[power], _ = c.Float64()
			}
			rounded = append(rounded, row)
		}
		all = append(all, rounded)
	}
	return all
}

// weigh gives the values of taps at n+f, whose even and odd powers are added up for themselves.
func weigh(taps [][]float64, f float64) []float64 {
	w := make([]float64, len(taps))
	g := f - 0.5
	q := g * g
	for m, tap := range taps {
		var parts [2]float64
		for power := len(tap) - 1; power >= 0; power-- {
			parts[power%2] = parts[power%2]*q + tap[power]
		}
		w[m] = parts[0] + g*parts[1]
	}
	return w
}
