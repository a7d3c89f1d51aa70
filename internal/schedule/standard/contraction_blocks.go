package standard

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// chooseRoles sorts the indices of the result into batch, rows and columns, each
// with the one that is slowest in the written tensor first.
func (k *contraction) chooseRoles() {
	w := k.c.Writes[0]
	for _, i := range k.c.ByKind(ein.Concat) {
		inVector, others := false, false
		for _, a := range k.operands {
			if !ein.AnyDependsOn(a.Subscripts, i) {
				others = true
			} else if ein.AnyDependsOn(a.Subscripts, k.vector) {
				inVector = true
			}
		}
		switch {
		case i == k.vector:
			k.columns = append(k.columns, i)
		case !others && k.tileOf(i) == 1:
			k.batch = append(k.batch, i)
		case inVector:
			k.columns = append(k.columns, i)
		default:
			k.rows = append(k.rows, i)
		}
	}
	for _, list := range [][]*ein.Index{k.batch, k.rows, k.columns} {
		slices.SortStableFunc(list, func(a, b *ein.Index) int {
			return int(max(-1, min(1, k.mk.step(w.Tensor, w.Subscripts, b)-k.mk.step(w.Tensor, w.Subscripts, a))))
		})
	}
}

// onColumns reports whether an operand runs along the vector.
func (k *contraction) onColumns(a *ein.Access) bool {
	return ein.AnyDependsOn(a.Subscripts, k.vector)
}

// chooseDepth cuts a long reduction, so that the panel of the column operands stays
// in the second-level cache and that of the row operands in the first. Rows in streams that
// one tile of columns reads need not stay: 1000 x 24 x 1000 doubles take 0.81 of the time
// without a cut, 4000 x 16 x 3000 floats take 0.87.
func (k *contraction) chooseDepth() {
	size := k.operandBytes()
	most := max(64, min(k.mk.run()/size, k.mk.m.L1/(k.rowsOfTile()*size), k.mk.m.L2/2/(4*int64(k.mk.m.VectorBytes)/max(1, k.groupSize))))
	switch {
	case k.placesResult(k.vector): // a cut needs one more block of results
		most = max(most, min(k.mk.m.L2, machine.StackBytes)/4/(k.tileOf(k.vector)*size))
	case k.streamsColumns():
		most = rowsAtOnce
	case k.columnTiles() == 1 && k.streamsRows():
		most = max(most, k.mk.m.L2/4/(k.columnsOfTile()*size))
	}
	most = min(most, machine.StackBytes/4/(k.columnsOfTile()*size))
	k.cutLongest()
	if k.open[k.inner[0]] || k.steps() > most*3/2 {
		k.cutDepth(most)
	}
}

// columnsOfTile is the number of points of the columns in a register tile.
func (k *contraction) columnsOfTile() int64 {
	points := int64(1)
	for _, i := range k.columns {
		points *= k.tileOf(i)
	}
	return points
}

// cutLongest puts the longest inner index first, which is cut, where the steps of a single value of the
// present one have no room on the stack; and others around it where this does not suffice.
func (k *contraction) cutLongest() {
	room := machine.StackBytes * 3 / 8 / (max(k.columnsOfTile(), k.rowsOfTile()) * k.operandBytes())
	fits := func() bool {
		return len(k.inner) < 2 || k.open[k.inner[0]] || extentOf(k.inner[1:]) <= room
	}
	if !fits() && k.group == nil {
		longest := slices.MaxFunc(k.inner, func(a, b *ein.Index) int { return cmp.Compare(estimate(a.Extent), estimate(b.Extent)) })
		others := slices.DeleteFunc(slices.Clone(k.inner), func(i *ein.Index) bool { return i == longest })
		k.inner = append([]*ein.Index{longest}, others...)
	}
	for !fits() {
		k.outer, k.inner = append(k.outer, k.inner[0]), k.inner[1:]
	}
}

// partialSums says where the sums of the blocks of the reduction wait for the others: in
// the result, or in an array of the task where that cannot hold them, as one of floats of
// 16 bits.
func (k *contraction) partialSums() schedule.Region {
	if k.mk.mayAccumulateInOutput(k.c) {
		return schedule.Output
	}
	return schedule.Private
}

// mostResults is how many results a task may have, given those of an index.
func (k *contraction) mostResults(of int64) int64 {
	const bytes = machine.StackBytes / 8
	if k.depth == 0 && len(k.outer) == 0 || k.partialSums() == schedule.Output {
		return math.MaxInt64
	}
	return max(1, bytes/int64(k.c.Values[0].Type().Size())/of)
}

// cutDepth cuts the first inner index, so that a block has at most so many steps.
func (k *contraction) cutDepth(most int64) {
	unit := int64(1)
	if k.inner[0] == k.group {
		unit = k.groupSize
	}
	first := estimate(k.inner[0].Extent)
	inner := k.steps() / first
	depth := max(1, most/inner)
	if k.open[k.inner[0]] {
		k.depth = roundUp(depth, unit)
		return
	}
	if depth >= first {
		return
	}
	for divisor := depth; divisor > depth*3/4; divisor-- { // one kernel for all blocks
		if first%divisor == 0 && divisor%unit == 0 {
			k.depth = divisor
			return
		}
	}
	pieces := (first + depth - 1) / depth
	if depth = roundUp((first+pieces-1)/pieces, unit); depth < first {
		k.depth = depth
	}
}

// rowsAtOnce is how many rows of an operand are read together: as many streams as
// the hardware follows.
const rowsAtOnce = 32

// streamsColumns reports whether an operand of the columns comes from far away, is
// used too little to be packed, and has long rows: they are read as streams, not
// column by column. Those of a batch are far if they have no room beside the results of
// the others: 16 x (10 x 500 x 64) doubles take 0.86 of the time, floats 0.96.
func (k *contraction) streamsColumns() bool {
	if k.keepsStrip() {
		return false
	}
	all := k.elements([]*ein.Index{k.vector})
	return slices.ContainsFunc(k.operands, func(a *ein.Access) bool {
		bytes := int64(a.Tensor.Type.Size())
		isFar := all/extentOf(k.batch)*bytes > k.mk.m.L2 || len(k.batch) > 0 && k.rowTiles() < packedReuse && all*bytes > k.mk.m.L2/2
		return k.onColumns(a) && !(k.packable(a) && k.packsColumns(a)) && isFar && k.farthest(a) >= k.mk.farApart()
	})
}

// stepsInBlock is the number of points of the reduction in one block of it.
func (k *contraction) stepsInBlock() int64 {
	if k.depth == 0 {
		return k.steps()
	}
	return k.steps() / estimate(k.inner[0].Extent) * k.depth
}

// blocksColumns reports whether a block of the column operands may stay in the
// second-level cache: they are all packed for many rows, and the row operands are
// read in streams along the innermost of the reduction.
func (k *contraction) blocksColumns() bool {
	if k.isShallow() || len(k.outer) > 0 || len(k.inner) == 0 || k.streamsColumns() || k.keepsStrip() || !k.streamsRows() {
		return false
	}
	for _, a := range k.operands {
		if k.onColumns(a) && !(k.packable(a) && k.packsColumns(a)) {
			return false
		}
	}
	return true
}

// streamsRows reports whether the row operands lie along the innermost of the reduction.
func (k *contraction) streamsRows() bool {
	const runs = 16 // elements of a stream at least
	last := k.inner[len(k.inner)-1]
	return estimate(last.Extent) >= runs && !slices.ContainsFunc(k.operands, func(a *ein.Access) bool {
		return !k.onColumns(a) && k.mk.along(k.c, a.Tensor, a.Subscripts, last) != unit
	})
}

// chooseBlocks cuts the rows and the columns into the tasks of the threads. The
// block of the row operands stays in half of the second-level cache, and on the stack. A task reads all
// of the operands of the side that is not cut, so the side with the smaller ones stays
// whole where the other has pieces enough. Few rows stay in the cache from block to
// block of the columns, which are narrow then: what was packed is used before results
// push it out (128 x 1024 x 1024 floats with a transposed operand take 0.95 of the
// time, 32 x 20000 x 32 take 0.87; of 333 rows wide blocks are faster). Threads share the rows of shallow sums,
// of which there are enough, so that each writes whole rows of the result: two take 0.5 of the time for
// 333 x 1000 x 7 and 100 x 1001 x 5 floats.
func (k *contraction) chooseBlocks() {
	if k.uncopied {
		return
	}
	tasks := k.tasksWanted()
	size := k.operandBytes()
	stack := int64(machine.StackBytes * 3 / 4)
	if k.copiesRows() { // beside a panel; a block may be a register tile larger than its room
		stack = min(stack, machine.StackBytes-k.panelBytes()-schedule.MultiplySizes(k.stepsInBlock(), k.rowsOfTile()*size))
	}
	room := max(1, min(k.mk.m.L2/2, stack)/size/max(1, schedule.MultiplySizes(k.stepsInBlock(), k.columnsOfRows()))) // points of rows in the cache
	if k.keepsColumns() {
		room = 1
	}
	if k.columnBlocks {
		k.chooseColumnBlocks(room, tasks)
		return
	}
	fullRows := k.isShallow() && k.rowTiles() >= 4*tasks // of which a shallow sum writes most
	columnsFirst := k.mostResults(1) == math.MaxInt64 && k.elements(k.columns) > 2*k.elements(k.rows) && !fullRows
	uncut := maps.Clone(k.block)
	k.cutRowsAndColumns(room, tasks, columnsFirst)
	if k.parallel && len(k.open) == 0 && (k.steps() > shallowSteps || k.sharesColumns()) && k.packsAcross() {
		k.compareBlocks(uncut, room, tasks)
	}
}

// sharesColumns reports whether threads may share the columns of a shallow sum: whole tiles of them, and results
// that are near enough to be written in pieces.
func (k *contraction) sharesColumns() bool {
	return k.mk.bytesOf(k.c.Writes[0].Tensor) <= k.mk.m.L2/4 && estimate(k.vector.Extent)%(int64(k.mk.m.Cores)*k.tileOf(k.vector)) == 0
}

// cutRowsAndColumns makes so many tasks of the rows, with room for so many points of them, and of the
// columns where the rows are too few for them, or the other way round.
func (k *contraction) cutRowsAndColumns(room, tasks int64, columnsFirst bool) {
	have := extentOf(k.batch)
	pieces := func() int64 { return (tasks + have - 1) / have }
	if columnsFirst {
		for _, i := range k.columns {
			have *= k.cut(i, estimate(i.Extent), pieces(), have)
		}
	}
	for n, i := range k.rows {
		most := max(1, room/extentOf(k.rows[n+1:]))
		// Those before may not be cut as far as they should.
		if before := k.spans(k.rows[:n]); before > 1 && schedule.MultiplySizes(before, k.spans(k.rows[n:])) > room*5/4 {
			most = max(1, most/before)
		}
		have *= k.cut(i, k.cutSymbolic(i, most, true), pieces(), have)
	}
	if !columnsFirst {
		room = k.mostResults(k.spans(k.rows))
		for n, i := range k.columns {
			have *= k.cut(i, max(1, min(estimate(i.Extent), room/k.spans(k.columns[:n])/extentOf(k.columns[n+1:]))), pieces(), have)
		}
	}
}

// columnsOfRows is how many points the columns have along which the row operands lie, too: those of a
// batch of which a register tile has several.
func (k *contraction) columnsOfRows() int64 {
	points := int64(1)
	for _, i := range k.columns {
		if slices.ContainsFunc(k.operands, func(a *ein.Access) bool { return !k.onColumns(a) && ein.AnyDependsOn(a.Subscripts, i) }) {
			points = schedule.MultiplySizes(points, estimate(i.Extent))
		}
	}
	return points
}

// tasksWanted is into how many tasks the threads want a contraction cut: two for each, so
// that one that is late holds up the others less. Where blocks of columns of the same size
// need no such slack, and what they read stays in the second-level caches, each task beyond
// one for a core only reads the rows again: two threads take 0.94 of the time for 256³
// floats. Where the columns are read as streams, each task begins every row of them anew, with
// lines that nobody has asked for. If a row gives two for each core less than half a page, one
// has to do: of 8 x 2000 x 1500 floats two threads take 0.73 of the time, of 20 x 700 x 2048
// doubles 0.75. Of 24 x 1500 x 1000 doubles they would take 1.44.
func (k *contraction) tasksWanted() int64 {
	if !k.parallel {
		return 1
	}
	if len(k.columns) == 1 && len(k.batch) == 0 && k.streamsColumns() && estimate(k.vector.Extent)*k.operandBytes() < int64(k.mk.m.Cores)*k.mk.page() {
		return int64(k.mk.m.Cores)
	}
	cores, bytes, tiles := int64(k.mk.m.Cores), int64(0), int64(1)
	for _, a := range k.operands {
		bytes += pointsOf(k.c, a) * int64(a.Tensor.Type.Size())
	}
	for _, i := range k.columns {
		if estimate(i.Extent)%k.tileOf(i) != 0 {
			return cores * 2
		}
		tiles *= estimate(i.Extent) / k.tileOf(i)
	}
	if k.columnBlocks && len(k.columns) == 1 && len(k.batch) == 0 && tiles%cores == 0 && bytes <= k.mk.m.L2/2 {
		return cores
	}
	return cores * 2
}

// keepsColumns reports whether the column operands of the sum stay in the cache from
// one step of the outer sum to the next. A block of rows would save none of their
// loads then, and would read as many streams as it has rows: of MTTKRP of 250³ doubles
// one thread takes 1.37 times as long with blocks of 42 rows as with tiles of 6.
func (k *contraction) keepsColumns() bool {
	bytes := int64(0)
	for _, a := range k.operands {
		if k.onColumns(a) {
			if usesOneOf(a, k.outer) {
				return false
			}
			bytes += pointsOf(k.c, a) * int64(a.Tensor.Type.Size())
		} else if slices.ContainsFunc(k.rows, func(i *ein.Index) bool { return k.mk.along(k.c, a.Tensor, a.Subscripts, i) == unit }) {
			return false // neighbours in a line are used together
		}
	}
	return len(k.outer) > 0 && bytes <= k.mk.m.L2/4
}

func usesOneOf(a *ein.Access, indices []*ein.Index) bool {
	return slices.ContainsFunc(indices, func(i *ein.Index) bool { return ein.AnyDependsOn(a.Subscripts, i) })
}

// elements counts those of the operands that use one of some indices.
func (k *contraction) elements(indices []*ein.Index) int64 {
	total := int64(0)
	for _, a := range k.operands {
		if usesOneOf(a, indices) {
			total += pointsOf(k.c, a)
		}
	}
	return total
}

// cut cuts an index into at least so many pieces of at most a number of points,
// multiples of its tile and as equal as these allow; it returns their number. There
// are some for each of the tasks that other indices make.
func (k *contraction) cut(i *ein.Index, most, pieces, have int64) int64 {
	n, tile := estimate(i.Extent), k.tileOf(i)
	tiles := (n + tile - 1) / tile
	pieces = min(tiles, max(pieces, (n+most-1)/most))
	if pieces <= 1 {
		return 1
	}
	each := (tiles + pieces - 1) / pieces
	if each*tile >= n {
		return 1
	}
	if k.parallel {
		room := each
		if k.columnBlocks && i == k.vector {
			room = most / tile
		}
		each = balanced(tiles, each, room, have, int64(k.mk.m.Cores))
	}
	k.block[i] = each * tile
	return (tiles + each - 1) / each
}

// isShallow reports whether the reduction is so short that storing the results
// counts most, and the panel of all columns so small that it stays near: whole runs
// of the result are then stored together.
func (k *contraction) isShallow() bool {
	if k.group != nil || k.steps() > shallowSteps {
		return false
	}
	return k.steps()*extentOf(k.tiledColumns())*int64(k.c.Writes[0].Tensor.Type.Size()) <= k.nearestPanel() || k.sweeps(k.vector) && len(k.columns) == 1
}

const (
	shallowSteps = 64 // of a shallow reduction at most
	sweptRows    = 96 // for which a copy of the panel pays
)

// nearestPanel is how many bytes of a panel stay in the first-level cache.
func (k *contraction) nearestPanel() int64 { return min(32<<10, k.mk.m.L1) }

// sweeps reports whether the panel of all columns along v stays in the second-level cache, if
// not in the first, while each row of tiles sweeps over it. Blocks of columns would write the
// result in pieces that are far apart, which no prefetcher follows: of 2000 x 2000 x 8 floats
// one thread takes 0.63 of their time, of 2000 x 2000 x 64 0.85, of 2000 x 2000 x 40 doubles 0.54. Columns that lie
// across the vectors are transposed once for all rows: 777 x 4095 x 10 doubles take 0.5, 200 x 3000 x 24 0.57.
func (k *contraction) sweeps(v *ein.Index) bool {
	if k.group != nil || len(k.outer) > 0 || len(k.inner) == 0 || k.steps() > shallowSteps {
		return false
	}
	panel, rows := k.steps()*estimate(v.Extent)*k.operandBytes(), int64(1)
	room := k.mk.m.L2 / 4
	if k.mk.bytesOf(k.c.Writes[0].Tensor) > 4*k.mk.m.L2 { // whose pieces come from far away
		room *= 2
	}
	room = min(room, machine.StackBytes*3/4) // beside blocks of rows
	if panel <= k.nearestPanel() || panel > room {
		return false
	}
	for _, a := range k.operands {
		if !ein.AnyDependsOn(a.Subscripts, v) {
			continue
		}
		if !k.packable(a) || k.converts(a) {
			return false
		}
		for _, i := range k.c.ByKind(ein.Concat) {
			if i != v && !ein.AnyDependsOn(a.Subscripts, i) {
				rows *= estimate(i.Extent)
			}
		}
	}
	w := k.c.Writes[0]
	return rows >= sweptRows && k.mk.along(k.c, w.Tensor, w.Subscripts, v) == unit
}

func (k *contraction) tiledColumns() []*ein.Index {
	return slices.DeleteFunc(slices.Clone(k.columns), func(i *ein.Index) bool { return k.tileOf(i) == 1 })
}

// span is the number of points of an index in a task.
func (k *contraction) span(i *ein.Index) int64 {
	if block := k.block[i]; block > 0 {
		return block
	}
	return estimate(i.Extent)
}

// spans is the number of points of some indices in a task.
func (k *contraction) spans(indices []*ein.Index) int64 {
	total := int64(1)
	for _, i := range indices {
		total *= k.span(i)
	}
	return total
}
