package standard

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How sums of columns are scheduled
//
// A sum along any but the last dimension reads each element once and adds whole rows. A
// narrow column of accumulators in registers would walk down memory in steps of a row,
// which is slow; so the sums of whole rows are kept in the nearest caches, and memory is
// read in its own order: a few rows side by side, so that a sum is loaded and stored once
// for all of them. Threads take pieces of what is reduced, and their sums are combined in
// order (3001 x 4003 floats: 4.1 instead of 6.9 ms on one thread, 2.1 instead of 3.1 on two;
// 400003 x 17: 2.0 instead of 4.2, and 0.9 instead of 2.0). Rows may have factors, as in the
// product of a row and a matrix.

const (
	columnRows   = 4        // that are added side by side
	columnBytes  = 64 << 10 // of the sums that are kept
	columnPieces = 16       // of what is reduced; not by the number of threads, on which results do not depend
)

// columns makes the subtree of a reduction that adds rows.
func (mk *maker) columns(p *plan) schedule.Node {
	if len(p.g.statements) != 1 || p.vector < 0 {
		return nil
	}
	s := p.g.statements[0]
	vector := p.g.columns[p.vector][0]
	main := mk.addedRows(s, vector)
	if main == nil || mk.staysInPart(p, main, vector) {
		return nil
	}
	member := func(i *ein.Index, tile int64) *schedule.Member {
		return &schedule.Member{Loops: []schedule.Loop{{Statement: s, Index: i.Name}}, Tile: tile}
	}
	outer, inner, tasks := mk.columnLoops(p, main, member)
	rows := mk.sideBySide(main)
	var points []*schedule.Member
	for _, m := range inner {
		if tile := rows[m.Loops[0].Index]; tile > 0 {
			m.Tile = tile
			points = append(points, &schedule.Member{Loops: m.Loops, Tile: 1, Unroll: true})
		}
	}
	lane := member(vector, 1)
	lane.Unroll, lane.Vector = true, p.lanes
	if !mk.staysWithCores(p, mk.f.Body[s]) && mk.sumsAsk(p.g) {
		lane.Ahead = mk.aheadBytes()
	}
	var nest schedule.Node = &schedule.Accumulate{Statement: s, Region: schedule.Register, Child: wrap(append(points, lane), &schedule.Leaf{})}
	sums := func() schedule.Node {
		return &schedule.Accumulate{Statement: s, Region: schedule.Private, Child: wrap(inner, nest)}
	}
	if p.parallel && tasks < int64(mk.m.Cores)*tasksPerCore {
		if i, piece := mk.columnPiece(main); piece < estimate(i.Extent) {
			pieces := member(i, piece)
			pieces.Parallel = true
			if piece == 1 { // inside there is nothing to go through
				inner = slices.DeleteFunc(inner, func(m *schedule.Member) bool { return m.Loops[0].Index == i.Name })
			}
			return wrap(outer, &schedule.Accumulate{Statement: s, Region: schedule.Workspace, Child: wrap([]*schedule.Member{pieces}, sums())})
		}
	}
	for _, m := range outer {
		m.Parallel, m.Coincident = p.parallel, true
	}
	return wrap(outer, sums())
}

// sideBySide returns how many values of which reduced indices make the rows that are added side by
// side: columnRows of the innermost, or all of its few, and of those around it where these are less.
func (mk *maker) sideBySide(main *schedule.Access) map[string]int64 {
	c, rows, left := mk.f.Body[main.Statement], map[string]int64{}, int64(columnRows)
	for _, sub := range slices.Backward(main.Subscripts) {
		i, _, _ := schedule.IndexPlusConstant(c, sub)
		if i.Combine.Kind == ein.Concat {
			if len(rows) > 0 {
				break // others follow each other no longer
			}
			continue
		}
		n := estimate(i.Extent)
		if n == 1 { // the loop outside goes through it
			continue
		}
		if rows[i.Name] = min(n, left); len(rows) == 1 && n < 2*columnRows {
			rows[i.Name] = n
		}
		if left /= rows[i.Name]; left <= 1 {
			break
		}
	}
	return rows
}

// columnPiece returns how many values of which reduced index threads take at a time: of the outermost
// that has enough of them, or of the longest.
func (mk *maker) columnPiece(main *schedule.Access) (index *ein.Index, piece int64) {
	c, rows := mk.f.Body[main.Statement], mk.sideBySide(main)
	for _, sub := range main.Subscripts {
		if i, _, _ := schedule.IndexPlusConstant(c, sub); i.Combine.Kind != ein.Concat && (index == nil || estimate(i.Extent) > estimate(index.Extent)) {
			if index = i; estimate(i.Extent) >= columnPieces/2 {
				break
			}
		}
	}
	n, tile := estimate(index.Extent), max(1, rows[index.Name])
	if piece = roundUp((n+columnPieces-1)/columnPieces, tile); tile > 1 {
		piece = max(2*tile, piece)
	}
	return index, piece
}

// staysInPart reports whether a matrix is so small that a part of it stays in the caches of the
// cores from call to call, where nothing else is read and each core takes the same columns of
// long rows, as tiles do: 2048 x 1000 doubles, four times these caches, take 0.74 to 0.83 of the
// time of reading rows from end to end, on two threads, but floats, with runs of 2000 bytes, 1.2.
func (mk *maker) staysInPart(p *plan, main *schedule.Access, vector *ein.Index) bool {
	const times = 8 // the caches
	c, cores := mk.f.Body[main.Statement], int64(1)
	if p.parallel {
		cores = int64(mk.m.Cores)
	}
	if len(mk.f.Body) > 1 || len(distinct(c.Accesses())) < 2 {
		return false
	}
	return estimate(vector.Extent)*int64(main.Tensor.Type.Size()) >= mk.run()*cores && mk.bytesOf(main.Tensor) <= times*cores*mk.m.L2
}

// columnLoops returns the loops around the sums that are kept, and those over them and what is
// reduced; tasks is how many iterations the former have. The indices are taken as they
// lie in memory: those before the innermost that is reduced are outside, unless the elements of one
// of their values are few; those behind it are cut to columnBytes.
func (mk *maker) columnLoops(p *plan, main *schedule.Access, member func(*ein.Index, int64) *schedule.Member) (outer, inner []*schedule.Member, tasks int64) {
	c, vector := mk.f.Body[main.Statement], p.g.columns[p.vector][0]
	kept, run, behind := int64(0), int64(main.Tensor.Type.Size()), false
	for _, a := range c.Writes {
		kept += int64(a.Tensor.Type.Compute().Size())
	}
	tasks = 1
	inner = []*schedule.Member{member(vector, int64(p.lanes))}
	for _, i := range c.Indices { // those of one value, as the row of a product of one
		if slices.ContainsFunc(main.Subscripts, func(sub ein.Expr) bool { own, _, _ := schedule.IndexPlusConstant(c, sub); return own == i }) {
			continue
		}
		if i.Combine.Kind == ein.Concat {
			outer = append(outer, member(i, 1))
		} else {
			inner = append([]*schedule.Member{member(i, 1)}, inner...)
		}
	}
	for d, sub := range slices.Backward(main.Subscripts) {
		i, _, _ := schedule.IndexPlusConstant(c, sub)
		n := estimate(i.Extent)
		switch {
		case i.Combine.Kind != ein.Concat:
			behind = behind || n > 1
			inner = append([]*schedule.Member{member(i, 1)}, inner...)
		case behind && (run >= mk.page() || !mk.reducesBefore(main, d)):
			outer = append([]*schedule.Member{member(i, 1)}, outer...)
			tasks = schedule.MultiplySizes(tasks, n)
		default:
			tile := max(1, min(n, min(columnBytes, mk.m.L2/4)/kept))
			if i == vector {
				tile = min(n, roundUp(tile, int64(p.lanes)))
			} else if tile > 1 || n == 1 {
				inner = append([]*schedule.Member{member(i, 1)}, inner...)
			}
			if tile < n {
				outer = append(outer, member(i, tile))
				tasks = schedule.MultiplySizes(tasks, (n+tile-1)/tile)
			}
			kept = schedule.MultiplySizes(kept, tile)
		}
		run = schedule.MultiplySizes(run, n)
	}
	return outer, inner, tasks
}

// reducesBefore reports whether one of the first d subscripts of an access is reduced.
func (mk *maker) reducesBefore(a *schedule.Access, d int) bool {
	c := mk.f.Body[a.Statement]
	return slices.ContainsFunc(a.Subscripts[:d], func(sub ein.Expr) bool {
		i, _, ok := schedule.IndexPlusConstant(c, sub)
		return ok && i.Combine.Kind != ein.Concat
	})
}

// hasOwnIndices reports whether each subscript of an access is an index of its own plus a
// constant.
func hasOwnIndices(c *ein.Comprehension, a schedule.Access) bool {
	var own []*ein.Index
	for _, sub := range a.Subscripts {
		i, _, ok := schedule.IndexPlusConstant(c, sub)
		if !ok || slices.Contains(own, i) {
			return false
		}
		own = append(own, i)
	}
	return true
}

// addedRows returns the access by which a reduction reads each element of a tensor once
// that is larger than the caches of a core, in long rows along the vectors, where indices
// that are further out are reduced; or nil. Its subscripts are in the order of memory, the farthest
// apart first, which strides may have made another one.
func (mk *maker) addedRows(s int, vector *ein.Index) *schedule.Access {
	const leastRows = 4 * columnRows
	c := mk.f.Body[s]
	op, free := ein.ReductionOperator(c)
	if !free || op == nil || schedule.Vectorisable(c, vector) != "" || c.Accumulate != nil && !ein.SameOperator(c.Accumulate, op) {
		return nil
	}
	var main *schedule.Access
	for k, a := range mk.accesses[s] {
		for _, w := range c.Writes {
			if !a.Writes && a.Tensor == w.Tensor {
				return nil
			}
		}
		pattern := mk.along(c, a.Tensor, a.Subscripts, vector)
		if a.Writes && pattern != unit || pattern == far {
			return nil
		}
		if a.Writes || pattern != unit || !metOnce(c, a) || !hasOwnIndices(c, a) {
			continue
		}
		bytes, known := int64(a.Tensor.Type.Size()), true
		for _, i := range c.Indices {
			n, constant := i.Extent.IsConst()
			known, bytes = known && constant && n > 0, schedule.MultiplySizes(bytes, max(1, n))
		}
		if known && bytes > mk.m.L2 {
			main = &mk.accesses[s][k]
		}
	}
	if main == nil || estimate(vector.Extent)*int64(main.Tensor.Type.Size()) < mk.line() || extentOf(ein.Reduced(c)) < leastRows {
		return nil
	}
	inOrder := *main
	inOrder.Subscripts = mk.byDistance(main.Tensor, main.Subscripts)
	return &inOrder
}
