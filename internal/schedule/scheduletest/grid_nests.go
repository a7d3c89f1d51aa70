package scheduletest

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// nestOf draws the loops of a statement: groups, serial ones, items, and what an item does for itself.
func (mk *gridTrees) nestOf(s int, done map[dimension]int64, level int) schedule.Node {
	c := mk.f.Body[s]
	var groups, serial, items, inner []*schedule.Member
	results := c.ByKind(ein.Concat)
	axes := 1 + mk.below(max(1, min(3, len(results))), "axes")
	if mk.items != nil {
		axes = len(mk.items)
	}
	var blocks []int64 // that the items share
	item := func(i *ein.Index, block int64) {
		if len(items) < axes {
			items, blocks = append(items, member(s, i)), append(blocks, block)
		} else {
			inner = append(inner, member(s, i))
		}
	}
	for _, i := range rapid.Permutation(results).Draw(mk.t, "order") {
		if tile := done[dimension{s, i.Name}]; tile > 0 {
			if tile > 1 {
				item(i, tile)
			}
			continue
		}
		switch m := member(s, i); mk.below(8, "kind") {
		case 0:
			groups = append(groups, m)
		case 1:
			serial = append(serial, m)
		case 2:
			inner = append(inner, m)
		case 3:
			n, _ := i.Extent.IsConst()
			item(i, n)
		default:
			m.Tile = int64(2 + mk.below(4, "tile"))
			m.Pad = mk.below(4, "pad") == 0
			groups = append(groups, m)
			item(i, m.Tile)
		}
	}
	for _, m := range groups {
		m.Groups = level == onHost
	}
	mk.strips(groups)
	if _, free := ein.ReductionOperator(c); free && level == onHost && len(ein.Reduced(c)) > 0 && mk.below(5, "two passes") == 0 {
		return mk.twoPasses(s)
	}
	if _, free := ein.ReductionOperator(c); free && (level == inGroup || len(groups) > 0) && len(ein.Reduced(c)) >= axes && (len(items) < axes || mk.below(3, "together") == 0) {
		return mk.together(s, append(groups, serial...), append(items, inner...), axes)
	}
	if len(items) < axes || level == onHost && len(groups) == 0 {
		inner, items = append(items, inner...), nil
	}
	for k, m := range items {
		if len(mk.items) <= k {
			count := int64(1 + mk.below(5, "count"))
			if mk.below(3, "all") > 0 && blocks[k] > 0 {
				count = blocks[k]
			}
			mk.items = append(mk.items, count)
		}
		m.Items = mk.items[k]
	}
	if _, free := ein.ReductionOperator(c); free && len(items) > 0 && len(ein.Reduced(c)) > 0 && mk.below(3, "held") == 0 {
		return mk.held(s, append(groups, serial...), items, inner)
	}
	return mk.inItem(s, append(append(groups, serial...), items...), inner)
}

// inItem draws what an item does below some loops.
func (mk *gridTrees) inItem(s int, outer, inner []*schedule.Member) schedule.Node {
	c := mk.f.Body[s]
	if n := len(inner); n > 0 && mk.below(3, "vector") == 0 {
		inner[n-1].Vector = 2
	}
	var node schedule.Node = &schedule.Leaf{}
	reduced := ein.Reduced(c)
	_, free := ein.ReductionOperator(c)
	if len(reduced) == 0 || !free {
		outer, inner = append(outer, inner...), nil
	}
	if len(reduced) > 0 {
		b := &schedule.Band{Child: node}
		for _, i := range reduced {
			m := member(s, i)
			if free && mk.below(3, "block") == 0 {
				m.Tile = int64(2 + mk.below(3, "tile"))
				inner = append(inner, member(s, i))
			}
			b.Members = append(b.Members, m)
		}
		b.Members = append(b.Members, inner...)
		region := schedule.Register
		if free {
			region = []schedule.Region{schedule.Register, schedule.Private, schedule.Output}[mk.below(3, "region")]
		}
		node = &schedule.Accumulate{Statement: s, Region: region, Child: b}
	}
	if mk.level(outer) && mk.below(2, "local") == 0 {
		node = mk.placed(s, node)
	}
	if len(outer) == 0 {
		return node
	}
	return &schedule.Band{Members: outer, Child: node}
}

// level reports whether some loop is over items.
func (mk *gridTrees) level(outer []*schedule.Member) bool {
	return slices.ContainsFunc(outer, func(m *schedule.Member) bool { return m.Items > 0 })
}

// placed puts what a statement reads into local memory, somewhere among the loops of an item.
func (mk *gridTrees) placed(s int, n schedule.Node) schedule.Node {
	reads := mk.f.Body[s].Accesses()
	if len(reads) == 0 {
		return n
	}
	switch n := n.(type) {
	case *schedule.Accumulate:
		if mk.below(3, "inside") > 0 {
			n.Child = mk.placed(s, n.Child)
			return n
		}
	case *schedule.Band:
		if k := mk.below(len(n.Members)+1, "at"); k > 0 {
			inner := n.Child
			if k < len(n.Members) {
				inner = &schedule.Band{Members: n.Members[k:], Child: n.Child}
			}
			n.Members, n.Child = n.Members[:k], mk.placed(s, inner)
			return n
		}
	}
	for range 1 + mk.below(2, "places") {
		p := &schedule.Place{Tensor: reads[mk.below(len(reads), "tensor")].Tensor.Name, Region: schedule.Local, Child: n}
		switch mk.below(4, "rows") {
		case 0:
			p.Pad = 1
		case 1:
			p.Swizzle = mk.swizzle(p.Tensor)
		}
		if mk.below(3, "copies") == 0 {
			p.Vector = 2 << mk.below(2, "lanes")
		}
		if mk.below(4, "double") == 0 {
			p.Stages = 2
		}
		if _, why := schedule.Gatherings(mk.f, mk.f.Tensor(p.Tensor), []int{s}); why == "" {
			p.Gathered = mk.below(2, "gathered") == 0
		}
		n = p
	}
	return n
}

// swizzle exchanges what is in the rows of a block, if its tensor has rows.
func (mk *gridTrees) swizzle(tensor string) (s schedule.Swizzle) {
	if len(mk.f.Tensor(tensor).Dims) > 1 {
		s = schedule.Swizzle{Unit: 1 << mk.below(3, "unit"), Units: 2 << mk.below(3, "units"), Rows: int64(1 + mk.below(3, "alike"))}
	}
	return s
}

// strips lets groups along several axes come in another order.
func (mk *gridTrees) strips(axes []*schedule.Member) {
	for k := range len(axes) - 1 {
		if axes[k].Groups && mk.below(3, "strips") == 0 {
			axes[k].Strips = int64(1 + mk.below(4, "strip"))
		}
	}
}
