package lower

import (
	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// place gives a tensor storage for the current block. A temporary is computed
// there; an input is copied, so that what the block reads lies densely.
func (l *lowerer) place(n *schedule.Place, sc *scope) []loop.Stmt {
	t := l.f.Tensor(n.Tensor)
	st := &storage{base: make([]affine.Expr, len(t.Dims)), strides: make([]affine.Expr, len(t.Dims))}
	sizes, points := make([]int64, len(t.Dims)), make([]affine.Expr, len(t.Dims))
	fast := len(t.Dims) - 1 // the dimension that gets stride 1
	lanes := 1
	for d, dim := range t.Dims {
		base, size := dim.Min, dim.Extent
		points[d] = size
		if b, shift, ok := l.footprint(t, d, sc); ok {
			base, size, points[d] = b.base.Add(shift), b.size, b.points()
		}
		length, ok := size.IsConst()
		if !ok {
			l.fail(t.Pos, "%s is placed in %s but its size %s is not known", t.Name, n.Region, size)
		}
		st.base[d], sizes[d] = base, length
		if w := l.vectorWidth(t, d, n.Child, sc); w > 1 {
			fast, lanes = d, w
		}
	}
	order := fastestFirst(len(sizes), fast)
	if n.Layout != nil {
		for k, d := range n.Layout {
			order[len(order)-1-k] = d - 1
		}
		if order[0] != fast { // vectors lie across the rows of the copy
			fast, lanes = order[0], 1
		}
	}
	stride := int64(1)
	for _, d := range order {
		st.strides[d] = affine.Const(stride)
		stride *= sizes[d]
	}
	region := loop.Private
	if n.Region == schedule.Register {
		region = loop.Register
	}
	st.buffer = l.register(t.Name+"_block", loop.Scalar(t.Type), stride, region)
	var body []loop.Stmt
	if t.Role == ein.Input {
		body = l.copyBlock(sc.storage[t], st, points, fast, lanes)
	}
	body = append(body, l.node(n.Child, sc.withStorage(t, st))...)
	return []loop.Stmt{&loop.Alloc{Buffer: st.buffer, Body: body}}
}

// fastestFirst lists n dimensions from the one with stride 1 to the slowest.
func fastestFirst(n, fast int) []int {
	var list []int
	if n > 0 {
		list = append(list, fast)
	}
	for d := n - 1; d >= 0; d-- {
		if d != fast {
			list = append(list, d)
		}
	}
	return list
}

// uses calls visit with the subscripts by which the active statements determine
// the block of a tensor: the writes of a temporary, the reads of an input.
func (l *lowerer) uses(t *ein.Tensor, sc *scope, visit func(s int, c *ein.Comprehension, subscripts []ein.Expr)) {
	for _, s := range sc.statements {
		c := l.f.Body[s]
		if t.Role == ein.Input {
			for _, a := range c.Accesses() {
				if a.Tensor == t {
					visit(s, c, a.Subscripts)
				}
			}
			continue
		}
		for _, w := range c.Writes {
			if w.Tensor == t {
				visit(s, c, w.Subscripts)
			}
		}
	}
}

// footprint returns the block of the index that runs along dimension d of t, when
// all uses have that block: every subscript is such an index plus a constant.
func (l *lowerer) footprint(t *ein.Tensor, d int, sc *scope) (b block, shift affine.Expr, ok bool) {
	seen := false
	l.uses(t, sc, func(s int, c *ein.Comprehension, subscripts []ein.Expr) {
		index, n, linear := schedule.IndexPlusConstant(c, subscripts[d])
		if !linear {
			seen, ok = true, false
			return
		}
		other, otherShift := sc.blocks[point{s, index.Name}], affine.Const(n)
		if !seen {
			b, shift, seen, ok = other, otherShift, true, true
			return
		}
		ok = ok && b.sameAs(shift, other, otherShift)
	})
	return b, shift, ok
}

// vectorWidth returns the lanes of the vectors that run along dimension d of t.
func (l *lowerer) vectorWidth(t *ein.Tensor, d int, below schedule.Node, sc *scope) int {
	lanes := 1
	l.uses(t, sc, func(s int, c *ein.Comprehension, subscripts []ein.Expr) {
		if index, _, ok := schedule.IndexPlusConstant(c, subscripts[d]); ok {
			p := point{s, index.Name}
			lanes = max(lanes, sc.blocks[p].lanes, width(p, nil, below))
		}
	})
	return lanes
}

// copyBlock fills the points of an input's block, by vectors along the fast
// dimension.
func (l *lowerer) copyBlock(from, to *storage, points []affine.Expr, fast, lanes int) []loop.Stmt {
	source, target := affine.Expr{}, affine.Expr{}
	for d := range points {
		source = source.Add(to.base[d].Sub(from.base[d]).Mul(from.strides[d]))
	}
	vars := make([]*loop.Var, len(points))
	for d := range points {
		if d != fast {
			vars[d] = l.newVar("n")
			source = source.Add(affine.Symbol(vars[d].Name).Mul(from.strides[d]))
			target = target.Add(affine.Symbol(vars[d].Name).Mul(to.strides[d]))
		}
	}
	body := l.copyRow(from, to, source, target, points[fast], fast, lanes)
	for d := len(points) - 1; d >= 0; d-- {
		if d != fast {
			body = []loop.Stmt{&loop.For{Var: vars[d], Lo: int64Const(0), Hi: l.toLoop(points[d], 1), Step: 1, Kind: loop.Serial, Body: body}}
		}
	}
	return body
}

// copyRow copies what lies along the fast dimension: full vectors, and a partial one.
func (l *lowerer) copyRow(from, to *storage, source, target, points affine.Expr, fast, lanes int) []loop.Stmt {
	v := l.newVar("n")
	at := func(offset affine.Expr, mask loop.Expr) loop.Stmt {
		first := offset
		if lanes > 1 {
			first = offset.Add(affine.Symbol(laneSymbol))
		}
		index, f := l.linearIndex(source.Add(first.Mul(from.strides[fast])), lanes)
		load := &loop.Load{Buffer: from.buffer, Index: index, Lanes: lanes, Mask: mask}
		if f == uniform {
			load.Lanes, load.Mask = 1, nil
		}
		return &loop.Store{Buffer: to.buffer, Index: l.toLoop(target.Add(offset), 1), Value: broadcast(load, lanes), Mask: mask}
	}
	width := int64(lanes)
	full := affine.Div(points, affine.Const(width))
	rest := points.Sub(full.Scale(width))
	var list []loop.Stmt
	if n, known := full.IsConst(); !known || n > 0 {
		list = append(list, &loop.For{Var: v, Lo: int64Const(0), Hi: l.toLoop(full, 1), Step: 1, Kind: loop.Serial,
			Body: []loop.Stmt{at(affine.Symbol(v.Name).Scale(width), nil)}})
	}
	if n, known := rest.IsConst(); !known || n > 0 {
		list = append(list, at(full.Scale(width), l.tailMask(rest, lanes)))
	}
	return list
}
