package standard

import (
	"math"
	"math/bits"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How register tiles are compared
//
// All tiles that fit into the registers are compared by the cycles of the whole block,
// those at its edge included: multiply-adds, loads, the latency of the accumulators, the
// control of the innermost loop, the stores and the copies of panels.

// search tries all tiles that fit into the registers.
func (d *tileDesigner) search() {
	others := slices.DeleteFunc(d.c.ByKind(ein.Concat), func(i *ein.Index) bool { return i == d.best.vector || d.size(i) < 2 })
	unrolls := []*ein.Index{nil}
	for _, i := range slices.Backward(ein.Reduced(d.c)) { // of equal ones what lies side by side
		if n, known := i.Extent.IsConst(); known && n > 1 && (n <= longestUnroll || n <= longestInPlace && d.panel == 0 && d.steps <= longReduction) {
			unrolls = append(unrolls, i)
		}
	}
	counts := []int64{2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16}
	most := int64(d.mk.m.VectorRegisters) - 1
	for _, unrolled := range unrolls {
		for vectors := int64(1); vectors <= 6 && (vectors-1)*d.lanes < d.size(d.best.vector); vectors++ {
			d.consider(vectors, nil, unrolled)
			for k, i := range others {
				for _, n := range counts {
					if n > d.size(i) || vectors*(n+1) > most {
						break
					}
					d.consider(vectors, []tilePoints{{i, n}}, unrolled)
					for _, j := range others[k+1:] {
						for _, m := range counts {
							if m > d.size(j) || vectors*(n*m+1) > most {
								break
							}
							d.consider(vectors, []tilePoints{{i, n}, {j, m}}, unrolled)
						}
					}
				}
			}
		}
	}
}

// consider compares one tile with the best so far.
func (d *tileDesigner) consider(vectors int64, points []tilePoints, unrolled *ein.Index) {
	outer := 1.0
	for _, i := range d.c.ByKind(ein.Concat) {
		tiled := i == d.best.vector || slices.ContainsFunc(points, func(p tilePoints) bool { return p.index == i })
		if !tiled {
			outer *= float64(max(1, d.size(i)))
		}
	}
	total := 0.0
	var sum func(k int, count float64, now []tilePoints)
	sum = func(k int, count float64, now []tilePoints) {
		if k == len(points) {
			n := (d.size(d.best.vector) + d.lanes - 1) / d.lanes
			total += count * float64(n/vectors) * d.tile(vectors, now, unrolled)
			if rest := n % vectors; rest > 0 {
				total += count * d.tile(rest, now, unrolled)
			}
			return
		}
		p := points[k]
		n := d.size(p.index)
		sum(k+1, count*float64(n/p.count), append(slices.Clone(now), p))
		if rest := n % p.count; rest > 0 {
			sum(k+1, count, append(slices.Clone(now), tilePoints{p.index, rest}))
		}
	}
	sum(0, outer, nil)
	total += d.fixed + d.exchanging(vectors)
	if total < d.best.cycles*0.99 || total < d.best.cycles && d.row(points) > d.row(d.best.points) {
		d.best.cycles, d.best.vectors, d.best.points, d.best.unrolled = total, vectors, points, unrolled
		d.best.window, d.best.pieces = d.window(vectors, points, unrolled), d.copiedForPieces(vectors)
		d.best.whole = d.isUnrolled(vectors, points, unrolled, d.best.window)
		d.best.passes = d.passesRows(d.accumulators(vectors, points), vectors, points, unrolled)
	}
}

// row is how many neighbours in a row of results a tile has whose vectors run across rows. Of
// tiles that cost about the same the longer row wins, which is written by longer pieces (3 x 3
// with steps of 2, 128 channels at 28 x 28: two rows of 7 take 1.1 of the time of one of 14).
func (d *tileDesigner) row(points []tilePoints) int64 {
	for _, p := range points {
		if w := d.c.Writes[0]; d.scatters && d.mk.along(d.c, w.Tensor, w.Subscripts, p.index) == unit {
			return p.count
		}
	}
	return 1
}

// exchanging returns the cycles that it costs to cut the panels of so many vectors where
// they do not stay near as a whole: partial results are added up in the task, and where
// these become too many, several tasks copy the same panel.
func (d *tileDesigner) exchanging(vectors int64) float64 {
	width := min(vectors*d.lanes, d.size(d.best.vector))
	bytes := schedule.MultiplySizes(d.panel, width)
	if d.blocks > 0 || bytes <= d.mk.mostPanelBytes() {
		return 0
	}
	if d.copiedForPieces(vectors) {
		return (d.pieces - 1) * d.shared
	}
	results := 1.0
	for _, i := range d.c.ByKind(ein.Concat) {
		results *= float64(max(1, d.size(i)))
	}
	partial := results / float64(d.size(d.best.vector)) * float64(width) * d.operands[0].size
	tasks := math.Ceil(partial / float64(d.mk.partialBytes()))
	cuts := math.Ceil(float64(bytes) / float64(d.mk.cutPanelBytes()))
	return (tasks-1)*d.shared + partialCycles*cuts*results/float64(d.lanes)
}

// imagePieces returns in how many pieces an image is copied when panels are exchanged for
// each of them; 0 where this cannot be done, or takes too long.
func (d *tileDesigner) imagePieces(vector *ein.Index) float64 {
	image := d.mk.image(d.c, vector)
	if image == nil {
		return 0
	}
	for _, i := range d.c.Indices {
		if _, known := i.Extent.IsConst(); !known {
			return 0
		}
	}
	if d.panelsDiffer(image, vector) {
		return 0
	}
	_, points, all := d.mk.usualPiece(d.c, image, vector)
	if points < all && points < d.mk.leastPoints(d.c, image) {
		return 0
	}
	return math.Ceil(float64(all) / float64(points))
}

// panelsDiffer reports whether what is read besides an image depends on other indices of the
// results than that of the vectors.
func (d *tileDesigner) panelsDiffer(image *ein.Access, vector *ein.Index) bool {
	return slices.ContainsFunc(d.c.Accesses(), func(a *ein.Access) bool {
		return a != image && slices.ContainsFunc(d.c.ByKind(ein.Concat), func(i *ein.Index) bool { return i != vector && ein.AnyDependsOn(a.Subscripts, i) })
	})
}

// readsInPlace reports whether windows of an image that is too large to stay near are read
// where they lie, neither sorted nor copied in pieces.
func (d *tileDesigner) readsInPlace(t *registerTile) bool {
	image := d.mk.image(d.c, t.vector)
	return slices.ContainsFunc(d.c.Accesses(), func(a *ein.Access) bool {
		if a.Tensor == t.sorted || a == image && len(t.packed) > 0 && !d.panelsDiffer(image, t.vector) {
			return false
		}
		windows := slices.ContainsFunc(a.Subscripts, func(e ein.Expr) bool {
			terms, _, ok := schedule.Window(d.c, e)
			return ok && len(terms) > 1
		})
		return windows && d.covered(a)*float64(a.Tensor.Type.Size()) > float64(d.mk.m.L2)/2
	})
}

// covered returns how many elements the windows of a block cover, without what steps skip.
func (d *tileDesigner) covered(a *ein.Access) float64 {
	total := 1.0
	for _, sub := range a.Subscripts {
		total *= d.length(sub)
	}
	return total
}

// length is covered for a subscript.
func (d *tileDesigner) length(sub ein.Expr) float64 {
	terms, _, ok := schedule.Window(d.c, sub)
	if !ok || len(terms) == 0 {
		return 1
	}
	length := int64(1)
	for _, t := range terms {
		length += t.Step / schedule.CommonStep(terms) * (d.size(t.Index) - 1)
	}
	return float64(length)
}

// commonStep is how far apart the elements of a subscript lie that windows read.
func (d *tileDesigner) commonStep(sub ein.Expr) float64 {
	terms, _, _ := schedule.Window(d.c, sub)
	return float64(schedule.CommonStep(terms))
}

// copiedForPieces reports whether panels of so many vectors are copied for each piece of
// the image.
func (d *tileDesigner) copiedForPieces(vectors int64) bool {
	return d.pieces > 0 && schedule.MultiplySizes(d.panel, vectors*d.lanes) <= d.mk.besidePiece()
}

// tile returns the cycles of one tile over the whole reduction.
func (d *tileDesigner) tile(vectors int64, points []tilePoints, unrolled *ein.Index) float64 {
	repeat := int64(1)
	if unrolled != nil {
		repeat = d.size(unrolled)
	}
	accumulators := d.accumulators(vectors, points)
	if !d.fits(accumulators, vectors, points, unrolled, repeat) {
		return math.Inf(1)
	}
	loads, far, wait := 0.0, 0.0, 0.0
	window := d.window(vectors, points, unrolled)
	for _, o := range d.operands {
		n := float64(o.distinct(points, unrolled, repeat))
		if !o.vector && window == nil && o.span(points) > int64(d.mk.m.VectorRegisters)-accumulators {
			n = float64(o.distinct(points, nil, 1) * repeat) // too many to keep
		}
		if o.vector {
			n *= float64(vectors)
		}
		loads += n * o.cost
		wait += n * o.wait
		far += d.transfer(&o, n)
	}
	products := float64(accumulators * repeat)
	latency, control, once := d.mk.addLatency()*float64(repeat), d.mk.m.Value(machine.Iteration), tileCycles
	switch {
	case d.isUnrolled(vectors, points, unrolled, window): // neighbouring tiles overlap
		latency, control, once = 0, 0, 0
	case d.innermost(unrolled) <= 4:
		control += shortLoops * d.mk.m.Value(machine.Iteration)
	}
	busy := max(products/d.mk.units(), loads/d.mk.loads(), far, latency) + d.mk.loadMiss()*loads + wait
	run := d.run
	if d.passesRows(accumulators, vectors, points, unrolled) {
		run /= runCycles
	}
	return d.steps/float64(repeat)*(busy+control) + float64(accumulators)*d.storing(points) + float64(accumulators/vectors)*run + once
}

// accumulators is the number of sums in a tile.
func (d *tileDesigner) accumulators(vectors int64, points []tilePoints) int64 {
	n := vectors * int64(len(d.c.Writes))
	for _, p := range points {
		n *= p.count
	}
	return n
}

// staysPacked reports whether panels need not be exchanged within a task that goes along vectors of
// an index: they are constant and used often, or all of them fit beside other things.
func (mk *maker) staysPacked(c *ein.Comprehension, packed []*ein.Tensor, vector *ein.Index) bool {
	bytes := int64(0)
	for _, a := range c.Accesses() {
		if !slices.Contains(packed, a.Tensor) || mk.isConstant(a.Tensor) && mk.outlivesFetch(c, a, vector) {
			continue
		}
		n, ok := mk.panelElements(c, a)
		if bytes += schedule.MultiplySizes(n, mk.copiedSize(c, a.Tensor)); !ok {
			return false
		}
	}
	return bytes <= mk.mostPanelBytes()
}

// storing returns the cycles of storing one vector of results. Where vectors run across
// the rows of the results, and the tile has enough points along those, squares are
// transposed on their way: as large as there are points.
func (d *tileDesigner) storing(points []tilePoints) float64 {
	if len(d.c.Writes) != 1 || !d.scatters {
		return d.store
	}
	w := d.c.Writes[0]
	for _, p := range points {
		if p.count < schedule.SmallestSquare || p.count < d.lanes && !d.narrowSquares(p) || d.mk.along(d.c, w.Tensor, w.Subscripts, p.index) != unit {
			continue
		}
		side := d.lanes
		for side > p.count {
			side /= 2
		}
		squares := (p.count + side - 1) / side * (d.lanes / side)
		return float64(squares*side*int64(bits.Len64(uint64(side))))/float64(p.count) + squareCycles
	}
	return d.store
}

// narrowSquares reports whether squares that are narrower than a vector are cheap beside the
// reduction. Short rows lower the bar: vectors along these would have idle lanes (32 groups
// of 16 channels at 14 x 14 take 0.7 to 0.8 of the time).
func (d *tileDesigner) narrowSquares(p tilePoints) bool {
	shortRow := d.size(p.index) < d.lanes && d.size(d.best.vector)%d.lanes == 0
	return d.steps >= longReduction || d.steps >= longReduction/2 && shortRow
}

// transfer returns the cycles of moving n elements or vectors of an operand into the
// nearest cache, where a tile does not find them there.
func (d *tileDesigner) transfer(o *tileOperand, n float64) float64 {
	m := d.mk.m
	bytes := n * o.size
	if o.vector {
		bytes *= float64(d.lanes)
	}
	switch {
	case o.vector && o.bytes <= float64(m.L2)/2 && bytes*d.steps > nearShare*float64(m.L1):
		return bytes / d.mk.nextBytes()
	case !o.vector && o.bytes > float64(m.L2)/2:
		return bytes / d.mk.lastBytes()
	}
	return 0
}

// fits reports whether the registers hold the accumulators, a vector of each
// operand that several points share, and a scalar. A body that is written out keeps
// what its points share, and needs more of them.
func (d *tileDesigner) fits(accumulators, vectors int64, points []tilePoints, unrolled *ein.Index, repeat int64) bool {
	registers := int64(d.mk.m.VectorRegisters)
	most := registers * 3 / 4
	if d.inRows && accumulators > d.mk.pending()*5/6 && (accumulators > d.mk.pending() || !d.isUnrolled(vectors, points, unrolled, d.window(vectors, points, unrolled))) {
		return false
	}
	if d.best.sorted != nil && !d.sortsOnStack(vectors, points) {
		return false
	}
	used := accumulators + 1
	if d.window(vectors, points, unrolled) != nil {
		for _, o := range d.operands {
			if o.vector {
				used += vectors * o.distinct(points, unrolled, repeat)
			}
		}
		return used <= registers && d.copied(accumulators, vectors, repeat) <= longestBody
	}
	if (d.apart || d.lanes < int64(d.mk.lanesOf(d.c))) && !d.keepsShared(accumulators, vectors, points, unrolled) {
		return false
	}
	for _, o := range d.operands {
		once := o.distinct(points, nil, 1)
		if o.vector {
			used += vectors * once
		}
		if o.distinct(points, unrolled, repeat) < once*repeat && !d.passesRows(accumulators, vectors, points, unrolled) {
			most = registers * 9 / 16
		}
	}
	return used <= registers && (repeat == 1 || accumulators <= most) && (repeat == 1 && d.tests == 0 || d.copied(accumulators, vectors, repeat) <= longestBody)
}

// copied is how long the body of a tile is when it is written out: its multiply-adds, and what decides for
// each of its points whether elements are read, which holds for all vectors of a point.
func (d *tileDesigner) copied(accumulators, vectors, repeat int64) int64 {
	return repeat * (accumulators + accumulators/vectors*testLength*d.tests)
}

// sortsOnStack reports whether a thread's stack has room for the windows that two tiles along the vectors
// read of what is sorted: a task takes no fewer.
func (d *tileDesigner) sortsOnStack(vectors int64, points []tilePoints) bool {
	block := map[*ein.Index]int64{}
	for _, i := range d.c.ByKind(ein.Concat) {
		block[i] = 1
	}
	for _, p := range points {
		block[p.index] = p.count
	}
	block[d.best.vector] = min(2*vectors*d.lanes, d.size(d.best.vector))
	for _, a := range d.c.Accesses() {
		if a.Tensor == d.best.sorted && d.mk.imageBytes(d.c, a, block) > machine.StackBytes*3/4 {
			return false
		}
	}
	return true
}

// innermost returns the number of iterations of the innermost loop.
func (d *tileDesigner) innermost(unrolled *ein.Index) int64 {
	if list := d.best.stepOrder(d.c, unrolled); len(list) > 0 {
		return d.size(list[len(list)-1])
	}
	return math.MaxInt64 // no loop
}
