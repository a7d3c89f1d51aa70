package standard

import (
	"cmp"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How panels are divided among tasks
//
// A panel that is too large for the second-level cache is cut along the vector index, and
// then along the longest reduction; partial results wait in an array of the task. Tasks
// are made such that a panel is copied rarely: over the columns that the panel depends on,
// or over large pieces of another.

// copyShare is how many times longer a task computes than it copies.
const copyShare = 16

// mostPanelBytes is the most that a panel used by all of a task may have.
func (mk *maker) mostPanelBytes() int64 { return mk.m.L2 * 5 / 32 }

// cutPanelBytes is the size of panels that are exchanged within a task.
func (mk *maker) cutPanelBytes() int64 { return mk.m.L2 / 8 }

// partialBytes is the most that partial results may have while panels are exchanged.
func (mk *maker) partialBytes() int64 { return mk.m.L2 * 3 / 32 }

// copiedSize is the size of an element of a tensor in a copy for a statement, which has the type
// that the statement computes in.
func (mk *maker) copiedSize(c *ein.Comprehension, t *ein.Tensor) int64 {
	return int64(schedule.PlacedType(nil, mk.f, t, []int{slices.Index(mk.f.Body, c)}).Size())
}

// layers says which columns are enumerated outside of the panel, and how.
type layers struct {
	outer  []*schedule.Member
	inside []int // columns without tiles that are enumerated below the panel
	cut    *ein.Index
	depth  int64 // of the pieces of cut
}

// blockOf returns how many values of a column a task has.
func (l *layers) blockOf(col int, v *convolution) int64 {
	for _, m := range l.outer {
		if m.Loops[0].Index == v.p.g.columns[col][0].Name {
			return m.Tile
		}
	}
	return v.extent(col)
}

// packed makes the tree of a convolution with panels.
func (v *convolution) packed() schedule.Node {
	if n := v.overPieces(); n != nil {
		return n
	}
	l, ok := v.layers()
	if !ok {
		return nil
	}
	if l.cut == nil {
		return wrap(l.outer, v.place(wrap(v.below(l, v.p), v.tileNest())))
	}
	s := v.p.g.statements[v.heavy]
	cut := &schedule.Member{Loops: []schedule.Loop{{Statement: s, Index: l.cut.Name}}, Tile: l.depth}
	only := &plan{g: &group{statements: []int{s}}, tiles: v.p.tiles, vector: v.p.vector}
	for _, column := range v.p.g.columns {
		only.g.columns = append(only.g.columns, column[v.heavy:v.heavy+1])
	}
	heavy := &schedule.Accumulate{Statement: s, Region: schedule.Private,
		Child: &schedule.Band{Members: []*schedule.Member{cut}, Child: v.place(wrap(v.below(l, only), v.tile.nest(v.c)))}}
	whole := *v.p
	whole.tiles = slices.Clone(v.p.tiles)
	for col := range whole.tiles {
		if whole.tiles[col] > 1 || slices.Contains(l.inside, col) {
			whole.tiles[col] = l.blockOf(col, v)
		}
	}
	return wrap(l.outer, v.inOrder(heavy, &whole, l.inside))
}

// place copies panels, those of constants in an earlier call.
func (v *convolution) place(n schedule.Node) schedule.Node {
	for _, t := range v.tile.packed {
		region := schedule.Private
		if v.mk.isConstant(t) {
			region = schedule.Workspace
		}
		n = &schedule.Place{Tensor: t.Name, Region: region, Child: n}
	}
	return n
}

// below returns the loops between the panel and the register tile, over tiles and
// over the columns that are left: the image is read as a stream, and the panel of the
// vectors is outside of the tiles.
func (v *convolution) below(l *layers, p *plan) []*schedule.Member {
	columns := slices.Clone(l.inside)
	for _, points := range v.tile.points {
		columns = append(columns, v.column(points.index))
	}
	v.sortByStep(columns)
	first := slices.IndexFunc(columns, func(col int) bool { return p.tiles[col] > 1 })
	if first < 0 {
		first = len(columns)
	}
	var list []*schedule.Member
	for _, col := range slices.Insert(columns, first, p.vector) {
		m := p.column(col, p.tiles[col])
		same := func(o *schedule.Member) bool {
			return o.Tile == m.Tile && o.Loops[0].Index == v.p.g.columns[col][0].Name
		}
		if m.Tile == 1 || !slices.ContainsFunc(l.outer, same) {
			list = append(list, m)
		}
	}
	return list
}

// sortByStep sorts columns by how far apart neighbours lie in what is not packed, the
// farthest first.
func (v *convolution) sortByStep(columns []int) {
	step := func(col int) int64 {
		most := int64(0)
		for _, a := range v.c.Accesses() {
			if !slices.Contains(v.tile.packed, a.Tensor) {
				most = max(most, v.mk.step(a.Tensor, a.Subscripts, v.p.g.columns[col][v.heavy]))
			}
		}
		return most
	}
	slices.SortStableFunc(columns, func(a, b int) int { return cmp.Compare(step(b), step(a)) })
}

// usesPanel reports whether a panel depends on a column.
func (v *convolution) usesPanel(col int) bool {
	i := v.p.g.columns[col][v.heavy]
	return slices.ContainsFunc(v.c.Accesses(), func(a *ein.Access) bool {
		return slices.Contains(v.tile.packed, a.Tensor) && ein.AnyDependsOn(a.Subscripts, i)
	})
}

// panel returns the bytes of the panels for one value of the vector index.
func (v *convolution) panel() int64 { return v.panelOf(nil, 0) }

// panelOf is panel where an index is cut into pieces of some depth.
func (v *convolution) panelOf(cut *ein.Index, depth int64) int64 {
	total := int64(0)
	for _, a := range v.c.Accesses() {
		if !slices.Contains(v.tile.packed, a.Tensor) {
			continue
		}
		bytes := v.mk.copiedSize(v.c, a.Tensor)
		for _, i := range v.c.Indices {
			n := max(1, estimate(i.Extent))
			if i == cut {
				n = depth
			}
			if col := v.column(i); ein.AnyDependsOn(a.Subscripts, i) && i != v.tile.vector && (col < 0 || v.p.tiles[col] > 1) {
				bytes = schedule.MultiplySizes(bytes, n)
			}
		}
		total += bytes
	}
	return total
}

// layers divides the columns between tasks and panels; ok is false where the panels
// stay too large.
func (v *convolution) layers() (l *layers, ok bool) {
	l = &layers{}
	tasks := int64(1)
	add := func(m *schedule.Member, count int64) {
		m.Parallel, m.Coincident = v.p.parallel, true
		l.outer = append(l.outer, m)
		tasks *= count
	}
	var others []int
	for col, tile := range v.p.tiles {
		switch {
		case tile > 1 || col == v.p.vector:
		case v.usesPanel(col):
			add(v.p.column(col, 1), v.extent(col))
		default:
			others = append(others, col)
		}
	}
	width, n, bytes := v.p.tiles[v.p.vector], v.extent(v.p.vector), v.panel()
	block := n
	if bytes*n > v.mk.mostPanelBytes() {
		block = max(width, v.mk.mostPanelBytes()/bytes/width*width)
	}
	if block < n {
		add(v.p.column(v.p.vector, block), (n+block-1)/block)
	}
	if bytes*min(n, width) > v.mk.mostPanelBytes() && !v.cutReduction(l, min(n, width)) {
		return nil, false
	}
	v.divide(l, others, block, tasks, add)
	slices.SortStableFunc(l.outer, func(a, b *schedule.Member) int { return v.sharesLines(a) - v.sharesLines(b) })
	return l, true
}

// sharesLines is 1 for a loop over tasks of which neighbours write into the same lines of the
// cache, else 0. Such loops are inside of the others, for a core computes tasks that follow one
// another: two threads take 1.3 times as long for MobileNet's first layer of capsules otherwise.
func (v *convolution) sharesLines(m *schedule.Member) int {
	i := v.c.Indices[slices.IndexFunc(v.c.Indices, func(i *ein.Index) bool { return i.Name == m.Loops[v.heavy].Index })]
	for _, w := range v.c.Writes {
		if step := v.mk.step(w.Tensor, w.Subscripts, i); step > 0 && step*m.Tile*int64(w.Tensor.Type.Size()) < v.mk.line() {
			return 1
		}
	}
	return 0
}

// cutReduction cuts the longest reduction of panels so wide.
func (v *convolution) cutReduction(l *layers, width int64) bool {
	for _, i := range ein.Reduced(v.c) {
		_, known := i.Extent.IsConst()
		if known && i != v.tile.unrolled && v.panelOf(i, 1) < v.panel() && (l.cut == nil || estimate(i.Extent) > estimate(l.cut.Extent)) {
			l.cut = i
		}
	}
	for col := range v.p.g.columns {
		if _, known := v.p.g.columns[col][v.heavy].Extent.IsConst(); !known {
			return false
		}
	}
	if l.cut == nil {
		return false
	}
	n := estimate(l.cut.Extent)
	l.depth = max(2, n*v.mk.cutPanelBytes()/schedule.MultiplySizes(v.panel(), width))
	return l.depth < n && schedule.MultiplySizes(v.panelOf(l.cut, l.depth), width) <= machine.StackBytes*3/4
}

// divide makes tasks of the columns that the panels do not depend on, so that there
// are enough of them for all cores, and partial results are not too many.
func (v *convolution) divide(l *layers, others []int, block, tasks int64, add func(m *schedule.Member, count int64)) {
	want := int64(1)
	if cores := int64(v.mk.m.Cores); v.p.parallel {
		copies := int64(v.tile.cycles / (copyShare * copyCycles * float64(v.panel()*v.extent(v.p.vector)/4+1)))
		want = max(cores, min(cores*tasksPerCore, copies))
	}
	inside := block * 4 // bytes of partial results of one point of the other columns
	for col, tile := range v.p.tiles {
		if col != v.p.vector && tile > 1 {
			inside = schedule.MultiplySizes(inside, v.extent(col))
		}
	}
	for _, col := range others {
		inside = schedule.MultiplySizes(inside, v.extent(col))
	}
	columns := slices.Clone(others)
	for col, tile := range v.p.tiles {
		if tile > 1 && col != v.p.vector {
			columns = append(columns, col)
		}
	}
	v.sortByStep(columns)
	for _, col := range columns {
		n, tile, pieces := v.extent(col), v.p.tiles[col], int64(1)
		if tasks*3 < want*2 {
			pieces = (want + tasks - 1) / tasks
		}
		if l.cut != nil {
			pieces = max(pieces, (inside+v.mk.partialBytes()-1)/v.mk.partialBytes())
		}
		size := min(n, roundUp((n+pieces-1)/pieces, tile))
		if tile == 1 && (size > 1 || n == 1) {
			l.inside = append(l.inside, col)
		}
		if size < n {
			count := (n + size - 1) / size
			add(v.p.column(col, size), count)
			tasks, inside = tasks*count, max(1, inside/n)*size
		}
	}
}
