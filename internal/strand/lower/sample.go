package lower

import (
	"math"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/tensor"
)

// How a sample is computed
//
// The position x in index space gives n = floor(x), an int32 (positions that it cannot hold are
// nowhere near an image), and f = x - n. The taps are the voxels n + 1 - s to n + s of each axis,
// where s is the support. Weights are polynomials (weights.go). Options.Exact has the arithmetic of
// strand.Evaluate, float64 and in its order. Sums are taken over the rows of the fastest axis first, and are shared
// by all components that want them: a gradient takes three sums over rows, not three times four.

// A window is the state of lowering one sample.
type window struct {
	g       *generator
	s       *strand.Sample
	sizes   []int
	real    tensor.DType   // in which weights and sums are computed
	index   [][]loop.Expr  // for each axis: of its taps, int64, multiplied by their stride
	base    loop.Expr      // where all taps of all axes follow from one; nil otherwise
	f       []loop.Expr    // for each axis
	weights []*axisWeights // for each axis
	sums    map[sumKey]loop.Expr
}

// sample emits a probe.
func (g *generator) sample(s *strand.Sample) {
	w := &window{g: g, s: s, sizes: g.o.Images[s.Image.Name], real: g.p.Real, sums: map[sumKey]loop.Expr{}}
	if g.o.Exact {
		w.real = tensor.Float64
	}
	inside := w.place()
	g.outside(s, inside)
	var results []loop.Expr
	switch {
	case w.index == nil: // nowhere is inside
		for range s.Wanted {
			results = append(results, real(g.p.Real, 0))
		}
	case w.lanes() > 1:
		results = w.eachLane()
	default:
		results = w.results()
	}
	for k, c := range s.Wanted {
		g.assign(c.To, results[k])
	}
}

// lanes is how many the position has.
func (w *window) lanes() int {
	n := 1
	for _, f := range w.f {
		n = max(n, f.Type().Lanes)
	}
	return n
}

// results computes the components where all taps are known.
func (w *window) results() (results []loop.Expr) {
	if w.byRows() {
		return w.rows()
	}
	for _, c := range w.s.Wanted {
		results = append(results, w.g.let(c.To.Name, cast(w.g.p.Real, w.component(c))))
	}
	return results
}

// outside has the lanes fail that probe outside.
func (g *generator) outside(s *strand.Sample, inside loop.Expr) {
	var at []loop.Expr
	for _, l := range s.At {
		at = append(at, g.read(l))
	}
	g.failing(s, inside, at)
}

// failing has the lanes fail, at a place, of which a condition does not hold.
func (g *generator) failing(s strand.Stmt, holds loop.Expr, at []loop.Expr) {
	site := len(g.kernel.Faults)
	g.kernel.Faults = append(g.kernel.Faults, s)
	fails := g.let("fails", binary(ein.And, not(holds), binary(ein.Ne, g.load(g.end), integer(tensor.Int32, Failed))))
	g.where(fails, func() {
		g.store(g.end, integer(tensor.Int32, Failed))
		g.store(g.site, integer(tensor.Int32, int64(site)))
		for axis, x := range at {
			g.store(g.places[axis], x)
		}
	})
}

// place computes where the taps are, and returns the test that they may be read.
func (w *window) place() (inside loop.Expr) {
	g, support := w.g, w.s.Kernel.Support
	floor, _ := ein.LookupBuiltin("floor")
	whole, most := tensor.Int32, real(g.p.Real, math.MaxFloat32)
	if g.p.Real == tensor.Float64 {
		whole, most = tensor.Int64, real(g.p.Real, math.MaxFloat64)
	}
	absolute, _ := ein.LookupBuiltin("fabs")
	fits := true
	var n []loop.Expr
	for axis, l := range w.s.At {
		x := g.let("x", g.read(l))
		down := g.let("down", &loop.Call{Func: floor, Args: []loop.Expr{x}})
		f := binary(ein.Sub, x, down)
		if g.o.Exact {
			f = binary(ein.Sub, cast(tensor.Float64, x), cast(tensor.Float64, down))
		}
		w.f = append(w.f, g.let("f", f))
		if whole == tensor.Int64 { // so that sums do not wrap
			down = binary(ein.Max, real(g.p.Real, -1<<53), binary(ein.Min, down, real(g.p.Real, 1<<53)))
		}
		n = append(n, g.let("n", cast(whole, down)))
		if w.s.Border != strand.NoBorder || support == 1 { // else n of a NaN, which is 0, is outside
			inside = both(inside, binary(ein.Le, &loop.Call{Func: absolute, Args: []loop.Expr{x}}, most))
		}
		if w.s.Border == strand.NoBorder {
			inside = both(inside, binary(ein.Ge, n[axis], integer(whole, int64(support-1))))
			inside = both(inside, binary(ein.Lt, n[axis], integer(whole, int64(w.sizes[axis]-support))))
			fits = fits && w.sizes[axis] >= 2*support
		}
	}
	inside = g.let("inside", inside)
	if !fits {
		return inside
	}
	stride := int64(1)
	for axis := range n {
		if w.s.Border == strand.NoBorder {
			safe := choose(inside, n[axis], integer(whole, int64(support-1)))
			at := binary(ein.Mul, cast(tensor.Int64, g.let("q", safe)), loop.Int(stride))
			if axis == 0 {
				w.base = at
			} else {
				w.base = binary(ein.Add, at, w.base)
			}
			taps := make([]loop.Expr, 2*support)
			for k := range taps {
				taps[k] = loop.Int(int64(k+1-support) * stride)
			}
			w.index = append(w.index, taps)
		} else {
			w.index = append(w.index, w.bordered(cast(tensor.Int64, n[axis]), int64(w.sizes[axis]), stride))
		}
		stride *= int64(w.sizes[axis])
	}
	if w.base != nil {
		w.base = g.let("base", w.base)
	}
	return inside
}

// bordered computes the taps of an axis that may lie outside.
func (w *window) bordered(n loop.Expr, size, stride int64) (taps []loop.Expr) {
	support := w.s.Kernel.Support
	for k := range 2 * support {
		i := binary(ein.Add, n, loop.Int(int64(k+1-support)))
		switch w.s.Border {
		case strand.Clamp:
			i = binary(ein.Max, loop.Int(0), binary(ein.Min, i, loop.Int(size-1)))
		case strand.Mirror: // what follows twice the size is the same again, and the second half runs back
			i = w.g.let("turned", binary(ein.Mod, i, loop.Int(2*size)))
			i = binary(ein.Min, binary(ein.Min, i, binary(ein.Sub, loop.Int(2*size-1), i)), loop.Int(size-1))
		case strand.Wrap:
			i = binary(ein.Mod, i, loop.Int(size))
		}
		taps = append(taps, w.g.let("tap", binary(ein.Mul, i, loop.Int(stride))))
	}
	return taps
}
