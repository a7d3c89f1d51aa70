package lower

import (
	"maps"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/tensor"
)

// determined visits the value of an index that an equality determines, if it is in the block: the
// test is what the bounds of all subscripts with it rest on.
func (l *lowerer) determined(m *schedule.Member, sc *scope, body func(*scope) []loop.Stmt) []loop.Stmt {
	s := m.Loops[0].Statement
	p := point{s, m.Loops[0].Index}
	d := schedule.DeterminationOf(l.f.Body[s], l.index(p))
	x := l.context(s, sc)
	value, isAffine := ein.AffineOf(d.Other)
	if isAffine {
		value = value.Subst(x.env)
	} else {
		e := x.expr(d.Other)
		if e.Type().Elem != tensor.Int64 {
			e = &loop.Cast{To: tensor.Int64, X: e}
		}
		v := l.pointVar(p, "")
		x.before = append(x.before, &loop.Let{Var: v, Value: e})
		value = affine.Symbol(v.Name)
	}
	value = value.Sub(d.Rest.Subst(x.env)).Scale(d.Sign)
	b := sc.blocks[p]
	test := both(l.compare(value, ein.Ge, b.base), l.compare(value, ein.Lt, b.base.Add(b.points())))
	inner := sc.enter(m, segment{tile: 1}, value.Sub(b.base), value.Sub(b.base)).holding(d.Guards)
	return append(x.before, when(test, body(inner), nil)...)
}

// holding is the scope in which guards hold.
func (sc *scope) holding(guards []ein.Guard) *scope {
	c := *sc
	if c.holds = maps.Clone(sc.holds); c.holds == nil {
		c.holds = map[ein.Expr]bool{}
	}
	for _, g := range guards {
		c.holds[g.Expr] = g.Holds
	}
	return &c
}

// guarded runs what body makes where the conditions hold that are known outside of a loop.
func (l *lowerer) guarded(m *schedule.Member, sc *scope, body func(*scope) []loop.Stmt) []loop.Stmt {
	s := m.Loops[0].Statement
	known := func(i *ein.Index) bool {
		b := sc.blocks[point{s, i.Name}]
		return b.isPoint() && b.lanes <= 1 && b.group == 0
	}
	guards := schedule.GuardsKnown(l.f.Body[s], known)
	x := l.context(s, sc)
	var test loop.Expr
	tested := map[string]bool{}
	for _, g := range guards {
		e := x.expr(g.Expr)
		if !g.Holds {
			e = &loop.Unary{Op: ein.Not, X: e}
		}
		if text := loop.ExprText(e); !tested[text] {
			tested[text] = true
			test = both(test, e)
		}
	}
	inner := sc.holding(guards)
	inner.entered = m
	return append(x.before, when(test, body(inner), nil)...)
}
