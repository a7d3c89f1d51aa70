package sketch

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// gathers is for what is read through index arrays, each result that of an item. The items of a group copy the values of the index arrays that
// they need to local memory, once for all of them, and, for some steps of a reduction at a time, the rows of the table to which these lead: the
// loads of a block are on their way together, where otherwise each waits for the index before it and the test of that (Vasilache et al., section
// 5.5). A table that has room in local memory is copied whole, for a group that goes through many results.
func gathers(x *subject) (list []schedule.Node) {
	if x.common == 0 || !x.whole() || !slices.ContainsFunc(x.nests, func(n *nest) bool { return len(n.tables(x)) > 0 }) {
		return nil
	}
	fast := x.common - 1
	var shapes [][]int64
	for _, total := range doubling(2*x.width(), min(x.grid.Items, 16*x.width())) {
		for _, along := range []int64{total, 2 * x.width(), x.width()} {
			if shape := x.shape(fast, total, along); shape != nil && !contains(shapes, shape) {
				shapes = append(shapes, shape)
			}
		}
	}
	for _, shape := range shapes {
		for _, steps := range x.gatheredSteps() {
			list = append(list, (&gathering{x: x, fast: fast, items: shape, steps: steps, turns: 1}).launch())
		}
		if x.keepsTables() {
			for _, turns := range []int64{4, 16, 64} {
				list = append(list, (&gathering{x: x, fast: fast, items: shape, turns: turns}).launch())
			}
		}
	}
	return list
}

// A gathering is a way to share out results, and what is copied for them.
type gathering struct {
	x     *subject
	fast  int
	items []int64 // of a group, along each common result
	steps int64   // of a reduction whose rows are copied at a time; 0: no rows are
	turns int64   // results of an item along the last one; more than 1: tables are copied whole
}

// gatheredSteps are how many steps of the last reduced index may be copied at a time: none, some, or all.
func (x *subject) gatheredSteps() []int64 {
	list := []int64{0}
	for _, n := range x.nests {
		if len(n.reduced) == 0 || !n.free {
			continue
		}
		most := extentOf(n.reduced[len(n.reduced)-1])
		for _, steps := range []int64{8, 16, 32, 64} {
			if steps = min(steps, most); !slices.Contains(list, steps) {
				list = append(list, steps)
			}
		}
	}
	return list
}

// tables lists the tensors that are read through index arrays and may be gathered.
func (n *nest) tables(x *subject) (list []*ein.Tensor) {
	for _, r := range n.reads {
		gatherings, why := schedule.Gatherings(x.f, r.tensor, []int{n.statement})
		written := slices.ContainsFunc(gatherings, func(g *schedule.Gathering) bool {
			return slices.ContainsFunc(g.Through(), func(t *ein.Tensor) bool { return !x.onlyRead(t) })
		})
		inner := slices.ContainsFunc(list, func(t *ein.Tensor) bool { return t == r.tensor || n.leads(x, r.tensor, t) })
		if why == "" && !written && !inner && x.onlyRead(r.tensor) {
			list = append(list, r.tensor)
		}
	}
	return list
}

// leads reports whether a tensor is read in the subscripts of a table.
func (n *nest) leads(x *subject, t, table *ein.Tensor) bool {
	return slices.Contains(n.indexArrays(x, []*ein.Tensor{table}), t)
}

// indexArrays lists what the subscripts of tables read.
func (n *nest) indexArrays(x *subject, tables []*ein.Tensor) (list []*ein.Tensor) {
	for _, t := range tables {
		gatherings, _ := schedule.Gatherings(x.f, t, []int{n.statement})
		for _, g := range gatherings {
			for _, o := range g.Through() {
				if !slices.Contains(list, o) {
					list = append(list, o)
				}
			}
		}
	}
	return list
}

// ledBy is the only index of the subscript by which a dimension of a tensor is gathered; nil: it is not, or there are several.
func (n *nest) ledBy(x *subject, t *ein.Tensor, d int) *ein.Index {
	gatherings, _ := schedule.Gatherings(x.f, t, []int{n.statement})
	for _, g := range gatherings {
		if g.Dim == d && len(g.Indices) == 1 {
			return g.Indices[0]
		}
	}
	return nil
}

// keepsTables reports whether local memory has room for the tables of all statements.
func (x *subject) keepsTables() bool {
	bytes := int64(0)
	for _, n := range x.nests {
		for _, t := range n.tables(x) {
			size := int64(t.Type.Size())
			for _, d := range t.Dims {
				size *= sizeOf(d)
			}
			bytes += size
		}
	}
	return bytes <= x.grid.Local
}

func (p *gathering) launch() schedule.Node {
	var groups []*schedule.Member
	for _, k := range p.x.order(p.fast) {
		tile := p.items[k]
		if k == p.fast {
			tile *= p.turns
		}
		g := p.x.group(k, tile)
		g.Pad = tile > 1 && p.x.extent(k)%tile != 0
		groups = append(groups, g)
	}
	return band(groups, p.x.inOrder(p.share))
}

// share is what the items do of a statement.
func (p *gathering) share(n *nest) schedule.Node {
	tables := n.tables(p.x)
	one := &subject{f: p.x.f, p: p.x.p, grid: p.x.grid, nests: []*nest{n}, common: p.x.common}
	var items []*schedule.Member
	for k, count := range p.items {
		if count > 1 || p.turns > 1 && k == p.fast {
			items = append(items, one.item(k, count, 1))
		}
	}
	within := band(items, n.serial(nil))
	if rows := len(n.reduced) > 0 && n.free && p.steps > 0 && len(tables) > 0; rows {
		within = p.inBlocks(n, items, tables)
	}
	for _, t := range p.whole(n, tables) {
		within = &schedule.Place{Tensor: t.Name, Region: schedule.Local, Child: within}
	}
	return within
}

// whole lists what is copied before all steps: index arrays, or tables.
func (p *gathering) whole(n *nest, tables []*ein.Tensor) (list []*ein.Tensor) {
	if p.turns > 1 {
		return tables
	}
	for _, t := range n.indexArrays(p.x, tables) {
		if _, why := schedule.Gatherings(p.x.f, t, []int{n.statement}); why != "" { // it is read directly
			list = append(list, t)
		}
	}
	return list
}

// inBlocks sums some steps at a time, whose rows are copied before.
func (p *gathering) inBlocks(n *nest, items []*schedule.Member, tables []*ein.Tensor) schedule.Node {
	last := n.reduced[len(n.reduced)-1]
	var around, outer []*schedule.Member
	for _, i := range n.single {
		around = append(around, n.loop(i))
	}
	for _, i := range n.reduced[:len(n.reduced)-1] {
		outer = append(outer, n.loop(i))
	}
	if p.steps < extentOf(last) {
		blocks := n.loop(last)
		blocks.Tile = p.steps
		outer = append(outer, blocks)
	}
	within := band(append(items[:len(items):len(items)], n.loop(last)), &schedule.Leaf{})
	for _, t := range tables {
		vector := p.x.p.Whole(machine.ItemVector) / int64(t.Type.Size())
		if vector < 2 {
			vector = 0
		}
		within = &schedule.Place{Tensor: t.Name, Region: schedule.Local, Gathered: true, Vector: int(vector), Child: within}
	}
	return band(around, &schedule.Accumulate{Statement: n.statement, Region: schedule.Register, Child: band(outer, within)})
}
