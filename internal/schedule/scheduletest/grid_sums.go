package scheduletest

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// together lets the items of a group reduce together, in one team or in several beside each other.
func (mk *gridTrees) together(s int, outer, inner []*schedule.Member, axes int) schedule.Node {
	b := &schedule.Band{Child: &schedule.Leaf{}}
	var rest []*schedule.Member
	reduced := ein.Reduced(mk.f.Body[s])[:axes]
	take := func(m *schedule.Member) {
		if len(mk.items) <= len(b.Members) {
			mk.items = append(mk.items, []int64{1, 2, 3, 4, 5, 6, 8}[mk.below(7, "count")])
		}
		m.Items = mk.items[len(b.Members)]
		b.Members = append(b.Members, m)
	}
	if len(inner) > 0 && len(mk.items) != axes && mk.below(2, "teams") == 0 { // beside each other, for results
		take(inner[0])
		inner = inner[1:]
		reduced = reduced[:max(1, axes-1)]
	}
	for _, i := range reduced {
		m := member(s, i)
		if mk.below(3, "block") == 0 {
			m.Tile = 2
			rest = append(rest, member(s, i))
		}
		take(m)
	}
	for _, i := range ein.Reduced(mk.f.Body[s])[len(reduced):] {
		rest = append(rest, member(s, i))
	}
	if rest = append(rest, inner...); len(rest) > 0 && mk.below(2, "register") == 0 {
		b.Child = &schedule.Accumulate{Statement: s, Region: schedule.Register, Child: &schedule.Band{Members: rest, Child: b.Child}}
	} else {
		b.Members = append(b.Members, rest...)
	}
	sums := &schedule.Accumulate{Statement: s, Region: schedule.Local, Shuffle: mk.shuffle(mk.items[len(mk.items)-1]), Child: b}
	if op, _ := ein.ReductionOperator(mk.f.Body[s]); op != nil {
		if _, atomic := op.Atomic(); atomic && mk.below(2, "atomic") == 0 {
			sums.Atomic, sums.Shuffle = true, 0
		}
	}
	var node schedule.Node = sums
	if len(outer) > 0 {
		node = &schedule.Band{Members: outer, Child: node}
	}
	return node
}

// shuffle draws how many items combine by shuffles, where so many are beside each other: 0 for none.
func (mk *gridTrees) shuffle(items int64) int64 {
	if w := int64(2) << mk.below(3, "sub-group"); items%w == 0 && mk.below(2, "shuffle") == 0 {
		return w
	}
	return 0
}

// twoPasses lets groups reduce together.
func (mk *gridTrees) twoPasses(s int) schedule.Node {
	c := mk.f.Body[s]
	reduced := ein.Reduced(c)
	m := member(s, reduced[mk.below(len(reduced), "parts")])
	m.Groups, m.Tile, m.Pad = true, int64(1+mk.below(5, "tile")), mk.below(3, "pad") == 0
	groups := []*schedule.Member{m}
	var serial, inner []*schedule.Member
	for _, i := range c.ByKind(ein.Concat) {
		switch r := member(s, i); mk.below(3, "result") {
		case 0:
			r.Groups = true
			groups = append(groups, r)
		case 1:
			serial = append(serial, r)
		default:
			inner = append(inner, r)
		}
	}
	mk.strips(groups)
	mk.items = nil
	var below schedule.Node
	switch first := serial; {
	case m.Tile > 1 && len(reduced) == 1 && mk.below(2, "together") == 0:
		below = mk.together(s, serial, inner, 1)
	case len(first) > 0 && mk.below(2, "items") == 0:
		first[0].Items = int64(1 + mk.below(4, "count"))
		mk.items = []int64{first[0].Items}
		below = mk.inItem(s, append(first[1:], first[0]), inner)
	default:
		below = mk.inItem(s, serial, inner)
	}
	a := &schedule.Accumulate{Statement: s, Region: schedule.Workspace, Child: &schedule.Band{Members: groups, Child: below}}
	if mk.below(2, "tree") == 0 {
		a.Tree = []int64{1, 2, 3, 4, 6, 8, 8, 4}[mk.below(8, "tree")]
	}
	if mk.below(3, "side by side") == 0 {
		a.Items = int64(1 + mk.below(4, "items"))
	} else {
		a.Shuffle = mk.shuffle(max(a.Tree, 1))
		if mk.below(3, "by shuffles") == 0 {
			a.Tree, a.Shuffle = 4, 4
		}
	}
	return a
}

// held draws accumulators that the items of a group hold together.
func (mk *gridTrees) held(s int, outer, items, inner []*schedule.Member) schedule.Node {
	for _, m := range items {
		if mk.below(3, "block") == 0 {
			m.Tile = int64(2 + mk.below(2, "tile"))
			m.Pad = mk.below(3, "pad") == 0
			inner = append(inner, member(s, mk.index(s, m)))
		}
	}
	if n := len(inner); n > 0 && mk.below(4, "vector") == 0 {
		inner[n-1].Vector = 2
	}
	var sums []*schedule.Member
	for _, i := range ein.Reduced(mk.f.Body[s]) {
		m := member(s, i)
		switch mk.below(3, "reduced") {
		case 0:
			inner = append(inner, m)
			continue
		case 1:
			m.Tile = int64(2 + mk.below(3, "tile"))
			inner = append(inner, member(s, i))
		}
		sums = append(sums, m)
	}
	var node schedule.Node = &schedule.Leaf{}
	if len(inner) > 0 {
		node = &schedule.Band{Members: inner, Child: node}
	}
	if reads := mk.f.Body[s].Accesses(); len(reads) > 0 && mk.below(3, "near") == 0 {
		node = &schedule.Place{Tensor: reads[mk.below(len(reads), "tensor")].Tensor.Name, Region: schedule.Region(mk.below(2, "region")), Child: node}
	}
	node = &schedule.Band{Members: items, Child: node}
	if len(sums) > 0 {
		node = &schedule.Band{Members: sums, Child: node}
	}
	if mk.below(3, "local") > 0 {
		node = mk.placed(s, node)
	}
	node = &schedule.Accumulate{Statement: s, Region: schedule.Region(mk.below(2, "region")), Child: node}
	if mk.below(2, "double") == 0 {
		mk.doubled(node)
	}
	if len(outer) > 0 {
		node = &schedule.Band{Members: outer, Child: node}
	}
	return node
}

// doubled gives the places right below the loop below an accumulate several blocks, where they may have them.
func (mk *gridTrees) doubled(n schedule.Node) {
	b, ok := n.(*schedule.Accumulate).Child.(*schedule.Band)
	if !ok {
		return
	}
	stages, async := int64(2+mk.below(2, "stages")), mk.below(2, "async") == 0
	var all []*schedule.Place
	for p, ok := b.Child.(*schedule.Place); ok && p.Region == schedule.Local; p, ok = p.Child.(*schedule.Place) {
		p.Stages, p.Async = stages, async
		all = append(all, p)
	}
	if len(all) > 0 && schedule.TurnsOf(n, all[0]) == nil {
		for _, p := range all {
			p.Stages, p.Async = 0, false
		}
	}
}

// index is that of a member of one statement.
func (mk *gridTrees) index(s int, m *schedule.Member) *ein.Index {
	for _, i := range mk.f.Body[s].Indices {
		if i.Name == m.Loops[0].Index {
			return i
		}
	}
	return nil
}
