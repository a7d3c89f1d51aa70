package standard

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How stencils are scheduled
//
// A point-wise statement that reads a tensor at several distances along an index
// uses every plane across that index several times. Where the planes between the
// first use and the last do not fit into the second-level cache, the next index is
// cut into blocks that do; below a block the planes follow one another, and every
// one is fetched once, but for the rows at the edges of blocks. Points that read much in
// common are computed together (unroll_and_jam.go).

// stencil makes the subtree of one stencil whose planes are too large for the cache, or whose
// points share much of what they read.
func (mk *maker) stencil(p *plan) schedule.Node {
	if len(p.g.statements) != 1 || p.vector < 0 || p.othersTiled(p.vector) {
		return nil
	}
	s := p.g.statements[0]
	c := mk.f.Body[s]
	if len(ein.Reduced(c)) > 0 || len(c.Indices) != len(p.g.columns) {
		return nil
	}
	order := p.order() // the vectors last
	for at := 0; at+1 < len(order); at++ {
		across := p.g.columns[order[at]][0]
		if _, reused := mk.planes(c, across, order[at+1:], p, 1); reused {
			together, each := mk.unrollAndJam(p, order[at:len(order)-1]), int64(1)
			if len(together) == 0 {
				if each = mk.planesTogether(p, order, at); each == 1 {
					together = mk.rowsTogether(p, order)
				}
			}
			t := &stencilPlan{p, order, at, together, each}
			bytes, _ := mk.planes(c, across, order[at+1:], p, each)
			if bytes > t.room(mk.m.L2) {
				return mk.stencilBlocks(t, bytes)
			}
			if len(together) == 0 && each == 1 {
				return mk.chainedRows(p, order)
			}
			return mk.stencilRows(t)
		}
	}
	return nil
}

// A stencilPlan is what was decided for the tree of a stencil.
type stencilPlan struct {
	p        *plan
	order    []int         // of the columns
	at       int           // the number in it of the index that planes lie across
	together map[int]int64 // points that are computed together, by column
	each     int64         // planes that are gone through row by row
}

// room is how many bytes of the second cache planes may take: half of it, or more where
// results do not go there.
func (t *stencilPlan) room(cache int64) int64 {
	if t.each > 1 {
		return cache * 3 / 4
	}
	return cache / 2
}

// planes returns the bytes of what is between the first and the last use of an
// element across an index, where so many planes are gone through row by row, of which results
// are stored past the caches if they are several; reused is false where no tensor is used at
// several distances.
func (mk *maker) planes(c *ein.Comprehension, across *ein.Index, inner []int, p *plan, each int64) (bytes int64, reused bool) {
	plane := int64(1)
	for _, col := range inner {
		plane = schedule.MultiplySizes(plane, max(1, estimate(p.g.columns[col][0].Extent)))
	}
	for t, n := range mk.reach(c, across) {
		reused = reused || n > 1
		bytes += schedule.MultiplySizes(plane, (n+each-1)*int64(t.Type.Size()))
	}
	if each > 1 {
		return bytes, reused
	}
	for _, w := range c.Writes {
		bytes += schedule.MultiplySizes(plane, int64(w.Tensor.Type.Size()))
	}
	return bytes, reused
}

// reach returns how many planes across an index a point reads of the tensors that use it,
// from the first to the last.
func (mk *maker) reach(c *ein.Comprehension, across *ein.Index) map[*ein.Tensor]int64 {
	low, high := map[*ein.Tensor]int64{}, map[*ein.Tensor]int64{}
	for _, a := range c.Accesses() {
		for _, sub := range a.Subscripts {
			index, shift, ok := schedule.IndexPlusConstant(c, sub)
			if !ok || index != across {
				continue
			}
			if _, seen := low[a.Tensor]; !seen {
				low[a.Tensor], high[a.Tensor] = shift, shift
			}
			low[a.Tensor], high[a.Tensor] = min(low[a.Tensor], shift), max(high[a.Tensor], shift)
		}
	}
	for t := range low {
		high[t] -= low[t] - 1
	}
	return high
}

// stencilBlocks makes the tree: blocks of the index after number at, of which the
// planes have the given bytes.
func (mk *maker) stencilBlocks(t *stencilPlan, bytes int64) schedule.Node {
	const least = 4 // rows of a block, of which those at its edges are fetched twice
	p, cut := t.p, t.order[t.at+1]
	n, unit := max(1, estimate(p.g.columns[cut][0].Extent)), max(1, t.together[cut])
	if cut == p.vector {
		unit = int64(p.lanes)
	}
	rows := mk.m.L2 * 3 / 8 / max(1, bytes/n)
	if rows < least*unit {
		return nil
	}
	pieces := (n + rows - 1) / rows
	size := roundUp((n+pieces-1)/pieces, unit)
	if size >= n {
		return nil
	}
	outer := []*schedule.Member{p.column(cut, size)}
	for _, col := range t.order[:t.at] {
		pieces *= max(1, estimate(p.g.columns[col][0].Extent))
	}
	if each := mk.planesOfTask(t, pieces); each > 1 {
		outer = append(outer, p.column(t.order[t.at], each))
	}
	return mk.stencilTree(t, outer)
}

// stencilRows makes the tree of a stencil whose planes stay in the cache: blocks of planes
// for the threads.
func (mk *maker) stencilRows(t *stencilPlan) schedule.Node {
	pieces := int64(1)
	for _, col := range t.order[:t.at] {
		pieces *= max(1, estimate(t.p.g.columns[col][0].Extent))
	}
	var outer []*schedule.Member
	if each := mk.planesOfTask(t, pieces); each > 1 {
		outer = append(outer, t.p.column(t.order[t.at], each))
	}
	return mk.stencilTree(t, outer)
}

// planesOfTask returns how many planes a task has where there are so few pieces that they are cut
// across the planes, too; 0 where they are not.
func (mk *maker) planesOfTask(t *stencilPlan, pieces int64) int64 {
	across := t.order[t.at]
	planes, want := estimate(t.p.g.columns[across][0].Extent), int64(mk.m.Cores)*tasksPerCore
	if !t.p.parallel || pieces >= want {
		return 0
	}
	each, unit := (planes*pieces+want-1)/want, max(t.together[across], t.each)
	if unit > 1 {
		each = max(roundUp(each, unit), 2*unit)
	}
	if each >= planes {
		return 0
	}
	return each
}

// stencilTree makes the tree below the loops over the indices before number at: blocks, and in
// them the points, of which some are computed together.
func (mk *maker) stencilTree(t *stencilPlan, blocks []*schedule.Member) schedule.Node {
	p := t.p
	var outer, inner, points []*schedule.Member
	for _, col := range t.order[:t.at] {
		outer = append(outer, p.column(col, 1))
	}
	outer = append(outer, blocks...)
	for _, m := range outer {
		m.Parallel, m.Coincident = p.parallel, true
	}
	for _, col := range t.order[t.at:] {
		m := p.column(col, 1)
		if col == p.vector {
			m.Vector, m.Ahead = p.lanes, mk.aheadOf(p, 0, p.g.columns[col][0])
			m.Stream = t.each > 1 || len(t.together) == 0 && mk.streamsOut(p, 0, p.g.columns[col][0]) || len(t.together) > 0 && mk.streamsJammed(p)
		}
		tile := max(t.together[col], int64(m.Vector))
		switch {
		case t.each > 1 && col == t.order[t.at]:
			// The vectors that wait for the next row stay in registers (256³ floats: 0.98 of the time).
			m.Unroll = mk.endToEnd(mk.f.Body[p.g.statements[0]], p.g.columns[p.vector][0]) != nil
			points = append(points, m)
			m = p.column(col, t.each)
		case t.each > 1 && col == p.vector:
			points = append(points, m)
			continue
		case len(t.together) > 0 && tile > 1:
			m.Unroll = m.Vector == 0
			points = append(points, m)
			m = p.column(col, tile)
		}
		inner = append(inner, m)
	}
	return wrap(outer, wrap(inner, wrap(points, &schedule.Leaf{})))
}

// rowsTogether takes four rows of a stencil together whose vectors are written past the caches
// only so, since they begin within lines and many rows are read beside them: the vectors of a
// tile are joined to whole lines, and its rows share what they read. Of 5 points beside two more
// images of 4096² floats or doubles that takes 0.85 to 0.9 of the time, of a cross of 13 points 0.8
// to 0.9, on one thread and two; with two rows 1.1 for 13 points of doubles.
func (mk *maker) rowsTogether(p *plan, order []int) map[int]int64 {
	const rows = 4
	col := order[len(order)-2]
	c := mk.f.Body[p.g.statements[0]]
	if estimate(p.g.columns[col][0].Extent) < rows || mk.readsWritten(c) || !mk.streamsJammed(p) || mk.streamsOut(p, 0, p.g.columns[p.vector][0]) {
		return nil
	}
	return map[int]int64{col: rows}
}

// streamsJammed reports whether points of a stencil that are computed together, vectors along
// rows, are written past the caches: those that memory is waited for.
func (mk *maker) streamsJammed(p *plan) bool {
	vector := p.g.columns[p.vector][0]
	return mk.aheadOf(p, 0, vector) > 0 && mk.distinctLoads(p, nil) <= mostStreamed && mk.streamsTiledRows(mk.f.Body[p.g.statements[0]], vector, mk.goneThrough(p.g))
}

// planesTogether returns how many planes of a stencil over three indices or more are gone
// through row by row: those that make the rows around stay in the first cache, where
// otherwise each row would come from the second one for every plane that reads it. What a
// plane writes is stored past the caches then, as memory is what is waited for. Of 7 points
// that takes 0.88 of the time with 256³ floats on one thread of a Granite Rapids, and 0.78 on
// two; with 512³ doubles 0.85 and 0.84; of 13 points that read 9 rows 0.83 and 0.87. Without
// these stores nothing is won.
func (mk *maker) planesTogether(p *plan, order []int, at int) int64 {
	const most = 4
	beside := int(mk.pending() * 3 / 4) // rows that a point reads
	shortest := 15 * mk.line()          // of a row that is written
	inner := order[at+1:]
	if len(inner) < 2 || inner[len(inner)-1] != p.vector {
		return 1
	}
	vector, across := p.g.columns[p.vector][0], p.g.columns[order[at]][0]
	if mk.endToEnd(mk.f.Body[p.g.statements[0]], vector) != nil {
		shortest = leastChained * mk.line()
	}
	if !mk.streamsRows(p, 0, vector, shortest, beside) {
		return 1
	}
	for each := int64(most); each > 1; each /= 2 {
		if each < estimate(across.Extent) && mk.rowBytes(mk.f.Body[p.g.statements[0]], vector, across, each) <= mk.m.L1*3/4 {
			return each
		}
	}
	return 1
}

// chainedRows makes the tree of a stencil whose rows are too short to be written past the caches
// each for itself, but lie end to end: tasks of many rows. On one thread and two of a Granite Rapids
// 65536 x 256 floats of 5 points take 0.79 and 0.89 of the time, and of points that read 5 rows 0.91
// and 0.89; with 6 rows of doubles 0.83 and 0.85, with 9 of floats 0.97 and 1.18.
func (mk *maker) chainedRows(p *plan, order []int) schedule.Node {
	const most = 64                 // rows of a task
	beside := int(mk.pending() / 2) // rows that a point reads
	if len(order) < 2 || order[len(order)-1] != p.vector {
		return nil
	}
	next, vector := order[len(order)-2], p.g.columns[p.vector][0]
	c, rows := mk.f.Body[p.g.statements[0]], p.g.columns[next][0]
	if mk.endToEnd(c, vector) != rows || mk.streamsOut(p, 0, vector) || !mk.streamsRows(p, 0, vector, leastChained*mk.line(), beside) {
		return nil
	}
	tasks, n := int64(1), estimate(rows.Extent)
	var outer []*schedule.Member
	for _, col := range order[:len(order)-2] {
		outer, tasks = append(outer, p.column(col, 1)), tasks*max(1, estimate(p.g.columns[col][0].Extent))
	}
	each := min(most, n*tasks/(tasksPerCore*int64(mk.m.Cores)))
	if each < 2 {
		return nil
	}
	outer = append(outer, p.column(next, min(n, each)))
	for _, m := range outer {
		m.Parallel, m.Coincident = p.parallel, true
	}
	lanes := p.column(p.vector, 1)
	lanes.Vector, lanes.Stream, lanes.Ahead = p.lanes, true, mk.aheadOf(p, 0, vector)
	return wrap(outer, wrap([]*schedule.Member{p.column(next, 1), lanes}, &schedule.Leaf{}))
}
