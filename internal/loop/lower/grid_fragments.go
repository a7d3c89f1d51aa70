package lower

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How fragments are multiplied
//
// The items of a group have one number, and those of a sub-group are neighbours: 8 along the rows by 4 along the columns. From the number
// follow an item's places along the axes of the tree (lanes), so that the accumulators that it holds are its lane's part of the
// fragments of results. For each group of terms the lanes load their parts of all fragments of both operands from local memory, where the
// layouts say that they lie, and multiply each of one with each of the other.

// A lane is the place of an item in its sub-group.
type lane struct {
	item        affine.Expr // its number in the group
	items       int64
	line, along affine.Expr // its number divided by four, and what is left
	pairs       affine.Expr // of the sub-groups along the columns: how many pairs of columns those before have
}

// lanes gives a launch one axis of items, and says where an item is along those of the tree.
func (l *lowerer) lanes(at *launch) {
	g, last := at.grid, len(at.counts)-1
	v := l.newVar("item")
	bound := func(name string, e affine.Expr) affine.Expr { return l.bind(&g.Body, l.newVar(name), e) }
	number := affine.Symbol(v.Name)
	at.lane = &lane{item: number, items: 1}
	inside := bound("lane", affine.Rem(number, affine.Const(ein.FragmentLanes)))
	at.lane.line = bound("line", affine.Div(inside, affine.Const(schedule.FragmentItemColumns)))
	at.lane.along = bound("along", affine.Rem(inside, affine.Const(schedule.FragmentItemColumns)))
	rest := affine.Div(number, affine.Const(ein.FragmentLanes))
	for d := last; d >= 0; d-- {
		at.lane.items *= at.counts[d]
		of, within := int64(1), affine.Expr{} // how many items of a sub-group are along the axis, and which of them this is
		switch d {
		case last:
			of, within = schedule.FragmentItemColumns, at.lane.along
		case last - 1:
			of, within = schedule.FragmentItemRows, at.lane.line
		}
		subGroups := affine.Const(at.counts[d] / of)
		first := affine.Rem(rest, subGroups).Scale(of)
		if rest = affine.Div(rest, subGroups); d == last {
			at.lane.pairs = bound("pairs", first)
			first = at.lane.pairs
		}
		at.items[d] = bound("item", first.Add(within))
	}
	g.Items, g.Width = []loop.ItemAxis{{Var: v, Count: at.lane.items}}, ein.FragmentLanes
}

// isGroup reports whether an index is that of the groups that matrix units take, of which those that do not exist are 0.
func (sc *scope) isGroup(s int, i *ein.Index) bool {
	return sc.fragments != nil && slices.Contains(sc.statements, s) && sc.fragments.Group == i
}

// fragmentProduct makes the products of a block.
type fragmentProduct struct {
	*schedule.Fragmented
	l                        *lowerer
	s                        int
	a                        *accumulator
	rows                     int64 // of fragments of X
	columns                  int64 // of fragments of Y
	x, y                     *loop.Buffer
	rowsOf, columnsOf, group string
}

// multiplyFragments computes what is in the loops over items of a statement by a matrix unit.
func (l *lowerer) multiplyFragments(sc *scope) []loop.Stmt {
	f, s := sc.fragments, sc.statements[0]
	p := &fragmentProduct{Fragmented: f, l: l, s: s, a: sc.accumulator(s), rowsOf: first(f.Rows, sc).Index, columnsOf: first(f.Columns, sc).Index, group: f.Group.Name}
	size := func(index string, of int64) int64 {
		points, known := sc.blocks[point{s, index}].size.IsConst()
		if !known || points%of != 0 {
			l.fail(l.f.Body[s].Pos, "a block of %s does not consist of fragments of %d points", index, of)
		}
		return points / of
	}
	p.rows, p.columns = size(p.rowsOf, schedule.FragmentPair*f.Rows.Items), size(p.columnsOf, schedule.FragmentPair*f.Columns.Items)
	fragments := func(a *ein.Access, layout ein.Layout, n int64) *loop.Buffer {
		return l.fresh.Buffer(a.Tensor.Name+"_fragments", loop.Scalar(a.Tensor.Type), n*int64(len(layout.Lines)), loop.Register)
	}
	p.x, p.y = fragments(f.X, f.Shape.X, p.rows), fragments(f.Y, f.Shape.Y, p.columns)
	if l.failure != nil {
		return nil
	}
	inner := sc.asItem()
	inner.fragments = nil
	return l.nest(f.Around, nil, inner, func(sc *scope) []loop.Stmt {
		steps := size(p.group, f.Shape.Depth)
		step := &loop.For{Var: l.pointVar(point{s, p.group}, "_f"), Lo: int64Const(0), Hi: int64Const(steps), Step: 1}
		if f.Unit.Unroll {
			step.Kind = loop.Unrolled
		}
		from := sc.blocks[point{s, p.group}].base.Add(affine.Symbol(step.Var.Name).Scale(f.Shape.Depth))
		step.Body = p.step(from, sc)
		return []loop.Stmt{step}
	})
}

// step multiplies all fragments over the terms from one on.
func (p *fragmentProduct) step(from affine.Expr, sc *scope) []loop.Stmt {
	shape, lane := p.Shape, sc.launch.lane
	row, column := affine.Expr{}, affine.Expr{}
	for k, m := range []*schedule.Member{p.Rows, p.Columns} {
		item := sc.launch.items[len(sc.launch.items)-2+k]
		if base := sc.blocks[point{p.s, first(m, sc).Index}].base; k == 0 {
			row = base.Add(item)
		} else { // a lane holds another column of Y than it has results of
			column = base.Add(lane.pairs.Scale(schedule.FragmentPair)).Add(lane.line)
		}
	}
	load := func(b *loop.Buffer, a *ein.Access, layout ein.Layout, number affine.Expr, lines func(line int64) affine.Expr, index string) []loop.Stmt {
		return p.load(b, a, layout, number, from, func(line int64) affine.Expr { return lines(line) }, index, sc)
	}
	loadX := p.each(p.rows, "m", func(n affine.Expr) []loop.Stmt {
		return load(p.x, p.X, shape.X, n, func(line int64) affine.Expr {
			return row.Add(n.Scale(schedule.FragmentPair * p.Rows.Items)).AddConst(line / schedule.FragmentItemRows * p.Rows.Items)
		}, p.rowsOf)
	})
	loadY := p.each(p.columns, "n", func(n affine.Expr) []loop.Stmt {
		return load(p.y, p.Y, shape.Y, n, func(line int64) affine.Expr {
			return column.Add(n.Scale(schedule.FragmentPair * p.Columns.Items)).AddConst(line)
		}, p.columnsOf)
	})
	products := p.each(p.rows, "m", func(m affine.Expr) []loop.Stmt {
		return p.each(p.columns, "n", func(n affine.Expr) []loop.Stmt { return []loop.Stmt{p.multiply(m, n)} })
	})
	body := slices.Concat(loadX, loadY, products)
	return []loop.Stmt{&loop.Alloc{Buffer: p.x, Body: []loop.Stmt{&loop.Alloc{Buffer: p.y, Body: body}}}}
}

// each writes out a loop over so many fragments.
func (p *fragmentProduct) each(n int64, name string, body func(affine.Expr) []loop.Stmt) []loop.Stmt {
	v := p.l.newVar(name)
	return []loop.Stmt{&loop.For{Var: v, Lo: int64Const(0), Hi: int64Const(n), Step: 1, Kind: loop.Unrolled, Body: body(affine.Symbol(v.Name))}}
}

// load loads a lane's part of a fragment, neighbours that lie side by side at once.
func (p *fragmentProduct) load(b *loop.Buffer, a *ein.Access, layout ein.Layout, number, from affine.Expr, line func(int64) affine.Expr, index string, sc *scope) (list []loop.Stmt) {
	st, lane := sc.storage[a.Tensor], sc.launch.lane
	if st.buffer.Region != loop.Local {
		p.l.fail(a.Pos, "%s is not in local memory where a matrix unit reads it", a.Tensor.Name)
	}
	elements := len(layout.Lines)
	at := func(e int) affine.Expr {
		env := map[string]affine.Expr{}
		for _, i := range p.l.f.Body[p.s].Indices {
			env[i.Name] = sc.blocks[point{p.s, i.Name}].base
		}
		env[index] = line(layout.Lines[e])
		env[p.group] = from.Add(lane.along.Scale(layout.Step)).AddConst(layout.Along[e])
		sum := st.offset
		for d, sub := range a.Subscripts {
			affineSub, _ := ein.AffineOf(sub)
			sum = sum.Add(st.position(d, affineSub.Subst(env)))
		}
		return sum
	}
	near, sideBySide := int(layout.Step), true
	for e := range near {
		apart, known := at(e).Sub(at(0)).IsConst()
		sideBySide = sideBySide && known && apart == int64(e)
	}
	if !sideBySide {
		near = 1
	}
	for e := 0; e < elements; e += near {
		to := number.Scale(int64(elements)).AddConst(int64(e))
		list = append(list, &loop.Store{Buffer: b, Index: p.l.toLoop(to, 1), Value: st.load(p.l.toLoop(at(e), 1), near)})
	}
	return list
}

// multiply multiplies a fragment of each operand.
func (p *fragmentProduct) multiply(m, n affine.Expr) loop.Stmt {
	at, strides := affine.Expr{}, map[string]int64{}
	for _, d := range p.a.dims {
		strides[d.index], _ = d.stride.IsConst()
	}
	at = m.Scale(schedule.FragmentPair * strides[p.rowsOf]).Add(n.Scale(schedule.FragmentPair * strides[p.columnsOf]))
	return &loop.Fragments{Z: p.a.buffers[0], X: p.x, Y: p.y, At: p.l.toLoop(at, 1), Stride: strides[p.rowsOf],
		XAt: p.l.toLoop(m.Scale(int64(len(p.Shape.X.Lines))), 1), YAt: p.l.toLoop(n.Scale(int64(len(p.Shape.Y.Lines))), 1), Depth: p.Shape.Depth}
}
