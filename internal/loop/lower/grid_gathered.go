package lower

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How rows of tables get into local memory
//
// Along a dimension whose subscript reads an index array the block of a gathered place has an element for each point of the subscript's indices
// in the block: they have numbers, row by row. The items test the subscripts of all of these points, each one once; then they copy, and go through
// the index array for that only. No copy waits for a test, nor a point inside for the index array.

// gathered is such a dimension of a block.
type gathered struct {
	of     *schedule.Gathering
	base   []affine.Expr // of the block of each index of the subscript
	size   []int64
	points []affine.Expr // of which so many exist
	filled []bool        // along which there is something also for those that do not
}

// gather sets the room of a block along the dimensions that are gathered.
func (l *lowerer) gather(n *schedule.Place, t *ein.Tensor, st *storage, limits []bounds, sc *scope) {
	list, why := schedule.Gatherings(l.f, t, sc.statements)
	if why != "" {
		l.fail(t.Pos, "the block of %s is gathered: %s", t.Name, why)
	}
	st.gathered = make([]*gathered, len(t.Dims))
	for _, of := range list {
		g := &gathered{of: of}
		room := int64(1)
		for _, i := range of.Indices {
			b := sc.blocks[point{of.Statement, i.Name}]
			size, known := b.size.IsConst()
			if !known || b.value != nil {
				l.fail(t.Pos, "the block of %s is gathered, but how many values of %s it has is not known", t.Name, i.Name)
			}
			base, points, filled := b.first(), b.points(), !l.goesBeyond(n, of.Statement, i, sc)
			switch {
			case filled && b.ragged:
				base, points = b.unclamped(), b.exists
			case b.ragged && b.whole: // items without a point do what that with the last one does
				points = affine.MaxOf(points, affine.Const(1))
			}
			g.base, g.size, g.points = append(g.base, base), append(g.size, size), append(g.points, points)
			g.filled = append(g.filled, filled)
			room *= size
		}
		st.gathered[of.Dim] = g
		st.base[of.Dim], st.room[of.Dim], st.filled[of.Dim], limits[of.Dim] = affine.Expr{}, room, false, bounds{}
	}
}

// number is that of the element of a point.
func (x *context) number(g *gathered) (n affine.Expr) {
	unclamped := x.unclamped()
	for k, i := range g.of.Indices {
		at := x.env[i.Name]
		if g.filled[k] {
			at = unclamped[i.Name]
		}
		n = n.Scale(g.size[k]).Add(at.Sub(g.base[k]))
	}
	return n
}

// pointOf is the point of a number, and the condition that it exists; nil: it does.
func (l *lowerer) pointOf(g *gathered, number affine.Expr, list *[]loop.Stmt) (env map[string]affine.Expr, exists loop.Expr) {
	env = map[string]affine.Expr{}
	for k := len(g.size) - 1; k >= 0; k-- {
		offset := number
		switch further := slices.ContainsFunc(g.size[:k], func(n int64) bool { return n > 1 }); {
		case g.size[k] == 1:
			offset = affine.Expr{}
		case further:
			offset = l.bind(list, l.newVar("at"), affine.Rem(number, affine.Const(g.size[k])))
			number = l.bind(list, l.newVar("rest"), affine.Div(number, affine.Const(g.size[k])))
		}
		if n, known := g.points[k].IsConst(); !known || n < g.size[k] {
			exists = both(exists, l.compare(offset, ein.Lt, g.points[k]))
		}
		env[g.of.Indices[k].Name] = g.base[k].Add(offset)
	}
	return env, exists
}

// through is the value of the subscript at a point; what is read for it is read in a scope.
func (l *lowerer) through(g *gathered, env map[string]affine.Expr, sc *scope) (x *context, value loop.Expr) {
	x = &context{l: l, c: l.f.Body[g.of.Statement], statement: g.of.Statement, sc: sc, lanes: 1, env: env, given: true, locals: map[*ein.Local]loop.Expr{}}
	return x, x.bind("at", x.expr(g.of.Subscript()))
}

// leadsTo is through, within the dimension.
func (l *lowerer) leadsTo(g *gathered, env map[string]affine.Expr, sc *scope) (at affine.Expr, before []loop.Stmt) {
	x, value := l.through(g, env, sc)
	if a := g.of.Access; !ein.InBounds(x.c, a, g.of.Dim) {
		value = x.clamped(a, g.of.Dim, value)
	}
	v := l.newVar("place")
	return affine.Symbol(v.Name), append(x.before, &loop.Let{Var: v, Value: value})
}

// testedTogether tests the subscripts by which a block is gathered, each by one of the items of the group.
func (l *lowerer) testedTogether(t *ein.Tensor, st *storage, sc *scope) (body []loop.Stmt) {
	for d, g := range st.gathered {
		if g == nil || ein.InBounds(l.f.Body[g.of.Statement], g.of.Access, d) {
			continue
		}
		pieces := int64(1)
		for _, n := range g.size {
			pieces *= n
		}
		body = append(body, l.shareOut(pieces, sc, func(number affine.Expr) []loop.Stmt {
			var within []loop.Stmt
			env, exists := l.pointOf(g, number, &within)
			x, value := l.through(g, env, sc)
			dim := t.Dims[d]
			inside := &loop.Binary{Op: ein.And,
				X: &loop.Binary{Op: ein.Ge, X: value, Y: l.toLoop(dim.Min, 1)},
				Y: &loop.Binary{Op: ein.Lt, X: value, Y: l.toLoop(dim.Min.Add(dim.Extent), 1)}}
			test := &loop.Check{Cond: inside, Site: l.site(g.of.Access.Pos, t, d), Value: value, Notes: true}
			return append(within, when(exists, append(x.before, test), nil)...)
		})...)
	}
	return body
}

// readsCopies reports whether index arrays through which a block is gathered were copied inside of a scope: all items have to have done that before.
func readsCopies(st *storage, outer, inner *scope) bool {
	return slices.ContainsFunc(st.gathered, func(g *gathered) bool {
		return g != nil && slices.ContainsFunc(g.of.Through(), func(t *ein.Tensor) bool { return outer.storage[t] != inner.storage[t] })
	})
}

// gathersWritten reports whether something that a gathered block is read through is written in the launch.
func (l *lowerer) gathersWritten(n *schedule.Place, t *ein.Tensor, sc *scope) bool {
	list, _ := schedule.Gatherings(l.f, t, sc.statements)
	return n.Gathered && slices.ContainsFunc(list, func(g *schedule.Gathering) bool {
		return slices.ContainsFunc(g.Through(), func(t *ein.Tensor) bool { return sc.launch.writes[t] })
	})
}
