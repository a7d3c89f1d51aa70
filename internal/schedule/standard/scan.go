package standard

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// scanned makes the schedule of a scan. Vectors run along it where its elements lie
// side by side, and across it where those of another index do, a strip at a time.
func (mk *maker) scanned(p *plan) schedule.Node {
	if len(p.g.statements) != 1 {
		return nil
	}
	s := p.g.statements[0]
	c := mk.f.Body[s]
	index, op, ok := ein.ScanOperator(c)
	if !ok || !schedule.Foldable(op) {
		return nil
	}
	vector, lanes := mk.scanVector(c, index), mk.lanesOf(c)
	if vector == nil || lanes < 2 {
		return nil
	}
	var around []*schedule.Member
	rows := int64(1)
	for _, i := range c.ByKind(ein.Concat) {
		if i != vector {
			around = append(around, &schedule.Member{Loops: []schedule.Loop{{Statement: s, Index: i.Name}}, Tile: 1, Parallel: p.parallel, Coincident: true})
			rows *= max(1, estimate(i.Extent))
		}
	}
	lane := &schedule.Member{Loops: []schedule.Loop{{Statement: s, Index: vector.Name}}, Tile: 1, Vector: lanes, Stream: mk.streamsScan(c, vector)}
	if vector != index {
		return mk.scanStrips(p, around, lane, vector, index)
	}
	if mk.isLong([]int{s}, 2) {
		lane.Ahead = mk.aheadBytes()
	}
	var inner schedule.Node = &schedule.Accumulate{Statement: s, Region: schedule.Register, Child: &schedule.Band{Members: []*schedule.Member{lane}, Child: &schedule.Leaf{}}}
	if mk.isLong([]int{s}, 2) && rows < scanRows {
		inner = mk.scanPieces(s, c, index, lane, inner)
		for _, m := range around { // the pieces are the tasks
			m.Parallel = false
		}
	}
	return wrap(around, inner)
}

// streamsScan reports whether the vectors of a scan are stored past the caches, which they are
// where whole vectors lie at lines: 2^24 floats take 6.4 instead of 7.2 ms on one thread of a
// Granite Rapids, and 3.1 instead of 3.9 on two.
func (mk *maker) streamsScan(c *ein.Comprehension, vector *ein.Index) bool {
	if len(c.Writes) != 1 || !mk.vectorsAtLines(c, vector) {
		return false
	}
	met, bytes := []*ein.Tensor{c.Writes[0].Tensor}, mk.bytesOf(c.Writes[0].Tensor)
	for _, a := range c.Accesses() {
		if a.Tensor == c.Writes[0].Tensor {
			return false
		}
		if !slices.Contains(met, a.Tensor) {
			met, bytes = append(met, a.Tensor), bytes+mk.bytesOf(a.Tensor)
		}
	}
	return mk.prefersNonTemporal(bytes)
}

// scanRows is how many scans side by side keep all cores busy.
const scanRows = 16

// scanVector chooses the index of the vectors: one along which all accesses have
// their elements side by side, or the same one.
func (mk *maker) scanVector(c *ein.Comprehension, index *ein.Index) *ein.Index {
	for _, i := range append([]*ein.Index{index}, c.ByKind(ein.Concat)...) {
		good := estimate(i.Extent) > 1 && schedule.Vectorisable(c, i) == ""
		for _, a := range c.Accesses() {
			good = good && mk.along(c, a.Tensor, a.Subscripts, i) != far
		}
		for _, w := range c.Writes {
			good = good && mk.along(c, w.Tensor, w.Subscripts, i) == unit
		}
		if good {
			return i
		}
	}
	return nil
}

// scanStrips walks down strips of columns, as wide as makes their rows streams for
// the memory. A few rows at a time are read together: their carries stay in registers
// meanwhile, since storing them between the stores of results would delay those.
//
// Rows that lie a page apart, or a part of it, share sets of the nearest cache, and more lines than a set has push each other
// out, together with those that the hardware brings in advance. Where that is known to cost (machine.Ratios.SharedSets),
// there are as many rows as leave room: on a Zen 4, sums of 1000 x 1024 floats take 0.50 of the time with 4 rows instead of
// 8, of 4000 x 4096 0.76; with AVX2 0.26 and 0.59.
func (mk *maker) scanStrips(p *plan, around []*schedule.Member, lane *schedule.Member, vector, index *ein.Index) schedule.Node {
	rowsTogether := mk.scanRowsTogether(mk.f.Body[lane.Loops[0].Statement], index)
	strip := 2 * mk.page()
	columns := lane.Loops[0]
	n := estimate(vector.Extent)
	_, known := vector.Extent.IsConst()
	tile := int64(lane.Vector) * max(1, strip/int64(mk.m.VectorBytes))
	if p.parallel {
		for tile > int64(lane.Vector) && n/tile < int64(mk.m.Cores) {
			tile /= 2
		}
	}
	members := around
	if tile < n || !known {
		members = append(members, &schedule.Member{Loops: []schedule.Loop{columns}, Tile: tile, Parallel: p.parallel, Coincident: true})
	}
	s := columns.Statement
	rows := &schedule.Member{Loops: []schedule.Loop{{Statement: s, Index: index.Name}}, Tile: 1}
	region := schedule.Private
	if tile == int64(lane.Vector) {
		region = schedule.Register
	}
	var inner schedule.Node = &schedule.Band{Members: []*schedule.Member{rows}, Child: &schedule.Band{Members: []*schedule.Member{lane}, Child: &schedule.Leaf{}}}
	if n, known := index.Extent.IsConst(); known && rowsTogether > 1 && n > rowsTogether {
		few := &schedule.Member{Loops: rows.Loops, Tile: rowsTogether}
		rows.Unroll = true
		inner = &schedule.Band{Members: []*schedule.Member{few, lane}, Child: &schedule.Accumulate{Statement: s, Region: schedule.Register, Child: &schedule.Band{Members: []*schedule.Member{rows}, Child: &schedule.Leaf{}}}}
	}
	return wrap(members, &schedule.Accumulate{Statement: s, Region: region, Child: inner})
}

// scanRowsTogether is how many rows a scan reads and writes together: fewer where their lines have no room in the sets of the
// nearest cache that they share.
func (mk *maker) scanRowsTogether(c *ein.Comprehension, index *ein.Index) int64 {
	rows := int64(8)
	if machine.Pays(mk.m.Ratios().SharedSets) {
		return rows
	}
	lines := func() (total int64) { // of one set
		for _, a := range distinct(c.Accesses()) {
			total += mk.linesOfSet(c, a.Tensor, a.Subscripts, index, rows)
		}
		for _, w := range c.Writes {
			total += mk.linesOfSet(c, w.Tensor, w.Subscripts, index, rows)
		}
		return total
	}
	for rows > 1 && lines() > mk.m.Whole(machine.Ways) {
		rows /= 2
	}
	return rows
}

// linesOfSet is how many lines of one set of the nearest cache so many points along an index of a statement touch of a tensor;
// all sets together are a page.
func (mk *maker) linesOfSet(c *ein.Comprehension, t *ein.Tensor, subscripts []ein.Expr, index *ein.Index, points int64) int64 {
	apart := int64(0) // elements
	for d, sub := range subscripts {
		if a, ok := ein.AffineOf(sub); ok {
			coefficient, _, _ := a.Linear(index.Name)
			apart += coefficient * mk.stride(t, d)
		}
	}
	if apart == 0 {
		return 1
	}
	both, page := apart*int64(t.Type.Size()), mk.page() // the greatest number of which both are multiples
	for rest := page; rest != 0; {
		both, rest = rest, both%rest
	}
	sets := page / max(mk.line(), both, -both)
	return (points + sets - 1) / sets
}

// scanPieces cuts a long scan. The pieces do not depend on the number of threads,
// so neither does the result. Totals are taken of a few vectors at a time, which do not wait
// for each other; the next piece being fetched meanwhile, they come at the speed of the second
// cache (2^24 floats written past the caches, on one thread: 5.9 instead of 6.4 ms).
func (mk *maker) scanPieces(s int, c *ein.Comprehension, index *ein.Index, lane *schedule.Member, inner schedule.Node) schedule.Node {
	const (
		piece    = 256 << 10 // bytes
		totalled = 4         // vectors
	)
	bytes := int64(0)
	for _, a := range c.Accesses() {
		bytes += int64(a.Tensor.Type.Size())
	}
	for _, w := range c.Writes {
		bytes += int64(w.Tensor.Type.Size())
	}
	tile := roundUp(max(1, min(piece, mk.m.L2/4)/bytes), int64(mk.lanesOf(c)))
	if n, known := index.Extent.IsConst(); known && tile >= n {
		return inner
	}
	lane.Prefetch = index.Name
	if lane.Stream {
		lane.Ahead = 0 // all that is read was fetched with the piece before
	}
	if band := schedule.Children(inner)[0].(*schedule.Band); tile%int64(totalled*lane.Vector) == 0 {
		lane.Unroll = true
		band.Members = []*schedule.Member{{Loops: lane.Loops, Tile: int64(totalled * lane.Vector)}, lane}
	}
	return &schedule.Accumulate{Statement: s, Region: schedule.Workspace, Child: &schedule.Band{
		Members: []*schedule.Member{{Loops: []schedule.Loop{{Statement: s, Index: index.Name}}, Tile: tile, Parallel: true}}, Child: inner}}
}
