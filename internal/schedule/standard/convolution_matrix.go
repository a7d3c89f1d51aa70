package standard

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How convolutions are scheduled for matrix units
//
// The channels of the image are in groups, and the other reduced indices, those of the windows,
// are steps of the same product: of the image they read the same block, some points further.
// The vector is what lies side by side in the results. Where that is a row of the image, a
// task copies the rows that its windows cover, with the channels of a point in groups, and
// the filter's channels are the rows of tiles. Where it is the channels of the results, the
// filter is what lies in groups, and points of the image, whose channels lie side by side,
// are the rows. The filter is copied to the workspace: once for all tasks, and for all calls
// if it is constant.
//
// Tiles follow each other along the filter, whose panels come from the second-level cache;
// a tile of the image stays in the first. A filter that is larger than that cache is cut into
// blocks of the results' channels, and each goes over all of the image.
//
// Without a matrix unit vectors multiply the same groups, in smaller tiles: 3 x 3 layers of bytes
// take a tenth of the time of vectors whose lanes are numbers of 32 bits, first layers a quarter.
// Where a row of the results has few vectors, a tile has several rows.

// leastWindowGroups is how many groups of channels the image has at least: with fewer, most of
// a tile is empty.
func (mk *maker) leastWindowGroups() int64 { return mk.unitTile().Groups / 4 }

// mostGroupVectors is how many vectors of groups a tile has at most that share an element of the other
// operand, and groupSums how many sums in all.
func (mk *maker) mostGroupVectors() int64 { return int64(mk.m.VectorRegisters) / 8 }
func (mk *maker) groupSums() int64        { return int64(mk.m.VectorRegisters) * 3 / 4 }

// A matrixWindows is what was decided for a convolution.
type matrixWindows struct {
	mk                 *maker
	s                  int
	c                  *ein.Comprehension
	matrix             bool // there is a matrix unit
	vector, row, group *ein.Index
	groupSize          int
	along, shared      *ein.Access // the operand in groups along the vector, and the other one
	image, filter      *ein.Access // the same
}

// convolvedInMatrices makes the subtree of a convolution for a matrix unit, or for vectors of groups.
func (mk *maker) convolvedInMatrices(p *plan) schedule.Node {
	if len(p.g.statements) != 1 {
		return nil
	}
	w := mk.matrixWindows(p.g.statements[0])
	if w == nil {
		return nil
	}
	return w.tree(p.parallel)
}

// matrixWindows decides how a convolution is computed by a matrix unit, or by groups; nil where it is not.
func (mk *maker) matrixWindows(s int) *matrixWindows {
	c := mk.f.Body[s]
	x, y, size := ein.DotOf(c)
	if size == 0 || !mk.windowed(c) || len(c.Writes) != 1 {
		return nil
	}
	matrix, least := mk.multipliesTiles(x.Tensor.Type, y.Tensor.Type), mk.leastWindowGroups()*int64(size)
	if !matrix {
		if least = int64(size) / 2; !mk.multipliesGroups(c) {
			return nil
		}
	}
	if slices.ContainsFunc(c.Indices, func(i *ein.Index) bool { n, known := i.Extent.IsConst(); return !known || n < 1 }) {
		return nil
	}
	var best *matrixWindows
	for _, v := range c.ByKind(ein.Concat) {
		if mk.along(c, c.Writes[0].Tensor, c.Writes[0].Subscripts, v) != unit || !matrix && estimate(v.Extent) < int64(mk.lanesOf(c))/4 {
			continue
		}
		for _, g := range ein.Reduced(c) {
			along, shared, why := schedule.DotOperands(c, g, v, size)
			if why != "" || estimate(g.Extent) < least || best != nil && estimate(g.Extent) <= estimate(best.group.Extent) {
				continue
			}
			w := &matrixWindows{mk: mk, s: s, c: c, matrix: matrix, vector: v, group: g, groupSize: size, along: along, shared: shared}
			if w.image, w.filter = along, shared; !w.hasWindows(along) {
				w.image, w.filter = shared, along
			}
			if w.chooseRow(); w.row != nil && w.isCopyable() {
				best = w
			}
		}
	}
	return best
}

// hasWindows reports whether an operand is read in windows.
func (w *matrixWindows) hasWindows(a *ein.Access) bool {
	return slices.ContainsFunc(a.Subscripts, func(sub ein.Expr) bool {
		_, _, plain := schedule.IndexPlusConstant(w.c, sub)
		return !plain
	})
}

// chooseRow chooses the index of the rows of tiles: the longest of the shared operand's.
func (w *matrixWindows) chooseRow() {
	for _, i := range w.c.ByKind(ein.Concat) {
		if ein.AnyDependsOn(w.shared.Subscripts, i) && !ein.AnyDependsOn(w.along.Subscripts, i) && (w.row == nil || estimate(i.Extent) >= estimate(w.row.Extent)) {
			w.row = i
		}
	}
}

// isCopyable reports whether the filter can be copied to the workspace, the image of groups to
// blocks, and that of others be read as it lies.
func (w *matrixWindows) isCopyable() bool {
	if w.hasWindows(w.filter) || !w.hasWindows(w.image) || w.filter.Tensor == w.image.Tensor || w.filter.Tensor.Role != ein.Input {
		return false
	}
	if w.along == w.image {
		rows, _ := w.imageRows()
		return w.mk.isFinished(w.image.Tensor) && w.mk.isOnlyRead(w.image) && w.inBounds(w.image) && w.inBounds(w.filter) &&
			(w.matrix || w.imageBytes(rows, w.height()) <= machine.StackBytes/2)
	}
	return w.inBounds(w.filter) && w.mk.along(w.c, w.image.Tensor, w.image.Subscripts, w.group) == unit
}

func (w *matrixWindows) inBounds(a *ein.Access) bool {
	for d := range a.Subscripts {
		if !ein.InBounds(w.c, a, d) {
			return false
		}
	}
	return true
}

// tree assembles the loops.
func (w *matrixWindows) tree(parallel bool) schedule.Node {
	channels, block := w.channels(), w.blockOfChannels()
	rows, others := w.imageRows()
	tasks := &matrixTasks{w: w, parallel: parallel, wanted: 1}
	if parallel {
		tasks.wanted = int64(w.mk.m.Cores) * tasksPerCore
	}
	for _, i := range others {
		tasks.add(i, 1)
	}
	if block < estimate(channels.Extent) {
		tasks.add(channels, block)
	}
	var inside []*schedule.Member
	if rows != nil {
		n, tile := w.rowsOfTask(rows, tasks), w.height()
		tasks.add(rows, n)
		if n > tile {
			inside = append(inside, w.member(rows, tile))
		}
	}
	point := w.vector
	if channels == w.vector {
		point = w.row
	}
	n := w.tile()
	if w.along == w.filter {
		n = w.place(w.filter, schedule.Workspace, n)
	}
	for _, cut := range []struct {
		i    *ein.Index
		size int64
	}{{point, estimate(point.Extent)}, {channels, block}} {
		if tile := w.tileOf(cut.i); tile < cut.size {
			inside = append(inside, w.member(cut.i, tile))
		}
	}
	n = wrap(inside, n)
	if w.along == w.image {
		n = w.place(w.image, schedule.Private, n)
	}
	n = wrap(tasks.members, n)
	if w.along == w.image && !w.filterLiesRight() {
		n = w.place(w.filter, schedule.Workspace, n)
	}
	return n
}

// channels is the index of the results that is one of the filter.
func (w *matrixWindows) channels() *ein.Index {
	if w.filter == w.along {
		return w.vector
	}
	return w.row
}

func (w *matrixWindows) member(i *ein.Index, tile int64) *schedule.Member {
	return &schedule.Member{Loops: []schedule.Loop{{Statement: w.s, Index: i.Name}}, Tile: tile}
}

// sideOf is how many points of the vector's index, or of that of the rows, a block of 2 x 2 tiles has.
func (w *matrixWindows) sideOf(i *ein.Index) int64 {
	tile := w.mk.unitTile()
	if i == w.vector {
		return 2 * tile.Columns
	}
	return 2 * tile.Rows
}

// tileOf is how many points of the vector's index, or of that of the rows, a tile has.
func (w *matrixWindows) tileOf(i *ein.Index) int64 {
	switch n := estimate(i.Extent); {
	case w.matrix:
		return min(w.sideOf(i), n)
	case i == w.vector:
		return min(w.vectors()*int64(w.mk.lanesOf(w.c)), n)
	default:
		return min(w.mk.groupSums()/(w.vectors()*w.height()), n)
	}
}

// vectors is how many vectors of groups a tile has side by side.
func (w *matrixWindows) vectors() int64 {
	lanes := int64(w.mk.lanesOf(w.c))
	return min(w.mk.mostGroupVectors(), (estimate(w.vector.Extent)+lanes-1)/lanes)
}

// height is how many rows of the image a tile of groups has.
func (w *matrixWindows) height() int64 {
	rows, _ := w.imageRows()
	if w.matrix || rows == nil || w.along != w.image {
		return 1
	}
	return min(w.mk.mostGroupVectors()/w.vectors(), estimate(rows.Extent))
}

// tile makes the accumulators and what is computed in them.
func (w *matrixWindows) tile() schedule.Node {
	if !w.matrix {
		return w.groupNest()
	}
	t := &registerTile{statement: w.s, vector: w.vector, lanes: int64(w.mk.lanesOf(w.c)), points: []tilePoints{{w.row, w.sideOf(w.row)}}, group: w.group, groupSize: w.groupSize}
	return t.matrixNest(w.c)
}

// groupNest makes the loops of a tile of vectors of groups.
func (w *matrixWindows) groupNest() schedule.Node {
	var steps, inner []*schedule.Member
	for _, i := range ein.Reduced(w.c) {
		if i != w.group {
			steps = append(steps, w.member(i, 1))
		}
	}
	group := w.member(w.group, 1)
	group.Group, group.Flip = w.groupSize, w.mk.flips(w.c, w.tileOf(w.row))
	if rows, _ := w.imageRows(); w.height() > 1 {
		inner = append(inner, w.member(rows, 1))
	}
	vector := w.member(w.vector, 1)
	vector.Vector = w.mk.lanesOf(w.c)
	inner = append(inner, w.member(w.row, 1), vector)
	for _, m := range inner {
		m.Unroll = true
	}
	return &schedule.Accumulate{Statement: w.s, Region: schedule.Register, Child: wrap(append(steps, group), wrap(inner, &schedule.Leaf{}))}
}

// filterLiesRight reports whether the filter has the members of groups side by side.
func (w *matrixWindows) filterLiesRight() bool {
	return w.mk.along(w.c, w.filter.Tensor, w.filter.Subscripts, w.group) == unit
}

// place copies an operand. A filter that is not in groups has the members of these side by side,
// then the rows of tiles, then the windows.
func (w *matrixWindows) place(a *ein.Access, region schedule.Region, n schedule.Node) schedule.Node {
	p := &schedule.Place{Tensor: a.Tensor.Name, Region: region, Child: n}
	if a == w.shared {
		rank := func(d int) int {
			switch i, _, _ := schedule.IndexPlusConstant(w.c, a.Subscripts[d-1]); {
			case i == w.group:
				return 3
			case i == w.row:
				return 2
			case i.Combine.Kind == ein.Reduce:
				return 1
			}
			return 0
		}
		for d := range a.Subscripts {
			p.Layout = append(p.Layout, d+1)
		}
		slices.SortStableFunc(p.Layout, func(x, y int) int { return rank(x) - rank(y) })
	}
	return p
}

// imageRows returns the index over rows of the image, the last one of the results of which the
// image alone depends, and the others that have no tiles.
func (w *matrixWindows) imageRows() (rows *ein.Index, others []*ein.Index) {
	for _, i := range w.c.ByKind(ein.Concat) {
		switch {
		case i == w.vector || i == w.row:
		case ein.AnyDependsOn(w.image.Subscripts, i) && !ein.AnyDependsOn(w.filter.Subscripts, i) && (rows == nil || w.stepInResult(i) < w.stepInResult(rows)):
			if rows != nil {
				others = append(others, rows)
			}
			rows = i
		default:
			others = append(others, i)
		}
	}
	return rows, others
}

func (w *matrixWindows) stepInResult(i *ein.Index) int64 {
	return w.mk.step(w.c.Writes[0].Tensor, w.c.Writes[0].Subscripts, i)
}

// blockOfChannels is how many channels of the results a task has: all, or as many as leave the
// block of the filter in half of the second-level cache.
func (w *matrixWindows) blockOfChannels() int64 {
	all := estimate(w.channels().Extent)
	each := int64(w.filter.Tensor.Type.Size()) * extentOf(ein.Reduced(w.c))
	tile := w.sideOf(w.channels())
	if !w.matrix {
		tile = w.tileOf(w.channels())
	}
	most := max(tile, w.mk.m.L2/2/max(1, each)/tile*tile)
	if all <= most {
		return all
	}
	pieces := (all + most - 1) / most
	return roundUp((all+pieces-1)/pieces, tile)
}

// rowsOfTask is how many rows of results a task has: as many as leave what it copies of the
// image in a quarter of the second-level cache, or fewer where threads need more tasks.
func (w *matrixWindows) rowsOfTask(rows *ein.Index, tasks *matrixTasks) int64 {
	all := estimate(rows.Extent)
	n := all
	if w.along == w.image {
		for n > 1 && w.imageBytes(rows, n) > min(w.mk.m.L2/4, machine.StackBytes/2) {
			n--
		}
	}
	pieces := max((all+n-1)/n, min(all, (tasks.wanted+tasks.count()-1)/tasks.count()))
	return min(all, roundUp((all+pieces-1)/pieces, w.height()))
}

// imageBytes is the size of what so many rows of results read of the image.
func (w *matrixWindows) imageBytes(rows *ein.Index, n int64) int64 {
	total := int64(w.image.Tensor.Type.Size())
	for _, sub := range w.image.Subscripts {
		terms, _, ok := schedule.Window(w.c, sub)
		length := int64(1)
		for _, t := range terms {
			count := estimate(t.Index.Extent)
			switch {
			case t.Index == rows:
				count = n
			case t.Index.Combine.Kind == ein.Concat && t.Index != w.vector && t.Index != w.row:
				count = 1
			}
			length += t.Step * (count - 1)
		}
		if ok {
			total = schedule.MultiplySizes(total, length)
		}
	}
	return total
}

// matrixTasks are the loops outside of what a task copies.
type matrixTasks struct {
	w        *matrixWindows
	parallel bool
	wanted   int64 // how many there are to be, if rows of the image allow
	members  []*schedule.Member
}

// add adds a loop over blocks of an index.
func (t *matrixTasks) add(i *ein.Index, tile int64) {
	if tile >= estimate(i.Extent) && tile > 1 {
		return
	}
	m := t.w.member(i, tile)
	m.Parallel, m.Coincident = t.parallel, true
	t.members = append(t.members, m)
}

// count is how many tasks there are.
func (t *matrixTasks) count() int64 {
	total := int64(1)
	for _, m := range t.members {
		i := slices.IndexFunc(t.w.c.Indices, func(i *ein.Index) bool { return i.Name == m.Loops[0].Index })
		total *= (estimate(t.w.c.Indices[i].Extent) + m.Tile - 1) / m.Tile
	}
	return total
}
