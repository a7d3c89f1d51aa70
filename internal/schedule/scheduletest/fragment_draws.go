package scheduletest

import (
	"math/rand/v2"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How trees with fragments are drawn
//
// A function of fragments.ein gets sizes, and its product a tree by the marks of matrix units: how many sub-groups and fragments, over how many terms, which operand
// lies how in local memory, copied when and by how many at once, and whether several groups have parts of the sum. Statements around the product
// have launches of their own, or the items of its groups.

// FragmentsOf is the pair of a seed; ok is false where no legal tree was found.
func FragmentsOf(seed int) (p Pair, ok bool, err error) {
	functions, err := FragmentFunctions()
	if err != nil {
		return p, false, err
	}
	r := rand.New(rand.NewPCG(uint64(seed), 31))
	p.F = functions[seed%len(functions)]
	p.Program, p.How, p.Sizes = p.F.Name, "fragments", map[string]int64{}
	for _, s := range p.F.Sizes {
		p.Sizes[s.Name] = pick[int64](r, 1, 3, 7, 8, 16, 17, 31, 33)
	}
	if p.F.Name == "windows_of_halves" {
		p.Sizes["Y"] += 2
	}
	if p.G, err = p.F.Specialise(p.Sizes, nil); err != nil {
		return p, false, err
	}
	if p.Args, err = eintest.Arguments(r.Uint64(), p.F, p.Sizes); err != nil {
		return p, false, err
	}
	for range 4 {
		p.Tree = &schedule.Tree{Statements: schedule.Domain(p.G), Root: (&fragmentDraw{Rand: r, f: p.G}).tree()}
		if err = schedule.Check(p.G, p.Tree); err == nil {
			return p, true, nil
		}
	}
	return p, false, nil
}

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// A fragmentDraw draws a tree of a function.
type fragmentDraw struct {
	*rand.Rand
	f               *ein.Func
	sum             int // the statement
	shape           *ein.FragmentShape
	x, y            *ein.Access
	rows, columns   string // indices
	group           string
	subGroups, each [2]int64
	steps           int64
}

func (d *fragmentDraw) tree() schedule.Node {
	d.sum = slices.IndexFunc(d.f.Body, func(c *ein.Comprehension) bool { return len(ein.Reduced(c)) > 0 })
	c := d.f.Body[d.sum]
	d.x, d.y, d.shape = ein.FragmentsOf(c)
	d.shape = ein.FragmentShapeOf(d.x.Tensor.Type, d.y.Tensor.Type, pick(d.Rand, d.shape.Depth, d.shape.Depth, d.shape.Depth/2))
	results := c.ByKind(ein.Concat)
	d.rows, d.columns = results[len(results)-2].Name, results[len(results)-1].Name
	if d.IntN(4) == 0 {
		d.rows, d.columns = d.columns, d.rows
	}
	d.group = ein.Reduced(c)[len(ein.Reduced(c))-1].Name
	d.subGroups = [2]int64{pick[int64](d.Rand, 1, 1, 2), pick[int64](d.Rand, 1, 1, 2)}
	d.each = [2]int64{pick[int64](d.Rand, 1, 2), pick[int64](d.Rand, 1, 2, 3)}
	d.steps = d.shape.Depth * pick[int64](d.Rand, 1, 2, 3)
	around := d.IntN(2) == 0
	body := d.inOrder(func(s int) schedule.Node {
		switch {
		case s == d.sum:
			return d.product()
		case around:
			own := d.items(s)
			own[1].Pad = true
			return &schedule.Band{Members: own, Child: &schedule.Band{Members: []*schedule.Member{d.loop(s, d.columns)}, Child: &schedule.Leaf{}}}
		}
		return schedule.BandOver(s, d.f.Body[s].Indices, &schedule.Leaf{})
	})
	if around || len(d.f.Body) == 1 {
		return d.inGroups(d.all(), body)
	}
	return d.inOrder(func(s int) schedule.Node {
		if s == d.sum {
			return d.inGroups([]int{s}, d.product())
		}
		return schedule.BandOver(s, d.f.Body[s].Indices, &schedule.Leaf{})
	})
}

// all are the statements.
func (d *fragmentDraw) all() (list []int) {
	for s := range d.f.Body {
		list = append(list, s)
	}
	return list
}

// inOrder is what follows one another of the statements.
func (d *fragmentDraw) inOrder(of func(s int) schedule.Node) schedule.Node {
	if len(d.f.Body) == 1 {
		return of(0)
	}
	seq := &schedule.Sequence{}
	for s := range d.f.Body {
		seq.Children = append(seq.Children, &schedule.Filter{Statements: []int{s}, Child: of(s)})
	}
	return seq
}

// loop is a loop over an index of some statements, which have the same names in all of them.
func (d *fragmentDraw) loop(s int, index string) *schedule.Member {
	return &schedule.Member{Loops: []schedule.Loop{{Statement: s, Index: index}}, Tile: 1}
}

// inGroups puts loops over groups around what some statements do, perhaps with parts of the sum.
func (d *fragmentDraw) inGroups(statements []int, body schedule.Node) schedule.Node {
	var groups []*schedule.Member
	for _, i := range d.f.Body[d.sum].ByKind(ein.Concat) {
		g := &schedule.Member{Tile: 1, Groups: true}
		for _, s := range statements {
			g.Loops = append(g.Loops, schedule.Loop{Statement: s, Index: i.Name})
		}
		switch i.Name {
		case d.rows:
			g.Tile, g.Pad = d.subGroups[0]*d.each[0]*ein.FragmentRows, true
		case d.columns:
			g.Tile, g.Pad = d.subGroups[1]*d.each[1]*ein.FragmentColumns, true
		}
		groups = append(groups, g)
	}
	d.Shuffle(len(groups), func(i, k int) { groups[i], groups[k] = groups[k], groups[i] })
	if len(statements) > 1 || d.IntN(3) > 0 {
		return &schedule.Band{Members: groups, Child: body}
	}
	part := d.loop(d.sum, d.group)
	part.Groups, part.Pad, part.Tile = true, true, d.steps*pick[int64](d.Rand, 1, 2)
	return &schedule.Accumulate{Statement: d.sum, Region: schedule.Workspace, Items: pick[int64](d.Rand, 1, 32, 64), Child: &schedule.Band{Members: append([]*schedule.Member{part}, groups...), Child: body}}
}

// items are the loops over items of a statement.
func (d *fragmentDraw) items(s int) []*schedule.Member {
	rows, columns := d.loop(s, d.rows), d.loop(s, d.columns)
	rows.Items, columns.Items, columns.Tile = d.subGroups[0]*schedule.FragmentItemRows, d.subGroups[1]*schedule.FragmentItemColumns, schedule.FragmentPair
	return []*schedule.Member{rows, columns}
}

// product is what a group does for the sum.
func (d *fragmentDraw) product() schedule.Node {
	c := d.f.Body[d.sum]
	blocks, unit := d.loop(d.sum, d.group), d.loop(d.sum, d.group)
	blocks.Tile, blocks.Pad, unit.Group, unit.Matrix, unit.Unroll = d.steps, true, int(d.shape.Depth), true, d.IntN(2) == 0
	var inner []*schedule.Member
	for _, i := range ein.Reduced(c) {
		if i.Name != d.group {
			inner = append(inner, d.loop(d.sum, i.Name))
		}
	}
	inner = append(inner, unit, d.loop(d.sum, d.columns))
	var within schedule.Node = &schedule.Band{Members: d.items(d.sum), Child: &schedule.Band{Members: inner, Child: &schedule.Leaf{}}}
	stages := pick[int64](d.Rand, 0, 0, 2, 3)
	async := stages > 0 && d.IntN(2) == 0
	for _, t := range []*ein.Tensor{d.y.Tensor, d.x.Tensor} {
		within = d.place(t, stages, async, within)
	}
	return &schedule.Accumulate{Statement: d.sum, Region: schedule.Register, Child: &schedule.Band{Members: []*schedule.Member{blocks}, Child: within}}
}

// place puts an operand into local memory.
func (d *fragmentDraw) place(t *ein.Tensor, stages int64, async bool, child schedule.Node) schedule.Node {
	p := &schedule.Place{Tensor: t.Name, Region: schedule.Local, Pad: pick[int64](d.Rand, 0, 1, 2, 4, 8), Vector: pick(d.Rand, 0, 2, 4, 8), Stages: stages, Async: async, Child: child}
	if size := t.Type.Size(); p.Vector*size > 16 {
		p.Vector = 0
	} else if async && p.Vector*size < 4 {
		p.Vector = 4
	}
	if n := len(t.Dims); d.IntN(3) == 0 {
		for k := range n {
			p.Layout = append(p.Layout, (k+1)%n+1)
		}
	}
	return p
}
