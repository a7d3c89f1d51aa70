package scheduletest

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// inTurns draws a launch for each statement; items of those that reduce hold their results, and copy blocks of what they read in turns, ahead of
// the steps or not.
func (mk *gridTrees) inTurns() schedule.Node {
	seq := &schedule.Sequence{}
	for _, s := range mk.all() {
		mk.items = nil
		c := mk.f.Body[s]
		node := schedule.Node(nil)
		if _, free := ein.ReductionOperator(c); free && len(ein.Reduced(c)) > 0 && len(c.ByKind(ein.Concat)) > 0 && len(c.Accesses()) > 0 {
			node = mk.turnsOf(s)
		} else {
			node = mk.nestOf(s, nil, onHost)
		}
		seq.Children = append(seq.Children, &schedule.Filter{Statements: []int{s}, Child: node})
	}
	return seq
}

// turnsOf draws the loops of a statement that reduces: groups, perhaps a serial loop in each, the steps, blocks in turns, what a step reduces, and items.
func (mk *gridTrees) turnsOf(s int) schedule.Node {
	c := mk.f.Body[s]
	var groups, serial, items, inner, rest []*schedule.Member
	for _, i := range c.ByKind(ein.Concat) {
		m := member(s, i)
		m.Groups, m.Tile, m.Pad = true, int64(1+mk.below(6, "tile")), mk.below(2, "pad") == 0
		groups = append(groups, m)
		if m.Tile == 1 {
			continue
		}
		if m.Tile > 3 && mk.below(4, "serial") == 0 {
			m := member(s, i)
			m.Tile = 2
			serial = append(serial, m)
		}
		m = member(s, i)
		if mk.below(4, "items") == 0 && len(items) > 0 {
			inner = append(inner, m)
			continue
		}
		m.Items = int64(1 + mk.below(4, "count"))
		if mk.below(3, "block") == 0 {
			m.Tile = 2
			inner = append(inner, member(s, i))
		}
		items = append(items, m)
	}
	reduced := ein.Reduced(c)
	turn := mk.below(len(reduced), "steps")
	steps := member(s, reduced[turn])
	steps.Tile, steps.Pad = int64(1+mk.below(5, "step")), mk.below(3, "pad") == 0
	for k, i := range reduced {
		if k != turn || steps.Tile > 1 {
			rest = append(rest, member(s, i))
		}
	}
	node := band(items, band(inner, &schedule.Leaf{}))
	if mk.below(2, "inside") == 0 {
		node = band(items, band(append(rest, inner...), &schedule.Leaf{}))
	} else {
		node = band(rest, node)
	}
	node = band([]*schedule.Member{steps}, mk.blocksInTurns(s, node))
	node = &schedule.Accumulate{Statement: s, Region: schedule.Region(mk.below(2, "region")), Child: node}
	return band(groups, band(serial, node))
}

// blocksInTurns draws places in local memory with as many blocks.
func (mk *gridTrees) blocksInTurns(s int, n schedule.Node) schedule.Node {
	reads := mk.f.Body[s].Accesses()
	stages, async := int64(2+mk.below(3, "stages")), mk.below(2, "async") == 0
	set := map[string]bool{}
	for range 1 + mk.below(2, "places") {
		t := reads[mk.below(len(reads), "tensor")].Tensor
		if set[t.Name] {
			continue
		}
		set[t.Name] = true
		p := &schedule.Place{Tensor: t.Name, Region: schedule.Local, Stages: stages, Async: async, Child: n}
		if mk.below(3, "longer") == 0 && len(t.Dims) > 1 {
			p.Pad = 1
		}
		if mk.below(3, "copies") == 0 || async && t.Type.Size() < 4 {
			p.Vector = max(2<<mk.below(2, "lanes"), 4/t.Type.Size())
			p.Vector = min(p.Vector, 16/t.Type.Size())
		}
		n = p
	}
	return n
}

// band is a band of loops, if there are any.
func band(list []*schedule.Member, below schedule.Node) schedule.Node {
	if len(list) == 0 {
		return below
	}
	return &schedule.Band{Members: list, Child: below}
}
