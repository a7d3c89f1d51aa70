package schedule

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
)

// How an order of combination is fixed
//
// Where ReductionOperator says no, the points of one result are combined as the program
// lists its reduced indices: Definition 4 of the MDH paper with the last dimension first. By the exchange
// law neighbouring indices with one associative and commutative operator may change
// places, folds and scans alike: a summed-area table adds along rows or columns first.
// The order among them is that in which the tree comes to loops that part their points;
// the code has accumulators for this order (package lower).

// OrderRuns splits the reduced indices into runs, outermost first. The indices of a run
// may be combined in any order, one after the other.
func OrderRuns(c *ein.Comprehension) (runs [][]*ein.Index) {
	for _, i := range ein.Reduced(c) {
		if n := len(runs); n > 0 && i.Combine.Op.Associative && i.Combine.Op.Commutative && ein.SameOperator(runs[n-1][0].Combine.Op, i.Combine.Op) {
			runs[n-1] = append(runs[n-1], i)
			continue
		}
		runs = append(runs, []*ein.Index{i})
	}
	return runs
}

// CombinedIn returns the reduced indices of a statement in the order in which loops combine
// them: that of the program, but for runs, whose order is that of the first loops in a
// subtree that have several iterations. Indices without such a loop come last in their run,
// where their accumulators are the smallest.
func CombinedIn(n Node, s int, c *ein.Comprehension) (order []*ein.Index) {
	runs := OrderRuns(c)
	if len(runs) == len(ein.Reduced(c)) {
		return slices.Concat(runs...)
	}
	first := firstLoops(n, s, ein.Reduced(c))
	for _, run := range runs {
		order = append(order, run...)
		slices.SortStableFunc(order[len(order)-len(run):], func(a, b *ein.Index) int { return first[a.Name] - first[b.Name] })
	}
	return order
}

// firstLoops numbers the indices of a statement as the loops of a subtree begin to part
// their points.
func firstLoops(n Node, s int, reduced []*ein.Index) map[string]int {
	of := map[string]*ein.Index{}
	for _, i := range reduced {
		of[i.Name] = i
	}
	first := map[string]int{}
	var visit func(Node)
	visit = func(n Node) {
		if b, ok := n.(*Band); ok {
			for _, m := range b.Members {
				l, _ := m.IndexOf(s)
				if i := of[l.Index]; i == nil || first[l.Index] != 0 {
					continue
				} else if n, known := i.Extent.IsConst(); !known || n > max(m.Tile, int64(m.Vector)) {
					first[l.Index] = len(first) + 1
				}
			}
		}
		for _, child := range Children(n) {
			visit(child)
		}
	}
	visit(n)
	for _, i := range reduced {
		if first[i.Name] == 0 {
			first[i.Name] = len(reduced) + 1
		}
	}
	return first
}

// Early accumulators of a reduction that may be reordered fix the place of one point: the last
// one of the program comes last, behind all others with the same result.

// earlyIn notes the statements of a subtree with early accumulators.
func earlyIn(n Node, early map[int]bool) map[int]bool {
	if a, ok := n.(*Accumulate); ok && a.Region == Early {
		early[a.Statement] = true
	}
	if n != nil {
		for _, child := range Children(n) {
			earlyIn(child, early)
		}
	}
	return early
}

// timed is an access in this tree, where early accumulators may pass on what others keep to
// their end.
func (c *checker) timed(a Access) Access {
	if a.late && c.early[a.Statement] {
		a.late, a.last = false, true
	}
	return a
}

// reductions lists the orders of reductions, of which trees have to keep those whose points are
// combined in a fixed one, and of early accumulators. Two points with the same result differ
// first in one of the reduced indices.
func reductions(f *ein.Func) []*Dependence {
	var found []*Dependence
	for s, c := range f.Body {
		w := c.Writes[0]
		a := Access{Statement: s, Tensor: w.Tensor, pos: w.Pos}
		for _, i := range ein.Reduced(c) {
			found = append(found, &Dependence{f: f, x: a, y: a, along: i})
		}
	}
	return found
}

// reduction follows two points of a reduction in a fixed order.
func (c *checker) reduction(d *Dependence) {
	comp := c.f.Body[d.x.Statement]
	_, free := ein.ReductionOperator(comp)
	early := c.early[d.x.Statement]
	if free && !early {
		return
	}
	x, y := d.x, d.y
	y.last = early
	p := &pair{c: c, x: x, y: y, instancePairs: newInstancePairs(c, x, y), reduction: true}
	apart := func(i *ein.Index) affine.Expr {
		return affine.Symbol(symbol("y", i.Name)).Sub(affine.Symbol(symbol("x", i.Name)))
	}
	for _, i := range comp.ByKind(ein.Concat) {
		p.equate(apart(i))
	}
	for _, i := range CombinedIn(c.tree.Root, d.x.Statement, comp) {
		if i == d.along || early {
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
	index, _, scan := ein.ScanOperator(p.c.f.Body[p.x.Statement])
	l, ok := m.IndexOf(p.x.Statement)
	return scan && ok && l.Index == index.Name && (m.Vector > 0 || b == p.pieces && (m.Groups || m.Items > 0 || m.Parallel && m == b.Members[0]))
}

// disorder reports two points of a reduction that a tree combines in the wrong order.
func (p *pair) disorder(n Node, example map[string]int64, why string) {
	c := p.c.f.Body[p.x.Statement]
	what := "its operators do not commute, or are several"
	switch {
	case p.c.early[p.x.Statement]:
		what = "early accumulators pass a result on at its last point"
	case len(c.ByKind(ein.Scan)) > 0:
		what = "a scan goes from the first to the last"
	}
	help := "keep the order of the loops over what is reduced, each from the first to the last; they may be cut into blocks, and other loops be anywhere"
	if mode := orderedBy(c); mode != "" && !p.c.early[p.x.Statement] {
		what = mode
		help += "; or allow another order: --numerics default adds sums in any, --numerics fast multiplies in any as well"
	}
	written := Access{Tensor: p.x.Tensor, Subscripts: c.Writes[0].Subscripts}.element()
	d := p.c.errs.Errorf(source.ScheduleIllegal, c.Pos, "the schedule breaks the order in which the values of %s are combined in %s (%s): %s",
		written, p.c.words.Statement(p.x.Statement), what, why)
	d.WithNote(p.x.pos, "the first value%s", p.pointText("x", p.x, example)).WithNote(p.y.pos, "the second value%s", p.pointText("y", p.y, example))
	p.c.noteSchedule(d, n)
	d.WithHelp("%s", help)
}

// orderedBy says why a reduction by a built-in operator has an order: the mode of numerics asks for
// it. It is empty for others.
func orderedBy(c *ein.Comprehension) string {
	for _, i := range ein.Reduced(c) {
		switch op := i.Combine.Op; {
		case op.Kind == ein.SumOp && op.Ordered():
			return "strict numerics: floats are added from the first to the last"
		case op.Kind == ein.ProductOp && op.Ordered():
			return "floats are multiplied from the first to the last, since parts of a product may overflow"
		}
	}
	return ""
}
