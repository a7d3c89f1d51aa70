package pipelinetest

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// Mutate returns a copy of the tree with one random change, or the tree itself
// when the checker does not accept the change.
func Mutate(from *Choices, f *ein.Func, t *schedule.Tree) *schedule.Tree {
	if changed := Change(from, f, t); schedule.Check(f, changed) == nil {
		return changed
	}
	return t
}

// Change returns a copy of the tree with one random change, which need not be legal.
func Change(from *Choices, f *ein.Func, t *schedule.Tree) *schedule.Tree {
	changed := &schedule.Tree{Statements: t.Statements, Root: clone(t.Root)}
	m := &mutator{from: from, f: f}
	m.collect(changed.Root)
	Pick(from, m.tile, m.vector, m.group, m.unroll, m.parallel, m.swap, m.split, m.region, m.join, m.strip, m.pad, m.stream, m.pipeline, m.place, m.prefetch, m.ahead, m.indicate)()
	return changed
}

func clone(n schedule.Node) schedule.Node {
	switch n := n.(type) {
	case *schedule.Sequence:
		c := &schedule.Sequence{}
		for _, child := range n.Children {
			c.Children = append(c.Children, clone(child).(*schedule.Filter))
		}
		return c
	case *schedule.Filter:
		return &schedule.Filter{Statements: n.Statements, Child: clone(n.Child)}
	case *schedule.Band:
		c := &schedule.Band{Child: clone(n.Child), Permutable: n.Permutable}
		for _, m := range n.Members {
			member := *m
			member.Fetches = nil // which are where a loop is; who wants them marks the tree anew
			member.Blocking, member.Room, member.Keep = ein.Blocking{}, 0, ""
			c.Members = append(c.Members, &member)
		}
		return c
	case *schedule.Accumulate:
		return &schedule.Accumulate{Statement: n.Statement, Region: n.Region, Child: clone(n.Child)}
	case *schedule.Place:
		return &schedule.Place{Tensor: n.Tensor, Region: n.Region, Layout: n.Layout, Child: clone(n.Child)}
	}
	return n
}

type mutator struct {
	from      *Choices
	f         *ein.Func
	bands     []*schedule.Band
	regions   []*schedule.Region
	places    []*schedule.Place
	sequences []*schedule.Sequence
}

func (m *mutator) collect(n schedule.Node) {
	switch n := n.(type) {
	case *schedule.Band:
		m.bands = append(m.bands, n)
	case *schedule.Accumulate:
		m.regions = append(m.regions, &n.Region)
	case *schedule.Place:
		m.regions = append(m.regions, &n.Region)
		m.places = append(m.places, n)
	case *schedule.Sequence:
		if len(n.Children) > 0 {
			m.sequences = append(m.sequences, n)
		}
	}
	for _, child := range schedule.Children(n) {
		m.collect(child)
	}
}

// member draws a loop; a tree without loops gives one that is not in the tree.
func (m *mutator) member() (*schedule.Band, int) {
	if len(m.bands) == 0 {
		return &schedule.Band{Members: []*schedule.Member{{}}}, 0
	}
	b := Pick(m.from, m.bands...)
	return b, m.from.Below(len(b.Members))
}

func (m *mutator) tile() {
	b, i := m.member()
	b.Members[i].Tile = Pick[int64](m.from, 1, 2, 3, 4, 5, 7, 8, 16)
}

func (m *mutator) vector() {
	b, i := m.member()
	b.Members[i].Vector = Pick(m.from, 0, 2, 4, 8, 16)
}

func (m *mutator) group() {
	b, i := m.member()
	b.Members[i].Group = Pick(m.from, 0, 1, 2, 4)
	b.Members[i].Matrix = m.from.OneIn(2)
}

// unroll writes a loop out, but not often: much text keeps the compiler busy.
func (m *mutator) unroll() {
	b, i := m.member()
	if m.from.OneIn(3) {
		b.Members[i].Unroll = !b.Members[i].Unroll
	}
}

func (m *mutator) parallel() {
	b, i := m.member()
	b.Members[i].Parallel = !b.Members[i].Parallel
}

func (m *mutator) swap() {
	b, i := m.member()
	j := m.from.Below(len(b.Members))
	b.Members[i], b.Members[j] = b.Members[j], b.Members[i]
}

// strip puts blocks around a loop.
func (m *mutator) strip() {
	b, i := m.member()
	at := m.from.Between(0, i)
	block := &schedule.Member{Loops: slices.Clone(b.Members[i].Loops), Tile: Pick[int64](m.from, 2, 3, 4, 6, 8)}
	b.Members = slices.Insert(b.Members, at, block)
}

// split makes two bands of one.
func (m *mutator) split() {
	b, i := m.member()
	if i == 0 {
		return
	}
	b.Child = &schedule.Band{Members: slices.Clone(b.Members[i:]), Child: b.Child}
	b.Members = slices.Clone(b.Members[:i])
}

// join makes one band of two.
func (m *mutator) join() {
	b, _ := m.member()
	if inner, ok := b.Child.(*schedule.Band); ok {
		b.Members, b.Child = append(b.Members, inner.Members...), inner.Child
	}
}

func (m *mutator) region() {
	if len(m.regions) > 0 {
		*Pick(m.from, m.regions...) = schedule.Region(m.from.Below(4))
	}
	if len(m.sequences) > 0 && m.from.OneIn(2) {
		s := Pick(m.from, m.sequences...)
		i, j := m.from.Below(len(s.Children)), m.from.Below(len(s.Children))
		s.Children[i], s.Children[j] = s.Children[j], s.Children[i]
	}
}

func (m *mutator) pad() {
	b, i := m.member()
	b.Members[i].Pad = !b.Members[i].Pad
}

func (m *mutator) stream() {
	b, i := m.member()
	b.Members[i].Stream = !b.Members[i].Stream
}

// pipeline lets the parts of a sequence work on several values at a time, or not.
func (m *mutator) pipeline() {
	b, _ := m.member()
	last := b.Members[len(b.Members)-1]
	last.Pipeline = !last.Pipeline
}

// prefetch names an index of the statement, or its blocks, or none.
func (m *mutator) prefetch() {
	b, k := m.member()
	member := b.Members[k]
	if len(member.Loops) == 0 {
		return
	}
	member.Prefetch, member.PrefetchTile = "", 0
	if list := m.f.Body[member.Loops[0].Statement].Indices; len(list) > 0 && !m.from.OneIn(4) {
		member.Prefetch = Pick(m.from, list...).Name
		if m.from.OneIn(3) {
			member.PrefetchTile = Pick(m.from, int64(2), 4, 8)
		}
	}
}

// ahead asks for what is ahead of the vectors, or does not.
func (m *mutator) ahead() {
	b, i := m.member()
	b.Members[i].Ahead = Pick(m.from, int64(0), 3, 64, 2048)
}

// indicate visits what equalities determine, or all; or guards a loop, or does not.
func (m *mutator) indicate() {
	b, i := m.member()
	if m.from.OneIn(3) {
		b.Members[i].Guarded = !b.Members[i].Guarded
	} else {
		b.Members[i].Determined = !b.Members[i].Determined
	}
}

// place copies a tensor's block below a band, or lays one out in another order.
func (m *mutator) place() {
	if len(m.bands) == 0 {
		return
	}
	p := &schedule.Place{}
	if len(m.places) > 0 && m.from.OneIn(2) {
		p = Pick(m.from, m.places...)
	} else {
		b := Pick(m.from, m.bands...)
		p.Tensor, p.Region, p.Child = Pick(m.from, m.f.Tensors...).Name, Pick(m.from, schedule.Private, schedule.Workspace), b.Child
		b.Child = p
	}
	p.Layout = nil
	if x := m.f.Tensor(p.Tensor); x != nil && m.from.OneIn(2) {
		for d := range x.Dims {
			p.Layout = slices.Insert(p.Layout, m.from.Below(d+1), d+1)
		}
	}
}
