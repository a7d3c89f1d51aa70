package lower

import (
	"math"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/tensor"
)

// How strands see others
//
// States that strands read of others are copied before a step (Shared), since they change while it runs. Who called also sorts
// the strands that are alive into uniform cells over the box around them (strand.Cells): a query walks through the cells that the box
// around its position meets, and puts the strands that are near into a list. Cells are computed in float64 by the operations of
// strand.Cells, for a box that is larger than any rounding; distances as strand.Evaluate has them. Cells come one after the other, and so the
// list is sorted: by merging runs of 1, 2, 4, … elements, which all lanes do in step, from one column to the other and back.

// axes are what is known of the cells along the axes.
type cellAxis struct{ low, size, count loop.Expr }

// seen adds what strands see of others.
func (g *generator) seen() {
	states, queries := map[*ein.Local]bool{}, false
	sequences := map[*strand.Variable]bool{}
	for _, b := range strandBlocks(g.p) {
		strand.Walk(b, func(s strand.Stmt) {
			switch s := s.(type) {
			case *strand.Query:
				queries = true
			case *strand.Get:
				sequences[s.State] = s.State.Type.Dynamic
				for _, l := range s.State.Parts {
					states[l] = true
				}
			}
		})
	}
	pos := g.p.Variable("pos")
	if queries {
		for _, l := range pos.Parts {
			states[l] = true
		}
	}
	g.shared, g.copies = map[*ein.Local]*loop.Buffer{}, map[*strand.Variable]*list{}
	for _, v := range g.p.ByRole(strand.State) {
		for _, l := range v.Parts {
			if states[l] {
				b := g.array(Argument{Kind: Shared, Name: l.Name + "_before", Type: l.DType, Locals: []*ein.Local{l}}, 0, binary(ein.Add, g.count, loop.Int(1)))
				b.ReadOnly, g.shared[l] = true, b
			}
		}
		if sequences[v] {
			g.copies[v] = g.newList(List{Name: v.Name + "_before", Columns: g.kernel.Lists[g.kept[v].number].Columns, Strands: true, Before: true, Sequence: v})
		}
	}
	if queries {
		g.cellArguments(len(pos.Parts))
	}
}

// cellArguments adds the cells.
func (g *generator) cellArguments(dim int) {
	g.cells = g.numberOf(Cells, "cells")
	places := g.array(Argument{Kind: CellPlaces, Name: "cell_places", Type: tensor.Float64}, int64(2*dim), nil)
	counts := g.array(Argument{Kind: CellCounts, Name: "cell_counts", Type: tensor.Int64}, int64(dim), nil)
	for axis := range dim {
		at := func(name string, b *loop.Buffer, k int) loop.Expr {
			return g.let(name, &loop.Load{Buffer: b, Index: loop.Int(int64(k)), Lanes: 1})
		}
		g.cellAxes = append(g.cellAxes, cellAxis{at("low", places, 2*axis), at("size", places, 2*axis+1), at("count", counts, axis)})
	}
	g.cellFirst = g.array(Argument{Kind: CellFirst, Name: "cell_first", Type: tensor.Int64}, 0, binary(ein.Add, g.cells, loop.Int(1)))
	g.cellList = g.array(Argument{Kind: CellList, Name: "cell_strands", Type: tensor.Int64}, 0, binary(ein.Add, g.count, loop.Int(1)))
	g.cellFirst.ReadOnly, g.cellList.ReadOnly = true, true
}

// along is the cell of a coordinate, as strand.Cells has it.
func (g *generator) along(axis int, x loop.Expr) loop.Expr {
	a := g.cellAxes[axis]
	zero := real(tensor.Float64, 0)
	place := binary(ein.Div, binary(ein.Sub, x, a.low), a.size)
	most := cast(tensor.Float64, binary(ein.Sub, a.count, loop.Int(1)))
	return g.let("cell", cast(tensor.Int64, binary(ein.Max, zero, binary(ein.Min, place, most))))
}

// query lists the strands that are near.
func (g *generator) query(s *strand.Query) {
	to := g.lists[s.To]
	g.store(to.length, loop.Int(0))
	radius := g.named("radius", s.Radius)
	limit := g.let("limit", binary(ein.Mul, radius, radius))
	holds := binary(ein.Gt, radius, real(g.p.Real, 0))
	absolute, _ := ein.LookupBuiltin("fabs")
	most := real(g.p.Real, math.MaxFloat32)
	if g.p.Real == tensor.Float64 {
		most = real(g.p.Real, math.MaxFloat64)
	}
	pos := g.p.Variable("pos").Parts
	around := make([]loop.Expr, len(pos))
	for axis, l := range pos {
		if s.Center != nil {
			around[axis] = g.named("around", s.Center[axis])
		} else {
			around[axis] = g.let("around", &loop.Load{Buffer: g.shared[l], Index: g.first, Lanes: g.lanes, Mask: g.valid})
		}
		holds = binary(ein.And, holds, binary(ein.Le, &loop.Call{Func: absolute, Args: []loop.Expr{around[axis]}}, most))
	}
	g.where(g.let("holds", holds), func() {
		reach := g.let("reach", binary(ein.Add, binary(ein.Mul, cast(tensor.Float64, radius), real(tensor.Float64, strand.ReachFactor)), real(tensor.Float64, strand.ReachMore)))
		low, high := make([]loop.Expr, len(pos)), make([]loop.Expr, len(pos))
		for axis := range pos {
			x := g.let("x", cast(tensor.Float64, around[axis]))
			low[axis], high[axis] = g.along(axis, binary(ein.Sub, x, reach)), g.along(axis, binary(ein.Add, x, reach))
		}
		g.rows(0, loop.Int(0), low, high, func(who loop.Expr) {
			var square loop.Expr
			for axis, l := range pos {
				apart := g.let("apart", binary(ein.Sub, around[axis], gather(g.shared[l], who)))
				squared := binary(ein.Mul, apart, apart)
				if square != nil {
					squared = binary(ein.Add, square, squared)
				}
				square = g.let("square", squared)
			}
			near := binary(ein.And, binary(ein.Ne, who, g.index), binary(ein.Lt, square, limit))
			g.where(g.let("near", near), func() { g.put(to, who) })
		})
		g.sort(to)
	})
}

// rows visits the strands of the cells of a box, whose numbers begin with those of the axes before.
func (g *generator) rows(axis int, number loop.Expr, low, high []loop.Expr, visit func(who loop.Expr)) {
	number = binary(ein.Mul, number, g.cellAxes[axis].count)
	if axis < len(low)-1 {
		extent := g.let("extent", binary(ein.Add, binary(ein.Sub, high[axis], low[axis]), loop.Int(1)))
		g.turns("row", extent, nil, func(k loop.Expr) {
			g.rows(axis+1, g.let("number", binary(ein.Add, number, binary(ein.Add, low[axis], k))), low, high, visit)
		})
		return
	}
	firstOf := func(cell loop.Expr) loop.Expr {
		return g.let("first", gather(g.cellFirst, g.let("cell", clamped(binary(ein.Add, number, cell), g.cells))))
	}
	first, behind := firstOf(low[axis]), firstOf(binary(ein.Add, high[axis], loop.Int(1)))
	g.turns("candidate", g.let("candidates", binary(ein.Sub, behind, first)), nil, func(k loop.Expr) {
		at := g.let("at", clamped(binary(ein.Add, first, k), g.count))
		visit(g.let("who", clamped(gather(g.cellList, at), g.count)))
	})
}

// get reads a state that another strand had at the start of the step.
func (g *generator) get(s *strand.Get) {
	who := g.let("who", clamped(g.read(s.Strand.Parts[0]), g.count))
	if s.State.Type.Dynamic {
		from, to := g.copies[s.State], g.lists[s.To]
		g.store(to.length, loop.Int(0))
		g.putAll(to, g.let("length", gather(from.lengths, who)), func(k loop.Expr) (values []loop.Expr) {
			at := g.let("at", from.within(who, k))
			for _, b := range from.columns {
				values = append(values, gather(b, at))
			}
			return values
		})
		return
	}
	for k, l := range s.State.Parts {
		g.assign(s.To.Parts[k], gather(g.shared[l], who))
	}
}

// sort brings the first column of a list into order; the second one is room for it.
func (g *generator) sort(l *list) {
	length := g.countOf(l)
	most := length
	if g.lanes > 1 {
		wanted := length
		if g.mask != nil {
			wanted = choose(g.mask, length, loop.Int(0))
		}
		most = g.let("most", &loop.Fold{Op: ein.Max, X: wanted})
	}
	width := g.fresh.Buffer("width", loop.Scalar(tensor.Int64), 1, loop.Register)
	left, right := g.register("left", tensor.Int64), g.register("right", tensor.Int64)
	g.emit(allocate([]*loop.Buffer{width, left, right}, g.block(func() {
		g.storeWhere(width, loop.Int(1), nil)
		g.emit(&loop.While{Cond: binary(ein.Lt, g.load(width), most), Body: g.block(func() {
			w := g.let("w", g.load(width))
			g.merge(l, 0, w, length, most, left, right)
			g.merge(l, 1, g.let("w", binary(ein.Mul, w, loop.Int(2))), length, most, left, right)
			g.storeWhere(width, binary(ein.Mul, w, loop.Int(4)), nil)
		})})
	}))...)
}

// merge joins neighbours among runs of a width in one of the columns, to the other one.
func (g *generator) merge(l *list, column int, w, length, most loop.Expr, left, right *loop.Buffer) {
	from, to := l.columns[column], l.columns[1-column]
	two := g.let("two", binary(ein.Mul, w, loop.Int(2)))
	run := g.fresh.Var("run", loop.Scalar(tensor.Int64))
	runs := binary(ein.Div, binary(ein.Add, most, binary(ein.Sub, two, loop.Int(1))), two)
	g.emit(&loop.For{Var: run, Lo: loop.Int(0), Hi: runs, Step: 1, Body: g.block(func() {
		low := g.let("low", binary(ein.Mul, &loop.VarRef{Var: run}, two))
		middle := g.let("middle", binary(ein.Min, binary(ein.Add, low, w), length))
		high := g.let("high", binary(ein.Min, binary(ein.Add, low, two), length))
		g.storeWhere(left, low, nil)
		g.storeWhere(right, middle, nil)
		v := g.fresh.Var("k", loop.Scalar(tensor.Int64))
		k := &loop.VarRef{Var: v}
		body := func() {
			i, j := g.let("i", g.load(left)), g.let("j", g.load(right))
			a := g.let("a", gather(from, g.let("at", l.place(g, i))))
			b := g.let("b", gather(from, g.let("at", l.place(g, j))))
			takes := g.let("takes", binary(ein.And, binary(ein.Lt, i, middle), binary(ein.Or, binary(ein.Ge, j, high), binary(ein.Lt, a, b))))
			at := g.let("at", loop.Wide(l.place(g, k), g.lanes))
			g.emit(&loop.Store{Buffer: to, Index: at, Value: choose(takes, a, b), Mask: g.mask})
			one := choose(takes, loop.Wide(loop.Int(1), g.lanes), loop.Int(0))
			g.store(left, binary(ein.Add, i, one))
			g.store(right, binary(ein.Add, j, binary(ein.Sub, loop.Int(1), one)))
		}
		g.emit(&loop.For{Var: v, Lo: low, Hi: binary(ein.Min, binary(ein.Add, low, two), most), Step: 1, Body: g.block(func() {
			g.where(binary(ein.Lt, loop.Wide(k, g.lanes), length), body)
		})})
	})})
}
