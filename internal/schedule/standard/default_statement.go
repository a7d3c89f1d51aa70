package standard

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// statement makes the nest of statement number k of the group inside of the
// tiles of the columns: its own loops, and, inside of those over what is reduced, the points
// of the tile with a vector innermost. Where these keep their order they are inside of all.
func (mk *maker) statement(p *plan, k int) schedule.Node {
	s := p.g.statements[k]
	c := mk.f.Body[s]
	op, free := ein.ReductionOperator(c)
	reduces := op != nil && free
	vector := mk.vectorOf(p, k)
	own, points := mk.ownLoops(p, k, vector, reduces), mk.tilePoints(p, k, vector, reduces)
	lanes := mk.lanesOver(p, k, vector, reduces)
	switch {
	case !free:
		return wrap(slices.Concat(points, own, lanes), &schedule.Accumulate{Statement: s, Region: schedule.Register, Child: schedule.BandOver(s, ein.Reduced(c), &schedule.Leaf{})})
	case !reduces:
		return wrap(slices.Concat(own, points, lanes), &schedule.Leaf{})
	}
	return wrap(own, &schedule.Accumulate{Statement: s, Region: schedule.Register, Child: wrap(mk.reductionLoops(p, k, vector), wrap(append(points, lanes...), &schedule.Leaf{}))})
}

// over makes a loop over the points of an index of statement number k.
func (p *plan) over(k int, i *ein.Index) *schedule.Member {
	return &schedule.Member{Loops: []schedule.Loop{{Statement: p.g.statements[k], Index: i.Name}}, Tile: 1}
}

// vectorOf returns the index of statement number k along which its vectors lie, or nil.
func (mk *maker) vectorOf(p *plan, k int) *ein.Index {
	s := p.g.statements[k]
	if p.vector < 0 {
		return p.own[s]
	}
	if i := p.g.columns[p.vector][k]; schedule.Vectorisable(mk.f.Body[s], i) == "" {
		return i
	}
	return nil
}

// tilePoints makes the loops over the points of the tile of the columns.
func (mk *maker) tilePoints(p *plan, k int, vector *ein.Index, reduces bool) (list []*schedule.Member) {
	for col, column := range p.g.columns {
		if i := column[k]; p.tiles[col] > 1 && i != vector {
			m := p.over(k, i)
			m.Unroll = reduces
			list = append(list, m)
		}
	}
	return list
}

// ownLoops makes the loops over the indices of results that are no columns. Those along
// vectors are cut where a reduction has a vector of its own.
func (mk *maker) ownLoops(p *plan, k int, vector *ein.Index, reduces bool) (list []*schedule.Member) {
	s := p.g.statements[k]
	c := mk.f.Body[s]
	for _, i := range c.ByKind(ein.Concat) {
		if slices.ContainsFunc(p.g.columns, func(column []*ein.Index) bool { return column[k] == i }) {
			continue
		}
		m := p.over(k, i)
		if i == vector {
			m.Tile = mk.lonelyTile(c, i, p.lanesOf(mk, s))
		}
		if i != vector || reduces && m.Tile < estimate(i.Extent) {
			list = append(list, m)
		}
	}
	return list
}

// lanesOver makes the loop over the lanes of vectors, if there are any.
func (mk *maker) lanesOver(p *plan, k int, vector *ein.Index, reduces bool) []*schedule.Member {
	if vector == nil {
		return nil
	}
	m := p.over(k, vector)
	m.Vector, m.Unroll = p.lanesOf(mk, p.g.statements[k]), reduces
	if !reduces {
		m.Prefetch = mk.prefetched(p, k, vector)
		m.Stream = mk.streamsOut(p, k, vector)
	}
	m.Ahead = mk.aheadOf(p, k, vector)
	return []*schedule.Member{m}
}

// reductionLoops makes the loops over what is reduced.
func (mk *maker) reductionLoops(p *plan, k int, vector *ein.Index) (list []*schedule.Member) {
	s := p.g.statements[k]
	for _, i := range ein.Reduced(mk.f.Body[s]) {
		m := p.over(k, i)
		if i == vector {
			if m.Tile = mk.laneTile(p, mk.f.Body[s], i, p.lanesOf(mk, s)); m.Tile >= estimate(i.Extent) {
				continue
			}
		}
		list = append(list, m)
	}
	return list
}
