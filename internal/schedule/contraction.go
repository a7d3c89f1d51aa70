package schedule

import (
	"maps"
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
)

// How contractions are scheduled
//
// A contraction is a reduction whose operands are reused: some index of the result
// does not occur in an operand. The indices of the result have roles. One is the
// vector index; the columns are those that the operands along the vector use, the
// rows the others, the batch those that all operands use. For a matrix product
// rows, columns and the reduced index are i, j and k.
//
// A register tile of some vectors times some points of another index accumulates
// while the reduction runs. Around it stand, from the inside out: loops over the
// rows, under which the panel of the column operands stays in the nearest caches;
// loops over the columns, under which the block of the row operands stays in the
// second-level cache; a loop over blocks of the reduction, if it is long; and the
// parallel loop over blocks of the rows (or of the columns, if the rows are few).
// Where an operand lies badly it is packed at these levels, by "place": layouts are
// folded into the copies, and no transposition is ever made of a whole operand.

// A contraction is what was decided for a statement.
type contraction struct {
	mk *maker
	s  int
	c  *ein.Comprehension
	// outer are the reduced indices around the register tile, which are those of a
	// factor that leaves the sum over the others, the inner ones.
	outer, inner []*ein.Index
	operands     []*ein.Access // that the inner sum reads
	vector       *ein.Index
	lanes        int64
	tile         map[*ein.Index]int64 // of the registers, in points; 1 where absent
	batch        []*ein.Index         // like rows and columns in the order of the written tensor
	rows         []*ein.Index
	columns      []*ein.Index
	block        map[*ein.Index]int64 // of a task
	depth        int64                // of a block of the first inner index; 0 for all of it
}

// contracted makes the schedule of a group that is one contraction of known sizes.
func (mk *maker) contracted(p *plan) Node {
	if len(p.g.statements) != 1 {
		return nil
	}
	s := p.g.statements[0]
	k := &contraction{mk: mk, s: s, c: mk.f.Body[s], tile: map[*ein.Index]int64{}, block: map[*ein.Index]int64{}}
	if !mk.contraction(k.c) || !k.isRegular() {
		return nil
	}
	k.factorise()
	if !k.chooseTile(p) {
		return nil
	}
	k.chooseRoles()
	if len(k.rows) == 0 || len(k.columns) == 0 {
		return nil
	}
	k.chooseDepth()
	k.chooseBlocks(p.parallel)
	return k.tree(p.parallel)
}

// isRegular reports whether all sizes are known and not empty, and the sums may be
// taken in any order.
func (k *contraction) isRegular() bool {
	op, free := ReductionOperator(k.c)
	if !free || op == nil || len(k.c.Writes) != 1 {
		return false
	}
	for _, i := range k.c.Indices {
		if n, known := i.Extent.IsConst(); !known || n < 1 {
			return false
		}
	}
	return true
}

// factorise finds what the inner sum is. A factor that depends on some of the reduced
// indices only is multiplied with the sum over the others, if that is long.
func (k *contraction) factorise() {
	const long = 32
	k.inner, k.operands = Reduced(k.c), k.c.Accesses()
	op, _ := ReductionOperator(k.c)
	if op.Kind != ein.SumOp {
		return
	}
	factors := Factors(k.c.Values[0])
	all := k.inner
	k.operands = dependents(factors, all)
	if !k.mk.mayAccumulateInOutput(k.c) {
		return
	}
	best := int64(-1)
	for _, f := range factors {
		outer := slices.DeleteFunc(slices.Clone(all), func(i *ein.Index) bool { return !usesIndex(f, i) })
		inner := slices.DeleteFunc(slices.Clone(all), func(i *ein.Index) bool { return usesIndex(f, i) })
		inside := dependents(factors, inner)
		if len(outer) == 0 || len(inside) < 2 || extentOf(inner) < long {
			continue
		}
		if dense := k.readAsTheyLie(inside, inner); dense > best {
			best, k.outer, k.inner, k.operands = dense, outer, inner, inside
		}
	}
}

// readAsTheyLie counts the elements of operands along which one of the indices steps
// from neighbour to neighbour.
func (k *contraction) readAsTheyLie(operands []*ein.Access, indices []*ein.Index) int64 {
	total := int64(0)
	for _, a := range operands {
		if slices.ContainsFunc(indices, func(i *ein.Index) bool { return k.mk.along(k.c, a.Tensor, a.Subscripts, i) == unit }) {
			total += k.size(a)
		}
	}
	return total
}

// size is the number of elements of an operand.
func (k *contraction) size(a *ein.Access) int64 {
	return extentOf(slices.DeleteFunc(slices.Clone(k.c.Indices), func(i *ein.Index) bool { return !usesAny(a.Subscripts, i) }))
}

// dependents lists the accesses in the factors that depend on one of the indices.
func dependents(factors []ein.Expr, indices []*ein.Index) []*ein.Access {
	var list []*ein.Access
	for _, f := range factors {
		if DependsOn(f, indices) {
			ein.Walk(f, func(e ein.Expr) bool {
				if a, ok := e.(*ein.Access); ok {
					list = append(list, a)
				}
				return true
			})
		}
	}
	return list
}

func (k *contraction) tileOf(i *ein.Index) int64 { return max(1, k.tile[i]) }

// steps is the number of points of the inner sum.
func (k *contraction) steps() int64 { return extentOf(k.inner) }

func extentOf(indices []*ein.Index) int64 {
	total := int64(1)
	for _, i := range indices {
		total *= max(1, estimate(i.Extent))
	}
	return total
}

// reuse is how often every element of an operand is used.
func (k *contraction) reuse(a *ein.Access) int64 {
	total := int64(1)
	for _, i := range k.c.ByKind(ein.Concat) {
		if !usesAny(a.Subscripts, i) {
			total *= estimate(i.Extent)
		}
	}
	return total
}

// packable reports whether an operand may be copied: it is an input, the only use
// of it here, and its subscripts are indices plus constants, in bounds.
func (k *contraction) packable(a *ein.Access) bool {
	if a.Tensor.Role != ein.Input || len(a.Subscripts) == 0 {
		return false
	}
	uses := 0
	for _, other := range k.c.Accesses() {
		if other.Tensor == a.Tensor {
			uses++
		}
	}
	for d, sub := range a.Subscripts {
		if _, _, ok := IndexPlusConstant(k.c, sub); !ok || !InBounds(k.c, a, d) {
			return false
		}
	}
	return uses == 1
}

// leastReuse is from which reuse on the transposition of an operand pays: one
// element costs as much to pack as some of its uses.
const leastReuse = 24

// packCost is the time of packing an element, in vector instructions.
const packCost = 0.5

// chooseTile compares the vector indices and sizes of the register tile; false
// means that another maker's schedule is better.
func (k *contraction) chooseTile(p *plan) bool {
	lanes := int64(k.mk.lanesOf(k.c))
	best := math.Inf(1)
	for _, v := range k.c.ByKind(ein.Concat) {
		if estimate(v.Extent) < 2 || lanes < 2 || Vectorisable(k.c, v) != "" {
			continue
		}
		fixedCost, ok := k.vectorOverhead(v, lanes)
		if !ok {
			continue
		}
		k.eachTile(v, lanes, func(vectors int64, tile map[*ein.Index]int64) {
			if cost := k.tileCost(v, lanes, vectors, tile) + fixedCost; cost < best*0.99 {
				best, k.vector, k.lanes = cost, v, lanes
				k.tile = map[*ein.Index]int64{v: vectors * lanes}
				for i, points := range tile {
					k.tile[i] = points
				}
			}
		})
	}
	return k.vector != nil
}

// vectorOverhead is the time per vector operation that vectors along v cost beside
// the tile; ok is false where an operand would be read lane by lane.
func (k *contraction) vectorOverhead(v *ein.Index, lanes int64) (cost float64, ok bool) {
	for _, a := range k.operands {
		if k.mk.along(k.c, a.Tensor, a.Subscripts, v) != far {
			continue
		}
		reuse := k.reuse(a)
		if !k.packable(a) || reuse < leastReuse {
			return 0, false
		}
		cost += packCost * float64(lanes) / float64(reuse)
	}
	for _, w := range k.c.Writes {
		if k.mk.along(k.c, w.Tensor, w.Subscripts, v) == far {
			const scatter = 8 // instructions to read and write a lane
			cost += scatter * float64(lanes) / float64(min(512, k.steps()))
		}
	}
	return cost, true
}

// eachTile enumerates register tiles: vectors along v times points of up to two
// other indices of the result.
func (k *contraction) eachTile(v *ein.Index, lanes int64, visit func(vectors int64, tile map[*ein.Index]int64)) {
	var others []*ein.Index
	for _, i := range k.c.ByKind(ein.Concat) {
		if i != v && estimate(i.Extent) > 1 {
			others = append(others, i)
		}
	}
	points := []int64{6, 8, 7, 5, 4, 12, 13, 3, 2, 9, 10, 14, 16}
	fits := func(i *ein.Index, n int64) bool { return n <= estimate(i.Extent) }
	for _, vectors := range []int64{4, 3, 2, 1, 5, 6, 8} {
		if vectors > max(1, (estimate(v.Extent)+lanes-1)/lanes) {
			continue
		}
		for x, first := range others {
			for _, m := range points {
				if !fits(first, m) || vectors*m > k.mk.registers() {
					continue
				}
				visit(vectors, map[*ein.Index]int64{first: m})
				for _, second := range others[x+1:] {
					for _, n := range points {
						if fits(second, n) && vectors*m*n <= k.mk.registers() {
							visit(vectors, map[*ein.Index]int64{first: m, second: n})
						}
					}
				}
			}
		}
	}
}

// tileCost is the time per useful vector operation of a register tile: of the
// reduction, the smaller tiles at the edges included, and of storing the results.
func (k *contraction) tileCost(v *ein.Index, lanes, vectors int64, tile map[*ein.Index]int64) float64 {
	size := maps.Clone(tile)
	size[v] = vectors
	step, operations := k.stepCost(size)
	cost := step / float64(operations) * waste(estimate(v.Extent), lanes)
	for i, points := range size {
		n := estimate(i.Extent)
		if i == v {
			n = (n + lanes - 1) / lanes
		}
		rest := n % points
		if rest == 0 {
			continue
		}
		size[i] = rest
		edge, _ := k.stepCost(size)
		size[i] = points
		cost *= (float64(n/points)*step + edge) / (float64(n) / float64(points) * step)
	}
	// Runs of the result that are not neighbours are stored at the price of lines and pages.
	for _, w := range k.c.Writes {
		for i, points := range tile {
			cost += scatterCost * float64(points-1) / float64(points) * k.distance(w, i) / float64(k.steps())
		}
	}
	return cost
}

// stepCost is the time of a step of the reduction for a register tile, whose sizes
// are points, or vectors along v, and the number of its operations.
func (k *contraction) stepCost(size map[*ein.Index]int64) (time float64, operations int64) {
	operations = 1
	for _, points := range size {
		operations *= points
	}
	loads := int64(0)
	for _, a := range k.operands {
		each := int64(1)
		for i, points := range size {
			if usesAny(a.Subscripts, i) {
				each *= points
			}
		}
		loads += each
	}
	return tileCost(operations, loads)*float64(operations) + stepTax, operations
}

// stepTax is what a step of the reduction costs beside arithmetic and loads:
// counting, and moves between registers.
const stepTax = 1.0

// scatterCost is the time of a store to another page, in vector instructions.
const scatterCost = 4.0

// distance says how far apart neighbours along an index are in a tensor: 0 side by
// side, 1 in different pages.
func (k *contraction) distance(w *ein.Write, i *ein.Index) float64 {
	const page = 4096
	return min(1, float64(k.mk.step(w.Tensor, w.Subscripts, i)*int64(w.Tensor.Type.Size()))/page)
}

// step is the distance of neighbours along an index, in elements.
func (mk *maker) step(t *ein.Tensor, subscripts []ein.Expr, i *ein.Index) int64 {
	total := int64(0)
	for d, sub := range subscripts {
		if a, ok := ein.AffineOf(sub); ok {
			if coefficient, _, linear := a.Linear(i.Name); linear {
				total += coefficient * mk.distanceOf(t, d)
			}
		}
	}
	return max(total, -total)
}

// distanceOf is the stride of a dimension of a tensor of known sizes, in elements.
func (mk *maker) distanceOf(t *ein.Tensor, d int) int64 {
	if strides, given := mk.options.Strides[t.Name]; given && d < len(strides) {
		return strides[d]
	}
	total := int64(1)
	for _, dim := range t.Dims[d+1:] {
		total *= max(1, estimate(dim.Extent))
	}
	return total
}

// chooseRoles sorts the indices of the result into batch, rows and columns, each
// with the one that is slowest in the written tensor first.
func (k *contraction) chooseRoles() {
	w := k.c.Writes[0]
	for _, i := range k.c.ByKind(ein.Concat) {
		inVector, others := false, false
		for _, a := range k.operands {
			if !usesAny(a.Subscripts, i) {
				others = true
			} else if usesAny(a.Subscripts, k.vector) {
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
func (k *contraction) onColumns(a *ein.Access) bool { return usesAny(a.Subscripts, k.vector) }

// chooseDepth cuts a long reduction, so that the panel of the column operands stays
// in the second-level cache and that of the row operands in the first.
func (k *contraction) chooseDepth() {
	const run = 1 << 9 // steps, of vectors of 64 bytes
	if !k.mk.mayAccumulateInOutput(k.c) {
		return
	}
	most := max(64, min(run, k.mk.m.L2/2/(4*int64(k.mk.m.VectorBytes))))
	if k.streamsColumns() {
		most = rowsAtOnce
	}
	total := k.steps()
	if total <= most*3/2 {
		return
	}
	first := estimate(k.inner[0].Extent)
	inner := total / first
	depth := max(1, most/inner)
	if depth >= first {
		return
	}
	for divisor := depth; divisor > depth/2; divisor-- { // one kernel for all blocks
		if first%divisor == 0 {
			k.depth = divisor
			return
		}
	}
	pieces := (first + depth - 1) / depth
	k.depth = (first + pieces - 1) / pieces
}

// rowsAtOnce is how many rows of an operand are read together: as many streams as
// the hardware follows.
const rowsAtOnce = 32

// streamsColumns reports whether an operand of the columns comes from far away, is
// used too little to be packed, and has long rows: they are read as streams, not
// column by column.
func (k *contraction) streamsColumns() bool {
	return slices.ContainsFunc(k.operands, func(a *ein.Access) bool {
		bytes := k.elements([]*ein.Index{k.vector}) / extentOf(k.batch) * int64(a.Tensor.Type.Size())
		return k.onColumns(a) && !(k.packable(a) && k.packsColumns(a)) && bytes > k.mk.m.L2 && k.farthest(a) >= farApart
	})
}

// farApart is the distance in bytes from which on rows are no neighbours.
const farApart = 1024

// mayAccumulateInOutput reports whether partial sums may live in the written
// tensors.
func (mk *maker) mayAccumulateInOutput(c *ein.Comprehension) bool {
	op, free := ReductionOperator(c)
	if !free || op == nil || c.Accumulate != nil && !SameOperator(c.Accumulate, op) {
		return false
	}
	for _, w := range c.Writes {
		if w.Tensor.Type.IsHalf() || slices.ContainsFunc(c.Accesses(), func(a *ein.Access) bool { return a.Tensor == w.Tensor }) {
			return false
		}
	}
	return true
}

// stepsInBlock is the number of points of the reduction in one block of it.
func (k *contraction) stepsInBlock() int64 {
	if k.depth == 0 {
		return k.steps()
	}
	return k.steps() / estimate(k.inner[0].Extent) * k.depth
}

// chooseBlocks cuts the rows and the columns into the tasks of the threads. The
// block of the row operands stays in half of the second-level cache. A task reads all
// of the operands of the side that is not cut, so the side with the smaller ones stays
// whole where the other has pieces enough.
func (k *contraction) chooseBlocks(parallel bool) {
	tasks := int64(1)
	if parallel {
		tasks = int64(k.mk.m.Cores) * 2
	}
	have := extentOf(k.batch)
	size := int64(k.c.Writes[0].Tensor.Type.Size())
	room := max(1, k.mk.m.L2/2/size/max(1, k.stepsInBlock())) // points of rows in the cache
	pieces := func() int64 { return (tasks + have - 1) / have }
	columnsFirst := k.elements(k.columns) > 2*k.elements(k.rows)
	if columnsFirst {
		for _, i := range k.columns {
			have *= k.cut(i, estimate(i.Extent), pieces())
		}
	}
	for n, i := range k.rows {
		most := max(1, room/extentOf(k.rows[n+1:]))
		have *= k.cut(i, most, pieces())
	}
	if !columnsFirst {
		for _, i := range k.columns {
			have *= k.cut(i, estimate(i.Extent), pieces())
		}
	}
}

// elements counts those of the operands that use one of some indices.
func (k *contraction) elements(indices []*ein.Index) int64 {
	total := int64(0)
	for _, a := range k.operands {
		if slices.ContainsFunc(indices, func(i *ein.Index) bool { return usesAny(a.Subscripts, i) }) {
			total += k.size(a)
		}
	}
	return total
}

// cut cuts an index into at least so many pieces of at most a number of points,
// multiples of its tile and as equal as these allow; it returns their number.
func (k *contraction) cut(i *ein.Index, most, pieces int64) int64 {
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
	k.block[i] = each * tile
	return (tiles + each - 1) / each
}

func (k *contraction) member(i *ein.Index, tile int64) *Member {
	return &Member{Loops: []Loop{{Statement: k.s, Index: i.Name}}, Tile: tile}
}

// padded makes a member whose last tile is as large as the others where there are
// many, so that there is one kernel for all.
func (k *contraction) padded(i *ein.Index, tile int64) *Member {
	const few = 24 // tiles, beside which one at the edge is work that counts
	m := k.member(i, tile)
	m.Pad = (estimate(i.Extent)%tile != 0 || k.span(i)%tile != 0) && (k.block[i] > 0 || estimate(i.Extent) >= few*tile)
	return m
}

// packsVectors reports whether all operands along the vector are packed, under every
// tile, so that padded vectors read zeros.
func (k *contraction) packsVectors() bool {
	if k.isShallow() || len(k.rows) == 0 {
		return false
	}
	for _, a := range k.operands {
		if k.onColumns(a) && !(k.packable(a) && k.packsColumns(a)) {
			return false
		}
	}
	return true
}

// tree assembles the loops.
func (k *contraction) tree(parallel bool) Node {
	var tasks []*Member
	add := func(m *Member) {
		m.Parallel, m.Coincident = parallel, true
		tasks = append(tasks, m)
	}
	for _, i := range k.batch {
		add(k.member(i, 1))
	}
	for _, i := range append(slices.Clone(k.rows), k.columns...) {
		if block := k.block[i]; block > 0 && block < estimate(i.Extent) && block > 1 {
			add(k.padded(i, block))
		} else if block == 1 {
			add(k.member(i, 1))
		}
	}
	inner := k.accumulate()
	rows, columns := k.loops(k.rows), k.loops(k.columns)
	var plain []*Member
	if k.isShallow() { // the tiles along the columns are innermost
		tiled := func(m *Member) bool { return m.Tile > 1 }
		for _, m := range columns {
			if !tiled(m) {
				plain = append(plain, m)
			} else {
				rows = append(rows, m)
			}
		}
		columns = plain
	}
	var n Node = wrap(rows, inner)
	if k.isReused(rows) {
		n = k.pack(n, true, columns, rows)
	}
	n = wrap(columns, n)
	n = k.pack(n, false, columns, rows)
	var sums []*Member
	for _, i := range k.outer {
		sums = append(sums, k.member(i, 1))
	}
	if k.depth > 0 {
		sums = append(sums, k.padded(k.inner[0], k.depth))
	}
	if len(sums) > 0 {
		n = &Accumulate{Statement: k.s, Region: Output, Child: &Band{Members: sums, Child: n}}
	}
	if len(tasks) == 0 {
		return n
	}
	return &Band{Members: tasks, Child: n}
}

func (k *contraction) isReused(rows []*Member) bool { return len(rows) > 0 }

// isShallow reports whether the reduction is so short that storing the results
// counts most, and the panel of all columns so small that it stays near: whole runs
// of the result are then stored together.
func (k *contraction) isShallow() bool {
	const few, near = 64, 128 << 10
	return k.steps() <= few && k.steps()*extentOf(k.tiledColumns())*int64(k.c.Writes[0].Tensor.Type.Size()) <= near
}

func (k *contraction) tiledColumns() []*ein.Index {
	return slices.DeleteFunc(slices.Clone(k.columns), func(i *ein.Index) bool { return k.tileOf(i) == 1 })
}

// loops makes the loops over tiles and points below the tasks.
func (k *contraction) loops(indices []*ein.Index) []*Member {
	var plain, tiled []*Member
	for _, i := range indices {
		tile := k.tileOf(i)
		switch {
		case k.block[i] == 1 || tile > 1 && tile >= min(estimate(i.Extent), k.span(i)) && i != k.vector:
		case tile > 1 || i == k.vector:
			if tile < k.span(i) {
				m := k.member(i, tile)
				if i != k.vector || k.packsVectors() {
					m = k.padded(i, tile)
				}
				m.Coincident = true
				tiled = append(tiled, m)
			}
		case k.block[i] != 1:
			plain = append(plain, k.member(i, 1))
		}
	}
	return append(plain, tiled...)
}

// span is the number of points of an index in a task.
func (k *contraction) span(i *ein.Index) int64 {
	if block := k.block[i]; block > 0 {
		return block
	}
	return estimate(i.Extent)
}

// accumulate makes the register tile and what runs inside of it.
func (k *contraction) accumulate() Node {
	var inside []*Member
	for _, i := range k.c.ByKind(ein.Concat) {
		if k.tileOf(i) > 1 && i != k.vector {
			m := k.member(i, 1)
			m.Unroll = true
			inside = append(inside, m)
		}
	}
	m := k.member(k.vector, 1)
	m.Vector, m.Unroll = int(k.lanes), true
	inside = append(inside, m)
	return &Accumulate{Statement: k.s, Region: Register, Child: bandOver(k.s, k.inner, wrap(inside, &Leaf{}))}
}

// pack places the operands of the columns or of the rows that lie badly.
func (k *contraction) pack(n Node, columns bool, outer, inner []*Member) Node {
	for _, a := range k.operands {
		if k.onColumns(a) != columns || !k.packable(a) {
			continue
		}
		if columns && k.packsColumns(a) || !columns && k.packsRows(a) {
			n = &Place{Tensor: a.Tensor.Name, Region: Private, Child: n}
		}
	}
	return n
}

// packsColumns: the vectors are not consecutive, or rows of the panel lie so far
// apart that they would share the lines of the caches.
func (k *contraction) packsColumns(a *ein.Access) bool {
	const reuse = 8
	if len(k.outer) > 0 && k.mk.along(k.c, a.Tensor, a.Subscripts, k.vector) == unit {
		return false // it would be packed again for every outer sum
	}
	if k.mk.along(k.c, a.Tensor, a.Subscripts, k.vector) == far {
		return true
	}
	tiles := int64(1)
	for _, i := range k.rows {
		tiles *= (k.span(i) + k.tileOf(i) - 1) / k.tileOf(i)
	}
	return tiles >= reuse && k.farthest(a) >= farApart
}

// packsRows: the values that the register tile reads together, and those of
// successive steps, lie in different lines; or the block's rows lie in different
// pages and are used by many tiles.
func (k *contraction) packsRows(a *ein.Access) bool {
	const page, line, reuse = 4096, 64, 4
	tiles := int64(1)
	for _, i := range k.columns {
		tiles *= (k.span(i) + k.tileOf(i) - 1) / k.tileOf(i)
	}
	if tiles < reuse {
		return false
	}
	size := int64(a.Tensor.Type.Size())
	steps, points := int64(math.MaxInt64), int64(math.MaxInt64)
	for _, i := range k.inner {
		if usesAny(a.Subscripts, i) {
			steps = min(steps, k.mk.step(a.Tensor, a.Subscripts, i)*size)
		}
	}
	for _, i := range k.rows {
		if usesAny(a.Subscripts, i) && k.tileOf(i) > 1 {
			points = min(points, k.mk.step(a.Tensor, a.Subscripts, i)*size)
		}
	}
	return steps >= line && (points >= line || k.farthest(a) >= farApart) || points >= page && points != math.MaxInt64
}

// farthest is the greatest distance of neighbours along an index that the block of
// an operand is wide in, in bytes.
func (k *contraction) farthest(a *ein.Access) int64 {
	most := int64(0)
	for _, i := range slices.Concat(k.inner, k.rows, k.columns) {
		if usesAny(a.Subscripts, i) && k.tileOf(i) > 0 && (k.tileOf(i) > 1 || i.Combine.Kind != ein.Concat) {
			most = max(most, k.mk.step(a.Tensor, a.Subscripts, i)*int64(a.Tensor.Type.Size()))
		}
	}
	return most
}
