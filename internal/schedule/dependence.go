package schedule

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
)

// How legality is decided
//
// Two accesses to a tensor, at least one of which writes, depend on each other
// where their subscripts are equal. For every such pair of points the one that
// the program runs first, x, must stay before the other, y. The tree is walked
// from the root with the equations of the pair. At a member the distance d of y
// from x along it must be proved not to be negative; where it is positive the
// order is kept, and the walk goes on for the points with d = 0. At a sequence
// the order of the filters decides. Parallel and vector loops, and the way into a
// placed temporary, need d = 0.
//
// Subscripts that are not affine put no equation: all elements may be the same.
// Within one statement all values are read before any is written, so its reads
// come first; the points of a reduction write once, at their end. Two points of one
// statement write different elements, which is proved where the sizes are known.
// Where it is not, the points keep the order of the program (overlaps).

// An access is a use of a tensor by a statement.
type access struct {
	statement  int
	tensor     *ein.Tensor
	subscripts []ein.Expr
	writes     bool
	once       bool // of a write that is proved to write every element once
	pos        source.Span
}

func (a access) String() string {
	verb := "read"
	if a.writes {
		verb = "write"
	}
	text := a.tensor.Name
	if len(a.subscripts) > 0 {
		text += "("
		for i, s := range a.subscripts {
			if i > 0 {
				text += ", "
			}
			text += ein.PrintExpr(s)
		}
		text += ")"
	}
	return fmt.Sprintf("the %s of %s in %s", verb, text, statementName(a.statement))
}

func accesses(f *ein.Func) []access {
	var list []access
	for s, c := range f.Body {
		for _, a := range c.Accesses() {
			list = append(list, access{s, a.Tensor, a.Subscripts, false, false, a.Pos})
		}
		for _, w := range c.Writes {
			once := ein.WritesOnce(c, w)
			for _, sub := range w.Subscripts {
				ein.Walk(sub, func(e ein.Expr) bool {
					if a, ok := e.(*ein.Access); ok {
						list = append(list, access{s, a.Tensor, a.Subscripts, false, false, a.Pos})
					}
					return true
				})
			}
			if c.Accumulate != nil {
				list = append(list, access{s, w.Tensor, w.Subscripts, false, once, w.Pos})
			}
			list = append(list, access{s, w.Tensor, w.Subscripts, true, once, w.Pos})
		}
	}
	return list
}

// dependences checks every pair of accesses.
func (c *checker) dependences() {
	list := accesses(c.f)
	for i, a := range list {
		for _, b := range list[i:] {
			if a.tensor != b.tensor || !a.writes && !b.writes || a.tensor.Role == ein.Input {
				continue
			}
			if a.statement == b.statement && (a.writes && b.writes || a.once && b.once) {
				continue // one element is one point; overlaps checks the other writes
			}
			if c.errs.HasErrors() {
				return
			}
			c.pair(a, b)
		}
	}
}

// overlaps checks the statements of which two points may write one element: their
// loops are serial, over points, and in the order of the program.
func (c *checker) overlaps() {
	for s, comp := range c.f.Body {
		for _, w := range comp.Writes {
			if !ein.WritesOnce(comp, w) && !c.errs.HasErrors() {
				kept := slices.DeleteFunc(slices.Clone(comp.Indices), func(i *ein.Index) bool { return i.Combine.Kind == ein.Reduce })
				c.inOrder(c.tree.Root, s, w, &kept)
			}
		}
	}
}

// inOrder follows a statement down the tree; kept are the indices of which the
// loops come in this order.
func (c *checker) inOrder(n Node, s int, w *ein.Write, kept *[]*ein.Index) {
	switch n := n.(type) {
	case *Filter:
		if !slices.Contains(n.Statements, s) {
			return
		}
	case *Accumulate:
		if n.Statement == s && slices.ContainsFunc(*kept, func(i *ein.Index) bool { return i.Combine.Kind == ein.Concat }) {
			c.overlap(n, s, w)
			return
		}
	case *Band:
		for _, m := range n.Members {
			l, ok := m.IndexOf(s)
			i := c.index(place{l.Statement, l.Index})
			if !ok || i.Combine.Kind == ein.Reduce {
				continue
			}
			if n.Permutable && len(n.Members) > 1 || m.Tile > 1 || m.Parallel || m.Vector > 0 || m.Coincident || i != (*kept)[0] {
				c.overlap(n, s, w)
				return
			}
			*kept = (*kept)[1:]
		}
	}
	for _, child := range Children(n) {
		c.inOrder(child, s, w, kept)
	}
}

func (c *checker) overlap(n Node, s int, w *ein.Write) {
	c.errs.Errorf(source.ScheduleIllegal, w.Pos, "in %q: it is not proved that every point of %s writes another element of %s", nodeText(n), statementName(s), w.Tensor.Name).
		WithHelp("run its loops one by one in the order of the program, outside of its accumulators, or give the sizes so that it can be proved")
}

// A pair is the dependence of y on x, with what is known about their points.
type pair struct {
	c     *checker
	x, y  access
	known *affine.Facts
	env   map[string]affine.Expr // equations that were solved
}

// symbol names an index of one of the two accesses.
func symbol(side, index string) string { return side + "$" + index }

func (c *checker) pair(x, y access) {
	p := &pair{c: c, x: x, y: y, known: c.facts(), env: map[string]affine.Expr{}}
	for side, a := range map[string]access{"x": x, "y": y} {
		for _, i := range c.f.Body[a.statement].Indices {
			s := affine.Symbol(symbol(side, i.Name))
			p.known.Assume(s.Sub(i.Min))
			p.known.Assume(i.Min.Add(i.Extent).AddConst(-1).Sub(s))
		}
	}
	for d := range x.subscripts {
		ex, okX := ein.AffineOf(x.subscripts[d])
		ey, okY := ein.AffineOf(y.subscripts[d])
		if okX && okY {
			p.equate(p.rename("x", x, ex).Sub(p.rename("y", y, ey)))
		}
	}
	p.walk(c.tree.Root)
}

func (p *pair) rename(side string, a access, e affine.Expr) affine.Expr {
	env := map[string]affine.Expr{}
	for _, i := range p.c.f.Body[a.statement].Indices {
		env[i.Name] = affine.Symbol(symbol(side, i.Name))
	}
	return e.Subst(env)
}

// equate adds e = 0: a symbol of y with the coefficient ±1 is replaced
// everywhere, other equations become two inequalities.
func (p *pair) equate(e affine.Expr) {
	e = e.Subst(p.env)
	for _, i := range p.c.f.Body[p.y.statement].Indices {
		s := symbol("y", i.Name)
		coefficient, rest, ok := e.Linear(s)
		if !ok || coefficient != 1 && coefficient != -1 {
			continue
		}
		value := rest.Scale(-coefficient)
		for k, v := range p.env {
			p.env[k] = v.Subst(map[string]affine.Expr{s: value})
		}
		p.env[s] = value
		p.known.Assume(value.Sub(i.Min))
		p.known.Assume(i.Min.Add(i.Extent).AddConst(-1).Sub(value))
		return
	}
	p.known.Assume(e)
	p.known.Assume(e.Scale(-1))
}

// position is where a point is along a member.
func (p *pair) position(side string, a access, m *Member) (affine.Expr, bool) {
	l, ok := m.IndexOf(a.statement)
	if !ok {
		return affine.Expr{}, false
	}
	return affine.Symbol(symbol(side, l.Index)).AddConst(l.Shift).Subst(p.env), true
}

// walk follows the two points; it reports at most one violation.
func (p *pair) walk(n Node) {
	switch n := n.(type) {
	case *Sequence:
		x, y := p.child(n, p.x.statement), p.child(n, p.y.statement)
		switch {
		case x == y:
			p.walk(n.Children[x].Child)
		case x > y:
			p.violation(n, "the sequence runs %s first", statementName(p.y.statement))
		}
	case *Band:
		if n.Permutable {
			p.permutable(n)
		}
		for _, m := range n.Members {
			if !p.member(n, m) {
				return
			}
		}
		p.walk(n.Child)
	case *Filter, *Accumulate, *Place:
		p.walk(Children(n)[0])
	}
}

func (p *pair) child(n *Sequence, statement int) int {
	return slices.IndexFunc(n.Children, func(f *Filter) bool { return slices.Contains(f.Statements, statement) })
}

// member follows the two points through a loop and reports whether the order is
// still open.
func (p *pair) member(b *Band, m *Member) bool {
	if p.x.statement == p.y.statement {
		l, _ := m.IndexOf(p.x.statement)
		if i := p.c.index(place{l.Statement, l.Index}); i.Combine.Kind == ein.Reduce {
			return true // the write comes after the last point of the reduction
		}
	}
	x, okX := p.position("x", p.x, m)
	y, okY := p.position("y", p.y, m)
	if !okX || !okY {
		return true
	}
	d := y.Sub(x)
	zero := p.zero(d)
	if zero {
		return true
	}
	if p.placedBelow(b) {
		if p.x.writes && !p.y.writes {
			p.violation(b, "values of the placed %s are used in other blocks than the one that computes them", p.x.tensor.Name)
			return false
		}
		return true // blocks of a placed temporary do not share storage
	}
	switch {
	case m.Parallel:
		p.violation(b, "the iterations of the parallel member %q are not independent", m)
		return false
	case m.Vector > 0:
		p.violation(b, "the lanes of the vector member %q are not independent", m)
		return false
	case m.Coincident:
		p.violation(b, "the member %q carries the dependence but claims to be coincident", m)
		return false
	case !p.known.Proves(d):
		p.violation(b, "along the member %q the second may come first", m)
		return false
	}
	if m.Tile == 1 {
		if p.known.Proves(d.AddConst(-1)) {
			return false
		}
		p.equate(d)
	}
	return true
}

func (p *pair) zero(d affine.Expr) bool {
	if n, ok := d.IsConst(); ok {
		return n == 0
	}
	return p.known.Proves(d) && p.known.Proves(d.Scale(-1))
}

// placedBelow reports whether the tensor gets storage of its own further down.
func (p *pair) placedBelow(n Node) bool {
	if pl, ok := n.(*Place); ok && pl.Tensor == p.x.tensor.Name {
		return true
	}
	return slices.ContainsFunc(Children(n), p.placedBelow)
}

// permutable checks the claim that the members of a band may be interchanged:
// no distance along any of them is negative.
func (p *pair) permutable(b *Band) {
	for _, m := range b.Members {
		x, okX := p.position("x", p.x, m)
		y, okY := p.position("y", p.y, m)
		if l, _ := m.IndexOf(p.x.statement); p.x.statement == p.y.statement && p.c.index(place{l.Statement, l.Index}).Combine.Kind == ein.Reduce {
			continue
		}
		if okX && okY && !p.known.Proves(y.Sub(x)) {
			p.violation(b, "along the member %q the distance may be negative, so the band is not permutable", m)
			return
		}
	}
}

func (p *pair) violation(n Node, format string, args ...any) {
	kind := "the second overwrites what the first reads"
	switch {
	case p.x.writes && p.y.writes:
		kind = "the second overwrites the first"
	case p.x.writes:
		kind = "the second needs what the first computes"
	}
	d := p.c.errs.Errorf(source.ScheduleIllegal, p.c.f.Body[p.y.statement].Pos, "the schedule breaks a dependence: %s must come before %s (%s), but in %q %s",
		p.x, p.y, kind, nodeText(n), fmt.Sprintf(format, args...))
	d.WithNote(p.x.pos, "the first access").WithNote(p.y.pos, "the second access")
	d.WithHelp("keep the two in the order of the program: run their statements one after the other, or make the loop serial")
}

// placement checks that every use of a placed temporary is below its place.
func (c *checker) placement() {
	var visit func(n Node, active []int)
	visit = func(n Node, active []int) {
		switch n := n.(type) {
		case *Filter:
			active = n.Statements
		case *Place:
			for _, a := range accesses(c.f) {
				if a.tensor.Name == n.Tensor && a.tensor.Role == ein.Temp && !slices.Contains(active, a.statement) {
					c.misfit(n, "%s is also used by %s, which is not below", n.Tensor, statementName(a.statement))
					return
				}
			}
		}
		for _, child := range Children(n) {
			visit(child, active)
		}
	}
	visit(c.tree.Root, all(len(c.f.Body)))
}
