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
	s := &leaving{g: g, lanes: lanes}
	running := loop.Expr(&loop.Broadcast{X: integer(tensor.Int32, 1), Lanes: lanes})
	if g.mask != nil {
		running = choose(g.mask, integer(tensor.Int32, 1), integer(tensor.Int32, 0))
	}
	isOn := s.leave("running", running)
	left := w.leave(s)
	var found, kept []*loop.Buffer
	for _, c := range w.s.Wanted {
		found = append(found, s.keep(c.To.Name, g.p.Real))
	}
	for _, c := range w.s.Wanted {
		b := g.register(c.To.Name, g.p.Real)
		g.scope, kept = append(g.scope, b), append(kept, b)
		results = append(results, g.load(b))
	}
	l := g.fresh.Var("lane", loop.Scalar(tensor.Int64))
	at := &loop.VarRef{Var: l}
	body := g.under(nil, func() {
		one := w.ofLane(left, at)
		one.split()
		for k, e := range one.results() {
			g.emit(&loop.Store{Buffer: found[k], Index: at, Value: e})
		}
	})
	run := &loop.For{Var: l, Lo: loop.Int(0), Hi: loop.Int(int64(lanes)), Step: 1,
		Body: []loop.Stmt{&loop.If{Cond: binary(ein.Ne, isOn(at), integer(tensor.Int32, 0)), Then: body}}}
	s.fill = append(s.fill, run)
	for k := range found {
		s.fill = append(s.fill, &loop.Store{Buffer: kept[k], Index: loop.Int(0), Value: &loop.Load{Buffer: found[k], Index: loop.Int(0), Lanes: lanes}})
	}
	g.emit(allocate(s.buffers, s.fill)...)
	return results
}

// leaving collects what lanes leave in buffers for a loop over them.
type leaving struct {
	g       *generator
	lanes   int
	buffers []*loop.Buffer
	fill    []loop.Stmt
}

// perLane is the value of one lane.
type perLane func(lane loop.Expr) loop.Expr

// keep makes a buffer with a number for each lane.
func (s *leaving) keep(name string, t tensor.DType) *loop.Buffer {
	b := s.g.fresh.Buffer(name, loop.Scalar(t), int64(s.lanes), loop.Private)
	s.buffers = append(s.buffers, b)
	return b
}

// leave keeps the lanes of a value.
func (s *leaving) leave(name string, e loop.Expr) perLane {
	e = loop.Wide(e, s.lanes)
	b := s.keep(name, e.Type().Elem)
	s.fill = append(s.fill, &loop.Store{Buffer: b, Index: loop.Int(0), Value: e})
	return func(l loop.Expr) loop.Expr { return &loop.Load{Buffer: b, Index: l, Lanes: 1} }
}

func (s *leaving) each(name string, list []loop.Expr) (left []perLane) {
	for _, e := range list {
		left = append(left, s.leave(name, e))
	}
	return left
}

// leftWindow is what the lanes of a window leave.
type leftWindow struct {
	fractions, outside []perLane
	base, interior     perLane // nil where the window has none
	taps               [][]perLane
}

func (w *window) leave(s *leaving) (left leftWindow) {
	left.fractions = s.each("fraction", w.f)
	if w.base != nil {
		left.base = s.leave("base", w.base)
	}
	if w.base != nil && w.taps != nil {
		left.interior = s.leave("interior", choose(w.interior, integer(tensor.Int32, 1), integer(tensor.Int32, 0)))
	}
	for _, list := range w.taps {
		left.taps = append(left.taps, s.each("tap", list))
	}
	left.outside = s.each("outside", w.outside)
	return left
}

// ofLane is the window of one lane, whose places are proved by their form.
func (w *window) ofLane(left leftWindow, at loop.Expr) *window {
	g := w.g
	one := &window{g: g, s: w.s, sizes: w.sizes, real: w.real, sums: map[sumKey]loop.Expr{}}
	for _, f := range left.fractions {
		one.f = append(one.f, g.let("f", f(at)))
	}
	if left.base != nil {
		least, most := w.ends()
		one.base = g.let("base", binary(ein.Max, loop.Int(least), binary(ein.Min, cast(tensor.Int64, left.base(at)), loop.Int(most))))
	}
	if left.interior != nil {
		one.interior = g.let("interior", binary(ein.Ne, left.interior(at), integer(tensor.Int32, 0)))
	}
	for axis, list := range left.taps {
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
	for _, e := range left.outside {
		one.outside = append(one.outside, g.let("outside", e(at)))
	}
	return one
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
