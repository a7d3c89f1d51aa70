package standard

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How chains of statements over rows are pipelined
//
// A softmax reads a row for its maximum, then computes functions of it and sums these, and only
// then writes it: the memory waits for the core and the core for the memory. In a pipeline over the
// rows (schedule.Member.Pipeline) one loop reads a row, computes with the one before, and writes the
// one before that. Softmax of 4096² floats takes 0.88 of the time (100 % of what a copy takes), of
// rows of 8192 and 16384, which the nearest cache does not hold, 0.71 and 0.76, of 1000 0.85, on
// one thread of Granite Rapids.
//
// A stage has all statements that may run point by point together: one that reads what a
// reduction before it gives for the row begins a new one. All stages of a step are one loop, so that
// their vectors take turns without any further unrolling.
//
// It pays where the rows come from memory and go there past the caches: from the last cache the same
// takes 1.06 of the time, rows of 256 floats that are stored through the caches 1.6 (0.8 past them).
// What the stages read side by side comes from the second cache where the first one does not hold it:
// layer norm of rows of 4096 floats, of which three stages read one each beside gain and bias, takes 0.93
// of the time, of 8192 0.85, and 0.82 with a residual, which makes eight rows. But where functions are
// computed, the core has no time to wait for the second cache: layer norm and GELU of rows of 4096
// takes 1.05.

const (
	leastPiped = 32 // rows that a thread works on in one go: in the first and last ones not all stages work
	shortPiped = 16 // lines of a row
	mostPiped  = 8  // rows of more than the nearest cache
	mostCalled = 4  // of them where functions are computed
)

// A stage of a pipeline: statements, by number in the group, that share the loop over vectors.
type stage struct {
	members []int
	alone   []int // of a row: without loops of their own, behind it
}

// pipelined makes the subtree of a chain of statements over rows as a pipeline; nil where it would
// not pay.
func (mk *maker) pipelined(p *plan) schedule.Node {
	if through := mk.goneThrough(p.g); len(p.g.statements) < 2 || p.vector >= 0 || len(p.g.columns) == 0 || !mk.inMemory(through) || !mk.prefersNonTemporal(through) {
		return nil
	}
	order := p.order()
	row := order[len(order)-1]
	stages := mk.stagesOf(p)
	if len(stages) < 2 || len(stages) > schedule.MostStages || !mk.rowsAreFar(p, row) || !mk.rowsHaveRoom(p, stages, row) || !mk.storesPast(p, stages) {
		return nil
	}
	n, around := estimate(p.g.columns[row][0].Extent), int64(1)
	for _, c := range order[:len(order)-1] {
		around *= max(1, estimate(p.g.columns[c][0].Extent))
	}
	if n < leastPiped {
		return nil
	}
	seq := &schedule.Sequence{}
	met := map[*ein.Tensor]bool{}
	pieces := mk.piecesOf(p, stages, row)
	for _, st := range stages {
		seq.Children = append(seq.Children, mk.stageNode(p, st, row, pieces, met))
	}
	var outer []*schedule.Member
	for _, c := range order[:len(order)-1] {
		m := p.column(c, 1)
		m.Parallel, m.Coincident = p.parallel, true
		outer = append(outer, m)
	}
	if cores := int64(mk.m.Cores); p.parallel && around < cores*tasksPerCore {
		m := p.column(row, roundUp(max(leastPiped, (n*around+cores*tasksPerCore-1)/(cores*tasksPerCore)), pieces.rows))
		m.Parallel, m.Coincident = true, true
		if m.Tile < n {
			outer = append(outer, m)
		}
	}
	steps := p.column(row, pieces.rows)
	steps.Coincident, steps.Pipeline = true, true
	return wrap(append(outer, steps), mk.contract(p, seq))
}

// stagesOf parts the statements of a group into the stages of a pipeline; nil where one is no
// statement over the vectors of a row.
func (mk *maker) stagesOf(p *plan) (list []*stage) {
	var st *stage
	for k, s := range p.g.statements {
		c := mk.f.Body[s]
		own := p.own[s]
		op, free := ein.ReductionOperator(c)
		size, known := int64(0), false
		if own != nil {
			size, known = own.Extent.IsConst()
		}
		switch {
		case !free || len(c.Indices) > len(p.g.columns)+1 || len(c.Writes) > 1 || c.Accumulate != nil:
			return nil
		case own == nil && len(c.Indices) == len(p.g.columns):
			if st == nil {
				return nil
			}
			st.alone = append(st.alone, k)
			continue
		case own == nil || !known || size*int64(c.Writes[0].Tensor.Type.Size()) < shortPiped*mk.line():
			return nil
		case op != nil && own.Combine.Kind == ein.Concat:
			return nil
		}
		if st == nil || !mk.joinsStage(p, st, k) {
			st = &stage{}
			list = append(list, st)
		}
		st.members = append(st.members, k)
	}
	return list
}

// joinsStage reports whether a statement may run point by point with those of a stage.
func (mk *maker) joinsStage(p *plan, st *stage, k int) bool {
	s := p.g.statements[k]
	own := p.own[s]
	if len(st.alone) > 0 {
		return false
	}
	for _, earlier := range st.members {
		e := p.g.statements[earlier]
		other := p.own[e]
		if !other.Min.Equal(own.Min) || !other.Extent.Equal(own.Extent) || p.lanesOf(mk, e) != p.lanesOf(mk, s) {
			return false
		}
		for _, a := range mk.accesses[e] {
			for _, b := range mk.accesses[s] {
				if a.Tensor == b.Tensor && (a.Writes || b.Writes) && (len(ein.Reduced(mk.f.Body[e])) > 0 || !mk.meets(a, other, b, own)) {
					return false
				}
			}
		}
	}
	return true
}

// meets reports whether two accesses touch the same element only where an index of each has the
// same value.
func (mk *maker) meets(a schedule.Access, i *ein.Index, b schedule.Access, j *ein.Index) bool {
	for d := range a.Subscripts {
		x, shiftA, okA := schedule.IndexPlusConstant(mk.f.Body[a.Statement], a.Subscripts[d])
		y, shiftB, okB := schedule.IndexPlusConstant(mk.f.Body[b.Statement], b.Subscripts[d])
		if okA && okB && x == i && y == j && shiftA == shiftB {
			return true
		}
	}
	return false
}

// inMemory reports whether so many bytes lie in memory, and not in a cache of all cores.
func (mk *maker) inMemory(bytes int64) bool {
	p := mk.m.Peaks
	if p == nil || len(p.Layers) == 0 {
		return bytes > mk.m.Shared()
	}
	return p.LayerOf(bytes, min(mk.m.Cores, p.Threads)) == &p.Layers[len(p.Layers)-1]
}

// rowsHaveRoom reports whether the nearest cache holds the rows that the stages read side by side, or
// they are few.
func (mk *maker) rowsHaveRoom(p *plan, stages []*stage, row int) bool {
	rows, most := mk.rowsBeside(p, stages, row), mostPiped
	for _, st := range stages {
		if slices.ContainsFunc(st.members, func(k int) bool { return callsAlong(mk.f.Body[p.g.statements[k]], p.own[p.g.statements[k]]) }) {
			most = mostCalled
		}
	}
	return rows.number <= most || rows.bytes <= mk.m.L1
}

// besides are the rows that stages read side by side.
type besides struct {
	number        int
	bytes, shared int64 // shared ones are the same for all rows
}

func (mk *maker) rowsBeside(p *plan, stages []*stage, row int) (rows besides) {
	shared := map[*ein.Tensor]bool{}
	for _, st := range stages {
		met := map[*ein.Tensor]bool{}
		for _, k := range st.members {
			c, own := mk.f.Body[p.g.statements[k]], p.own[p.g.statements[k]]
			for _, a := range mk.accesses[p.g.statements[k]] {
				if met[a.Tensor] || shared[a.Tensor] || mk.along(c, a.Tensor, a.Subscripts, own) != unit {
					continue
				}
				met[a.Tensor] = true
				if a.Writes {
					continue // a block that the next stage reads, or what goes past the caches
				}
				bytes := estimate(own.Extent) * int64(a.Tensor.Type.Size())
				rows.number, rows.bytes = rows.number+1, rows.bytes+bytes
				if shared[a.Tensor] = !ein.AnyDependsOn(a.Subscripts, p.g.columns[row][k]); shared[a.Tensor] {
					rows.shared += bytes
				}
			}
		}
	}
	return rows
}

// callsAlong reports whether a statement computes functions of what depends on an index.
func callsAlong(c *ein.Comprehension, i *ein.Index) (found bool) {
	for _, v := range c.Values {
		ein.Walk(v, func(e ein.Expr) bool {
			_, isCall := e.(*ein.Call)
			found = found || isCall && ein.DependsOn(e, i)
			return !found
		})
	}
	return found
}

// storesPast reports whether all results of maps go past the caches.
func (mk *maker) storesPast(p *plan, stages []*stage) bool {
	for _, st := range stages {
		for _, k := range st.members {
			c := mk.f.Body[p.g.statements[k]]
			kept := c.Writes[0].Tensor.Role == ein.Temp && mk.keeps(p.g, c.Writes[0].Tensor)
			if len(ein.Reduced(c)) == 0 && !kept && !mk.stageStreams(p, st, k) {
				return false
			}
		}
	}
	return true
}

// stageStreams reports whether the vectors of statement number k are stored past the caches, also in
// short rows where these begin at lines.
func (mk *maker) stageStreams(p *plan, st *stage, k int) bool {
	own := p.own[p.g.statements[k]]
	return len(st.members) == 1 && (mk.streamsOut(p, k, own) || len(ein.Reduced(mk.f.Body[p.g.statements[k]])) == 0 &&
		mk.vectorsAtLines(mk.f.Body[p.g.statements[k]], own) && mk.streamsRows(p, k, own, shortPiped*mk.line(), mk.mostBeside()))
}

// rowsAreFar reports whether the group reads rows of something larger than the second cache, a few of
// which that cache holds.
func (mk *maker) rowsAreFar(p *plan, row int) bool {
	for k := range p.g.statements {
		if mk.readsFar(p, k, row, nil) != nil {
			return true
		}
	}
	return false
}

// readsFar returns what statement number k reads row by row of what is larger than the second cache,
// and not met before.
func (mk *maker) readsFar(p *plan, k, row int, met map[*ein.Tensor]bool) (far []*ein.Tensor) {
	s := p.g.statements[k]
	c, own := mk.f.Body[s], p.own[p.g.statements[k]]
	for _, a := range c.Accesses() {
		t := a.Tensor
		if own == nil || met[t] || t.Role == ein.Temp && mk.keeps(p.g, t) || !ein.AnyDependsOn(a.Subscripts, p.g.columns[row][k]) || mk.along(c, t, a.Subscripts, own) != unit {
			continue
		}
		if line := estimate(own.Extent) * int64(t.Type.Size()); mk.bytesOf(t) > mk.m.L2 && line <= mk.m.L2/8 {
			far = append(far, t)
		}
	}
	return far
}

// stageNode makes the subtree of a stage. The first to read a row asks for lines ahead: with the next
// row instead, which lies pages ahead, softmax of 8192² floats takes 1.14 of the time.
func (mk *maker) stageNode(p *plan, st *stage, row int, pieces rowPieces, met map[*ein.Tensor]bool) *schedule.Filter {
	f := &schedule.Filter{}
	lane := &schedule.Member{Tile: 1}
	for _, k := range st.members {
		s := p.g.statements[k]
		f.Statements = append(f.Statements, s)
		m := p.over(k, p.own[s])
		lane.Loops, lane.Vector = append(lane.Loops, m.Loops...), p.lanesOf(mk, s)
		far := mk.readsFar(p, k, row, met)
		for _, t := range far {
			met[t] = true
		}
		if len(far) > 0 {
			lane.Ahead = mk.aheadBytes()
		}
		lane.Stream = mk.stageStreams(p, st, k)
	}
	var inner schedule.Node = &schedule.Leaf{}
	if len(st.members) > 1 {
		inner = sequenceOf(f.Statements)
	}
	inner = wrap(pieces.around(p, st.members, row, lane), inner)
	for _, s := range slices.Backward(f.Statements) {
		if op, _ := ein.ReductionOperator(mk.f.Body[s]); op != nil {
			inner = &schedule.Accumulate{Statement: s, Region: schedule.Register, Child: inner}
		}
	}
	if len(st.alone) > 0 {
		seq := &schedule.Sequence{Children: []*schedule.Filter{{Statements: f.Statements, Child: inner}}}
		for _, k := range st.alone {
			s := p.g.statements[k]
			rows := pieces.inRow(p, []int{k}, row)
			for _, m := range rows {
				m.Unroll = true // no loop beside that over the pieces, which takes turns with those of other stages
			}
			seq.Children = append(seq.Children, &schedule.Filter{Statements: []int{s}, Child: wrap(rows, &schedule.Leaf{})})
			f.Statements = append(f.Statements[:len(f.Statements):len(f.Statements)], s)
		}
		inner = seq
	}
	f.Child = inner
	return f
}

// sequenceOf runs the points of statements one after the other.
func sequenceOf(statements []int) *schedule.Sequence {
	seq := &schedule.Sequence{}
	for _, s := range statements {
		seq.Children = append(seq.Children, &schedule.Filter{Statements: []int{s}, Child: &schedule.Leaf{}})
	}
	return seq
}
