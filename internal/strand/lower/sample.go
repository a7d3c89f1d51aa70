package lower

import (
	"math"
	"slices"

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
//
// Most windows of an image with a border lie inside of it all the same. Where they do they are read as others are: all taps
// follow from the place of one. Otherwise each tap of each axis has an index of its own.

// A window is the state of lowering one sample.
type window struct {
	g        *generator
	s        *strand.Sample
	sizes    []int
	real     tensor.DType         // in which weights and sums are computed
	f        []loop.Expr          // for each axis
	base     loop.Expr            // of the voxel below the position, int64, inside; nil: only taps are known
	taps     [][]loop.Expr        // for each axis: of its taps, int64, multiplied by their stride; nil: only base is known
	valid    [][]loop.Expr        // of the border Constant, beside taps: whether they are inside
	outside  []loop.Expr          // what stands there, for each component
	read     map[string]loop.Expr // voxels of that border
	interior loop.Expr            // where both are known: that base may be used
	weights  []*axisWeights       // for each axis
	sums     map[sumKey]loop.Expr
}

// sample emits a probe.
func (g *generator) sample(s *strand.Sample) {
	w := &window{g: g, s: s, sizes: g.o.Images[s.Image.Name], real: g.p.Real, sums: map[sumKey]loop.Expr{}}
	if g.o.Exact {
		w.real = tensor.Float64
	}
	inside := w.place()
	g.outside(s, inside)
	for _, l := range s.Outside {
		w.outside = append(w.outside, g.read(l))
	}
	var results []loop.Expr
	switch {
	case w.base == nil && w.taps == nil: // nowhere is inside
		for range s.Wanted {
			results = append(results, real(g.p.Real, 0))
		}
	case w.lanes() > 1:
		results = w.eachLane()
	default:
		w.split()
		results = w.results()
	}
	for k, c := range s.Wanted {
		g.assign(c.To, results[k])
	}
}

// lanes is how many the position has.
func (w *window) lanes() int {
	n := 1
	for _, e := range slices.Concat(w.f, w.outside) {
		n = max(n, e.Type().Lanes)
	}
	return n
}

// results computes the components.
func (w *window) results() (results []loop.Expr) {
	g := w.g
	switch {
	case w.base != nil && w.taps != nil:
		return w.either()
	case w.byRows():
		return w.rows()
	}
	for _, c := range w.s.Wanted {
		results = append(results, g.let(c.To.Name, cast(g.p.Real, w.component(c))))
	}
	return results
}

// either reads the window in the way that its place asks for.
func (w *window) either() (results []loop.Expr) {
	g := w.g
	var found []*loop.Buffer
	for _, c := range w.s.Wanted {
		b := g.fresh.Buffer(c.To.Name, loop.Scalar(g.p.Real), 1, loop.Register)
		g.scope, found, results = append(g.scope, b), append(found, b), append(results, g.load(b))
	}
	read := func(change func(*window)) []loop.Stmt {
		one := &window{g: g, s: w.s, sizes: w.sizes, real: w.real, f: w.f, base: w.base, taps: w.taps, valid: w.valid, outside: w.outside, read: map[string]loop.Expr{}, sums: map[sumKey]loop.Expr{}}
		change(one)
		return g.block(func() {
			for k, e := range one.results() {
				g.storeWhere(found[k], e, nil)
			}
		})
	}
	inner := read(func(one *window) { one.taps = nil })
	outer := read(func(one *window) { one.base = nil })
	g.emit(&loop.If{Cond: w.interior, Then: inner, Else: outer})
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

// failing has the lanes fail, at a place and with numbers, of which a condition does not hold.
func (g *generator) failing(s strand.Stmt, holds loop.Expr, at []loop.Expr, numbers ...loop.Expr) {
	site := len(g.kernel.Faults)
	g.kernel.Faults = append(g.kernel.Faults, s)
	fails := g.let("fails", binary(ein.And, not(holds), g.isSound()))
	g.where(fails, func() {
		g.store(g.end, integer(tensor.Int32, Failed))
		g.store(g.site, integer(tensor.Int32, int64(site)))
		for axis, x := range at {
			g.store(g.places[axis], x)
		}
		for k, n := range numbers {
			g.store(g.noted[k], n)
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
	var interior loop.Expr
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
		interior = both(interior, binary(ein.Ge, n[axis], integer(whole, int64(support-1))))
		interior = both(interior, binary(ein.Lt, n[axis], integer(whole, int64(w.sizes[axis]-support))))
		fits = fits && w.sizes[axis] >= 2*support
	}
	if w.s.Border == strand.NoBorder {
		interior = both(inside, interior)
		inside = interior
	}
	inside = g.let("inside", inside)
	if w.s.Border != strand.NoBorder {
		for axis := range n {
			w.taps = append(w.taps, w.bordered(cast(tensor.Int64, n[axis]), int64(w.sizes[axis]), w.stride(axis)))
		}
	}
	if !fits || w.s.Border != strand.NoBorder && g.o.Exact {
		return inside
	}
	if w.interior = inside; w.s.Border != strand.NoBorder {
		w.interior = g.let("interior", interior)
	}
	for axis := range n {
		safe := choose(w.interior, n[axis], integer(whole, int64(support-1)))
		at := binary(ein.Mul, cast(tensor.Int64, g.let("q", safe)), loop.Int(w.stride(axis)))
		if axis == 0 {
			w.base = at
		} else {
			w.base = binary(ein.Add, at, w.base)
		}
	}
	w.base = g.let("base", w.base)
	return inside
}

// split tells the taps of the border Constant that are inside, and brings the others there: what they read is not used.
func (w *window) split() {
	if w.s.Border != strand.Constant {
		return
	}
	g := w.g
	w.read = map[string]loop.Expr{}
	for axis, list := range w.taps {
		most := loop.Int(w.stride(axis) * int64(w.sizes[axis]-1))
		var safe, valid []loop.Expr
		for _, tap := range list {
			safe = append(safe, g.let("safe", binary(ein.Max, loop.Int(0), binary(ein.Min, tap, most))))
			valid = append(valid, g.let("valid", binary(ein.Eq, safe[len(safe)-1], tap)))
		}
		w.taps[axis], w.valid = safe, append(w.valid, valid)
	}
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
		case strand.Constant: // one outside is as far as any
			i = binary(ein.Max, loop.Int(-1), binary(ein.Min, i, loop.Int(size)))
		}
		taps = append(taps, w.g.let("tap", binary(ein.Mul, i, loop.Int(stride))))
	}
	return taps
}
