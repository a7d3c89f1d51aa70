package mdh

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// A treeLoop is a loop of a statement.
type treeLoop struct {
	dim     int
	tile    int64
	kind    loopKind
	pad     bool
	lanes   int64 // of a vector, which may be more than its block has points
	segment int
	results int     // the region of R3
	owner   int     // the number of the accumulators around it
	keep    int64   // as the member of the tree says
	items   int64   // that share its iterations
	inputs  []Place // D3, D4
	marks   Marks
}

// A walker collects the loops of one statement.
type walker struct {
	f       *ein.Func
	c       *Computation
	m       *machine.Machine
	loops   []treeLoop
	left    []int64 // the block of each dimension; 0 before its first loop
	segment int
	used    map[int]bool // dimensions with a serial loop in the segment
	results int
	owner   int
	inputs  []Place
	lanes   int // the dimension of the next vector loop, or -1
	notes   []string
	several []bool // by loop: whether it has more than one part; configuration finds out
}

func newWalker(f *ein.Func, m *machine.Processor, s int) *walker {
	c := ComputationOf(f, s)
	w := &walker{f: f, c: c, m: ModelOf(m, c.ElementBytes()), left: make([]int64, len(c.Dims)), used: map[int]bool{}, results: 1, lanes: -1}
	for _, b := range c.Inputs {
		w.inputs = append(w.inputs, Place{1, rowMajor(b.Rank())})
	}
	return w
}

// cut ends a segment.
func (w *walker) cut() {
	w.segment++
	w.used = map[int]bool{}
}

// cache is the region for copies and private results: the largest that is filled by
// copies.
func (w *walker) cache() int {
	return 1 + slices.IndexFunc(w.m.Layers, func(l machine.Layer) bool { return l.Copied })
}

// node reads a band, a place or an accumulate. It reports whether it says something of the
// statement.
func (w *walker) node(n schedule.Node) bool {
	switch n := n.(type) {
	case *schedule.Band:
		w.band(n)
	case *schedule.Place:
		return w.place(n)
	case *schedule.Accumulate:
		if n.Statement != w.c.Statement {
			return false
		}
		w.owner++
		switch n.Region {
		case schedule.Register:
			w.results = w.m.Memories()
		case schedule.Private, schedule.Local:
			if w.results = w.region(n.Region); n.Shuffle > 0 {
				w.results = w.m.Memories()
			}
			if n.Region == schedule.Private && w.results == w.m.Memories() {
				w.notes = append(w.notes, w.c.Name+": that partial results are in memory of an item, and not in registers, has no parameter")
			}
		default:
			w.results = 1
		}
		w.cut()
	}
	return true
}

// region is the region of the model for one of a tree.
func (w *walker) region(r schedule.Region) int {
	switch r {
	case schedule.Register:
		return w.m.Memories()
	case schedule.Workspace:
		return 1
	case schedule.Private:
		if _, grid := w.m.Grid(); grid { // what an item has for itself
			return w.m.Memories()
		}
	}
	return w.cache()
}

// placed is the place of what a statement computes.
func (w *walker) placed(n *schedule.Place) Placed {
	p := Placed{Name: n.Tensor, Layout: slices.Clone(n.Layout)}
	if n.Region != schedule.Private {
		p.Region = w.m.RegionName(w.region(n.Region))
	}
	return p
}

// place reads the copy of an input; it reports whether the statement reads that.
func (w *walker) place(n *schedule.Place) bool {
	b := slices.IndexFunc(w.c.Inputs, func(b *Buffer) bool { return b.Name() == n.Tensor })
	if b < 0 {
		return false
	}
	if n.Region == schedule.Workspace {
		w.notes = append(w.notes, fmt.Sprintf("%s: that %s is copied in the workspace has no parameter", w.c.Name, n.Tensor))
	}
	if _, grid := w.m.Grid(); grid && n.Region == schedule.Private {
		w.notes = append(w.notes, fmt.Sprintf("%s: that %s is copied to memory of an item, and not to registers, has no parameter", w.c.Name, n.Tensor))
	}
	p := Place{Region: w.region(n.Region), Layout: slices.Clone(n.Layout)}
	if n.Region == schedule.Private && w.inputs[b].Region == p.Region && p.Region < w.m.Memories()-1 {
		p.Region++
	}
	if p.Layout == nil {
		p.Layout = w.usualLayout(b, n.Child)
	}
	if n.Pad > 0 || n.Swizzle.Units > 0 || n.Vector > 1 {
		w.notes = append(w.notes, fmt.Sprintf("%s: how the rows of the copy of %s lie, and how much of it is moved at once, has no parameter", w.c.Name, n.Tensor))
	}
	if n.Gathered {
		w.notes = append(w.notes, fmt.Sprintf("%s: that the copy of %s has what index arrays lead to, and not all of it, has no parameter", w.c.Name, n.Tensor))
	}
	if w.inputs[b].same(p) {
		w.notes = append(w.notes, fmt.Sprintf("%s: that %s is copied to where it is has no parameter", w.c.Name, n.Tensor))
	}
	w.inputs = slices.Clone(w.inputs)
	w.inputs[b] = p
	w.cut()
	return true
}

// usualLayout is what lowering chooses: vectors lie along the fastest dimension.
func (w *walker) usualLayout(b int, below schedule.Node) []int {
	rank := w.c.Inputs[b].Rank()
	for _, dim := range w.c.Dims {
		if schedule.VectorBelow(w.c.Statement, dim.Name(), below) > 0 {
			return w.c.vectorLayout(w.c.Inputs[b], w.c.dim(dim.Index))
		}
	}
	return rowMajor(rank)
}

// vectorLayout is row-major, except that the dimension of b along which dimension d of
// the computation runs is the fastest.
func (c *Computation) vectorLayout(b *Buffer, d int) []int {
	layout := rowMajor(b.Rank())
	for k := range layout {
		for _, subscripts := range b.Accesses {
			if i, _, ok := schedule.IndexPlusConstant(c.of, subscripts[k]); ok && d >= 0 && i == c.Dims[d].Index {
				layout = append(slices.DeleteFunc(rowMajor(len(layout)), func(x int) bool { return x == k+1 }), k+1)
			}
		}
	}
	return layout
}

func (w *walker) band(b *schedule.Band) {
	for _, m := range b.Members {
		l, ok := m.IndexOf(w.c.Statement)
		if !ok {
			continue
		}
		d := slices.IndexFunc(w.c.Dims, func(d Dim) bool { return d.Name() == l.Index })
		if l.Shift != 0 || len(l.By) > 0 || len(m.Skews) > 0 {
			w.notes = append(w.notes, fmt.Sprintf("%s: the shift or skew of %s has no parameter", w.c.Name, l.Index))
		}
		if _, grid := w.m.Grid(); d < 0 && grid && m.Groups {
			continue // there is one
		}
		if d < 0 {
			w.notes = append(w.notes, fmt.Sprintf("%s: that it is in one iteration of a loop of others has no parameter", w.c.Name))
			continue
		}
		if w.c.Dims[d].Point() {
			continue
		}
		switch {
		case m.Parallel, m.Groups:
			w.loop(d, m.Tile, coresLoop)
		case m.Items > 0:
			w.loop(d, m.Tile, itemsLoop)
			w.loops[len(w.loops)-1].items = m.Items
		case m.Vector > 0:
			w.vector(d, m)
		case m.Unroll:
			w.loop(d, m.Tile, writtenOutLoop)
		default:
			w.loop(d, m.Tile, serialLoop)
		}
		last := &w.loops[len(w.loops)-1]
		last.pad, last.marks, last.keep = m.Pad, marksOf(m), m.Partial
	}
}

// vector adds the loop over the vectors of a block, and the one over their lanes.
func (w *walker) vector(d int, m *schedule.Member) {
	block := w.left[d]
	if block == 0 {
		block = w.c.Dims[d].N
	}
	lanes := int64(m.Vector)
	if block < 0 || block > lanes {
		kind := serialLoop
		if m.Unroll {
			kind = writtenOutLoop
		}
		w.loop(d, lanes, kind)
	}
	w.loop(d, 1, lanesLoop)
	w.loops[len(w.loops)-1].lanes = lanes
}

func (w *walker) loop(d int, tile int64, kind loopKind) {
	if kind == serialLoop && w.used[d] {
		w.cut()
	}
	w.used[d] = w.used[d] || kind == serialLoop
	w.left[d] = tile
	w.loops = append(w.loops, treeLoop{dim: d, tile: tile, kind: kind, segment: w.segment, results: w.results, owner: w.owner, inputs: w.inputs})
}

// configuration spreads the loops over the layers.
func (w *walker) configuration() (*Configuration, error) {
	k := New(w.c, w.m)
	levels, err := w.levels(k)
	if err != nil {
		return nil, err
	}
	if err := w.parts(k, levels); err != nil {
		return nil, err
	}
	var order []Level
	for at, l := range levels {
		if !w.several[at] {
			continue
		}
		r := k.Row(l)
		order = append(order, l)
		r.Marks, r.In = w.loops[at].marks, clonePlaces(w.loops[at].inputs)
		for o := range r.Out {
			r.Out[o].Region = w.loops[at].results
		}
	}
	for at := range k.Rows {
		if l := k.LevelOf(at); !slices.Contains(order, l) {
			order = append(order, l)
		}
	}
	k.SetOrder(order)
	w.noteItems(k, levels)
	w.recompose(k, order, levels)
	return k, nil
}

// recompose lets R1 combine what loops keep at the end of their accumulators, those of the smallest number last.
func (w *walker) recompose(k *Configuration, order, levels []Level) {
	var kept []int // loops
	for at, l := range w.loops {
		if l.keep != 0 && w.several[at] {
			kept = append(kept, at)
		}
	}
	if len(kept) == 0 {
		return
	}
	slices.SortStableFunc(kept, func(a, b int) int { return int(w.loops[a].keep - w.loops[b].keep) })
	var list []Level
	done := map[Level]bool{}
	put := func(l Level) {
		if !done[l] {
			done[l], list = true, append(list, l)
		}
	}
	for _, l := range order {
		if at := slices.Index(levels, l); at >= 0 && w.c.Dims[l.Dim-1].Reduced() {
			for _, inside := range kept {
				if w.loops[inside].owner == w.loops[at].owner {
					put(levels[inside])
				}
			}
		}
		put(l)
	}
	for at, l := range list {
		k.Row(l).Order[Recompose] = at
	}
	for _, at := range kept {
		if nestOf(w.c, k).keep[levels[at]] == 0 {
			w.notes = append(w.notes, fmt.Sprintf("%s: that the loop over %s keeps partial results has no parameter", w.c.Name, w.c.Dims[w.loops[at].dim].Name()))
		}
	}
}

// parts counts the parts of the levels of the loops, from the innermost on. A loop over one
// block is left out.
func (w *walker) parts(k *Configuration, levels []Level) error {
	w.several = make([]bool, len(w.loops))
	inside := slices.Repeat([]int64{1}, k.Dims) // the size of what is further in, by dimension
	for _, at := range w.inward() {
		l := w.loops[at]
		block, err := w.around(at)
		if err != nil {
			return err
		}
		if block >= 0 && block <= l.tile {
			continue
		}
		r := k.Row(levels[at])
		if r.Parts != 1 {
			return fmt.Errorf("%s has two loops over %s for one layer of the model", w.c.Name, w.c.Dims[l.dim].Name())
		}
		if l.tile != inside[l.dim] {
			r.Size = l.tile
		}
		if r.Parts = AnyParts; block >= 0 {
			r.Parts = (block + l.tile - 1) / l.tile
			inside[l.dim] = saturate(l.tile, r.Parts)
		}
		r.Pad, w.several[at] = l.pad, true
	}
	return nil
}

// inward lists the loops from the innermost on; on a grid from those with the smallest blocks on.
func (w *walker) inward() []int {
	list := make([]int, len(w.loops))
	for i := range list {
		list[i] = len(list) - 1 - i
	}
	if _, grid := w.m.Grid(); grid {
		slices.SortStableFunc(list, func(a, b int) int { return int(w.loops[a].tile - w.loops[b].tile) })
	}
	return list
}

// around is the size of the block that a loop cuts, -1 where that is not known.
func (w *walker) around(at int) (int64, error) {
	l := w.loops[at]
	if _, grid := w.m.Grid(); grid {
		block := w.c.Dims[l.dim].N
		for i, o := range w.loops {
			if o.dim == l.dim && (o.tile > l.tile || o.tile == l.tile && i < at) && (block < 0 || o.tile < block) {
				block = o.tile
			}
		}
		return block, nil
	}
	if l.kind == lanesLoop {
		return l.lanes, nil
	}
	dim := w.c.Dims[l.dim]
	for _, o := range slices.Backward(w.loops[:at]) {
		switch {
		case o.dim != l.dim:
		case o.tile < l.tile:
			return 0, fmt.Errorf("%s has blocks of %d of %s inside of those of %d, for which there is no parameter", w.c.Name, l.tile, dim.Name(), o.tile)
		case dim.N < 0 || o.tile < dim.N:
			return o.tile, nil
		default:
			return dim.N, nil
		}
	}
	return dim.N, nil
}

// outside counts the segments with serial loops outside of those on cores.
func (w *walker) outside() int {
	at := slices.IndexFunc(w.loops, func(l treeLoop) bool { return l.kind == coresLoop })
	return len(serialSegments(w.loops[:max(0, at)]))
}

// serialSegments lists the segments that have serial loops.
func serialSegments(loops []treeLoop) []int {
	var list []int
	for _, l := range loops {
		if l.kind == serialLoop && !slices.Contains(list, l.segment) {
			list = append(list, l.segment)
		}
	}
	return list
}

// innerCores partitions for COR after so many of the slowest memories: inner parallelism.
func (c *Configuration) innerCores(memories int) {
	for layer := 1; layer <= min(memories, c.Model.Memories()-1); layer++ {
		for d := 1; d <= c.Dims; d++ {
			a, b := c.Row(Level{layer, d}), c.Row(Level{layer + 1, d})
			a.Assign, b.Assign = b.Assign, a.Assign
		}
	}
}

// levels gives every loop its level.
func (w *walker) levels(k *Configuration) ([]Level, error) {
	if k.onGrid() {
		return w.gridLevels(k)
	}
	k.innerCores(w.outside())
	levels := make([]Level, len(w.loops))
	for at, layer := range w.layers(k) {
		levels[at] = Level{layer, w.loops[at].dim + 1}
	}
	return levels, nil
}

// layers gives every loop its partition layer.
func (w *walker) layers(k *Configuration) []int {
	onLayer := map[int]int{} // partition layer by layer of the model
	var memories []int       // partition layers of memories, slow to fast, without registers
	cores, lanes := 0, 0
	for layer := 1; layer <= k.Layers && k.Dims > 0; layer++ {
		asm := k.Row(Level{layer, 1}).Assign[Decompose].Layer
		onLayer[asm] = layer
		switch k.kind(Level{layer, 1}) {
		case serialLoop:
			memories = append(memories, layer)
		case coresLoop:
			cores = layer
		case lanesLoop:
			lanes = layer
		}
	}
	segments, outside := serialSegments(w.loops), w.outside()
	list := make([]int, len(w.loops))
	for at, l := range w.loops {
		switch l.kind {
		case coresLoop:
			list[at] = cores
		case lanesLoop:
			list[at] = lanes
		case writtenOutLoop:
			list[at] = onLayer[k.Model.Memories()]
		default:
			n := slices.Index(segments, l.segment)
			if n >= outside { // the others are those outside of the cores
				n = max(outside, n+len(memories)-len(segments))
			}
			list[at] = memories[min(n, len(memories)-1)]
		}
	}
	return list
}
