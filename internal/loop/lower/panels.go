package lower

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How a block lies in panels
//
// Below the place of an input, loops may cut its vector index into tiles. The copy
// then lies tile after tile, each with all of the other dimensions: what the register
// kernel of a tile reads is one stream, and no two of its rows share a set of the
// nearest cache. The last panel may be partial; it has room for a whole one.

// panels say how the fastest dimension of a placed input is cut.
type panels struct {
	dim    int
	at     point // whose loop visits them
	tile   int64
	stride int64       // from panel to panel, over tile
	shift  affine.Expr // of the subscript from the index
}

// panelsOf returns how a place's block may lie in panels along its fastest dimension,
// which has so many points; nil where it lies in rows.
func (l *lowerer) panelsOf(n *schedule.Place, t *ein.Tensor, fast int, size int64, ragged bool, sc *scope) *panels {
	if !l.isOnlyRead(t, sc) || n.Layout != nil || len(t.Dims) < 2 {
		return nil
	}
	var p *panels
	users := 0
	l.uses(t, sc, func(s int, c *ein.Comprehension, subscripts []ein.Expr) {
		users++
		if index, constant, ok := schedule.IndexPlusConstant(c, subscripts[fast]); ok {
			p = &panels{dim: fast, at: point{s, index.Name}, shift: affine.Const(constant)}
		}
	})
	if users != 1 || p == nil {
		return nil
	}
	m := schedule.TileOfPanels(p.at.statement, p.at.index, n.Child)
	if m == nil || m.Tile >= size && !m.Pad || ragged && !m.Pad || m.Tile%int64(max(1, schedule.VectorBelow(p.at.statement, p.at.index, n.Child))) != 0 {
		return nil
	}
	p.tile = m.Tile
	return p
}

// copies returns the statements that fill the panels of a block: all of the whole ones
// row by row of the source, and the rest.
func (p *panels) copies(c *blockCopy) []loop.Stmt {
	n := c.points[p.dim]
	whole := affine.Div(n, affine.Const(p.tile))
	rest := n.Sub(whole.Scale(p.tile))
	part := func(start, points, panels affine.Expr) []loop.Stmt {
		d := &blockCopy{l: c.l, from: c.from.along(p, start, c.from.strides[p.dim]), to: c.to.along(p, start, affine.Const(p.stride)),
			points: append(slices.Clone(c.points), panels), fast: c.fast, lanes: c.lanes, limits: c.limits}
		d.points[p.dim] = points
		return d.statements()
	}
	var list []loop.Stmt
	if n, known := whole.IsConst(); !known || n > 0 {
		list = part(affine.Expr{}, affine.Const(p.tile), whole)
	}
	if n, known := rest.IsConst(); !known || n > 0 {
		last := part(whole.Scale(p.tile), rest, affine.Const(1))
		list = append(list, when(c.l.compare(rest, ein.Gt, affine.Const(0)), last, nil)...)
	}
	return list
}

// along is a storage from a point of the fast dimension on, with one more dimension
// that steps over panels, whose points are stride apart.
func (st *storage) along(p *panels, start, stride affine.Expr) *storage {
	c := *st
	c.offset = st.offset.Add(start.Mul(stride))
	c.base = append(slices.Clone(st.base), affine.Expr{})
	c.strides = append(slices.Clone(st.strides), stride.Scale(p.tile))
	return &c
}

// enterPanels is the scope of a piece of a panel member: what the piece reads of a
// placed input lies in one panel.
func (sc *scope) enterPanels(m *schedule.Member) *scope {
	for t, st := range sc.storage {
		p := st.panels
		if p == nil || m.Tile != p.tile {
			continue
		}
		lp, ok := m.IndexOf(p.at.statement)
		if !ok || lp.Index != p.at.index {
			continue
		}
		inside := *st
		inside.base = slices.Clone(st.base)
		inside.base[p.dim] = sc.blocks[p.at].base.Add(p.shift)
		inside.offset = st.offset.Add(inside.base[p.dim].Sub(st.base[p.dim]).Scale(p.stride))
		inside.panels = nil
		sc = sc.withStorage(t, &inside)
	}
	return sc
}
