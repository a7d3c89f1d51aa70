package schedule

import (
	"github.com/ricci-lang/ricci/internal/ein"
)

// How scans are scheduled
//
// A scan has one carry per Concat point: the combination of the values so far. An
// accumulate starts carries of the block below with those further up, and gives
// them back, so that a scan is cut like any reduction as long as its pieces come in
// order. Inside of a vector along the scan the lanes are combined with those before
// them in log₂ steps. Below "accumulate workspace" the pieces run in parallel. A thread
// goes through each of its pieces twice: for the total, and, when it has learnt the sum of
// those before, for the prefixes. The second time finds the data in the cache, and fetches
// those of the thread's next piece meanwhile, so that the memory always has work (2^24
// floats take 11.5 instead of 12.6 ms on one thread, 6.2 instead of 7.5 on two, with two
// parallel loops for every sixteen pieces; a copy takes 11.5 and 6.2).

// ScanOperator returns the scanned index and the operator of a comprehension that
// is a scan and nothing else, with an operator that may be cut anywhere: it is
// associative, and has an identity.
func ScanOperator(c *ein.Comprehension) (index *ein.Index, op *ein.Operator, ok bool) {
	rest := Reduced(c)
	if len(rest) != 1 || rest[0].Combine.Kind != ein.Scan {
		return nil, nil, false
	}
	op = rest[0].Combine.Op
	if !op.Associative || op.Identity == nil {
		return nil, nil, false
	}
	return rest[0], op, true
}

// scan checks where the carries of a scan are kept.
func (c *checker) scan(n *Accumulate, st state) {
	outer, _ := st.accumulators[n.Statement].(*Accumulate)
	switch {
	case n.Region == Output || n.Region == Early:
		c.misfit(n, "the carries of a scan are kept in register, private, shared or workspace")
	case n.Region == Shared && outer != nil:
		c.misfit(n, "shared carries are the outermost ones")
	case n.Region == Workspace && outer != nil && outer.Region == Workspace:
		c.misfit(n, "the pieces of a scan that run in parallel are cut once")
	case n.Region == Workspace && st.vectors[n.Statement] != nil:
		c.misfit(n, "the totals of a scan's pieces are scalars, and %s is a vector here", c.words.Index(n.Statement, st.vectors[n.Statement].Name))
	case n.Region == Workspace && vectorAcross(n.Child) != nil:
		c.misfit(n, "the totals of a scan's pieces are scalars, and %s below are vectors across it", c.words.Loop(vectorAcross(n.Child)))
	}
}

// vectorAcross returns a vector loop above the next accumulate of a subtree, or nil.
func vectorAcross(n Node) *Member {
	switch n := n.(type) {
	case *Accumulate:
		return nil
	case *Band:
		for _, m := range n.Members {
			if m.Vector > 0 {
				return m
			}
		}
	}
	for _, child := range Children(n) {
		if m := vectorAcross(child); m != nil {
			return m
		}
	}
	return nil
}

// scanned makes the schedule of a scan. Vectors run along it where its elements lie
// side by side, and across it where those of another index do, a strip at a time.
func (mk *maker) scanned(p *plan) Node {
	if len(p.g.statements) != 1 {
		return nil
	}
	s := p.g.statements[0]
	c := mk.f.Body[s]
	index, op, ok := ScanOperator(c)
	if !ok || !Foldable(op) {
		return nil
	}
	vector, lanes := mk.scanVector(c, index), mk.lanesOf(c)
	if vector == nil || lanes < 2 {
		return nil
	}
	var around []*Member
	rows := int64(1)
	for _, i := range c.ByKind(ein.Concat) {
		if i != vector {
			around = append(around, &Member{Loops: []Loop{{Statement: s, Index: i.Name}}, Tile: 1, Parallel: p.parallel, Coincident: true})
			rows *= max(1, estimate(i.Extent))
		}
	}
	lane := &Member{Loops: []Loop{{Statement: s, Index: vector.Name}}, Tile: 1, Vector: lanes}
	if vector != index {
		return mk.scanStrips(p, around, lane, vector, index)
	}
	if mk.isLong([]int{s}, 2) {
		lane.Ahead = aheadBytes
	}
	var inner Node = &Accumulate{Statement: s, Region: Register, Child: &Band{Members: []*Member{lane}, Child: &Leaf{}}}
	if mk.isLong([]int{s}, 2) && rows < scanRows {
		inner = mk.scanPieces(s, c, index, lane, inner)
		for _, m := range around { // the pieces are the tasks
			m.Parallel = false
		}
	}
	return wrap(around, inner)
}

// scanRows is how many scans side by side keep all cores busy.
const scanRows = 16

// scanVector chooses the index of the vectors: one along which all accesses have
// their elements side by side, or the same one.
func (mk *maker) scanVector(c *ein.Comprehension, index *ein.Index) *ein.Index {
	for _, i := range append([]*ein.Index{index}, c.ByKind(ein.Concat)...) {
		good := estimate(i.Extent) > 1 && Vectorisable(c, i) == ""
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
func (mk *maker) scanStrips(p *plan, around []*Member, lane *Member, vector, index *ein.Index) Node {
	const strip, rowsTogether = 8192, 8 // bytes
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
		members = append(members, &Member{Loops: []Loop{columns}, Tile: tile, Parallel: p.parallel, Coincident: true})
	}
	s := columns.Statement
	rows := &Member{Loops: []Loop{{Statement: s, Index: index.Name}}, Tile: 1}
	region := Private
	if tile == int64(lane.Vector) {
		region = Register
	}
	var inner Node = &Band{Members: []*Member{rows}, Child: &Band{Members: []*Member{lane}, Child: &Leaf{}}}
	if n, known := index.Extent.IsConst(); known && n > rowsTogether {
		few := &Member{Loops: rows.Loops, Tile: rowsTogether}
		rows.Unroll = true
		inner = &Band{Members: []*Member{few, lane}, Child: &Accumulate{Statement: s, Region: Register, Child: &Band{Members: []*Member{rows}, Child: &Leaf{}}}}
	}
	return wrap(members, &Accumulate{Statement: s, Region: region, Child: inner})
}

// scanPieces cuts a long scan. The pieces do not depend on the number of threads,
// so neither does the result.
func (mk *maker) scanPieces(s int, c *ein.Comprehension, index *ein.Index, lane *Member, inner Node) Node {
	const piece = 256 << 10 // bytes
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
	return &Accumulate{Statement: s, Region: Workspace, Child: &Band{
		Members: []*Member{{Loops: []Loop{{Statement: s, Index: index.Name}}, Tile: tile, Parallel: true}}, Child: inner}}
}
