package scheduletest

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// heldMakers draw launches whose items hold what statements leave for each other.
var heldMakers = []gridMaker{{"held between statements", 1, (*gridTrees).heldBetween}}

// HeldOf is the pair of a seed whose items hold a tensor from statement to statement; ok is false where no tree of some is legal.
func HeldOf(seed int) (p Pair, ok bool) {
	drawn := heldPairs.Example(seed)
	return drawn.Pair, drawn.ok
}

var heldPairs = rapid.Custom(func(t *rapid.T) drawnPair {
	var p drawnPair
	p.Program, p.Subject = drawProgram(t)
	p.Tree, p.How, p.ok = gridBy(t, p.G, heldMakers)
	return p
})

// heldBetween draws a launch for a statement and those behind it that use what it writes, as long as they do so at one point, and others for the rest.
func (mk *gridTrees) heldBetween() schedule.Node {
	seq := &schedule.Sequence{}
	for s := 0; s < len(mk.f.Body); s++ {
		mk.items = nil
		run := mk.usersOf(s)
		if len(run) < 2 {
			seq.Children = append(seq.Children, &schedule.Filter{Statements: []int{s}, Child: mk.nestOf(s, nil, onHost)})
			continue
		}
		seq.Children = append(seq.Children, &schedule.Filter{Statements: run, Child: mk.heldLaunch(run)})
		s = run[len(run)-1]
	}
	return seq
}

// usersOf are a statement and those that follow, as far as each has an index for each dimension of what the first writes.
func (mk *gridTrees) usersOf(first int) (run []int) {
	t := mk.f.Body[first].Writes[0].Tensor
	for s := first; s < len(mk.f.Body); s++ {
		if mk.indicesOf(s, t) == nil {
			break
		}
		run = append(run, s)
	}
	return run
}

// indicesOf are the indices of a statement along the dimensions of a tensor that it uses; nil: there is none for each.
func (mk *gridTrees) indicesOf(s int, t *ein.Tensor) (list []*ein.Index) {
	c := mk.f.Body[s]
	var uses [][]ein.Expr
	for _, w := range c.Writes {
		if w.Tensor == t {
			uses = append(uses, w.Subscripts)
		}
	}
	for _, a := range c.Accesses() {
		if a.Tensor == t {
			uses = append(uses, a.Subscripts)
		}
	}
	if len(uses) == 0 {
		return nil
	}
	for _, sub := range uses[0] {
		i, _, ok := schedule.IndexPlusConstant(c, sub)
		if !ok || slices.Contains(list, i) {
			return nil
		}
		list = append(list, i)
	}
	return list
}

// heldLaunch draws groups for some dimensions, items for some, and what an item does of each statement.
func (mk *gridTrees) heldLaunch(run []int) schedule.Node {
	t := mk.f.Body[run[0]].Writes[0].Tensor
	groups := &schedule.Band{}
	type share struct{ count, tile int64 }
	shares := make([]share, len(t.Dims))
	for d := range t.Dims {
		if mk.below(4, "group") > 0 {
			m := &schedule.Member{Groups: true, Tile: int64(1 + mk.below(8, "tile")), Pad: mk.below(3, "pad") > 0}
			for _, s := range run {
				m.Loops = append(m.Loops, schedule.Loop{Statement: s, Index: mk.indicesOf(s, t)[d].Name})
			}
			groups.Members = append(groups.Members, m)
		}
		if mk.below(4, "items") > 0 {
			shares[d] = share{int64(1 + mk.below(4, "count")), int64(1 + mk.below(3, "block"))}
		}
	}
	if len(groups.Members) == 0 {
		return mk.nestOf(run[0], nil, onHost)
	}
	body := &schedule.Sequence{}
	for _, s := range run {
		c := mk.f.Body[s]
		var items, inner, steps []*schedule.Member
		for d, i := range mk.indicesOf(s, t) {
			m := member(s, i)
			if shares[d].count == 0 {
				inner = append(inner, m)
				continue
			}
			if m.Items = shares[d].count; shares[d].tile > 1 {
				m.Tile = shares[d].tile
				inner = append(inner, member(s, i))
			}
			items = append(items, m)
		}
		for _, i := range c.Indices {
			switch {
			case slices.Contains(mk.indicesOf(s, t), i):
			case i.Combine.Kind == ein.Concat:
				inner = append(inner, member(s, i))
			default:
				steps = append(steps, member(s, i))
			}
		}
		body.Children = append(body.Children, &schedule.Filter{Statements: []int{s}, Child: mk.heldBy(s, items, inner, steps)})
	}
	groups.Child = &schedule.Place{Tensor: t.Name, Region: []schedule.Region{schedule.Register, schedule.Private, schedule.Local}[mk.below(3, "region")], Child: body}
	return groups
}

// heldBy draws the loops of one of the statements below its groups.
func (mk *gridTrees) heldBy(s int, items, inner, steps []*schedule.Member) schedule.Node {
	_, free := ein.ReductionOperator(mk.f.Body[s])
	if n := len(inner); n > 0 && mk.below(4, "vector") == 0 {
		inner[n-1].Vector = 2
	}
	sums := func(child schedule.Node) schedule.Node {
		return &schedule.Accumulate{Statement: s, Region: schedule.Region(mk.below(2, "sums")), Child: child}
	}
	switch {
	case len(steps) == 0:
		return band(items, band(inner, &schedule.Leaf{}))
	case !free:
		return band(items, band(append(inner, steps...), &schedule.Leaf{}))
	case mk.below(2, "above") == 0:
		return sums(band(steps, band(items, band(inner, &schedule.Leaf{}))))
	case mk.below(2, "first") == 0:
		return band(items, sums(band(append(steps, inner...), &schedule.Leaf{})))
	}
	return band(items, band(inner, sums(band(steps, &schedule.Leaf{}))))
}
