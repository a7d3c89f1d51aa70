package standard

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How convolutions are scheduled
//
// A convolution is a reduction that reads windows: a subscript is the sum of an
// index of the result and a reduced one. Nothing else is asked: any number of
// dimensions, any order of them, strides and dilations. Its register tile is
// designed in convolution_tile.go, which compares tiles by convolution_cost.go. Where the
// tile needs a panel (the filter, when the vectors run along the output channels), the
// tasks are made by convolution_pieces.go or convolution_panels.go. Where vectors run
// along windows that are apart (stride 2), a task copies its rows of the image first,
// sorted into phases.

// tasksPerCore is how many tasks a core has, so that the others wait little for the last.
const tasksPerCore = 4

// convolution makes the subtree of a group whose heaviest statement reads windows,
// or is a contraction among others, and whose other statements are point-wise.
func (mk *maker) convolution(p *plan) schedule.Node {
	k := mk.heaviest(p)
	if k < 0 {
		return nil
	}
	c := mk.f.Body[p.g.statements[k]]
	channels := len(p.g.statements) == 1 && !mk.windowed(c) && mk.fillsChannels(c)
	if !channels && !mk.windowed(c) && (len(p.g.statements) == 1 || !mk.contraction(c)) {
		return nil
	}
	if !mk.pointwiseBeside(p, k) || mk.sumsNarrowLanes(p, k) || mk.sumsOnce(p, k) {
		return nil
	}
	s := p.g.statements[k]
	t := mk.designTile(s, tileProblem{
		size:     func(i *ein.Index) int64 { return estimate(i.Extent) },
		copies:   int64(2 * mk.m.Cores),
		beside:   func(i *ein.Index) float64 { return mk.scattered(p.g, k, i) },
		followed: func(vector *ein.Index) bool { return len(p.g.statements) > 1 && !mk.followsVector(p.g, k, vector) },
		streams: func(vector *ein.Index) bool {
			return len(p.g.statements) == 1 && mk.streamsTiledRows(mk.f.Body[s], vector, mk.goneThrough(p.g))
		},
	})
	if t == nil {
		return nil
	}
	v := &convolution{mk: mk, heavy: k, c: mk.f.Body[s], tile: t}
	v.p = &plan{g: p.g, lanes: int(t.lanes), tiles: make([]int64, len(p.tiles)), own: map[int]*ein.Index{}, parallel: p.parallel}
	for col := range v.p.tiles {
		v.p.tiles[col] = 1
	}
	v.p.vector = v.column(t.vector)
	v.p.tiles[v.p.vector] = t.vectors * t.lanes
	for _, points := range t.points {
		v.p.tiles[v.column(points.index)] = points.count
	}
	switch {
	case channels:
		return v.overChannels()
	case len(t.packed) == 0:
		return v.streamed()
	}
	return v.packed()
}

// sumsOnce reports whether statement number k reads each element of its largest operand once,
// along the reduction, which is what vectors of the group run along. Tiles of results would need
// a transposed copy of it that nobody uses again: 2049 x 2047 bytes times a vector of floats,
// scaled row by row, took 1.9 ms with one and takes 0.17 without, floats 0.88 and 0.62.
func (mk *maker) sumsOnce(p *plan, k int) bool {
	s := p.g.statements[k]
	c, own := mk.f.Body[s], p.own[s]
	if len(p.g.statements) == 1 || p.vector >= 0 || own == nil || own.Combine.Kind != ein.Reduce {
		return false
	}
	return slices.ContainsFunc(c.Accesses(), func(a *ein.Access) bool {
		return mk.along(c, a.Tensor, a.Subscripts, own) == unit && !slices.ContainsFunc(c.Indices, func(i *ein.Index) bool {
			return estimate(i.Extent) > 1 && !ein.AnyDependsOn(a.Subscripts, i)
		})
	})
}

// sumsNarrowLanes reports whether vectors of a statement alone are best along a reduced index of
// which they add groups of narrow numbers that are no products: sums of distances of blocks of
// 16 x 16 bytes at 8 x 8 displacements take 0.12 of the time of vectors along the displacements.
func (mk *maker) sumsNarrowLanes(p *plan, k int) bool {
	c := mk.f.Body[p.g.statements[k]]
	own := p.own[p.g.statements[k]]
	if len(p.g.statements) > 1 || p.vector >= 0 || own == nil || own.Combine.Kind != ein.Reduce || ein.NarrowSum(c) < 2 {
		return false
	}
	_, _, product := ein.DotOf(c)
	return product == 0
}

// windowed reports whether a statement reads a tensor at the sum of an index of the
// result and a reduced one. A window of one point is none, unless it goes with steps, or
// along an index that fills less than half a vector, or the sum is short: for those the
// tiles of contractions are the slower ones (16 to 96 channels take twice as long).
func (mk *maker) windowed(c *ein.Comprehension) bool {
	const shortSum = 32
	half, steps := int64(mk.lanesOf(c))/2, int64(1)
	for _, i := range ein.Reduced(c) {
		steps = schedule.MultiplySizes(steps, max(1, estimate(i.Extent)))
	}
	uses := func(e ein.Expr, list []*ein.Index) bool {
		return slices.ContainsFunc(list, func(i *ein.Index) bool { return ein.DependsOn(e, i) })
	}
	return slices.ContainsFunc(c.Accesses(), func(a *ein.Access) bool {
		return slices.ContainsFunc(a.Subscripts, func(e ein.Expr) bool {
			i, _, plain := schedule.IndexPlusConstant(c, e)
			return !(plain && estimate(i.Extent) >= half && steps > shortSum) && uses(e, c.ByKind(ein.Concat)) && uses(e, ein.Reduced(c))
		})
	})
}

// A convolution is the state of the maker for one group.
type convolution struct {
	mk    *maker
	p     *plan
	heavy int // the number of the reduction in the group
	c     *ein.Comprehension
	tile  *registerTile
}

func (v *convolution) column(i *ein.Index) int {
	return slices.IndexFunc(v.p.g.columns, func(column []*ein.Index) bool { return column[v.heavy] == i })
}

func (v *convolution) extent(col int) int64 {
	return max(1, estimate(v.p.g.columns[col][v.heavy].Extent))
}

// tileNest makes what is inside of the tiles.
func (v *convolution) tileNest() schedule.Node { return v.inOrder(v.tile.nest(v.c), v.p, nil) }

// inOrder makes the statements of a block one after the other: heavy is the
// reduction; the others go over the tiles and over the columns inside. Temporaries
// between them have the size of the block, which p.tiles tells.
func (v *convolution) inOrder(heavy schedule.Node, p *plan, inside []int) schedule.Node {
	if len(v.p.g.statements) == 1 {
		return heavy
	}
	seq := &schedule.Sequence{}
	for k, s := range v.p.g.statements {
		child := heavy
		if k != v.heavy {
			child = wrap(v.pointwise(k, inside, p == v.p && v.finishesInRegisters(k)), &schedule.Leaf{})
		}
		seq.Children = append(seq.Children, &schedule.Filter{Statements: []int{s}, Child: child})
	}
	block := v.mk.contract(p, seq)
	if v.isFollowedAcross() {
		v.keepRows(block)
	}
	return block
}

// mostFinishing is how many operations on vectors a statement may have that is written out for a tile.
const mostFinishing = 768

// finishesInRegisters reports whether the loops of statement number k over a register tile are written
// out, so that the compiler passes the sums on in registers instead of storing them and reading them again
// (first layers with bias and relu: VGG's take 0.9 of the time, MobileNet's 0.95, groups of 4 channels 0.93 to 0.98).
func (v *convolution) finishesInRegisters(k int) bool {
	if v.tile == nil || v.tile.group != nil || k < v.heavy || !v.mk.followsVector(v.p.g, v.heavy, v.tile.vector) {
		return false
	}
	c := v.mk.f.Body[v.p.g.statements[k]]
	vectors := schedule.MultiplySizes(v.tile.vectors, v.mk.operations(c))
	for col, tile := range v.p.tiles {
		if _, known := v.p.g.columns[col][k].Extent.IsConst(); tile > 1 && !known {
			return false
		} else if col != v.p.vector {
			vectors = schedule.MultiplySizes(vectors, tile)
		}
	}
	return v.mk.lanesOf(c) == v.p.lanes && vectors <= mostFinishing
}

// pointwise returns the loops of another statement.
func (v *convolution) pointwise(k int, inside []int, unroll bool) []*schedule.Member {
	s := v.p.g.statements[k]
	var list []*schedule.Member
	vector := v.vectorOf(k)
	for col, column := range v.p.g.columns {
		if (v.p.tiles[col] > 1 || slices.Contains(inside, col)) && col != vector {
			list = append(list, &schedule.Member{Loops: []schedule.Loop{{Statement: s, Index: column[k].Name}}, Tile: 1, Unroll: unroll})
		}
	}
	i := v.p.g.columns[vector][k]
	m := &schedule.Member{Loops: []schedule.Loop{{Statement: s, Index: i.Name}}, Tile: 1, Unroll: unroll}
	if lanes := min(v.p.lanes, v.mk.lanesOf(v.mk.f.Body[s])); lanes > 1 && schedule.Vectorisable(v.mk.f.Body[s], i) == "" {
		m.Vector = lanes
	}
	return append(list, m)
}

// streamed makes the tree of a convolution without panels. Where what a row of tiles
// reads stays in the nearest cache, the tiles go along the vectors, so that the rows of
// the results are written as streams. Elsewhere points that use the same vectors come
// innermost.
//
// Where what some rows read stays near, too, or was copied, a task goes through all of them
// before the next points of the other indices: their results are neighbours, in few pages,
// and the processor fetches them by itself (VGG's first layer takes 0.87 of the time, that
// of ResNet, whose steps are sorted into phases, 0.86).
func (v *convolution) streamed() schedule.Node {
	p := v.p
	var outer, inner []*schedule.Member
	tasks := int64(1)
	add := func(m *schedule.Member, count int64) {
		m.Parallel, m.Coincident = p.parallel, true
		outer = append(outer, m)
		tasks *= count
	}
	rows, rowsOfTask, inBands := v.rowColumn(), int64(1), false
	for col, tile := range p.tiles {
		if tile == 1 && col != p.vector && col != rows {
			add(p.column(col, 1), v.extent(col))
		}
	}
	for _, points := range v.tile.points {
		if col := v.column(points.index); v.mk.movesVectors(v.tile, points.index) {
			each := v.bandsOfTask(col, points.count, tasks)
			if add(p.column(col, each), (v.extent(col)+each-1)/each); each > points.count {
				inner, inBands = append(inner, p.column(col, points.count)), true
			}
		} else {
			inner = append(inner, p.column(col, points.count))
		}
	}
	along := p.column(p.vector, p.tiles[p.vector])
	inRows := false
	if rows >= 0 {
		rowsOfTask = v.rowsOfTask(rows, tasks)
		add(p.column(rows, rowsOfTask), (v.extent(rows)+rowsOfTask-1)/rowsOfTask)
		if inRows = rowsOfTask > 1; inRows {
			inner = append(inner, p.column(rows, 1))
		}
	}
	if v.tile.sorted != nil {
		if n, block := v.extent(p.vector), v.sortedBlock(rows, rowsOfTask, tasks); block < n {
			add(p.column(p.vector, block), (n+block-1)/block)
		}
		return wrap(outer, &schedule.Place{Tensor: v.tile.sorted.Name, Region: schedule.Private, Child: wrap(append(inner, along), v.tileNest())})
	}
	if want := int64(v.mk.m.Cores) * tasksPerCore; p.parallel && tasks < want {
		n := v.extent(p.vector)
		if block := roundUp((n*tasks+want-1)/want, p.tiles[p.vector]); block < n {
			add(p.column(p.vector, block), (n+block-1)/block)
		}
	}
	if len(outer) > 0 && outer[len(outer)-1].Loops[0].Index == along.Loops[0].Index && outer[len(outer)-1].Tile == along.Tile {
		return wrap(outer, wrap(inner, v.tileNest()))
	}
	if inRows || inBands || v.tile.passes || v.rowsStayNear() {
		return wrap(outer, wrap(append(inner, along), v.tileNest()))
	}
	return wrap(outer, wrap(append([]*schedule.Member{along}, inner...), v.tileNest()))
}

// bandsOfTask is how many values of a column a task computes, of which a tile has so many: those of
// many tiles where rows of results are written past the caches, one band of tiles after the other.
// Each reads again what the one before left in a near cache, and goes on where that one ended, which
// it could not if threads took turns (5 x 5 on 4096² floats on two threads of a Granite Rapids: 0.93 of the time).
func (v *convolution) bandsOfTask(col int, tile, others int64) int64 {
	n := v.extent(col)
	want := int64(v.mk.m.Cores) * 2 * tasksPerCore
	if want = (want + others - 1) / others; !v.p.parallel || !v.tile.stream || n < 2*tile*want {
		return tile
	}
	for tasks := want; tasks <= 3*want; tasks++ {
		if n%(tasks*tile) == 0 { // all are alike, and so is their code
			return n / tasks
		}
	}
	return roundUp((n+want-1)/want, tile)
}

// sortedBlock is how many points along the vectors have their windows sorted at a time: as
// many as stay near, and make tasks for all cores. Rows of images are seldom cut, signals are.
func (v *convolution) sortedBlock(rows int, rowsOfTask, tasks int64) int64 {
	n, pieces := v.extent(v.p.vector), int64(1)
	if want := int64(v.mk.m.Cores) * tasksPerCore; v.p.parallel && tasks < want {
		pieces = (want + tasks - 1) / tasks
	}
	near := min(v.mk.m.L2/4, machine.StackBytes/2)
	pieces = max(pieces, (v.windowBytes(rows, rowsOfTask)+near-1)/near)
	tile := v.p.tiles[v.p.vector]
	return max(2*tile, roundUp((n+pieces-1)/pieces, tile))
}

// rowColumn returns the last column without a tile in whose direction the windows of
// neighbours overlap, or -1.
func (v *convolution) rowColumn() int {
	found := -1
	for col, tile := range v.p.tiles {
		i := v.p.g.columns[col][v.heavy]
		overlaps := slices.ContainsFunc(v.c.Accesses(), func(a *ein.Access) bool {
			return ein.AnyDependsOn(a.Subscripts, v.tile.vector) && slices.ContainsFunc(a.Subscripts, func(e ein.Expr) bool {
				return ein.DependsOn(e, i) && slices.ContainsFunc(ein.Reduced(v.c), func(r *ein.Index) bool { return ein.DependsOn(e, r) })
			})
		})
		if tile == 1 && col != v.p.vector && overlaps {
			found = col
		}
	}
	return found
}

// rowsOfTask is how many values of the column of rows a task computes: as many as stay
// near, if there are other tasks enough.
func (v *convolution) rowsOfTask(rows int, others int64) int64 {
	const most = 16
	near := 2 * v.mk.m.L1
	if v.tile.sorted != nil {
		near = v.mk.m.L2 / 4
	} else if len(v.tile.points) == 0 {
		return 1
	}
	want := int64(1)
	if v.p.parallel {
		want = int64(v.mk.m.Cores) * tasksPerCore
	}
	n := min(v.extent(rows), most)
	for n > 1 && (v.windowBytes(rows, n) > near || others*((v.extent(rows)+n-1)/n) < want) {
		n--
	}
	pieces := (v.extent(rows) + n - 1) / n // of equal size
	return (v.extent(rows) + pieces - 1) / pieces
}

// windowBytes is the size of what vectors of so many rows read.
func (v *convolution) windowBytes(rows int, n int64) int64 {
	total := int64(0)
	for _, a := range v.c.Accesses() {
		if !ein.AnyDependsOn(a.Subscripts, v.tile.vector) {
			continue
		}
		bytes := int64(a.Tensor.Type.Size())
		if a.Tensor == v.tile.sorted {
			bytes = v.mk.copiedSize(v.c, a.Tensor)
		}
		for _, sub := range a.Subscripts {
			e, _ := ein.AffineOf(sub)
			length := int64(1)
			for _, i := range v.c.Indices {
				step, _, _ := e.Linear(i.Name)
				count := v.tile.count(i)
				switch col := v.column(i); {
				case col < 0 || i == v.tile.vector:
					count = max(1, estimate(i.Extent))
				case col == rows:
					count = n
				}
				length += max(step, -step) * (count - 1)
			}
			bytes = schedule.MultiplySizes(bytes, length)
		}
		total += bytes
	}
	return total
}

// rowsStayNear reports whether all that the vectors along a row of tiles read fits in
// the nearest cache beside other things.
func (v *convolution) rowsStayNear() bool {
	bytes := int64(0)
	for _, a := range v.c.Accesses() {
		if !ein.AnyDependsOn(a.Subscripts, v.tile.vector) {
			continue
		}
		each := int64(a.Tensor.Type.Size())
		for _, i := range v.c.Indices {
			if !ein.AnyDependsOn(a.Subscripts, i) {
				continue
			}
			switch points := v.tile.count(i); {
			case i == v.tile.vector:
				each = schedule.MultiplySizes(each, max(1, estimate(i.Extent)))
			case i.Combine.Kind != ein.Concat && slices.ContainsFunc(a.Subscripts, func(e ein.Expr) bool {
				return ein.DependsOn(e, i) && ein.DependsOn(e, v.tile.vector)
			}): // the windows of neighbours overlap
			case i.Combine.Kind != ein.Concat:
				each = schedule.MultiplySizes(each, max(1, estimate(i.Extent)))
			default:
				each = schedule.MultiplySizes(each, points)
			}
		}
		bytes += each
	}
	return bytes <= v.mk.m.L1/2
}
