package mdh

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/space"
)

// How the space is made for devices
//
// Of the paper's space that is left which differs on a device whose groups have items. For each dimension of results: how many items
// share a block, and how many points each has, side by side or in turns. For each reduced dimension: how many groups, and how many items
// of a group, reduce together, and which part of it items copy to the memory of the group at once. For each input whether they do. And
// the dimension that is x, along which neighbouring items are. Statements share no loops: each is a launch.

// A gridSpace holds the choices for one statement.
type gridSpace struct {
	c     *Computation
	model *machine.Machine
	grid  machine.Grid
	axes  []gridChoice // one for each value of a point
	trees []space.Group
}

// A gridChoice is what one value of a point decides, for a dimension or an input.
type gridChoice struct {
	role gridRole
	of   int
}

type gridRole int

const (
	itemsOf gridRole = iota
	pointsOf
	inTurns
	groupsOf // of what is reduced
	chunkOf
	copiesOf
	axisX
)

const (
	mostPoints = 64 // of an item
	mostSplit  = 64 // groups that reduce together
	mostChunk  = 256
)

func newGridSpace(c *Computation, m *machine.Processor, prefix string) *gridSpace {
	s := &gridSpace{c: c, model: ModelOf(m, c.ElementBytes()), grid: *m.Grid}
	if !c.writesOnce() {
		return s
	}
	concat, reduced := s.dims(false), s.dims(true)
	if c.Ordered {
		reduced = nil
	}
	s.chain(prefix+"items.", itemsOf, append(slices.Clone(concat), reduced...), s.grid.Items)
	s.chain(prefix+"points.", pointsOf, concat, mostPoints)
	s.chain(prefix+"split.", groupsOf, reduced, mostSplit)
	if len(concat) > 0 {
		s.single(prefix+"turns", gridChoice{inTurns, 0}, []int64{0, 1}, nil)
	}
	if len(concat) > 1 {
		var list []int64
		for _, d := range slices.Backward(concat) {
			list = append(list, int64(d))
		}
		s.single(prefix+"x", gridChoice{axisX, 0}, list, func(v int64) string { return c.Dims[v].Name() })
	}
	for _, d := range reduced {
		s.single(prefix+"chunk."+c.Dims[d].Name(), gridChoice{chunkOf, d}, append([]int64{0}, powers(8, min(mostChunk, s.size(d)-1))...), nil)
	}
	for b, input := range c.Inputs {
		if c.copyableHere(input) == "" {
			s.single(prefix+"copy."+input.Name(), gridChoice{copiesOf, b}, []int64{0, 1}, nil)
		}
	}
	return s
}

// dims lists the dimensions of results, or the reduced ones, with more than one point.
func (s *gridSpace) dims(reduced bool) (list []int) {
	for d, dim := range s.c.Dims {
		if dim.Reduced() == reduced && !dim.Point() {
			list = append(list, d)
		}
	}
	return list
}

// size is how many points a dimension has; many where that is not known.
func (s *gridSpace) size(d int) int64 {
	if n := s.c.Dims[d].N; n >= 0 {
		return max(n, 1)
	}
	return 1 << 30
}

// powers lists the powers of two between two numbers.
func powers(from, to int64) (list []int64) {
	for n := from; n <= to; n *= 2 {
		list = append(list, n)
	}
	return list
}

// chain adds parameters for dimensions, the product of which is at most a number.
func (s *gridSpace) chain(name string, role gridRole, dims []int, most int64) {
	var g space.Group
	for _, d := range dims {
		n := s.size(d)
		g = append(g, space.Parameter{Name: name + s.c.Dims[d].Name(), Values: func(prefix []int64) []int64 {
			left := most
			for _, v := range prefix {
				left /= v
			}
			return powers(1, min(left, n))
		}})
		s.axes = append(s.axes, gridChoice{role, d})
	}
	if len(g) > 0 {
		s.trees = append(s.trees, g)
	}
}

func (s *gridSpace) single(name string, c gridChoice, values []int64, text func(int64) string) {
	s.axes = append(s.axes, c)
	s.trees = append(s.trees, space.Group{{Name: name, Values: func([]int64) []int64 { return values }, Uses: []string{}, Text: text}})
}

func (s *gridSpace) groups() []space.Group { return s.trees }

func (s *gridSpace) values() int { return len(s.axes) }

// plan makes the group of a point: without copies where they do not fit.
func (s *gridSpace) plan(point []int64) []*Group {
	k := s.configuration(point, true)
	if len(Validate(s.c, k, Options{})) > 0 || len(expressible(s.c, k)) > 0 {
		k = s.configuration(point, false)
	}
	return []*Group{Single(s.c.Statement, k)}
}

// value is that of a choice, or a number where the space has none.
func (s *gridSpace) value(point []int64, c gridChoice, none int64) int64 {
	if at := slices.Index(s.axes, c); at >= 0 {
		return point[at]
	}
	return none
}

func (s *gridSpace) configuration(point []int64, copies bool) *Configuration {
	k := New(s.c, s.model)
	group, item, memories := s.model.Memories()+1, len(s.model.Layers), s.model.Memories()
	teams := s.teams(point)
	turns := s.value(point, gridChoice{inTurns, 0}, 0) == 1
	together := slices.ContainsFunc(s.dims(true), func(d int) bool { return s.value(point, gridChoice{itemsOf, d}, 1) > 1 })
	for _, d := range s.dims(false) {
		t, p := s.value(point, gridChoice{itemsOf, d}, 1), s.value(point, gridChoice{pointsOf, d}, 1)
		if together { // an item has a part of one result
			p = 1
		}
		if turns && p > 1 {
			s.cutFor(k, d, map[int]int64{group: t * p, 1: t, item: 1}, teams[d], true)
		} else {
			s.cutFor(k, d, map[int]int64{group: t * p, item: p, memories: 1}, teams[d]*p, false)
		}
	}
	for _, d := range s.dims(true) {
		t, groups, chunk := s.value(point, gridChoice{itemsOf, d}, 1), s.value(point, gridChoice{groupsOf, d}, 1), s.value(point, gridChoice{chunkOf, d}, 0)
		sizes, block := map[int]int64{memories - 1: t, item: 1}, t
		if chunk > t && !together {
			block = roundUp(chunk, t)
			sizes[1] = block
		}
		if groups > 1 {
			sizes[group] = roundUp((s.size(d)+groups-1)/groups, block)
		}
		s.cutFor(k, d, sizes, teams[d], true)
	}
	s.arrange(k, point)
	s.regions(k, point, copies)
	return k
}

// teams is how many items of a sub-group each dimension has, where the model has a layer of them: as many as there are along the
// last axes.
func (s *gridSpace) teams(point []int64) map[int]int64 {
	teams, left := map[int]int64{}, max(s.grid.Width, 1)
	for _, d := range slices.Backward(s.inOrder(point)) {
		teams[d] = min(left, s.value(point, gridChoice{itemsOf, d}, 1))
		left /= teams[d]
	}
	return teams
}

// inOrder lists the dimensions as items have them, x last.
func (s *gridSpace) inOrder(point []int64) []int {
	concat := s.dims(false)
	if x := int(s.value(point, gridChoice{axisX, 0}, -1)); x >= 0 {
		concat = append(slices.DeleteFunc(concat, func(d int) bool { return d == x }), x)
	}
	return append(concat, s.dims(true)...)
}

// cutFor cuts a dimension into blocks of some sizes, by layer of the model, and of one that sub-groups have where there are any. The
// layers of items are the last where these take turns.
func (s *gridSpace) cutFor(k *Configuration, d int, sizes map[int]int64, team int64, turns bool) {
	order, group := partitionLayers(k.Model), k.Model.Memories()+1
	if team > 0 && len(k.Model.Layers) > group+1 {
		sizes[group+1] = team
	}
	if turns {
		isItem := func(layer int) int {
			if layer > group {
				return 1
			}
			return 0
		}
		slices.SortStableFunc(order, func(a, b int) int { return isItem(a) - isItem(b) })
	}
	block := s.c.Dims[d].N
	for at, layer := range order {
		r := k.Row(Level{at + 1, d + 1})
		r.setAssign(machine.Level{Layer: layer, Dim: d + 1})
		switch size, cut := sizes[layer]; {
		case !cut || block >= 0 && block <= size:
		case block < 0:
			r.Parts, block = AnyParts, size
		default:
			r.Parts, block = (block+size-1)/size, size
		}
	}
}

// levelsOn lists the levels of some dimensions on a layer of the model.
func levelsOn(k *Configuration, layer int, dims []int) (list []Level) {
	for _, d := range dims {
		for at := 1; at <= k.Layers; at++ {
			if l := (Level{at, d + 1}); k.Row(l).Assign[Scalar].Layer == layer {
				list = append(list, l)
			}
		}
	}
	return list
}

// arrange orders the loops: groups, items, the chunks of what is reduced, and the points in them, those of results last; and numbers the
// axes, x last.
func (s *gridSpace) arrange(k *Configuration, point []int64) {
	memories, items := k.Model.Memories(), len(k.Model.Layers)
	reduced := s.dims(true)
	concat := s.inOrder(point)
	concat = concat[:len(concat)-len(reduced)]
	var order []Level
	add := func(layer int, dims []int) { order = append(order, levelsOn(k, layer, dims)...) }
	add(memories+1, append(slices.Clone(reduced), concat...))
	for layer := memories + 2; layer <= items; layer++ {
		add(layer, append(slices.Clone(concat), reduced...))
	}
	add(1, reduced)
	for layer := 2; layer <= memories; layer++ {
		add(layer, reduced)
	}
	for layer := 1; layer <= memories; layer++ {
		add(layer, concat)
	}
	for at := range k.Rows {
		if l := k.LevelOf(at); !slices.Contains(order, l) {
			order = append(order, l)
		}
	}
	k.SetOrder(order)
	for layer := memories + 1; layer <= items; layer++ { // the last loop is x
		axis := 0
		for _, l := range slices.Backward(order) {
			if k.Row(l).Assign[Scalar].Layer == layer {
				axis++
				k.Row(l).setAssign(machine.Level{Layer: layer, Dim: axis})
			}
		}
	}
	if s.c.Ordered {
		for p := Scalar; p <= Recompose; p++ {
			for at, l := range s.c.programOrder(k) {
				k.Row(l).Order[p] = at
			}
		}
	}
}

// regions copies inputs to the memory of the group from the chunks on, and has results in registers there.
func (s *gridSpace) regions(k *Configuration, point []int64, copies bool) {
	memories := k.Model.Memories()
	inside, near := false, false // what is reduced, its chunks
	for _, l := range k.Active(Scalar) {
		r := k.Row(l)
		layer, reduced := r.Assign[Scalar].Layer, s.c.Dims[l.Dim-1].Reduced()
		inside = inside || reduced && layer != memories+1
		near = near || inside && layer >= 2 && layer <= memories
		for b := range r.In {
			if copies && near && s.value(point, gridChoice{copiesOf, b}, 0) == 1 {
				r.In[b].Region = 2
			}
		}
		for o := range r.Out {
			switch {
			case s.c.Ordered || !inside:
			case layer > memories+1:
				r.Out[o].Region = s.combined(layer)
			default:
				r.Out[o].Region = memories
			}
		}
	}
}

// combined is the region in which items combine what they reduce: registers where those of a sub-group do, or the memory of the group.
func (s *gridSpace) combined(layer int) int {
	if s.grid.Width > 1 && layer == len(s.model.Layers) {
		return s.model.Memories()
	}
	return 2
}

// wanted are the values of a point that is like a plan, some of which may not be offered.
func (s *gridSpace) wanted(p *Plan) []int64 {
	point := make([]int64, len(s.axes))
	var k *Configuration
	for _, g := range p.Groups {
		for _, m := range g.Members {
			if m.Statement == s.c.Statement {
				k = m.Configuration
			}
		}
	}
	for at, choice := range s.axes {
		if point[at] = 1; choice.role >= inTurns && choice.role != groupsOf {
			point[at] = 0
		}
		if k != nil {
			point[at] = s.like(k, choice, point[at])
		}
	}
	return point
}

// like is the value of a choice in a configuration.
func (s *gridSpace) like(k *Configuration, choice gridChoice, none int64) int64 {
	memories, items := k.Model.Memories(), len(k.Model.Layers)
	parts := func(layer int) int64 {
		n := int64(1)
		for _, l := range levelsOn(k, layer, []int{choice.of}) {
			n = saturate(n, max(1, k.Row(l).Parts))
		}
		return n
	}
	switch choice.role {
	case itemsOf:
		n := int64(1)
		for layer := memories + 2; layer <= items; layer++ {
			n = saturate(n, parts(layer))
		}
		return n
	case inTurns:
		for _, d := range s.dims(false) {
			for layer := 1; layer < memories; layer++ {
				if slices.ContainsFunc(levelsOn(k, layer, []int{d}), func(l Level) bool { return k.Row(l).Parts != 1 }) {
					return 1
				}
			}
		}
	case pointsOf:
		return saturate(parts(memories), saturate(parts(1), parts(memories-1)))
	case groupsOf:
		return parts(memories + 1)
	case chunkOf:
		for _, l := range levelsOn(k, 1, []int{choice.of}) {
			if k.Row(l).Parts != 1 {
				return k.Tile(l)
			}
		}
	case copiesOf:
		if slices.ContainsFunc(k.Active(Decompose), func(l Level) bool { return k.isLocal(k.Row(l).In[choice.of]) }) {
			return 1
		}
	case axisX:
		concat := s.dims(false)
		none = int64(concat[len(concat)-1])
		for _, d := range concat {
			for _, l := range levelsOn(k, items, []int{d}) {
				if k.Row(l).Parts > 1 && k.Row(l).Assign[Scalar].Dim == 1 {
					return int64(d)
				}
			}
		}
	}
	return none
}
