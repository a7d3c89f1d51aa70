package standard

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// chunks is how many there are of a long reduction.
const chunks = 64

// chunked makes the schedule of a long reduction to a scalar: chunks in parallel,
// whose partial results are combined in order. Their number does not depend on the
// number of cores, so neither does the result.
func (mk *maker) chunked(p *plan) schedule.Node {
	if len(p.g.statements) != 1 || !mk.isLong(p.g.statements, 2) {
		return nil
	}
	s := p.g.statements[0]
	c := mk.f.Body[s]
	op, free := ein.ReductionOperator(c)
	if !free || op == nil || len(c.ByKind(ein.Concat)) > 0 {
		return nil
	}
	first := mk.chunkedIndex(c, p.own[s])
	n := estimate(first.Extent)
	tile := (n + chunks - 1) / chunks
	if vector := p.own[s]; vector == first {
		lanes := mk.laneTile(p, c, first, p.lanesOf(mk, s))
		tile = max(roundUp(tile, lanes), 2*lanes) // the tile inside is a part of the chunk
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

// chunkedIndex chooses the index of a long reduction that is cut into chunks: the first one
// along which there are enough of them, but the vector's only where there is no other, for
// its chunks are whole tiles of vectors.
func (mk *maker) chunkedIndex(c *ein.Comprehension, vector *ein.Index) *ein.Index {
	reduced := ein.Reduced(c)
	for _, i := range reduced {
		if i != vector && estimate(i.Extent) >= chunks {
			return i
		}
	}
	return reduced[0]
}
