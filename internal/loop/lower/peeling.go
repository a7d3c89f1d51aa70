package lower

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How rows that are written past the caches are cut: points are peeled off up to the first line
//
// A store past the caches takes whole lines. Where a row begins within one, as an argument may,
// too, the points up to the next boundary are a partial vector, the head, and all whole vectors
// behind it are at boundaries. How long the head is becomes known at each row.
//
// The lines at the ends of a row are written in part, and so through the caches. What is
// stored behind such a store waits for its line: the one at the end is asked for at the
// beginning (512³ points of 7 neighbours, rows of 2 KB, on Granite Rapids: 67 instead of
// 72 ms).

// peelToLines cuts the block of a member whose vectors stream along rows of what its statement
// writes: a head, whole vectors, and a tail. What it names goes to list. ok is false where the
// vectors are not of this kind.
func (l *lowerer) peelToLines(m *schedule.Member, sc *scope, list *[]loop.Stmt) (segs []segment, ok bool) {
	if m.Vector < 2 || !m.Stream || m.Reverse || m.Flip || m.Pad || m.Group > 0 || sc.deferred != nil || sc.rows != nil {
		return nil, false
	}
	lp := first(m, sc)
	p := point{lp.Statement, lp.Index}
	b := sc.blocks[p]
	if b.ragged && b.whole || b.value != nil {
		return nil, false
	}
	n := b.bounded().points()
	lanes := int64(m.Vector)
	points, known := n.IsConst()
	if known && points < int64(m.CutFrom())*lanes || l.readsPadded(p, m.Vector, sc) {
		return nil, false
	}
	lead := l.lead(p, m.Vector, sc)
	if lead == nil {
		return nil, false
	}
	if !known || points < int64(m.CutFrom())*int64(lead.Lanes) { // of unknown ones bounds are not proved with several vectors to a line
		lead.Lanes = min(m.Vector, lead.Lanes)
	}
	v := l.newVar("lead")
	*list = append(*list, &loop.Let{Var: v, Value: lead})
	head := affine.Symbol(v.Name)
	rest := n.Sub(head)
	if !known {
		head = l.bind(list, l.newVar("head"), affine.MinOf(head, n))
		rest = affine.MaxOf(n.Sub(head), affine.Const(0)) // which it is; proofs of bounds need not find that out
	}
	c := cutter{member: m, lanes: lanes, most: b.size}
	each := max(1, int64(lead.Lanes)/lanes) // vectors in a line
	c.addEnd(true, affine.Expr{}, head, each)
	lines := l.bind(list, l.newVar("lines"), affine.Div(rest, affine.Const(each*lanes)))
	c.add(head, lines.Scale(each), lanes)
	tail := head.Add(lines.Scale(each * lanes))
	c.addEnd(false, tail, n.Sub(tail), each)
	if known {
		end := &loop.Prefetch{Buffer: lead.Buffer, Index: lead.Index, Ahead: points - 1, Write: true}
		*list = append(*list, when(l.compare(n.Sub(tail), ein.Gt, affine.Const(0)), []loop.Stmt{end}, nil)...)
	}
	return c.list, true
}

// readsPadded reports whether vectors of a block read padded copies as they lie. Such a copy has room
// for whole vectors from its beginning, and not for those of a row that is cut at lines.
func (l *lowerer) readsPadded(p point, lanes int, sc *scope) bool {
	row := vectorsOf(p, lanes, sc)
	return slices.ContainsFunc(l.f.Body[p.statement].Accesses(), func(a *ein.Access) bool {
		if st := sc.storage[a.Tensor]; st == nil || !st.padded {
			return false
		}
		_, form := l.context(p.statement, row).linear(a.Tensor, a.Subscripts)
		return form == consecutive
	})
}

// vectorsOf is a scope in which a block is its first vector.
func vectorsOf(p point, lanes int, sc *scope) *scope {
	inner := sc.clone()
	inner.blocks[p] = block{base: sc.blocks[p].base, size: affine.Const(int64(lanes)), lanes: lanes}
	return inner
}

// addEnd adds what comes before the first whole line of a row, or after the last one: a partial
// vector and, where lines hold several, the whole vectors on the side of the lines.
func (c *cutter) addEnd(before bool, start, points affine.Expr, each int64) {
	if each == 1 {
		c.addPartial(start, points)
		return
	}
	whole := affine.Div(points, affine.Const(c.lanes))
	part := points.Sub(whole.Scale(c.lanes))
	add := func(start affine.Expr) {
		c.add(start, whole, c.lanes)
		c.list[len(c.list)-1].cached = true
	}
	if before {
		c.addPartial(start, part)
		add(start.Add(part))
		return
	}
	add(start)
	c.addPartial(start.Add(whole.Scale(c.lanes)), part)
}

// lead is how many points of a block come before the place where a line begins in what a map
// writes with vectors of so many lanes; nil where it is not written along rows.
func (l *lowerer) lead(p point, lanes int, sc *scope) *loop.Lead {
	s, c := p.statement, l.f.Body[p.statement]
	if len(c.Writes) != 1 || c.Accumulate != nil || len(ein.Reduced(c)) > 0 || sc.accumulator(s) != nil || l.levels.Mutual(s) ||
		slices.ContainsFunc(c.Indices, func(i *ein.Index) bool {
			return l.frames.Involved(s, c, i) || i.Name != p.index && !sc.isKnown(s, i.Name)
		}) {
		return nil
	}
	w := c.Writes[0]
	st := sc.storage[w.Tensor]
	if st == nil || !isOutside(st.buffer) {
		return nil
	}
	x := l.context(s, vectorsOf(p, lanes, sc))
	at, form := x.linear(w.Tensor, w.Subscripts)
	if form != consecutive || len(x.before) > 0 {
		return nil
	}
	return &loop.Lead{Buffer: st.buffer, Index: at, Lanes: l.perLine(st.buffer.Type.Elem)}
}
