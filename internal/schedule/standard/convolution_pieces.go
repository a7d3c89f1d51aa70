package standard

import (
	"cmp"
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How convolutions are scheduled whose filter stays packed
//
// Panels of a filter that stays from call to call cost nothing, and small ones little, so
// no task is made for their sake. A task is a piece of the image that fills half of the
// second-level cache, with the windows at its edge. It copies that piece, so that neither
// translations of addresses nor sets of the caches run out, and then visits it once for
// each panel of the filter, which stays near meanwhile. What the steps of all windows skip
// is not copied. Only where the pieces are too few for all cores are the output channels
// divided, too. A filter of which only a panel fits beside the piece is copied panel by
// panel, for each piece again, which is less work than adding up partial results while
// the pieces are few.

// leastImageReuse is from which reuse on a piece of an image is copied.
const leastImageReuse = 48

// leastAccumulators is how many sums a tile must have that was made narrower: they hide
// the latency of the additions.
const leastAccumulators = 12

// pieceBytes is the size of the pieces of images.
func (mk *maker) pieceBytes() int64 { return min(mk.m.L2, machine.StackBytes) / 2 }

// besidePiece is the most that a panel may have that is copied for each piece.
func (mk *maker) besidePiece() int64 { return min(mk.m.L2, machine.StackBytes) * 3 / 8 }

// overPieces makes the tree of a convolution whose panels are constant, or small; nil
// where panels depend on more than the tile, or no piece of the image is copied, which
// then is better read once than for each panel.
func (v *convolution) overPieces() schedule.Node {
	image, small := v.mk.image(v.c, v.tile.vector), v.mk.staysPacked(v.c, v.tile.packed, v.tile.vector)
	if image == nil || !small && (!v.tile.pieces || v.copiesForAll()) {
		return nil
	}
	var columns []int
	for col, tile := range v.p.tiles {
		if col == v.p.vector {
			continue
		}
		if _, known := v.p.g.columns[col][v.heavy].Extent.IsConst(); !known || tile == 1 && v.usesPanel(col) {
			return nil
		}
		columns = append(columns, col)
	}
	v.sortByStep(columns)
	block := v.pieces(columns, image)
	var tasks []*schedule.Member
	inside := func(col int) (list []*schedule.Member) {
		if block[col] < v.extent(col) {
			m := v.p.column(col, block[col])
			m.Parallel, m.Coincident = v.p.parallel, true
			tasks = append(tasks, m)
		}
		if tile := v.p.tiles[col]; tile < block[col] || tile == 1 && v.extent(col) == 1 {
			list = append(list, v.p.column(col, v.p.tiles[col]))
		}
		return list
	}
	panels := inside(v.p.vector)
	var tiles []*schedule.Member
	for _, col := range columns {
		tiles = append(tiles, inside(col)...)
	}
	n := wrap(tiles, v.tileNest())
	for _, t := range v.tile.packed {
		if v.mk.isConstant(t) {
			n = &schedule.Place{Tensor: t.Name, Region: schedule.Workspace, Child: n}
		} else if !small {
			n = &schedule.Place{Tensor: t.Name, Region: schedule.Private, Child: n}
		}
	}
	n = wrap(panels, n)
	for _, t := range v.tile.packed {
		if !v.mk.isConstant(t) && small {
			n = &schedule.Place{Tensor: t.Name, Region: schedule.Private, Child: n}
		}
	}
	n = &schedule.Place{Tensor: image.Tensor.Name, Region: schedule.Private, Layout: v.imageLayout(image), Child: n}
	return wrap(tasks, n)
}

// copiesForAll reports whether each task would copy all of an operand that has a window nowhere: the
// weights of a layer. Threads share its columns instead, which copies each panel once: two take
// 0.87 of the time for layers of 128 x 1024 x 1024 floats with a bias before the sum.
func (v *convolution) copiesForAll() bool {
	return v.p.parallel && !v.mk.windowed(v.c) && slices.ContainsFunc(v.tile.packed, func(t *ein.Tensor) bool { return !v.mk.isConstant(t) })
}

// pieces divides the columns among tasks and returns how many values of each a task has.
func (v *convolution) pieces(columns []int, image *ein.Access) []int64 {
	block := make([]int64, len(v.p.tiles))
	for col := range block {
		block[col] = v.extent(col)
	}
	tasks := func() int64 {
		total := int64(1)
		for col, n := range block {
			total = schedule.MultiplySizes(total, (v.extent(col)+n-1)/n)
		}
		return total
	}
	shrink := func(col int, pieces int64) {
		tile := v.p.tiles[col]
		block[col] = min(block[col], max(tile, roundUp((v.extent(col)+pieces-1)/pieces, tile)))
	}
	for _, col := range columns {
		for pieces := int64(2); v.blockBytes(image, block) > v.mk.pieceBytes() && block[col] > v.p.tiles[col]; pieces++ {
			shrink(col, pieces)
		}
	}
	want := int64(1)
	if v.p.parallel {
		want = 2 * int64(v.mk.m.Cores)
	}
	for _, col := range slices.Insert(slices.Clone(columns), min(1, len(columns)), v.p.vector) {
		n := tasks()
		if n >= want {
			break
		}
		pieces := (want + n - 1) / n * ((v.extent(col) + block[col] - 1) / block[col])
		if col == v.p.vector {
			v.balance(n, pieces)
		}
		shrink(col, min((v.extent(col)+v.p.tiles[col]-1)/v.p.tiles[col], pieces))
	}
	return block
}

// balance narrows the tile where equal pieces of the vector index, each of which so many
// tasks compute, let some cores wait for others otherwise.
func (v *convolution) balance(tasks, pieces int64) {
	const gain = 1.03
	cores, n, least := int64(v.mk.m.Cores), v.extent(v.p.vector), math.Inf(1)
	points := int64(1)
	for _, p := range v.tile.points {
		points *= p.count
	}
	for vectors := v.tile.vectors; vectors == v.tile.vectors || vectors*points >= leastAccumulators; vectors-- {
		block := roundUp((n+pieces-1)/pieces, vectors*v.tile.lanes)
		whole, rest := tasks*(n/block), n%block
		longest := (whole + cores - 1) / cores * block
		if whole%cores == 0 {
			longest += (tasks + cores - 1) / cores * rest
		}
		if float64(longest)*gain < least {
			v.p.tiles[v.p.vector], least = vectors*v.tile.lanes, float64(longest)
		}
	}
}

// outlivesFetch reports whether panels of a constant operand are used long enough to be fetched from
// the caches behind for every piece of an image: all of them or, of larger ones, a usual panel fits
// beside the piece, whose points compute twice as long with it as it is fetched. Else panels are
// cut, and stay for many pieces (3 x 3 x 3 of 512 channels at 2 x 7 x 7 take 0.57 of the time, 3 x 3
// with 512 channels, 4 points apart, of which a piece has one row, 0.5).
func (mk *maker) outlivesFetch(c *ein.Comprehension, a *ein.Access, vector *ein.Index) bool {
	const usualVectors = 3
	image := mk.image(c, vector)
	elements, ok := mk.panelElements(c, a)
	if image == nil || !ok {
		return true
	}
	lanes, size := int64(mk.lanesOf(c)), mk.copiedSize(c, a.Tensor)
	piece, points, all := mk.usualPiece(c, image, vector)
	if schedule.MultiplySizes(elements, size)+piece <= mk.m.L2 {
		return true
	}
	panel := elements / max(1, estimate(vector.Extent)) * size * lanes * usualVectors
	return piece+panel <= mk.m.L2 && (points == all || points >= mk.leastPoints(c, a))
}

// leastPoints is for how many points of a piece a panel of an operand is fetched for it alone: they
// compute twice as long.
func (mk *maker) leastPoints(c *ein.Comprehension, a *ein.Access) int64 {
	return int64(2 * mk.units() / mk.lastBytes() * float64(int64(mk.lanesOf(c))*mk.copiedSize(c, a.Tensor)))
}

// usualPiece returns the bytes of a piece of an image, before it is fitted to a tile, and how many of
// all points of the results along other indices than that of the vectors are computed of it.
func (mk *maker) usualPiece(c *ein.Comprehension, image *ein.Access, vector *ein.Index) (bytes, points, all int64) {
	var indices []*ein.Index
	block := map[*ein.Index]int64{}
	all = 1
	for _, i := range c.ByKind(ein.Concat) {
		block[i] = max(1, estimate(i.Extent))
		if i != vector {
			indices = append(indices, i)
			all = schedule.MultiplySizes(all, block[i])
		}
	}
	step := func(i *ein.Index) int64 { return mk.step(image.Tensor, image.Subscripts, i) }
	slices.SortStableFunc(indices, func(a, b *ein.Index) int { return cmp.Compare(step(b), step(a)) })
	size := func() int64 { return mk.imageBytes(c, image, block) }
	points = 1
	for _, i := range indices {
		n := block[i]
		for pieces := int64(2); size() > mk.pieceBytes() && block[i] > 1; pieces++ {
			block[i] = (n + pieces - 1) / pieces
		}
		points = schedule.MultiplySizes(points, block[i])
	}
	return size(), points, all
}

// image returns the operand that is read by scalars when vectors run along an index, if a
// piece of it may be copied and is used often enough.
func (mk *maker) image(c *ein.Comprehension, vector *ein.Index) *ein.Access {
	for _, a := range c.Accesses() {
		if ein.AnyDependsOn(a.Subscripts, vector) || !mk.isFinished(a.Tensor) || !mk.isOnlyRead(a) || len(a.Subscripts) < 2 {
			continue
		}
		reuse, windows := int64(1), true
		for _, i := range c.ByKind(ein.Concat) {
			if !ein.AnyDependsOn(a.Subscripts, i) {
				reuse = schedule.MultiplySizes(reuse, max(1, estimate(i.Extent)))
			}
		}
		for dim, sub := range a.Subscripts {
			terms, _, ok := schedule.Window(c, sub)
			windows = windows && ok && ein.InBounds(c, a, dim) && !slices.ContainsFunc(terms, func(t schedule.Stride) bool {
				_, known := t.Index.Extent.IsConst()
				return !known
			})
		}
		if windows && reuse >= leastImageReuse {
			return a
		}
	}
	return nil
}

// imageBytes is the size of what the windows of a task cover that has so many values of each
// index of the results, without what steps skip.
func (mk *maker) imageBytes(c *ein.Comprehension, a *ein.Access, block map[*ein.Index]int64) int64 {
	bytes := mk.copiedSize(c, a.Tensor)
	for _, sub := range a.Subscripts {
		terms, _, _ := schedule.Window(c, sub)
		length := int64(1)
		for _, t := range terms {
			n, cut := block[t.Index]
			if !cut {
				n = estimate(t.Index.Extent)
			}
			length += t.Step / schedule.CommonStep(terms) * (max(1, n) - 1)
		}
		bytes = schedule.MultiplySizes(bytes, length)
	}
	return bytes
}

// blockBytes is the size of what a task copies of an image that has so many values of each column.
func (v *convolution) blockBytes(a *ein.Access, block []int64) int64 {
	values := map[*ein.Index]int64{}
	for col, n := range block {
		values[v.p.g.columns[col][v.heavy]] = n
	}
	return v.mk.imageBytes(v.c, a, values)
}

// imageLayout orders the dimensions of a piece of an image: the channels of a row lie
// together, above the dimension whose neighbours do.
func (v *convolution) imageLayout(a *ein.Access) []int {
	var windows, channels []int
	last := len(a.Subscripts) - 1
	for dim, sub := range a.Subscripts[:last] {
		if i, _, plain := schedule.IndexPlusConstant(v.c, sub); plain && i.Combine.Kind != ein.Concat {
			channels = append(channels, dim+1)
		} else {
			windows = append(windows, dim+1)
		}
	}
	return append(append(windows, channels...), last+1)
}
