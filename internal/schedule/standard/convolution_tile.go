package standard

import (
	"cmp"
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How register tiles are designed
//
// The points of a reduction with reuse are computed in tiles: some vectors of one
// index times some points of up to two others, whose accumulators stay in
// registers. A step of the reduction loads, for every operand, each element of the
// tile that is different once: vectors where the operand moves along the vector
// index, one scalar for all lanes where it does not. In a window (a subscript such
// as h + r) neighbouring points share elements when the loop over r is written
// out: T + R - 1 loads do for T·R products. Where these are scalars, the loop over r
// is inside of the points: a scalar lives from one point to the R-1 next ones, and the
// vectors for all r stay in registers. An operand whose elements along the
// vector index are far apart is copied into a panel first, where they are
// neighbours; that of a constant input was copied by an earlier call.

// A registerTile is the inner nest of a reduction.
type registerTile struct {
	statement int
	vector    *ein.Index
	lanes     int64
	vectors   int64
	points    []tilePoints
	unrolled  *ein.Index    // the reduced index whose loop is written out, or nil
	window    *ein.Index    // of points: its neighbours share scalars, one unrolled step apart; or nil
	packed    []*ein.Tensor // inputs that are copied into panels
	sorted    *ein.Tensor   // an input whose windows are apart along the vector, or nil
	whole     bool          // the loops over all reduced indices are written out
	pieces    bool          // panels are copied for each piece of an image
	passes    bool          // rows of an image are passed on from step to step in registers
	inPlace   bool          // a large image is read where it lies
	stream    bool          // rows of results are written past the caches
	group     *ein.Index    // the reduced index whose groups a matrix unit multiplies (matrix_tile.go), or nil
	groupSize int
	cycles    float64 // of all points
}

// tilePoints says how many points of an index a tile has.
type tilePoints struct {
	index *ein.Index
	count int64
}

// count is how many points of an index a tile has.
func (t *registerTile) count(i *ein.Index) int64 {
	for _, p := range t.points {
		if p.index == i {
			return p.count
		}
	}
	return 1
}

// tileProblem says what a register tile is for.
type tileProblem struct {
	size     func(*ein.Index) int64   // points of an index in the block
	copies   int64                    // how often a panel is copied
	blocks   int64                    // that share the panels; 0 means one
	beside   func(*ein.Index) float64 // cycles of other statements with vectors along an index; nil: none
	followed func(*ein.Index) bool    // by statements that vectors along an index compute lane by lane; nil: no
	// streams reports whether rows of results along an index may be written past the caches; nil: none.
	streams func(*ein.Index) bool
}

// tileDesigner compares the tiles of one statement.
type tileDesigner struct {
	tileProblem
	mk       *maker
	c        *ein.Comprehension
	lanes    int64
	apart    bool // windows a short step apart are loaded with what lies between them, not sorted
	found    bool // some are
	operands []tileOperand
	store    float64 // cycles of storing one vector of results
	run      float64 // cycles of storing the vectors of one point, besides
	scatters bool    // vectors run across the rows of results
	steps    float64 // points of the reduction
	fixed    float64 // cycles of copying panels
	shared   float64 // of that for panels that are copied once for all tasks
	panel    int64   // bytes of these for one value of the vector index
	pieces   float64 // of the image that these are copied for; 0: none are made
	stays    bool    // panels need not be exchanged within a task
	inRows   bool    // rows of results are written past the caches
	filters  bool    // an image is filtered in place
	tests    int64   // comparisons that decide for a point whether elements are read
	best     *registerTile
}

// Costs in cycles, in the proportions of the machines of the last decade.
const (
	windowWait    = 0.35 // of one in a window, which may lie in one line (5 x 5 from the nearest cache takes 1.2 of the time of vectors at lines)
	longestStep   = 4    // of lanes that are loaded with what lies between them
	copyCycles    = 1.5  // per element of a panel that is transposed
	sortCycles    = 1.5  // per element of windows that are copied in phases
	sortVector    = 5.4  // per vector of them, times the step, for each phase reads all lines
	sortRow       = 13.0 // per row and phase
	leastSorted   = 16   // results that use an element, from which on the latter two count
	rowCycles     = 0.2  // per element of a panel whose rows are copied
	shortLoops    = 2.0  // more iterations' control in loops too short to be predicted or overlapped
	tileCycles    = 10.0
	partialCycles = 2.0  // per vector of partial results and panel
	runCycles     = 6.0  // per row of results that a tile stores
	followCycles  = 0.5  // per point that another statement computes along rows of a tile
	nearShare     = 0.75 // of the nearest cache that an operand may fill
	longReduction = 256  // steps beside which narrow squares are cheap
	longestUnroll = 8
	longestBody   = 192 // multiply-adds and tests; longer ones are slow to compile
	// testLength is as how many multiply-adds a test counts in a body that is written out, for it ends in a branch: 48
	// copies of the difference of two padded images of open size take a compiler 7.5 s, and 1.25 of the time of 12.
	testLength = 4
	// longestWritten is longestBody where an image is read in place, and a sum has no loop: what
	// neighbouring steps read of it stays in registers.
	longestWritten = 640
	// longestInPlace is longestUnroll where nothing is copied into panels, and sums are short: an image of 4096²
	// floats and a filter of 9 x 9 take 0.61 of the time on one thread.
	longestInPlace = 16
	// mostStreamed is for how many steps memory is what is waited for: of filters of 3 x 3 and 5 x 5
	// 0.52 and 0.75 of the time are left when rows of 4092 floats are written past the caches,
	// of one of 7 x 7 it is 1.05.
	mostStreamed = 32
	squareCycles = 2.0 // per vector that is transposed on its way to the results, beside exchanges
)

// designTile returns the cheapest register tile of statement s over a block, or nil
// where the statement is not a reduction of affine loads.
func (mk *maker) designTile(s int, problem tileProblem) *registerTile {
	c := mk.f.Body[s]
	if op, free := ein.ReductionOperator(c); op == nil || !free {
		return nil
	}
	var best *registerTile
	for _, v := range c.ByKind(ein.Concat) {
		for _, apart := range []bool{false, true} {
			d := &tileDesigner{tileProblem: problem, mk: mk, c: c, lanes: mk.lanesOfWindows(c, v), apart: apart, steps: 1, tests: tests(c)}
			if tile := d.design(s, v); tile != nil && (best == nil || tile.cycles < best.cycles) {
				best = tile
			}
		}
	}
	if best == nil || math.IsInf(best.cycles, 1) {
		return nil
	}
	// What the vectors depend on is inside: its loads serve the points outside.
	slices.SortStableFunc(best.points, func(a, b tilePoints) int {
		return compareBool(mk.movesVectors(best, a.index), mk.movesVectors(best, b.index))
	})
	return best
}

// lanesOfWindows is how many lanes the vectors of a statement have along an index. Windows along an
// index that fills half of a vector are read by narrower ones, most of which lie in one line
// (depthwise layers of 7 x 7 take 0.6 of the time).
func (mk *maker) lanesOfWindows(c *ein.Comprehension, i *ein.Index) int64 {
	const least = 4
	lanes := int64(mk.lanesOf(c))
	for n, known := i.Extent.IsConst(); known && n <= lanes/2 && lanes > least && mk.windowed(c); {
		lanes /= 2
	}
	return lanes
}

// design returns the cheapest tile of statement s with vectors along an index, or nil.
func (d *tileDesigner) design(s int, v *ein.Index) *registerTile {
	if d.size(v) < 2 || d.lanes < 2 || schedule.Vectorisable(d.c, v) != "" || guarded(d.c, v) {
		return nil
	}
	tile := &registerTile{statement: s, vector: v, lanes: d.lanes, cycles: math.Inf(1)}
	for _, i := range ein.Reduced(d.c) {
		d.steps *= float64(max(1, d.size(i)))
	}
	if !d.classify(tile) {
		return nil
	}
	d.fixed /= float64(max(1, d.blocks))
	d.stays = d.mk.staysPacked(d.c, tile.packed, v)
	if d.panel > 0 && d.blocks == 0 {
		d.pieces = d.imagePieces(v)
	}
	if d.beside != nil {
		d.fixed += d.beside(v)
	}
	d.inRows = d.streams != nil && len(tile.packed) == 0 && d.steps <= mostStreamed && d.streams(v)
	if d.filters = d.filtersImage(tile); d.filters {
		for k := range d.operands {
			if o := &d.operands[k]; o.vector {
				o.wait = windowWait
			}
		}
	}
	d.best, tile.inPlace, tile.stream = tile, d.readsInPlace(tile), d.inRows
	d.search()
	return d.best
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// movesVectors reports whether an operand that is read by vectors depends on an index.
func (mk *maker) movesVectors(t *registerTile, i *ein.Index) bool {
	c := mk.f.Body[t.statement]
	return slices.ContainsFunc(c.Accesses(), func(a *ein.Access) bool {
		return ein.AnyDependsOn(a.Subscripts, i) && ein.AnyDependsOn(a.Subscripts, t.vector)
	})
}

// classify finds out how every access moves along the vector index, and what its panel costs. It
// reports whether the statement can be computed in tiles of such vectors.
func (d *tileDesigner) classify(t *registerTile) bool {
	for _, a := range d.c.Accesses() {
		o, ok := d.operand(a)
		if !ok {
			return false
		}
		switch d.mk.along(d.c, a.Tensor, a.Subscripts, t.vector) {
		case unit:
			d.unitStride(t, a, &o)
		case far:
			d.strided(t, a, &o)
		}
		d.operands = append(d.operands, o)
	}
	return (t.sorted == nil || len(t.packed) == 0) && (d.found || !d.apart) && d.results(t)
}

// operand says by which indices an access moves; ok is false where it is not affine.
func (d *tileDesigner) operand(a *ein.Access) (o tileOperand, ok bool) {
	size := float64(a.Tensor.Type.Size())
	o = tileOperand{cost: 1, size: size, bytes: size}
	for _, i := range d.c.Indices {
		if ein.AnyDependsOn(a.Subscripts, i) {
			o.bytes *= float64(max(1, d.size(i)))
		}
	}
	for _, sub := range a.Subscripts {
		e, ok := ein.AffineOf(sub)
		if !ok {
			return o, false
		}
		coefficients := map[*ein.Index]int64{}
		for _, i := range d.c.Indices {
			n, _, linear := e.Linear(i.Name)
			if !linear {
				return o, false
			}
			if n != 0 {
				coefficients[i] = n
			}
		}
		o.subscripts = append(o.subscripts, coefficients)
	}
	return o, true
}

// unitStride is for an operand whose elements along the vector are neighbours. Those of far
// rows that are used often are copied, so that vectors are aligned.
func (d *tileDesigner) unitStride(t *registerTile, a *ein.Access, o *tileOperand) {
	o.vector, o.cost = true, d.unaligned()
	if elements, ok := d.mk.panelElements(d.c, a); ok && d.mk.farRows(a) && d.reuse(a) >= leastReuse && !d.mk.windowed(d.c) {
		o.cost = 1
		d.fixed += rowCycles * float64(elements*d.copies)
		t.packed = append(t.packed, a.Tensor)
	}
}

// strided is for an operand whose elements along the vector are no neighbours: they are sorted
// by windows, or copied into a panel, or gathered where that cannot be. Tiles that load few
// vectors of windows win: the waits of 0.6 cycles have three rows of ResNet's first layer share
// them (0.93 of the time on Granite Rapids), and 11 x 11 with steps of 2 go along the output
// channels (0.87). In short reductions other tiles are slower, whose stores weigh more (5 x 5 of 3
// channels 1.46, groups of 8 channels 1.1).
func (d *tileDesigner) strided(t *registerTile, a *ein.Access, o *tileOperand) {
	o.vector = true
	if step := d.shortStep(a, t.vector); d.apart && step > 0 {
		o.cost, o.wait, d.found = float64(step)*d.unaligned(), float64(step-1)*d.mk.m.Value(machine.Shuffle), true
		return
	}
	if t.sorted == nil && d.sortable(a, t.vector) {
		o.cost, t.sorted = d.mk.m.Value(machine.Unaligned), a.Tensor
		if d.steps >= longReduction/2 {
			o.wait = d.mk.m.Value(machine.Straddle) * float64(d.lanes) * o.size / float64(d.mk.line()) // windows begin anywhere
		}
		d.fixed += d.sorting(a, o, t.vector)
		return
	}
	elements, ok := d.mk.panelElements(d.c, a)
	switch {
	case !ok:
		o.cost = 1.25 * d.mk.m.Value(machine.LaneIn) * float64(d.lanes) // load slots
		return
	case d.mk.isConstant(a.Tensor) && d.mk.outlivesFetch(d.c, a, t.vector): // an earlier call made the panel
	case schedule.MultiplySizes(elements, d.mk.copiedSize(d.c, a.Tensor)) > d.mk.mostPanelBytes():
		cycles := copyCycles * float64(elements)
		if d.mk.isConstant(a.Tensor) { // the panel is only fetched
			cycles = float64(elements*d.mk.copiedSize(d.c, a.Tensor)) / d.mk.lastBytes()
		}
		d.shared += cycles
		d.fixed += cycles
		d.panel += elements * d.mk.copiedSize(d.c, a.Tensor) / max(1, d.size(t.vector))
	default:
		d.fixed += copyCycles * float64(elements*d.copies)
	}
	if !slices.Contains(t.packed, a.Tensor) {
		t.packed = append(t.packed, a.Tensor)
	}
}

// unaligned is the cost of a vector that may straddle two lines: narrower ones do so less often.
func (d *tileDesigner) unaligned() float64 {
	return 1 + (d.mk.m.Value(machine.Unaligned)-1)*float64(d.lanes)/float64(d.mk.lanesOf(d.c))
}

// shortStep returns how far the lanes of an operand lie from one another, if they are loaded
// together with what lies between them, else 0.
func (d *tileDesigner) shortStep(a *ein.Access, vector *ein.Index) int64 {
	if step := d.mk.step(a.Tensor, a.Subscripts, vector); step > 1 && step <= longestStep {
		return step
	}
	return 0
}

// results adds what storing the vectors costs; it reports whether all lanes have results of
// their own.
func (d *tileDesigner) results(t *registerTile) bool {
	for _, w := range d.c.Writes {
		switch d.mk.along(d.c, w.Tensor, w.Subscripts, t.vector) {
		case fixed:
			return false
		case unit:
			d.store, d.run = d.store+2, d.run+runCycles
		case far:
			d.store, d.scatters = d.store+d.mk.m.Value(machine.LaneOut)*float64(d.lanes), true
		}
	}
	return true
}

// sortable reports whether an input is read in windows that lie a few elements apart
// along an index, so that a copy of them can have the elements of a vector side by side.
func (d *tileDesigner) sortable(a *ein.Access, vector *ein.Index) bool {
	last := len(a.Subscripts) - 1
	if !d.mk.isFinished(a.Tensor) || last < 0 || !d.mk.isOnlyRead(a) || d.mk.stride(a.Tensor, last) != 1 {
		return false
	}
	for dim, sub := range a.Subscripts {
		terms, _, ok := schedule.Window(d.c, sub)
		if !ok || !ein.InBounds(d.c, a, dim) {
			return false
		}
		for _, term := range terms {
			if _, known := term.Index.Extent.IsConst(); !known {
				return false
			}
			if term.Index == vector && (dim < last || term.Step > longestStep) {
				return false
			}
		}
	}
	return true
}

// sorting returns the cycles of copying the windows of an operand in phases along an index. Where
// whole vectors of many results use what is copied, and nothing else is computed meanwhile, they are
// twice what the copy alone takes (MobileNet's first layer takes 0.7 to 0.8 of the time with it, of
// which it is a tenth); an image that does not stay near is fetched, with the rows between. Elsewhere
// vectors that are put together as they are loaded are cheaper than their estimate, and the copy must
// save more: depthwise layers of 5 x 5 take 1.08 of the time with it, pooling 1.12, 3 x 3 of one
// channel to 8 1.1 to 1.4, rows of 55 doubles 1.13, MobileNet's layer 1.14 where its sums go through memory to a bias.
func (d *tileDesigner) sorting(a *ein.Access, o *tileOperand, vector *ein.Index) float64 {
	covered, lanes := d.covered(a), d.mk.lanesOf(d.c)
	if d.reuse(a) < leastSorted || d.size(vector)%int64(lanes) != 0 || d.followed != nil && d.followed(vector) {
		return sortCycles * covered
	}
	last := a.Subscripts[len(a.Subscripts)-1]
	row, step := d.length(last), float64(d.mk.step(a.Tensor, a.Subscripts, vector))
	phases, bytes := step/d.commonStep(last), covered*o.size
	for _, sub := range a.Subscripts {
		bytes *= d.commonStep(sub)
	}
	vectors := math.Ceil(row / phases / float64(lanes))
	cycles := covered / row * phases * (vectors*sortVector*step + sortRow)
	if bytes > float64(d.mk.m.L2)/2 {
		cycles = max(cycles, bytes/d.mk.lastBytes())
	}
	return min(cycles, sortCycles*covered)
}

// isOnlyRead reports whether nothing else in the group that is made reads the tensor of an access.
func (mk *maker) isOnlyRead(a *ein.Access) bool {
	return mk.readsNow(a.Tensor, func(schedule.Access) bool { return true }) == 1
}

// farRows reports whether the rows of a tensor lie so far apart that they would
// share the lines of the caches.
func (mk *maker) farRows(a *ein.Access) bool {
	n := len(a.Tensor.Dims)
	return n > 1 && mk.distanceOf(a.Tensor, n-2)*int64(a.Tensor.Type.Size()) >= mk.farApart()
}

// reuse is how often an element of an operand is used.
func (d *tileDesigner) reuse(a *ein.Access) int64 {
	total := int64(1)
	for _, i := range d.c.ByKind(ein.Concat) {
		if !ein.AnyDependsOn(a.Subscripts, i) {
			total = schedule.MultiplySizes(total, max(1, d.size(i)))
		}
	}
	return total
}

// stepOrder returns the reduced indices that have loops, outermost first. Around a body that is
// written out the longest is innermost: with the three rows of a filter there, addresses
// were computed anew every three steps (3 x 3 layers of 64 to 512 channels take 0.9 of the
// time, others 0.94 to 0.98). A body of one step stays in the order of the panel, which it reads as a
// stream, and a large image that is not copied is read in its own (32 groups of 16
// channels take 1.05 to 1.15 of the time otherwise).
func (t *registerTile) stepOrder(c *ein.Comprehension, unrolled *ein.Index) []*ein.Index {
	list := slices.DeleteFunc(slices.Clone(ein.Reduced(c)), func(i *ein.Index) bool { return i == unrolled })
	if unrolled != nil && !t.inPlace {
		slices.SortStableFunc(list, func(a, b *ein.Index) int { return cmp.Compare(estimate(a.Extent), estimate(b.Extent)) })
	}
	return list
}

// nest makes the loops of the tile, below those that cut the block into tiles.
func (t *registerTile) nest(c *ein.Comprehension) schedule.Node {
	if t.group != nil {
		return t.matrixNest(c)
	}
	member := func(i *ein.Index) *schedule.Member {
		return &schedule.Member{Loops: []schedule.Loop{{Statement: t.statement, Index: i.Name}}, Tile: 1}
	}
	var reduction, inner []*schedule.Member
	for _, i := range t.stepOrder(c, t.unrolled) {
		if t.whole {
			inner = append(inner, member(i))
		} else {
			reduction = append(reduction, member(i))
		}
	}
	if t.unrolled != nil && t.window == nil {
		inner = append(inner, member(t.unrolled))
	}
	for _, p := range t.points {
		if p.index != t.window {
			inner = append(inner, member(p.index))
		}
	}
	if t.window != nil {
		inner = append(inner, member(t.window), member(t.unrolled))
	}
	v := member(t.vector)
	v.Vector, v.Stream = int(t.lanes), t.stream
	inner = append(inner, v)
	for _, m := range inner {
		m.Unroll = true
	}
	return &schedule.Accumulate{Statement: t.statement, Region: schedule.Register, Child: wrap(reduction, wrap(inner, &schedule.Leaf{}))}
}
