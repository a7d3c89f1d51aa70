package lower

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/tensor"
)

// How the lanes of a packet probe
//
// Lanes look at different windows, and gathering each tap for all of them takes processors as long as reading it lane by lane.
// So positions are tested and split for all lanes at once, and left in memory; then one lane after the other that runs reads its
// window, by rows where it can, and leaves what it found. That a lane's window is inside of the image follows from the
// ends of the range of its first tap, between which it is brought once more: loop.Verify knows nothing of what is in memory.

// eachLane reads the windows of the lanes.
func (w *window) eachLane() (results []loop.Expr) {
	g, lanes := w.g, w.lanes()
	var buffers []*loop.Buffer
	keep := func(name string, e loop.Expr) *loop.Buffer {
		b := g.fresh.Buffer(name, loop.Scalar(e.Type().Elem), int64(lanes), loop.Private)
		buffers = append(buffers, b)
		return b
	}
	var fill []loop.Stmt
	leave := func(name string, e loop.Expr) func(l loop.Expr) loop.Expr {
		e = broadcast(e, lanes)
		b := keep(name, e)
		fill = append(fill, &loop.Store{Buffer: b, Index: loop.Int(0), Value: e})
		return func(l loop.Expr) loop.Expr { return &loop.Load{Buffer: b, Index: l, Lanes: 1} }
	}
	running := loop.Expr(&loop.Broadcast{X: integer(tensor.Int32, 1), Lanes: lanes})
	if g.mask != nil {
		running = choose(g.mask, integer(tensor.Int32, 1), integer(tensor.Int32, 0))
	}
	isOn := leave("running", running)
	var fractions []func(loop.Expr) loop.Expr
	for _, f := range w.f {
		fractions = append(fractions, leave("fraction", f))
	}
	var base, interior func(loop.Expr) loop.Expr
	if w.base != nil {
		base = leave("base", w.base)
	}
	if w.base != nil && w.taps != nil {
		interior = leave("interior", choose(w.interior, integer(tensor.Int32, 1), integer(tensor.Int32, 0)))
	}
	taps := make([][]func(loop.Expr) loop.Expr, len(w.taps))
	for axis, list := range w.taps {
		for _, tap := range list {
			taps[axis] = append(taps[axis], leave("tap", tap))
		}
	}
	var outside []func(loop.Expr) loop.Expr
	for _, e := range w.outside {
		outside = append(outside, leave("outside", e))
	}
	var found, kept []*loop.Buffer
	for _, c := range w.s.Wanted {
		found = append(found, keep(c.To.Name, real(g.p.Real, 0)))
	}
	for _, c := range w.s.Wanted {
		b := g.register(c.To.Name, g.p.Real)
		g.scope, kept = append(g.scope, b), append(kept, b)
		results = append(results, g.load(b))
	}
	l := g.fresh.Var("lane", loop.Scalar(tensor.Int64))
	at := &loop.VarRef{Var: l}
	one := &window{g: g, s: w.s, sizes: w.sizes, real: w.real, sums: map[sumKey]loop.Expr{}}
	body := g.under(nil, func() {
		for _, f := range fractions {
			one.f = append(one.f, g.let("f", f(at)))
		}
		if base != nil {
			least, most := w.ends()
			one.base = g.let("base", binary(ein.Max, loop.Int(least), binary(ein.Min, cast(tensor.Int64, base(at)), loop.Int(most))))
		}
		if interior != nil {
			one.interior = g.let("interior", binary(ein.Ne, interior(at), integer(tensor.Int32, 0)))
		}
		for axis, list := range taps {
			var mine []loop.Expr
			most := loop.Int(w.stride(axis) * int64(w.sizes[axis]-1))
			for _, tap := range list {
				if w.s.Border == strand.Constant { // which says by it that it is outside
					mine = append(mine, g.let("tap", tap(at)))
				} else {
					mine = append(mine, binary(ein.Max, loop.Int(0), binary(ein.Min, tap(at), most)))
				}
			}
			one.taps = append(one.taps, mine)
		}
		for _, e := range outside {
			one.outside = append(one.outside, g.let("outside", e(at)))
		}
		one.split()
		for k, e := range one.results() {
			g.emit(&loop.Store{Buffer: found[k], Index: at, Value: e})
		}
	})
	run := &loop.For{Var: l, Lo: loop.Int(0), Hi: loop.Int(int64(lanes)), Step: 1,
		Body: []loop.Stmt{&loop.If{Cond: binary(ein.Ne, isOn(at), integer(tensor.Int32, 0)), Then: body}}}
	fill = append(fill, run)
	for k := range found {
		fill = append(fill, &loop.Store{Buffer: kept[k], Index: loop.Int(0), Value: &loop.Load{Buffer: found[k], Index: loop.Int(0), Lanes: lanes}})
	}
	g.emit(allocate(buffers, fill)...)
	return results
}

// stride is the distance of voxels along an axis.
func (w *window) stride(axis int) int64 {
	stride := int64(1)
	for _, n := range w.sizes[:axis] {
		stride *= int64(n)
	}
	return stride
}

// ends are the least and the greatest place of the voxel below a position inside.
func (w *window) ends() (least, most int64) {
	support := int64(w.s.Kernel.Support)
	for axis, n := range w.sizes {
		least += (support - 1) * w.stride(axis)
		most += (int64(n) - support - 1) * w.stride(axis)
	}
	return least, most
}
