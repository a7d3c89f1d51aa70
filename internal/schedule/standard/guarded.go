package standard

import (
	"math"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How rows of results with conditions of their own are scheduled
//
// Where the terms of a result are all the identity unless a condition holds that is data, and the
// same for all of them, one result follows the other and its loops do not run where the condition
// does not hold. A join whose bins are far apart has such results: of 1000 bins in a table and one
// beyond it, only that one is compared with all keys. Where the condition mostly holds that is no
// slower than other loops if vectors go along what is reduced, and no operands are shared by a
// register tile.

const (
	leastGuarded   = 256 // terms of a result, beside which the test costs nothing
	guardedVectors = 8   // of accumulators
	guardedSlack   = 1.5 // how much dearer vectors along what is reduced may be than others
)

// A guardedRow is how the results of a statement are computed where each has a condition of its own.
type guardedRow struct {
	c     *ein.Comprehension
	along *ein.Index // that is reduced, by vectors
	lanes int
}

// newGuardedRow returns nil where no such condition is worth it.
func (mk *maker) newGuardedRow(s int) *guardedRow {
	c := mk.f.Body[s]
	op, free := ein.ReductionOperator(c)
	if op == nil || !free || multiplies(c) || spanned(ein.Reduced(c)) < leastGuarded {
		return nil
	}
	concat, holds, isOfRows := c.ByKind(ein.Concat), map[ein.Expr]bool{}, false
	for _, g := range schedule.GuardsKnown(c, func(i *ein.Index) bool { return i.Combine.Kind == ein.Concat }) {
		holds[g.Expr] = g.Holds
		isOfRows = isOfRows || ein.DependsOnData(g.Expr) && ein.DependsOn(g.Expr, concat...)
	}
	if !isOfRows {
		return nil
	}
	r := &guardedRow{c: c, lanes: mk.lanesWithout(c, op, holds)}
	best := math.Inf(1)
	for _, i := range concat {
		best = min(best, mk.vectorCost(c, i, r.lanes))
	}
	best *= guardedSlack
	for _, i := range ein.Reduced(c) {
		if cost := mk.vectorCost(c, i, r.lanes); estimate(i.Extent) >= int64(r.lanes) && !math.IsInf(cost, 1) && cost <= best {
			best, r.along = cost, i
		}
	}
	if r.along == nil {
		return nil
	}
	return r
}

// multiplies reports whether terms are products of elements, which register tiles share.
func multiplies(c *ein.Comprehension) bool {
	found := false
	for _, v := range c.Values {
		ein.Walk(v, func(e ein.Expr) bool {
			b, ok := e.(*ein.Binary)
			found = found || ok && b.Op == ein.Mul && ein.DependsOnData(b.X) && ein.DependsOnData(b.Y)
			return !found
		})
	}
	return found
}

// guardedRows makes the subtree of such a reduction; guardLoops marks the loop that conditions leave out.
func (mk *maker) guardedRows(p *plan) schedule.Node {
	if len(p.g.statements) != 1 {
		return nil
	}
	s := p.g.statements[0]
	r := mk.newGuardedRow(s)
	if r == nil {
		return nil
	}
	member := func(i *ein.Index) *schedule.Member {
		return &schedule.Member{Loops: []schedule.Loop{{Statement: s, Index: i.Name}}, Tile: 1}
	}
	var rows, inside []*schedule.Member
	for _, i := range r.c.Indices {
		switch {
		case i.Combine.Kind == ein.Concat:
			m := member(i)
			m.Parallel, m.Coincident = p.parallel, p.parallel
			rows = append(rows, m)
		case i != r.along:
			inside = append(inside, member(i))
		}
	}
	blocks, vectors := member(r.along), member(r.along)
	blocks.Tile, vectors.Vector, vectors.Unroll = int64(r.lanes*guardedVectors), r.lanes, true
	below := wrap([]*schedule.Member{vectors}, &schedule.Leaf{})
	return wrap(rows, &schedule.Accumulate{Statement: s, Region: schedule.Register, Child: wrap(append(inside, blocks), below)})
}
