package schedule

import (
	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
)

// reductions lists the orders of reductions whose points are combined in that of the
// program. Two points with the same result differ first in one of the reduced indices.
func reductions(f *ein.Func) []*Dependence {
	var found []*Dependence
	for s, c := range f.Body {
		if _, free := ReductionOperator(c); free {
			continue
		}
		w := c.Writes[0]
		a := access{statement: s, tensor: w.Tensor, pos: w.Pos}
		for _, i := range Reduced(c) {
			found = append(found, &Dependence{f: f, x: a, y: a, along: i})
		}
	}
	return found
}

// reduction follows two points of a reduction in a fixed order.
func (c *checker) reduction(d *Dependence) {
	p := &pair{c: c, x: d.x, y: d.y, instances: newInstances(c, d.x, d.y), reduction: true}
	apart := func(i *ein.Index) affine.Expr {
		return affine.Symbol(symbol("y", i.Name)).Sub(affine.Symbol(symbol("x", i.Name)))
	}
	comp := c.f.Body[d.x.statement]
	for _, i := range comp.ByKind(ein.Concat) {
		p.equate(apart(i))
	}
	for _, i := range Reduced(comp) {
		if i == d.along {
			break
		}
		p.equate(apart(i))
	}
	p.assume(apart(d.along).AddConst(-1))
	if _, some := p.possible(); some {
		p.walk(c.tree.Root)
	}
}

// scans reports whether a loop keeps the order of a scan although its iterations are
// vectors, or run in parallel: lanes are combined with those before them, and pieces with
// the totals of those before.
func (p *pair) scans(b *Band, m *Member) bool {
	index, _, scan := ScanOperator(p.c.f.Body[p.x.statement])
	l, ok := m.IndexOf(p.x.statement)
	return scan && ok && l.Index == index.Name && (m.Vector > 0 || m.Parallel && b == p.pieces && m == b.Members[0])
}

// disorder reports two points of a reduction that a tree combines in the wrong order.
func (p *pair) disorder(example map[string]int64, why string) {
	c := p.c.f.Body[p.x.statement]
	what := "its operators do not commute, or are several"
	if len(c.ByKind(ein.Scan)) > 0 {
		what = "a scan goes from the first to the last"
	}
	written := access{tensor: p.x.tensor, subscripts: c.Writes[0].Subscripts}.element()
	d := p.c.errs.Errorf(source.ScheduleIllegal, c.Pos, "the schedule breaks the order in which the values of %s are combined in %s (%s): %s",
		written, p.c.words.Statement(p.x.statement), what, why)
	d.WithNote(p.x.pos, "the first value%s", p.pointText("x", p.x, example)).WithNote(p.y.pos, "the second value%s", p.pointText("y", p.y, example))
	d.WithHelp("keep the order of the loops over what is reduced, each from the first to the last; they may be cut into blocks, and other loops be anywhere")
}
