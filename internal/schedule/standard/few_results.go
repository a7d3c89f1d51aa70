package standard

import (
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How long sums of a few results are shared
//
// The tasks made of a few results are fewer than the cores, or leave some of them idle. As for
// contractions (contraction_split_reduction.go) the reduction is then cut into chunks, which have results of their
// own, combined in the order of the chunks: an autocorrelation of 300007 floats at 32 lags, which
// is one tile of results, takes 0.51 of the time on two threads.

// fewResults makes the subtree of such a sum.
func (mk *maker) fewResults(p *plan) schedule.Node {
	if len(p.g.statements) != 1 || len(p.g.columns) == 0 {
		return nil
	}
	s := p.g.statements[0]
	c := mk.f.Body[s]
	results := extentOf(c.ByKind(ein.Concat))
	if mk.windowed(c) && (results > mk.registers()*int64(mk.lanesOf(c)) || sharesBothWays(c)) { // has tiles as convolutions have
		return nil
	}
	if mk.contraction(c) && !mk.windowed(c) && results > 1 || !mk.mayAccumulateInOutput(c) || mk.blockedReduction(p) != nil || !mk.isIdle(p) {
		return nil
	}
	serial := *p
	serial.parallel = false
	along := mk.alongSum(p)
	if along != nil {
		serial = *along
	}
	if !p.parallel && along != nil {
		return mk.outer(along, mk.statement(along, 0))
	} else if !p.parallel {
		return nil
	}
	var vector *ein.Index
	if serial.vector < 0 {
		vector = serial.own[s]
	}
	first := mk.chunkedIndex(c, vector)
	n, known := first.Extent.IsConst()
	steps := mk.reductionSteps(c)
	if !known || steps < fewestChunks*leastChunk {
		return nil
	}
	pieces := min(steps/leastChunk, mostChunks)
	tile := (n + pieces - 1) / pieces
	if first == vector {
		lanes := mk.laneTile(&serial, c, vector, serial.lanesOf(mk, s))
		tile = max(roundUp(tile, lanes), 2*lanes) // the tile inside is a part of the chunk
	}
	if tile < 2 || tile >= n {
		return nil
	}
	outer := &schedule.Member{Loops: []schedule.Loop{{Statement: s, Index: first.Name}}, Tile: tile, Parallel: true}
	return &schedule.Accumulate{Statement: s, Region: schedule.Workspace, Child: &schedule.Band{Members: []*schedule.Member{outer}, Child: mk.outer(&serial, mk.statement(&serial, 0))}}
}

// alongSum returns the plan with vectors along what is reduced, if they wait less for their sums than those
// of so few results that a plan has; or nil.
func (mk *maker) alongSum(p *plan) *plan {
	s := p.g.statements[0]
	c := mk.f.Body[s]
	reduced := ein.Reduced(c)
	last := reduced[len(reduced)-1]
	if p.vector < 0 || math.IsInf(mk.vectorCost(c, last, mk.lanesAlong(c, last)), 1) {
		return nil
	}
	for _, a := range c.Accesses() {
		if mk.along(c, a.Tensor, a.Subscripts, last) == far {
			return nil
		}
	}
	along := &plan{g: p.g, vector: -1, tiles: slices.Repeat([]int64{1}, len(p.tiles)), own: map[int]*ein.Index{s: last}}
	mk.chooseLaneTile(along)
	now := tileChoice{vectors: p.tiles[p.vector] / int64(p.lanes)}
	for col, points := range p.tiles {
		if col != p.vector {
			now.points = append(now.points, columnPoints{col, points})
		}
	}
	if mk.laneTileCost(along, 0, along.tiles) >= mk.choiceCost(p, 0, now) {
		return nil
	}
	return along
}

// sharesBothWays reports whether two operands each depend on an index of results that the other does
// not depend on, as those of products of matrices do.
func sharesBothWays(c *ein.Comprehension) bool {
	accesses := c.Accesses()
	leaves := func(a, b *ein.Access) bool {
		return slices.ContainsFunc(c.ByKind(ein.Concat), func(i *ein.Index) bool {
			return ein.AnyDependsOn(a.Subscripts, i) && !ein.AnyDependsOn(b.Subscripts, i)
		})
	}
	for k, a := range accesses {
		for _, b := range accesses[:k] {
			if leaves(a, b) && leaves(b, a) {
				return true
			}
		}
	}
	return false
}

// isIdle reports whether the tasks that the results are cut into, all of which are few, leave cores idle,
// have one for each of them at most, or are a single tile, which not every maker cuts.
func (mk *maker) isIdle(p *plan) bool {
	results, tasks := int64(1), int64(1)
	for col, column := range p.g.columns {
		n, known := column[0].Extent.IsConst()
		if !known {
			return false
		}
		results = schedule.MultiplySizes(results, max(1, n))
		tasks = schedule.MultiplySizes(tasks, (n+p.tiles[col]-1)/p.tiles[col])
	}
	cores := int64(mk.m.Cores)
	return results <= smallResult && tasks > 0 && (results <= mk.registers() || tasks <= cores || waste(tasks, cores) > unequalShares)
}
