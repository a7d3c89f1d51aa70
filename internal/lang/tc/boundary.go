package tc

import (
	"slices"

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
	g := &guard{node: node, depth: len(l.path)}
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
// nested where a subscript or a condition reads a tensor, so that it is only evaluated when
// that read is in bounds. An access that stands under a condition inside of the pad is tested where it is read.
func (l *lowering) finishGuards(p *prover) {
	for _, g := range l.guards {
		g.node.Cond = l.guardCondition(g, p)
	}
}

func (l *lowering) guardCondition(g *guard, p *prover) ein.Expr {
	cond := ein.Expr(ein.IntConst(tensor.Bool, 1))
	empty := true
	tests := make([]ein.Expr, len(g.sites))
	for i, s := range g.sites { // in this order: conditions of later tests have copies of what earlier ones are about
		tests[i] = l.testUnder(s, g.depth, p)
	}
	for _, test := range slices.Backward(tests) {
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

// testUnder is the test that an access is in bounds where the conditions around it beyond a depth hold, nil when
// that is proved.
func (l *lowering) testUnder(s *site, depth int, p *prover) ein.Expr {
	inside := s.path[depth:]
	if len(inside) == 0 {
		return s.inBounds(p, nil)
	}
	where, _ := l.where(&site{path: inside}, p)
	test := s.inBounds(p, where)
	if test == nil {
		return nil
	}
	if !where.Known() {
		s.access.Checked = true // that the test holds there is not known from sizes and indices
	}
	for _, c := range slices.Backward(inside) {
		chosen := &ein.Select{Pos: s.span, Cond: ein.Map(c.cond, func(e ein.Expr) ein.Expr { return e }), Then: test, Else: ein.IntConst(tensor.Bool, 1)}
		if !c.holds {
			chosen.Then, chosen.Else = chosen.Else, chosen.Then
		}
		test = chosen
	}
	return test
}

func hasAccess(e ein.Expr) bool {
	return ein.Contains(e, func(e ein.Expr) bool { _, isAccess := e.(*ein.Access); return isAccess })
}

// inBounds is the test that an access is in bounds, nil when that is proved, if need be from what conditions say.
func (s *site) inBounds(p *prover, where ein.Alternatives) ein.Expr {
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
		if e, ok := p.affineOf(sub); ok && where != nil && where.Known() {
			low = low || p.provesWhere(e.Sub(dim.Min), where)
			high = high || p.provesWhere(dim.Min.Add(dim.Extent).AddConst(-1).Sub(e), where)
		}
		if !low {
			add(ein.Ge, sub, dim.Min)
		}
		if !high {
			add(ein.Lt, sub, dim.Min.Add(dim.Extent))
		}
	}
	return cond
}
