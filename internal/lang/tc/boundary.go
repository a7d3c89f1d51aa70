package tc

import (
	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/tensor"
)

// boundaryValue lowers pad, clamp, mirror and wrap. The condition of a pad is
// made by finishGuards, when the ranges say which of its tests are needed.
func (l *lowering) boundaryValue(e *syntax.Apply, b boundary, want tensor.DType) ein.Expr {
	outer, from := l.mode, len(l.sites)
	l.mode = b
	value := l.value(e.Args[0], want)
	l.mode = outer
	if b != padded {
		return value
	}
	node := &ein.Select{Pos: e.Pos, Then: value}
	g := &guard{node: node}
	for _, s := range l.sites[from:] {
		if s.mode == padded {
			g.sites = append(g.sites, s)
		}
	}
	// A pad inside replaces its own accesses only.
	for _, inner := range l.guards {
		g.sites = without(g.sites, inner.sites)
	}
	l.guards = append(l.guards, g)
	node.Else = l.value(e.Args[1], want)
	return node
}

func without(list, remove []*site) []*site {
	var kept []*site
	for _, s := range list {
		found := false
		for _, r := range remove {
			found = found || r == s
		}
		if !found {
			kept = append(kept, s)
		}
	}
	return kept
}

// moveSubscripts rewrites the subscripts of an access under clamp, mirror or wrap
// into the range of the tensor.
func (l *lowering) moveSubscripts(a *ein.Access) {
	if l.mode != clamped && l.mode != mirrored && l.mode != wrapped {
		return
	}
	for k, sub := range a.Subscripts {
		a.Subscripts[k] = moved(l.mode, sub, a.Tensor.Dims[k])
	}
}

func moved(mode boundary, sub ein.Expr, dim ein.Dim) ein.Expr {
	pos := sub.Span()
	binary := func(op ein.BinaryOp, x, y ein.Expr) ein.Expr { return &ein.Binary{Pos: pos, Op: op, X: x, Y: y} }
	size := func(e affine.Expr) ein.Expr { return sizeRef(e, pos) }
	last := dim.Min.Add(dim.Extent).AddConst(-1)
	if mode == clamped {
		return binary(ein.Max, size(dim.Min), binary(ein.Min, sub, size(last)))
	}
	offset := withSize(ein.Sub, sub, dim.Min, pos)
	if mode == wrapped {
		offset = binary(ein.Mod, offset, size(dim.Extent))
	} else {
		period := dim.Extent.Scale(2)
		around := binary(ein.Mod, offset, size(period))
		offset = binary(ein.Min, around, binary(ein.Sub, size(period.AddConst(-1)), around))
	}
	return withSize(ein.Add, offset, dim.Min, pos)
}

// finishGuards makes the conditions of the pads: the tests that are not proved,
// nested where a subscript reads a tensor, so that it is only evaluated when that read
// is in bounds.
func (l *lowering) finishGuards(p *prover) {
	for _, g := range l.guards {
		g.node.Cond = g.condition(p)
	}
}

func (g *guard) condition(p *prover) ein.Expr {
	cond := ein.Expr(ein.IntConst(tensor.Bool, 1))
	empty := true
	for i := len(g.sites) - 1; i >= 0; i-- {
		test := g.sites[i].inBounds(p)
		switch {
		case test == nil:
		case empty:
			cond, empty = test, false
		case !hasAccess(cond):
			cond = &ein.Binary{Pos: g.node.Pos, Op: ein.And, X: test, Y: cond}
		default:
			cond = &ein.Select{Pos: g.node.Pos, Cond: test, Then: cond, Else: ein.IntConst(tensor.Bool, 0)}
		}
	}
	return cond
}

func hasAccess(e ein.Expr) bool {
	return ein.Contains(e, func(e ein.Expr) bool { _, isAccess := e.(*ein.Access); return isAccess })
}

// inBounds is the test that an access is in bounds, nil when that is proved.
func (s *site) inBounds(p *prover) ein.Expr {
	var cond ein.Expr
	add := func(op ein.BinaryOp, sub ein.Expr, bound affine.Expr) {
		test := ein.Expr(&ein.Binary{Pos: s.span, Op: op, X: sub, Y: sizeRef(bound, s.span)})
		if cond != nil {
			test = &ein.Binary{Pos: s.span, Op: ein.And, X: cond, Y: test}
		}
		cond = test
	}
	for k, sub := range s.access.Subscripts {
		dim := s.access.Tensor.Dims[k]
		low, high := p.inBounds(sub, dim)
		if !low {
			add(ein.Ge, sub, dim.Min)
		}
		if !high {
			add(ein.Lt, sub, dim.Min.Add(dim.Extent))
		}
	}
	return cond
}
