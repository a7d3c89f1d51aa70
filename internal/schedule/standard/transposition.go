package standard

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// transposed makes the schedule of a map that reads one tensor along another index
// than it writes. A block of the input is transposed in the nearest caches, and
// written by whole lines. A large output is written past the caches: nothing then waits
// for the old contents of these lines (4096² floats: 8.1 and 16.3 GB/s on 1 and 2
// threads; with ordinary stores 4.2 and 8.3), and what is only moved goes there straight
// from registers, at the speed of a copy. A smaller output, or one whose rows start within
// lines, is written through the caches, row by row of the block: these lie far apart, so
// that their lines are asked for one row ahead (4095 x 4097 floats take 0.7 of the time).
func (mk *maker) transposed(p *plan) schedule.Node {
	s := p.g.statements[0]
	c := mk.f.Body[s]
	lanes := int64(mk.lanesOf(c))
	vector, far, across := mk.crossing(c)
	if len(p.g.statements) != 1 || far == nil || lanes < 2 || len(c.ByKind(ein.Concat)) < len(c.Indices) {
		return nil
	}
	size := int64(far.Tensor.Type.Size())
	square := min(lanes, mk.line()/size)
	short := estimate(vector.Extent) < square
	if short {
		lanes = mk.shortLanes(c, far, vector)
	}
	if lanes == 0 || estimate(across.Extent) < square {
		return nil
	}
	member := func(i *ein.Index, tile int64) *schedule.Member {
		return &schedule.Member{Loops: []schedule.Loop{{Statement: s, Index: i.Name}}, Tile: tile}
	}
	bytes := size
	for _, i := range c.Indices {
		bytes = schedule.MultiplySizes(bytes, max(1, estimate(i.Extent)))
	}
	streams := mk.prefersNonTemporal(2*bytes) && mk.rowsAtLines(c, vector)
	tiles := mk.transposedBlock(p, c, far, vector, across, streams)
	var outer, inner []*schedule.Member
	block := func(i *ein.Index) {
		if n, known := i.Extent.IsConst(); !known || tiles[i] < n || n == 1 {
			outer = append(outer, member(i, tiles[i]))
		}
	}
	for _, i := range c.Indices {
		if i != vector && i != across {
			block(i)
			if tiles[i] > 1 {
				inner = append(inner, member(i, 1))
			}
		}
	}
	block(across)
	block(vector)
	for _, m := range outer {
		m.Parallel, m.Coincident = p.parallel, true
	}
	lane := member(vector, 1)
	lane.Vector, lane.Stream = int(lanes), streams
	if !streams && mk.rowsAsk() {
		lane.Prefetch = across.Name
	}
	inner = append([]*schedule.Member{member(across, 1)}, append(inner, lane)...)
	return wrap(outer, &schedule.Place{Tensor: far.Tensor.Name, Region: schedule.Private, Child: &schedule.Band{Members: inner, Child: &schedule.Leaf{}}})
}

// shortLanes returns the lanes of vectors along rows of a result that are shorter than a
// whole vector, where transposing pays off: the rows are vectors then (4 x 112 x 112 x 4
// floats to channels last: 30 µs, 62 scattered), or what is transposed is read many times
// (an outer product with rows of 13 floats: 34 µs, 87 with gathers). Otherwise 0.
func (mk *maker) shortLanes(c *ein.Comprehension, read *ein.Access, vector *ein.Index) int64 {
	const least = 4
	n, lanes := estimate(vector.Extent), int64(least)
	for 2*lanes <= n {
		lanes *= 2
	}
	if n == lanes || n > lanes && !metOnce(c, schedule.Access{Subscripts: read.Subscripts}) {
		return lanes
	}
	return 0
}

// transposedBlock sizes the block of a transposition by the runs in which it is read
// and written. Where all rows of the output start at lines, each is written line by
// line and read in long runs, since rows that lie a power of two apart compete for
// places in the cache. Other rows have broken lines at the ends of every run, so
// that runs are long in both directions (4001 x 3000 floats: 1.5 x faster than by
// lines); where an index is short, a run goes on along the next. Past the caches two
// neighbouring lines of the output go together, and long rows are read, whose lines are
// asked for ahead: 4096² floats take 5.4 ms instead of 7.2 on Granite Rapids (2.7 instead of 3.4 on two
// threads), as long as a copy. Four lines take 5.2 in C, but 12 where rows are cut.
func (mk *maker) transposedBlock(p *plan, c *ein.Comprehension, read *ein.Access, vector, across *ein.Index, streams bool) map[*ein.Index]int64 {
	size := int64(read.Tensor.Type.Size())
	half := mk.run() / 2
	runs := [2]int64{max(half/2, min(half, 256*size)), half} // bytes written and read
	if mk.rowsAtLines(c, vector) {
		runs = [2]int64{max(mk.line(), int64(mk.lanesOf(c))*size), mk.run()}
	}
	if streams {
		if runs[1] = mk.page(); estimate(across.Extent)*size >= mk.run() { // as far as the prefetcher goes
			runs[0] = max(2*mk.line(), runs[0])
			room := min(mk.m.L2/4, machine.StackBytes/2)
			if int64(mk.m.VectorBytes) < mk.line() { // by way of the block, not straight from registers
				room = mk.m.L1 / 2
			}
			runs[1] = room / (runs[0] / size)
		}
	}
	var tiles map[*ein.Index]int64
	for room := machine.StackBytes * 3 / 4 / mk.copiedSize(c, read.Tensor); ; {
		tiles = map[*ein.Index]int64{}
		tasks, points := int64(1), int64(1)
		for _, i := range c.Indices {
			tiles[i] = 1
		}
		mk.grow(c, tiles, mk.byDistance(c.Writes[0].Tensor, c.Writes[0].Subscripts), runs[0]/size)
		mk.grow(c, tiles, mk.byDistance(read.Tensor, read.Subscripts), runs[1]/size)
		for _, i := range c.Indices {
			n := max(1, estimate(i.Extent))
			tasks, points = schedule.MultiplySizes(tasks, (n+tiles[i]-1)/tiles[i]), schedule.MultiplySizes(points, tiles[i])
		}
		longest := max(runs[0], runs[1])
		if points <= room && (!p.parallel || tasks >= 4*int64(mk.m.Cores)) || longest <= 4*mk.line() {
			return tiles
		}
		if runs[0] == longest {
			runs[0] /= 2
		} else {
			runs[1] /= 2
		}
	}
}

// rowsAtLines reports whether the rows that a statement writes along an index start
// at lines of the cache when the tensor does.
func (mk *maker) rowsAtLines(c *ein.Comprehension, vector *ein.Index) bool {
	w := c.Writes[0]
	for d, sub := range w.Subscripts {
		if !ein.DependsOn(sub, vector) && mk.stride(w.Tensor, d)*int64(w.Tensor.Type.Size())%mk.line() != 0 {
			return false
		}
	}
	return true
}

// grow lengthens tiles, that of the last subscript first, until a tensor with these subscripts
// in the order of memory is touched in runs of so many elements.
func (mk *maker) grow(c *ein.Comprehension, tiles map[*ein.Index]int64, subscripts []ein.Expr, run int64) {
	for _, sub := range slices.Backward(subscripts) {
		i, _, ok := schedule.IndexPlusConstant(c, sub)
		if !ok || run < 2 {
			return
		}
		n := max(1, estimate(i.Extent))
		tiles[i] = max(tiles[i], min(n, run))
		if run /= n; run < 2 {
			return
		}
	}
}

// crossing finds the index along which a map writes elements side by side, the one
// access that is far along it, and the index along which that has them side by side.
func (mk *maker) crossing(c *ein.Comprehension) (vector *ein.Index, found *ein.Access, across *ein.Index) {
	for _, i := range c.Indices {
		if mk.along(c, c.Writes[0].Tensor, c.Writes[0].Subscripts, i) == unit {
			vector = i
		}
	}
	if vector == nil || len(c.Writes) > 1 || schedule.Vectorisable(c, vector) != "" {
		return nil, nil, nil
	}
	for _, a := range distinct(c.Accesses()) {
		if mk.along(c, a.Tensor, a.Subscripts, vector) != far {
			continue
		}
		if found != nil || a.Tensor.Role != ein.Input {
			return nil, nil, nil
		}
		found = a
		for d, sub := range a.Subscripts {
			i, _, ok := schedule.IndexPlusConstant(c, sub)
			if !ok || !ein.InBounds(c, a, d) {
				return nil, nil, nil
			}
			if mk.along(c, a.Tensor, a.Subscripts, i) == unit {
				across = i
			}
		}
	}
	if across == nil || across == vector || slices.ContainsFunc(c.Accesses(), func(a *ein.Access) bool {
		return a.Tensor == found.Tensor && !readsSame(a, found) // the block would reach from one to the other
	}) {
		return nil, nil, nil
	}
	return vector, found, across
}
