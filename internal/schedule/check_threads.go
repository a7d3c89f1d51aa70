package schedule

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
)

// threads checks that no two threads have partial results of one result in the same place: where a
// parallel loop may have two points that are reduced to one result in different iterations,
// it is the one whose iterations have partial results of their own.
func (c *checker) threads() {
	for s, comp := range c.f.Body {
		if op, free := ein.ReductionOperator(comp); op == nil || !free || !c.spreadsReduced(c.tree.Root, s) {
			continue
		}
		a := Access{Statement: s, Tensor: comp.Writes[0].Tensor, pos: comp.Pos}
		p := &pair{c: c, x: a, y: a, instancePairs: newInstancePairs(c, a, a), reduction: true}
		for _, i := range comp.ByKind(ein.Concat) {
			p.equate(affine.Symbol(symbol("y", i.Name)).Sub(affine.Symbol(symbol("x", i.Name))))
		}
		p.shareNone(c.tree.Root)
	}
}

// spreadsReduced reports whether the number of a parallel loop of a statement is more than one of
// results: its index, or one by which it is skewed, is reduced.
func (c *checker) spreadsReduced(n Node, s int) bool {
	if b, ok := n.(*Band); ok && slices.ContainsFunc(b.Members, func(m *Member) bool { return m.concurrent() != "" && c.ofReduced(m, s) }) {
		return true
	}
	return slices.ContainsFunc(Children(n), func(child Node) bool { return c.spreadsReduced(child, s) })
}

// ofReduced reports whether a loop of a statement is over a reduced index, or skewed by one.
func (c *checker) ofReduced(m *Member, s int) bool {
	return slices.ContainsFunc(c.levels.Sum(m), func(o Multiple) bool {
		l, ok := o.Member.IndexOf(s)
		return ok && slices.ContainsFunc(ein.Reduced(c.f.Body[s]), func(i *ein.Index) bool {
			return i.Name == l.Index || c.frames.Of(s, c.index(place{s, l.Index})).IsBy(i)
		})
	})
}

// shareNone follows two points of one result, in whichever order, down to the loop that has them in two
// threads.
func (p *pair) shareNone(n Node) {
	s := p.x.Statement
	switch n := n.(type) {
	case *Filter:
		if !slices.Contains(n.Statements, s) {
			return
		}
	case *Accumulate:
		if n.Statement == s && (n.Region == Workspace || n.Region == Local) {
			p.pieces = InChunks(n)
		}
	case *Band:
		for _, m := range n.Members {
			d, ok := p.distance(m, m.Tile)
			if !ok {
				continue
			}
			if own := n == p.pieces && (m == n.Members[0] || m.Items > 0 || m.Groups) || m.Partial != 0; m.concurrent() != "" && !own {
				if _, apart := p.possible(d.AddConst(-1)); apart {
					p.c.misfit(on(n, m, m.concurrent()), "the %s of the parallel loop %s would share the partial results of %s", m.workers(), p.c.words.Loop(m), p.c.words.Statement(s))
					return
				}
			}
			p.equate(d)
		}
	}
	for _, child := range Children(n) {
		p.shareNone(child)
	}
}
