package standard

import (
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/rewrite"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// The cost model counts, per point of a statement, the vector instructions of
// the best innermost loop. Loads along the vector index are consecutive (one
// instruction), the same for all lanes (one) or gathered (one per lane that has a point).
// Stores that are scattered take two of them per lane (4 x 112 x 112 x 7 floats from channels
// first to channels last: 181 µs by scatters, 81 by gathers, 98 without vectors).

// pattern says how an access moves along an index.
type pattern int

const (
	fixed pattern = iota
	unit
	far
)

// along returns how the address of an element of t moves with an index.
func (mk *maker) along(c *ein.Comprehension, t *ein.Tensor, subscripts []ein.Expr, index *ein.Index) pattern {
	result := fixed
	for d, sub := range subscripts {
		if !ein.DependsOn(sub, index) || mk.stride(t, d) == 0 {
			continue
		}
		a, ok := ein.AffineOf(sub)
		coefficient, _, linear := a.Linear(index.Name)
		if !ok || !linear || coefficient*mk.stride(t, d) != 1 || result != fixed {
			return far
		}
		result = unit
	}
	return result
}

// stride is the distance of neighbours along a dimension, in elements; where it is
// not known, any large number.
func (mk *maker) stride(t *ein.Tensor, d int) int64 {
	if strides, given := mk.options.Strides[t.Name]; given && d < len(strides) {
		return strides[d]
	}
	stride := int64(1)
	for _, dim := range t.Dims[d+1:] {
		n, known := dim.Extent.IsConst()
		if !known || n > math.MaxInt32 || stride*n > math.MaxInt32 {
			return math.MaxInt32
		}
		stride *= max(1, n)
	}
	return stride
}

func (mk *maker) lanesOf(c *ein.Comprehension) int { return mk.m.Lanes(mk.inside(c)) }

// inside is what most vectors of a statement compute (rewrite.Inside): the statement itself, if it has
// no boundary.
func (mk *maker) inside(c *ein.Comprehension) *ein.Comprehension {
	one, known := mk.insides[c]
	if !known {
		if one, _ = rewrite.Interior(c); one == nil {
			one = c
		}
		mk.insides[c] = one
	}
	return one
}

// lanesAlong is the width of vectors along an index of a statement.
func (mk *maker) lanesAlong(c *ein.Comprehension, i *ein.Index) int {
	return mk.m.LanesAlong(mk.inside(c), i)
}

func (p *plan) lanesOf(mk *maker, s int) int {
	if p.vector >= 0 {
		return p.lanes
	}
	if own := p.own[s]; own != nil {
		return mk.lanesAlong(mk.f.Body[s], own)
	}
	return mk.lanesOf(mk.f.Body[s])
}

// vectorCost is the number of instructions per point with vectors of w lanes
// along an index; +Inf where that is impossible. A nil index means no vectors.
func (mk *maker) vectorCost(c *ein.Comprehension, index *ein.Index, w int) float64 {
	operations := float64(mk.operations(c))
	if k := slices.Index(c.Indices, index); k >= 0 && mk.inside(c) != c {
		one := mk.inside(c)
		c, index = one, one.Indices[k]
		operations = float64(mk.operations(c))
	}
	if index == nil {
		return 2 * operations
	}
	op, free := ein.ReductionOperator(c)
	isReduced := index.Combine.Kind != ein.Concat
	if w < 2 || estimate(index.Extent) < 2 || schedule.Vectorisable(c, index) != "" || isReduced && !(free && schedule.Foldable(op)) || mk.waitsLess(c, index) {
		return math.Inf(1)
	}
	cost, lanes := operations, math.Min(float64(w), float64(estimate(index.Extent)))
	for _, a := range c.Accesses() {
		if mk.along(c, a.Tensor, a.Subscripts, index) == far {
			cost += math.Min(lanes, mk.everyCost(c, a.Tensor, a.Subscripts, index))
			// 100003 rows of 27 in a sparse matrix: 1.95 ms without vectors, 2.6 with a load for
			// each lane, 1.65 with gathers.
			if a.Checked && isReduced && !mk.m.Gathers() {
				return math.Inf(1)
			}
		}
	}
	if guarded(c, index) {
		cost += mk.m.Value(machine.Mask)
	}
	steps := 1.0 // of the reduction, over which the store is spread
	for _, i := range ein.Reduced(c) {
		steps *= float64(max(1, estimate(i.Extent)))
	}
	for _, wr := range c.Writes {
		switch {
		case isReduced:
			cost += 16 * float64(w) / steps // a fold
		case mk.along(c, wr.Tensor, wr.Subscripts, index) == far:
			cost += 2 * math.Min(lanes, mk.everyCost(c, wr.Tensor, wr.Subscripts, index)) / steps
		}
	}
	return cost / lanes
}

// everyCost is the number of instructions for lanes a short step apart, which are loaded and
// stored with what lies between them: a vector for each element of the step, and shuffles
// between them. It is that of longer steps where processors have neither masks nor the shuffles.
func (mk *maker) everyCost(c *ein.Comprehension, t *ein.Tensor, subscripts []ein.Expr, index *ein.Index) float64 {
	const longest = 4
	step := int64(0)
	for d, sub := range subscripts {
		if !ein.DependsOn(sub, index) {
			continue
		}
		a, ok := ein.AffineOf(sub)
		coefficient, _, linear := a.Linear(index.Name)
		if !ok || !linear || coefficient < 0 || coefficient > longest || mk.stride(t, d) > longest {
			return math.Inf(1)
		}
		step += coefficient * mk.stride(t, d)
	}
	if step < 2 || step > longest || !mk.m.HasMasks() {
		return math.Inf(1)
	}
	return float64(2*step - 1)
}

// guarded reports whether loads stand in branches of a condition along the
// index, which makes them masked loads.
func guarded(c *ein.Comprehension, index *ein.Index) bool {
	return slices.ContainsFunc(conditions(c), func(e ein.Expr) bool { return ein.DependsOn(e, index) })
}

// conditions lists what decides whether elements are read for a point.
func conditions(c *ein.Comprehension) (list []ein.Expr) {
	reads := func(e ein.Expr) bool {
		return ein.Contains(e, func(e ein.Expr) bool { _, ok := e.(*ein.Access); return ok })
	}
	for _, v := range c.Values {
		ein.Walk(v, func(e ein.Expr) bool {
			if s, ok := e.(*ein.Select); ok && (reads(s.Then) || reads(s.Else)) {
				list = append(list, s.Cond)
			}
			return true
		})
	}
	return list
}

// tests counts the comparisons of conditions.
func tests(c *ein.Comprehension) (n int64) {
	for _, condition := range conditions(c) {
		ein.Walk(condition, func(e ein.Expr) bool {
			if b, ok := e.(*ein.Binary); ok && b.Op.IsComparison() {
				n++
			}
			return true
		})
	}
	return n
}

// plan decides vectors, tiles and parallelism of a group.
func (mk *maker) plan(g *group) *plan {
	p := &plan{g: g, vector: -1, tiles: make([]int64, len(g.columns)), own: map[int]*ein.Index{}}
	for c := range p.tiles {
		p.tiles[c] = 1
	}
	p.parallel = mk.m.Cores > 1 && mk.isLong(g.statements, 1)
	for _, s := range g.statements {
		p.parallel = p.parallel && schedule.ThreadsHaveRoom(mk.f.Body[s], mk.m.VectorBytes)
	}
	mk.chooseVector(p)
	if p.vector >= 0 {
		mk.chooseTile(p)
	} else {
		mk.chooseLaneTile(p)
	}
	return p
}

// chooseVector compares every column, and every statement for itself.
func (mk *maker) chooseVector(p *plan) {
	lanes := mk.m.VectorBytes
	for _, s := range p.g.statements {
		lanes = min(lanes, mk.lanesOf(mk.f.Body[s]))
	}
	best := 0.0
	for k, s := range p.g.statements {
		c := mk.f.Body[s]
		cheapest := mk.vectorCost(c, nil, 1)
		for _, i := range c.Indices {
			if isColumn(p.g, k, i) {
				continue
			}
			if cost := mk.vectorCost(c, i, mk.lanesAlong(c, i)); cost < cheapest {
				cheapest, p.own[s] = cost, i
			}
		}
		best += cheapest * float64(mk.work([]int{s}))
	}
	for col, column := range p.g.columns {
		total := 0.0
		for k, s := range p.g.statements {
			c := mk.f.Body[s]
			cost := mk.vectorCost(c, column[k], lanes)
			if math.IsInf(cost, 1) {
				cost = mk.vectorCost(c, nil, 1)
			}
			total += cost * float64(mk.work([]int{s}))
		}
		if total < best {
			best, p.vector, p.lanes = total, col, lanes
		}
	}
	if p.vector >= 0 {
		p.own = map[int]*ein.Index{}
	}
}

func isColumn(g *group, k int, i *ein.Index) bool {
	for _, column := range g.columns {
		if column[k] == i {
			return true
		}
	}
	return false
}

// registers is how many accumulators may be alive.
func (mk *maker) registers() int64 { return mk.m.SumRegisters() }

// tileCost is the time per vector operation of a register tile: of arithmetic,
// of loads, or of waiting for the previous round.
func (mk *maker) tileCost(accumulators, loads int64) float64 {
	busiest := max(float64(accumulators)/mk.units(), float64(loads)/mk.loads(), mk.addLatency())
	return (busiest + mk.loadMiss()*float64(loads)) / float64(accumulators)
}

// waste is by how much cutting n into tiles makes it longer.
func waste(n, tile int64) float64 {
	if n == 0 {
		return 1
	}
	return float64((n+tile-1)/tile*tile) / float64(n)
}

// isTooLong reports whether a register tile of so many vectors would write out a long body
// too often: its own instructions hide the latency, and compilers take long for all of it.
func (mk *maker) isTooLong(c *ein.Comprehension, vectors int64) bool {
	const long, most = 64, 512 // operations of a body, and of a tile of it
	n := mk.operations(c)
	return n >= long && vectors > 1 && schedule.MultiplySizes(vectors, n) > most
}

// chooseSquare tiles a transposition in both directions, so that every line of the
// cache that is touched is used up.
func (mk *maker) chooseSquare(p *plan) {
	for k, s := range p.g.statements {
		for _, a := range mk.accesses[s] {
			if mk.along(mk.f.Body[s], a.Tensor, a.Subscripts, p.g.columns[p.vector][k]) != far {
				continue
			}
			for col, column := range p.g.columns {
				if tile := mk.line() / int64(a.Tensor.Type.Size()); mk.along(mk.f.Body[s], a.Tensor, a.Subscripts, column[k]) == unit && tile < estimate(column[k].Extent) {
					p.tiles[col] = tile
				}
			}
		}
	}
}

// chooseRun lengthens the vector tile of fused statements with loops of their own
// inside of it, so that what those loops touch are runs of lines and not single ones.
func (mk *maker) chooseRun(p *plan) {
	loops := false
	for _, s := range p.g.statements {
		loops = loops || len(mk.f.Body[s].ByKind(ein.Concat)) > len(p.g.columns)
	}
	if n := estimate(p.g.columns[p.vector][0].Extent); loops && len(p.g.statements) > 1 && !p.othersTiled(p.vector) {
		lanes := int64(p.lanes)
		points := mk.page() * lanes / int64(mk.m.VectorBytes)
		if short := mk.interleavedPoints(p); short > 0 {
			points = min(points, short/lanes*lanes)
		}
		p.tiles[p.vector] = max(lanes, min(points, n/lanes*lanes))
	}
}

// heaviest returns the number of the group's free reduction with most work, or -1.
func (mk *maker) heaviest(p *plan) int {
	found, most := -1, int64(0)
	for k, s := range p.g.statements {
		op, free := ein.ReductionOperator(mk.f.Body[s])
		if w := mk.work([]int{s}); free && op != nil && w > most {
			found, most = k, w
		}
	}
	return found
}

// farRows is how many rows are read side by side from memory: of two, the lines come in longer runs
// than of four, and what they share is near. On Granite Rapids the product of a matrix of 4096² floats
// and a vector takes 0.98 to 0.99 of the time on one and two threads, and so does that of 8192².
const farRows = 2

// readsLongRows reports whether a reduction goes through long rows from memory, and all that they
// share is in the nearest cache.
func (mk *maker) readsLongRows(p *plan, k int) bool {
	c := mk.f.Body[p.g.statements[k]]
	if len(p.tiles) != 1 || !mk.isFar(c) {
		return false
	}
	shared := int64(0)
	for _, a := range distinct(c.Accesses()) {
		bytes := schedule.MultiplySizes(mk.reductionSteps(c), int64(a.Tensor.Type.Size()))
		if !ein.AnyDependsOn(a.Subscripts, p.g.columns[0][k]) {
			shared += bytes
		} else if bytes < mk.page() { // the next row follows in the same one
			return false
		}
	}
	return shared <= mk.m.L1/2
}

// chooseLaneTile sizes the tile of a reduction that accumulates along lanes:
// points of up to two columns, whose loads are shared.
func (mk *maker) chooseLaneTile(p *plan) {
	k := mk.heaviest(p)
	if k < 0 {
		return
	}
	if v := p.own[p.g.statements[k]]; v == nil || v.Combine.Kind != ein.Reduce {
		return
	}
	best := math.Inf(1)
	tile := slices.Repeat([]int64{1}, len(p.tiles))
	consider := func() {
		if cost := mk.laneTileCost(p, k, tile); cost < best*0.99 {
			best = cost
			copy(p.tiles, tile)
		}
	}
	consider()
	most := int64(6)
	if mk.readsLongRows(p, k) {
		most = farRows
	}
	// Inner columns first: of equal tiles the one with neighbouring rows is better.
	for a := len(tile) - 1; a >= 0; a-- {
		for b := a + 1; b <= len(tile); b++ {
			for tile[a] = 1; tile[a] <= most; tile[a]++ {
				if b == len(tile) { // one column
					consider()
					continue
				}
				for tile[b] = 1; tile[b] <= most; tile[b]++ {
					consider()
				}
				tile[b] = 1
			}
			tile[a] = 1
		}
	}
}

// laneTileCost is the cost of a point of statement number k where vectors along the reduction
// are accumulated for a tile of columns; +Inf where that is too large.
func (mk *maker) laneTileCost(p *plan, k int, tile []int64) float64 {
	c := mk.f.Body[p.g.statements[k]]
	points := int64(1)
	for col, n := range tile {
		if points *= n; n > 1 && n > estimate(p.g.columns[col][k].Extent) {
			return math.Inf(1)
		}
	}
	if points > mk.registers() || mk.isTooLong(c, points) {
		return math.Inf(1)
	}
	loads := int64(0)
	for _, acc := range c.Accesses() {
		each := int64(1)
		for col, n := range tile {
			if n > 1 && ein.AnyDependsOn(acc.Subscripts, p.g.columns[col][k]) {
				each *= n
			}
		}
		loads += each
	}
	units := mk.laneUnits(points)
	cost := mk.tileCost(points*units, loads*units)
	for col, n := range tile {
		cost *= waste(estimate(p.g.columns[col][k].Extent), n)
	}
	return cost
}

// laneUnits returns how many vectors along the reduction hide the latency, for a
// tile of so many points.
func (mk *maker) laneUnits(points int64) int64 {
	return max(1, min(8, mk.registers())/points)
}

// laneTile is the size of the unrolled tile along a vectorised reduced index.
func (mk *maker) laneTile(p *plan, c *ein.Comprehension, index *ein.Index, lanes int) int64 {
	points := int64(1)
	for _, tile := range p.tiles {
		points *= tile
	}
	units := mk.laneUnits(points)
	for units > 1 && units*int64(lanes) > estimate(index.Extent) {
		units /= 2
	}
	return units * int64(lanes)
}

// lonelyTile is the size of the tile along a vector index that is no column.
func (mk *maker) lonelyTile(c *ein.Comprehension, index *ein.Index, lanes int) int64 {
	return int64(lanes) * max(1, min(4, estimate(index.Extent)/int64(lanes)))
}
