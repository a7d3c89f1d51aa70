package scheduletest

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// A dimension is an index of a statement.
type dimension struct {
	statement int
	index     string
}

// Trees draws schedule trees of a function, legal ones and others.
type Trees struct {
	t    *rapid.T
	f    *ein.Func
	left map[dimension]int64   // the smallest block so far
	used map[dimension][]int64 // the tiles so far
	// loops are the coordinates by which indices are enumerated.
	loops map[dimension]schedule.Loop
	// Shared counts the accumulates of reductions above loops that other statements share.
	Shared map[int]int
}

// coordinate draws how an index is enumerated, the first time: skewed by another one of
// the statement, or shifted where statements share the loop.
func (mk *Trees) coordinate(s int, name string, fused bool) schedule.Loop {
	p := dimension{s, name}
	if l, drawn := mk.loops[p]; drawn {
		return l
	}
	l := schedule.Loop{Statement: s, Index: name}
	c := mk.f.Body[s]
	others := c.ByKind(ein.Concat)
	if _, free := ein.ReductionOperator(c); free {
		others = c.Indices
	}
	if mk.below(6, "skew") == 5 && len(others) > 1 && slices.ContainsFunc(others, func(i *ein.Index) bool { return i.Name == name }) {
		for range 1 + mk.below(2, "parts") {
			by := others[mk.below(len(others), "by")].Name
			if slices.ContainsFunc(l.By, func(t schedule.Term) bool { return t.Index == by }) {
				continue
			}
			l.By = append(l.By, schedule.Term{Index: by, Factor: int64([]int{-2, -1, 1, 2}[mk.below(4, "factor")])})
		}
	}
	if fused && mk.below(4, "shift") == 3 {
		l.Shift = int64(1 + mk.below(2, "shift"))
	}
	mk.loops[p] = l
	return l
}

// NewTrees begins a tree.
func NewTrees(t *rapid.T, f *ein.Func) *Trees {
	const whole = 1 << 62
	mk := &Trees{t: t, f: f, left: map[dimension]int64{}, used: map[dimension][]int64{}, loops: map[dimension]schedule.Loop{}, Shared: map[int]int{}}
	for s, c := range f.Body {
		for _, i := range c.Indices {
			mk.left[dimension{s, i.Name}] = whole
		}
	}
	return mk
}

// below draws a number in 0 … n-1.
func (mk *Trees) below(n int, what string) int {
	return rapid.IntRange(0, n-1).Draw(mk.t, what)
}

// Tree draws the tree of all statements.
func (mk *Trees) Tree() schedule.Node { return mk.tree(mk.all(), 0) }

// all are the statements.
func (mk *Trees) all() (active []int) {
	for s := range mk.f.Body {
		active = append(active, s)
	}
	return active
}

// tree draws the subtree of some statements, below accumulates of the one that is
// left.
func (mk *Trees) tree(active []int, accumulates int) schedule.Node {
	if mk.below(8, "place") == 7 {
		x := mk.f.Tensors[mk.below(len(mk.f.Tensors), "tensor")]
		p := &schedule.Place{Tensor: x.Name, Region: []schedule.Region{schedule.Register, schedule.Private, schedule.Workspace}[mk.below(3, "region")]}
		if n := len(x.Dims); n > 0 && mk.below(2, "layout") == 1 {
			dims := make([]int, n)
			for d := range dims {
				dims[d] = d + 1
			}
			p.Layout = rapid.Permutation(dims).Draw(mk.t, "dimensions")
		}
		p.Child = mk.tree(active, accumulates)
		return p
	}
	if len(active) == 1 {
		return mk.nest(active[0], accumulates)
	}
	if s := active[mk.below(len(active), "statement")]; len(ein.Reduced(mk.f.Body[s])) > 0 && mk.below(3, "accumulate") == 2 {
		mk.Shared[s]++
		region := rapid.SampledFrom([]schedule.Region{schedule.Register, schedule.Private, schedule.Output, schedule.Shared, schedule.Early}).Draw(mk.t, "region")
		return &schedule.Accumulate{Statement: s, Region: region, Child: mk.tree(active, accumulates)}
	}
	if mk.below(2, "fuse") == 1 {
		if m := mk.fused(active); m != nil {
			return &schedule.Band{Members: []*schedule.Member{m}, Child: mk.tree(active, accumulates)}
		}
	}
	order := active
	if mk.below(3, "permute") == 2 {
		order = rapid.Permutation(active).Draw(mk.t, "order")
	}
	k := 1 + mk.below(len(order)-1, "split")
	seq := &schedule.Sequence{}
	for _, part := range [][]int{order[:k], order[k:]} {
		seq.Children = append(seq.Children, &schedule.Filter{Statements: part, Child: mk.tree(part, mk.Shared[part[0]])})
	}
	return seq
}

// fused draws a loop over one index of each statement, or nil.
func (mk *Trees) fused(active []int) *schedule.Member {
	m := &schedule.Member{Tile: int64(mk.below(3, "tile") + 1), Parallel: mk.below(3, "parallel") == 2}
	m.Pad = m.Tile > 1 && mk.below(2, "pad") == 1
	m.Reverse = mk.below(6, "reverse") == 5
	if mk.below(4, "vector") == 3 {
		*m = schedule.Member{Tile: 1, Vector: 2 << mk.below(2, "lanes")}
	}
	for _, s := range active {
		var open []string
		for _, i := range mk.f.Body[s].Indices {
			if (i.Combine.Kind == ein.Concat || mk.Shared[s] > 0) && mk.left[dimension{s, i.Name}] > m.Tile {
				open = append(open, i.Name)
			}
		}
		if len(open) == 0 {
			return nil
		}
		m.Loops = append(m.Loops, mk.coordinate(s, open[mk.below(len(open), "index")], true))
	}
	for _, l := range m.Loops {
		mk.left[dimension{l.Statement, l.Index}] = m.Tile
	}
	return m
}

// nest draws the loops and accumulators of one statement.
func (mk *Trees) nest(s, accumulates int) schedule.Node {
	c := mk.f.Body[s]
	_, free := ein.ReductionOperator(c)
	if _, _, scan := ein.ScanOperator(c); scan {
		free = true
	}
	var open []*ein.Index
	for _, i := range c.Indices {
		if mk.left[dimension{s, i.Name}] > 1 && (accumulates > 0 || i.Combine.Kind == ein.Concat) {
			open = append(open, i)
		}
	}
	switch {
	case len(ein.Reduced(c)) == 0:
	case accumulates == 0 && (len(open) == 0 || free && mk.below(3, "accumulate") == 2),
		accumulates > 0 && accumulates < 3 && free && mk.below(6, "again") == 5:
		return mk.accumulate(s, accumulates, free)
	}
	if len(open) == 0 {
		return &schedule.Leaf{}
	}
	i := open[mk.below(len(open), "index")]
	p := dimension{s, i.Name}
	m := member(s, i)
	m.Loops[0] = mk.coordinate(s, i.Name, false)
	switch mk.below(4, "kind") {
	case 1:
		if m.Tile = int64(mk.below(8, "tile") + 1); slices.Contains(mk.used[p], m.Tile) || mk.below(3, "in order") > 0 {
			m.Tile = min(m.Tile, mk.left[p]-1)
		}
	case 2:
		m.Vector = 2 << mk.below(2, "lanes")
	}
	if m.Vector == 0 && i.Combine.Kind == ein.Concat {
		m.Parallel = mk.below(4, "parallel") == 3
	}
	m.Pad = m.Tile > 1 && mk.below(2, "pad") == 1
	m.Reverse = m.Vector == 0 && mk.below(6, "reverse") == 5
	if m.Tile == 1 && schedule.DeterminationOf(mk.f.Body[s], i) != nil && mk.below(2, "determined") == 1 {
		m.Determined, m.Vector, m.Parallel, m.Reverse = true, 0, false, false
	}
	m.Guarded = mk.below(8, "guarded") == 7
	mk.left[p] = min(mk.left[p], m.Tile)
	mk.used[p] = append(mk.used[p], m.Tile)
	return &schedule.Band{Members: []*schedule.Member{m}, Child: mk.tree([]int{s}, accumulates)}
}

// SkewBlocks skews some members by others, whether they may be or not.
func (mk *Trees) SkewBlocks(n schedule.Node, above []*schedule.Member) {
	if b, ok := n.(*schedule.Band); ok {
		above = append(above[:len(above):len(above)], b.Members...)
	}
	if _, ok := n.(*schedule.Leaf); ok && len(above) > 1 && mk.below(3, "skew blocks") == 2 {
		by, m := rapid.SampledFrom(above).Draw(mk.t, "by"), rapid.SampledFrom(above).Draw(mk.t, "skewed")
		if l, ok := by.IndexOf(m.Loops[0].Statement); ok && len(m.Skews) < 2 {
			m.Skews = append(m.Skews, schedule.Skew{Index: l.Index, Tile: by.Tile, Factor: int64([]int{-1, 1, 2}[mk.below(3, "factor")])})
		}
	}
	for _, child := range schedule.Children(n) {
		mk.SkewBlocks(child, above)
	}
}

func member(s int, i *ein.Index) *schedule.Member {
	return &schedule.Member{Loops: []schedule.Loop{{Statement: s, Index: i.Name}}, Tile: 1}
}

func (mk *Trees) accumulate(s, accumulates int, free bool) schedule.Node {
	reduced := ein.Reduced(mk.f.Body[s])
	if !free {
		b := &schedule.Band{Child: &schedule.Leaf{}}
		for _, i := range reduced {
			b.Members = append(b.Members, member(s, i))
		}
		return &schedule.Accumulate{Statement: s, Region: schedule.Register, Child: b}
	}
	a := &schedule.Accumulate{Statement: s, Region: schedule.Region(mk.below(6, "region"))}
	if a.Region == schedule.Workspace {
		i := reduced[mk.below(len(reduced), "reduced")]
		p, m := dimension{s, i.Name}, member(s, i)
		m.Parallel, m.Tile = true, min(int64(mk.below(3, "tile")+1), mk.left[p]-1)
		if m.Tile >= 1 {
			mk.left[p] = m.Tile
			a.Child = &schedule.Band{Members: []*schedule.Member{m}, Child: mk.tree([]int{s}, accumulates+1)}
			return a
		}
		a.Region = schedule.Register
	}
	a.Child = mk.tree([]int{s}, accumulates+1)
	return a
}
