package standard

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// chunked makes the schedule of a long reduction to a scalar: chunks in parallel,
// whose partial results are combined in order. Their number does not depend on the
// number of cores, so neither does the result.
func (mk *maker) chunked(p *plan) schedule.Node {
	if len(p.g.statements) != 1 || !mk.isLong(p.g.statements, 2) {
		return nil
	}
	s := p.g.statements[0]
	c := mk.f.Body[s]
	op, free := schedule.ReductionOperator(c)
	if !free || op == nil || len(c.ByKind(ein.Concat)) > 0 {
		return nil
	}
	first := schedule.Reduced(c)[0]
	const chunks = 64
	n := estimate(first.Extent)
	tile := (n + chunks - 1) / chunks
	if vector := p.own[s]; vector == first {
		tile = roundUp(tile, mk.laneTile(p, c, first, p.lanesOf(mk, s)))
	}
	if _, known := first.Extent.IsConst(); !known {
		tile = 1 << 14
	}
	if tile < 2 || tile >= n && tile != 1<<14 {
		return nil
	}
	outer := &schedule.Member{Loops: []schedule.Loop{{Statement: s, Index: first.Name}}, Tile: tile, Parallel: true}
	inner := mk.statement(&plan{g: &group{statements: p.g.statements}, vector: -1, own: p.own}, 0)
	return &schedule.Accumulate{Statement: s, Region: schedule.Workspace, Child: &schedule.Band{Members: []*schedule.Member{outer}, Child: inner}}
}
