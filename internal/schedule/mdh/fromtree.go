package mdh

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/system"
	"github.com/ricci-lang/ricci/internal/source"
)

// How a tree is read
//
// The loops of a statement are met from the root to its leaf. Parallel ones belong on
// COR, vectors on SIMD, loops that are written out on REG; the others are spread over
// the memory layers so that a layer holds the loops between two events (a copy, new
// accumulators, a second loop over the same dimension), the innermost on the fastest.
// A tree may say more than parameters can: block sizes that are no multiples of the
// blocks inside are rounded up, and what has no parameter is left out; both are noted.

// FromTree returns the plan that is nearest to a schedule tree, and notes on what the
// plan does not say. The error of a tree that is no plan at all says why.
func FromTree(f *ein.Func, m *schedule.Machine, t *schedule.Tree) (*Plan, []string, error) {
	p := &Plan{}
	var notes []string
	parts := []*schedule.Filter{{Statements: statements(f), Child: t.Root}}
	if seq, ok := t.Root.(*schedule.Sequence); ok {
		parts = seq.Children
	}
	for _, part := range parts {
		g, more, err := readGroup(f, m, part)
		if err != nil {
			return nil, nil, err
		}
		if len(g.Members) > 0 {
			p.Groups = append(p.Groups, g)
		}
		notes = append(notes, more...)
	}
	return p, notes, nil
}

// readGroup reads what some statements share, and their own loops.
func readGroup(f *ein.Func, m *schedule.Machine, part *schedule.Filter) (*Group, []string, error) {
	g := &Group{}
	var shared []schedule.Node // bands
	node := part.Child
	for len(part.Statements) > 1 {
		switch n := node.(type) {
		case *schedule.Band:
			shared = append(shared, n)
			node = n.Child
			continue
		case *schedule.Place:
			g.Placed = append([]string{n.Tensor}, g.Placed...)
			node = n.Child
			continue
		case *schedule.Filter:
			node = n.Child
			continue
		case *schedule.Sequence:
			return readMembers(f, m, g, shared, n)
		case *schedule.Accumulate:
			return nil, nil, fmt.Errorf("the accumulators of S%d lie above loops that S%v share; in a plan they belong to the loops of one statement, below the shared ones", n.Statement, part.Statements)
		}
		return nil, nil, source.Internalf("mdh", f.Pos, "the loops that S%v share end in %T", part.Statements, node)
	}
	if len(part.Statements) == 0 {
		return g, nil, nil
	}
	w := newWalker(f, m, part.Statements[0])
	w.walk(node)
	k, err := w.configuration()
	if err != nil {
		return nil, nil, err
	}
	g.Members = []Member{{part.Statements[0], k}}
	return g, w.notes, nil
}

func readMembers(f *ein.Func, m *schedule.Machine, g *Group, shared []schedule.Node, seq *schedule.Sequence) (*Group, []string, error) {
	slices.Reverse(g.Placed)
	var notes []string
	for _, child := range seq.Children {
		if len(child.Statements) != 1 {
			return nil, nil, fmt.Errorf("the statements S%v share loops that others of their group do not have; a plan has one list of shared loops", child.Statements)
		}
		w := newWalker(f, m, child.Statements[0])
		for _, n := range shared {
			w.band(n.(*schedule.Band))
		}
		w.cut()
		w.outer = len(w.loops)
		w.walk(child.Child)
		k, err := w.configuration()
		if err != nil {
			return nil, nil, err
		}
		g.Shared = w.shared
		g.Members, notes = append(g.Members, Member{child.Statements[0], k}), append(notes, w.notes...)
	}
	return g, notes, nil
}

// A treeLoop is a loop of a statement.
type treeLoop struct {
	dim     int
	tile    int64
	kind    loopKind
	pad     bool
	lanes   int64 // of a vector, which may be more than its block has points
	segment int
	results int     // the region of R3
	inputs  []Place // D3, D4
}

// A walker collects the loops of one statement.
type walker struct {
	c       *Computation
	m       *system.Model
	loops   []treeLoop
	left    []int64 // the block of each dimension; 0 before its first loop
	segment int
	used    map[int]bool // dimensions with a serial loop in the segment
	results int
	inputs  []Place
	lanes   int // the dimension of the next vector loop, or -1
	notes   []string
	outer   int // how many of the loops are shared with other statements
	shared  int // how many of those have more than one part
}

func newWalker(f *ein.Func, m *schedule.Machine, s int) *walker {
	c := ComputationOf(f, s)
	w := &walker{c: c, m: system.Of(m, c.ElementBytes()), left: make([]int64, len(c.Dims)), used: map[int]bool{}, results: 1, lanes: -1}
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
	return 1 + slices.IndexFunc(w.m.Layers, func(l system.Layer) bool { return l.Copied })
}

func (w *walker) walk(n schedule.Node) {
	switch n := n.(type) {
	case *schedule.Band:
		w.band(n)
	case *schedule.Place:
		w.place(n)
	case *schedule.Accumulate:
		switch {
		case w.c.Ordered, n.Statement != w.c.Statement:
		case n.Region == schedule.Register:
			w.results = w.m.Memories()
		case n.Region == schedule.Private:
			w.results = w.cache()
		}
		w.cut()
	}
	for _, child := range schedule.Children(n) {
		w.walk(child)
	}
}

func (w *walker) place(n *schedule.Place) {
	b := slices.IndexFunc(w.c.Inputs, func(b *Buffer) bool { return b.Name() == n.Tensor })
	if b < 0 || w.c.Inputs[b].Tensor.Role != ein.Input {
		w.notes = append(w.notes, fmt.Sprintf("%s: the place of %s has no parameter", w.c.Name, n.Tensor))
		return
	}
	p := Place{Region: w.cache(), Layout: slices.Clone(n.Layout)}
	if n.Region == schedule.Register {
		p.Region = w.m.Memories()
	} else if w.inputs[b].Region == p.Region && p.Region < w.m.Memories()-1 {
		p.Region++
	}
	if p.Layout == nil {
		p.Layout = w.usualLayout(b, n.Child)
	}
	w.inputs = slices.Clone(w.inputs)
	w.inputs[b] = p
	w.cut()
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
		if m.Reverse {
			w.notes = append(w.notes, fmt.Sprintf("%s: that %s runs backwards has no parameter", w.c.Name, l.Index))
		}
		if m.Ahead != 0 || m.Prefetch != "" || m.Stream {
			w.notes = append(w.notes, fmt.Sprintf("%s: what the vectors of %s fetch in advance, or write past the caches, has no parameter", w.c.Name, l.Index))
		}
		if m.Group > 0 {
			w.notes = append(w.notes, fmt.Sprintf("%s: that %s is visited by groups has no parameter", w.c.Name, l.Index))
		}
		if d < 0 || w.c.Dims[d].Point() {
			continue
		}
		if w.c.Ordered && w.c.Dims[d].Reduced() {
			if m.Parallel || m.Vector > 0 || m.Tile > 1 {
				w.notes = append(w.notes, fmt.Sprintf("%s: that %s, which is combined in order, is cut into pieces, tasks or vectors has no parameter", w.c.Name, l.Index))
			}
			continue
		}
		switch {
		case m.Parallel:
			w.loop(d, m.Tile, coresLoop)
		case m.Vector > 0:
			w.vector(d, m)
		case m.Unroll:
			w.loop(d, m.Tile, writtenOutLoop)
		default:
			w.loop(d, m.Tile, serialLoop)
		}
		w.loops[len(w.loops)-1].pad = m.Pad
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
	w.loops = append(w.loops, treeLoop{dim: d, tile: tile, kind: kind, segment: w.segment, results: w.results, inputs: w.inputs})
}

// reductions adds the reduced dimensions of a computation that is combined in order,
// point by point. How their loops are cut has no parameter.
func (w *walker) reductions() {
	w.cut()
	w.results = w.m.Memories()
	for d, dim := range w.c.Dims {
		if dim.Reduced() && !dim.Point() {
			w.loop(d, 1, serialLoop)
		}
	}
}

// configuration spreads the loops over the layers.
func (w *walker) configuration() (*Configuration, error) {
	if w.c.Ordered {
		w.reductions()
	}
	k := New(w.c, w.m)
	if slices.ContainsFunc(w.loops, func(l treeLoop) bool { return l.kind == coresLoop }) {
		first := slices.IndexFunc(w.loops, func(l treeLoop) bool { return l.kind == coresLoop })
		if slices.ContainsFunc(w.loops[:first], func(l treeLoop) bool { return l.kind != coresLoop }) {
			k.innerCores()
		}
	}
	layers, err := w.layers(k)
	if err != nil {
		return nil, err
	}
	var order []Level
	inner := make([]int64, k.Dims) // the parts inside of the present loop, by dimension
	for d := range inner {
		inner[d] = 1
	}
	rows := make([]Level, len(w.loops))
	for at := len(w.loops) - 1; at >= 0; at-- {
		l := w.loops[at]
		level := Level{layers[at], l.dim + 1}
		rows[at] = level
		r := k.Row(level)
		if r.Parts != 1 {
			return nil, fmt.Errorf("%s has two loops over %s for one layer of the model", w.c.Name, w.c.Dims[l.dim].Name())
		}
		outer := w.c.Dims[l.dim].N // the block around
		for before := at - 1; before >= 0; before-- {
			if b := w.loops[before]; b.dim == l.dim {
				if outer < 0 || b.tile < outer {
					outer = b.tile
				}
				break
			}
		}
		if l.kind == lanesLoop {
			outer = l.lanes
		}
		if l.tile != inner[l.dim] {
			w.notes = append(w.notes, fmt.Sprintf("%s: blocks of %d of %s are rounded up to %d", w.c.Name, l.tile, w.c.Dims[l.dim].Name(), inner[l.dim]))
		}
		if r.Parts = AnyParts; outer >= 0 {
			r.Parts = max(1, (outer+inner[l.dim]-1)/inner[l.dim])
			inner[l.dim] = saturate(inner[l.dim], r.Parts)
		}
		r.Pad = l.pad && r.Parts != 1
	}
	for at, level := range rows {
		r := k.Row(level)
		if r.Parts == 1 || slices.Contains(order, level) { // a loop over one block
			continue
		}
		if order = append(order, level); at < w.outer {
			w.shared++
		}
		for o := range r.Out {
			r.Out[o].Region = w.loops[at].results
		}
		r.In = clonePlaces(w.loops[at].inputs)
	}
	for at := range k.Rows {
		if l := k.LevelOf(at); !slices.Contains(order, l) {
			order = append(order, l)
		}
	}
	k.SetOrder(order)
	return k, nil
}

// innerCores partitions for COR after the slowest memory: inner parallelism.
func (c *Configuration) innerCores() {
	for d := 1; d <= c.Dims; d++ {
		a, b := c.Row(Level{1, d}), c.Row(Level{2, d})
		a.Assign, b.Assign = b.Assign, a.Assign
	}
}

// layers gives every loop its partition layer.
func (w *walker) layers(k *Configuration) ([]int, error) {
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
	var segments []int
	for _, l := range w.loops {
		if l.kind == serialLoop && !slices.Contains(segments, l.segment) {
			segments = append(segments, l.segment)
		}
	}
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
			n := len(memories) - len(segments) + slices.Index(segments, l.segment)
			list[at] = memories[max(0, n)]
		}
	}
	return list, nil
}
