package sketch

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// tiles gives an item a tile of results of a reduction, which it keeps in registers: what is read for a row of the tile, or for a column,
// is read once for all of it. What the items of a group read of the same tensors for their tiles, they copy to local memory
// together, for some steps of the reduction: with the results' index as the last dimension, several elements at once, rows a bit longer
// than they have to be, so that banks differ. Machines that have such copies make those of some steps ahead. Where there are too few tiles for all cores, what is reduced is cut into parts of
// several groups. Statements around the reduction that have the same results are in the same launch.
func tiles(x *subject) (list []schedule.Node) {
	sum := x.onlySum()
	if x.common < 2 || !x.whole() || sum == nil || !sum.free {
		return nil
	}
	column := x.common - 1
	for row := range x.common - 1 {
		if !sum.sharesAlong(row) || !sum.sharesAlong(column) {
			continue
		}
		for _, t := range tileShapes {
			for _, items := range itemShapes {
				if items[0]*items[1] > x.grid.Items || t[0]*items[0] > fits(x.extent(row)) || t[1]*items[1] > fits(x.extent(column)) {
					continue
				}
				p := &tiling{x: x, sum: sum, row: row, column: column, tile: t, items: items}
				list = append(list, p.plain())
				for _, p.steps = range stepsOf(sum) {
					for _, p.vector = range p.vectors() {
						p.copied = p.copies()
						for _, p.stages = range p.turns(sum) {
							list = append(list, p.launch())
							if p.parts = p.partsOf(sum); p.parts > 1 && len(x.nests) == 1 {
								list = append(list, p.launch())
							}
							p.parts = 0
						}
					}
				}
			}
		}
	}
	return list
}

// onlySum is the one statement that reduces; nil: there is none, or another one.
func (x *subject) onlySum() (sum *nest) {
	for _, n := range x.nests {
		if len(n.reduced) == 0 {
			continue
		}
		if sum != nil {
			return nil
		}
		sum = n
	}
	return sum
}

// The shapes of tiles and of the items of a group: rows and columns.
var (
	tileShapes = [][2]int64{{4, 4}, {8, 8}, {8, 4}, {4, 8}, {2, 4}, {2, 2}}
	itemShapes = [][2]int64{{16, 16}, {8, 32}, {8, 16}, {8, 8}, {16, 4}, {4, 16}}
)

// fits is the largest block of an extent: in a larger one more than three quarters of the items have nothing to do.
func fits(extent int64) int64 { return 2 * ceilPower(extent) }

// A tiling is a way to cut two results, and the last of what is reduced.
type tiling struct {
	x           *subject
	sum         *nest // the statement that reduces
	row, column int
	tile, items [2]int64 // rows and columns
	steps       int64    // of the reduction whose operands are copied at a time
	vector      int      // elements that an item loads at once of what is copied
	copied      int      // elements that are copied at once; 0: one
	stages      int64    // blocks of what is copied, all but one of them on their way while the items compute; 0: one, for which they wait
	parts       int64    // of several groups; 0 for one
}

// turns are how many blocks in turns may be good: one, or, where the machine has copies that run ahead, so many that some are on their way.
func (p *tiling) turns(n *nest) []int64 {
	if len(n.reduced) > 1 {
		return []int64{0}
	}
	var copied []staged
	for _, t := range p.shared() {
		copied = append(copied, staged{tensor: t, vector: p.copied})
	}
	return p.x.turns(copied, p.steps, extentOf(n.reduced[0]))
}

// stepsOf are the steps of the last reduced index whose operands are copied at a time.
func stepsOf(n *nest) (list []int64) {
	for _, steps := range []int64{8, 16, 32} {
		if steps <= extentOf(n.reduced[len(n.reduced)-1]) {
			list = append(list, steps)
		}
	}
	return list
}

// sharesAlong reports whether something that is read is the same along a result.
func (n *nest) sharesAlong(k int) bool {
	return slices.ContainsFunc(n.reads, func(r *read) bool { return r.steps[n.results[k]] == 0 && len(r.tensor.Dims) > 0 })
}

// vectors are how many elements an item loads at once: those of its largest load, or one.
func (p *tiling) vectors() []int {
	list := []int{0}
	for _, t := range p.shared() {
		lanes := p.x.p.Whole(machine.ItemVector) / int64(t.Type.Size())
		if lanes < 2 {
			return []int{0}
		}
		list = []int{int(lanes), 0}
	}
	return list
}

// copies is how many elements are copied at once: as many as an item loads where rows consist of them, or one.
func (p *tiling) copies() int {
	for _, t := range p.shared() {
		if n := sizeOf(t.Dims[len(t.Dims)-1]); p.vector > 0 && n%int64(p.vector) != 0 {
			return 0
		}
	}
	return p.vector
}

// shared lists the tensors that several items of a block of two results read.
func (p *tiling) shared() (list []*ein.Tensor) {
	n := p.sum
	leading := n.indexArrays(p.x, n.tables(p.x)) // are read where rows are copied only
	for _, r := range n.reads {
		if slices.Contains(leading, r.tensor) {
			continue
		}
		if (r.steps[n.results[p.row]] == 0 || r.steps[n.results[p.column]] == 0) && len(r.tensor.Dims) > 0 && p.x.onlyRead(r.tensor) && !slices.Contains(list, r.tensor) {
			list = append(list, r.tensor)
		}
	}
	return list
}

// partsOf is into how many parts what is reduced is cut; 1: there are enough groups.
func (p *tiling) partsOf(n *nest) int64 {
	return p.x.partsFor(n.reduced[len(n.reduced)-1], p.steps, p.block)
}

// partsFor is into how many parts a range of what is reduced is cut, so that each core has some groups, which have a block of each result; 1: there are
// enough.
func (x *subject) partsFor(i *ein.Index, steps int64, block func(int) int64) int64 {
	groups := int64(1)
	for k := range x.common {
		groups *= (x.extent(k) + block(k) - 1) / block(k)
	}
	return min(max(1, x.cores()/max(1, groups)), max(1, extentOf(i)/(4*max(1, steps))))
}

// inParts has so many groups for each block of results, of which each reduces a part of a range; a second launch combines what they have.
func (x *subject) inParts(n *nest, i *ein.Index, parts, steps int64, groups []*schedule.Member, body schedule.Node) schedule.Node {
	part := n.loop(i)
	part.Groups = true
	part.Tile = (extentOf(i)/parts + steps - 1) / steps * steps
	part.Pad = extentOf(i)%part.Tile != 0
	return &schedule.Accumulate{Statement: n.statement, Region: schedule.Workspace, Items: 2 * x.width(), Child: band(append([]*schedule.Member{part}, groups...), body)}
}

// only is the subject of one of its statements.
func (x *subject) only(n *nest) *subject {
	return &subject{f: x.f, p: x.p, grid: x.grid, nests: []*nest{n}, common: x.common}
}

// block is how many values of a result a group has.
func (p *tiling) block(k int) int64 {
	switch k {
	case p.row:
		return p.tile[0] * p.items[0]
	case p.column:
		return p.tile[1] * p.items[1]
	}
	return 1
}

// groups are the loops over groups.
func (p *tiling) groups() (list []*schedule.Member) {
	for _, k := range p.x.order(p.column) {
		g := p.x.group(k, p.block(k))
		g.Pad = p.block(k) > 1 && p.x.extent(k)%p.block(k) != 0
		list = append(list, g)
	}
	return list
}

// own are the loops over items, of one statement or all of them.
func (p *tiling) own(x *subject) []*schedule.Member {
	return []*schedule.Member{x.item(p.row, p.items[0], p.tile[0]), x.item(p.column, p.items[1], p.tile[1])}
}

// written are the loops over a tile, written out.
func (p *tiling) written(n *nest) (list []*schedule.Member) {
	for k, at := range []int{p.row, p.column} {
		if p.tile[k] > 1 {
			m := n.loop(n.results[at])
			m.Unroll = true
			list = append(list, m)
		}
	}
	return list
}

// plain reads everything where it is.
func (p *tiling) plain() schedule.Node {
	within := p.x.inOrder(func(n *nest) schedule.Node {
		if len(n.reduced) == 0 {
			return band(p.written(n), n.serial(nil))
		}
		var members, around []*schedule.Member
		for _, i := range n.single {
			around = append(around, n.loop(i))
		}
		for _, i := range n.reduced {
			members = append(members, n.loop(i))
		}
		return band(around, &schedule.Accumulate{Statement: n.statement, Region: schedule.Register, Child: band(append(members, p.written(n)...), &schedule.Leaf{})})
	})
	return band(p.groups(), band(p.own(p.x), held(p.x.passed(true), within)))
}

// launch stages what is shared. The items hold the sums of their tiles from the first step to the last.
func (p *tiling) launch() schedule.Node {
	first := p.sum
	last := first.reduced[len(first.reduced)-1]
	tables := first.tables(p.x)
	body := p.x.inOrder(func(n *nest) schedule.Node {
		one := p.x.only(n)
		if n != first {
			written := p.written(n)
			if p.vector > 0 && p.tile[1]%int64(p.vector) == 0 && n.c.Writes[0].Tensor.Type.Size() <= first.c.Writes[0].Tensor.Type.Size() && n.isPlain() {
				written[len(written)-1].Vector = p.vector
			}
			return band(p.own(one), band(written, n.serial(nil)))
		}
		var around, outer []*schedule.Member
		for _, i := range n.single {
			around = append(around, n.loop(i))
		}
		for _, i := range n.reduced[:len(n.reduced)-1] {
			outer = append(outer, n.loop(i))
		}
		blocks := n.loop(last)
		blocks.Tile, blocks.Pad = p.steps, extentOf(last)%p.steps != 0
		within := band(p.own(one), p.ofItem(n))
		within = band([]*schedule.Member{n.loop(last)}, within)
		for _, t := range slices.Backward(p.shared()) {
			within = &schedule.Place{Tensor: t.Name, Region: schedule.Local, Layout: p.layout(n, t), Pad: padding(t, int64(max(1, p.vector))), Vector: p.copied, Stages: p.stages, Async: p.stages > 0, Gathered: slices.Contains(tables, t), Child: within}
		}
		return band(around, &schedule.Accumulate{Statement: n.statement, Region: schedule.Register, Child: band(append(outer, blocks), within)})
	})
	if p.parts < 2 {
		return band(p.groups(), held(p.x.passed(false), body))
	}
	return p.x.inParts(first, last, p.parts, p.steps, p.groups(), body)
}

// ofItem is a step of an item: the products of its tile. With vectors along the columns it loads its part of the rows before.
func (p *tiling) ofItem(n *nest) schedule.Node {
	written := p.written(n)
	if p.vector == 0 || p.tile[1]%int64(p.vector) != 0 {
		return band(written, &schedule.Leaf{})
	}
	written[len(written)-1].Vector = p.vector
	below := band(written, &schedule.Leaf{})
	tables := n.tables(p.x) // whose blocks know where an element is, and are copied no further
	for _, t := range p.shared() {
		if p.ofRows(n, t) && !slices.Contains(tables, t) {
			below = &schedule.Place{Tensor: t.Name, Region: schedule.Register, Layout: p.layout(n, t), Child: below}
		}
	}
	return below
}

// ofRows reports whether all that is read of a tensor is the same along the columns.
func (p *tiling) ofRows(n *nest, t *ein.Tensor) bool {
	return !slices.ContainsFunc(n.reads, func(r *read) bool { return r.tensor == t && r.steps[n.results[p.column]] != 0 })
}

// layout puts the dimension of a tensor last that lies along a tile; nil: it is.
func (p *tiling) layout(n *nest, t *ein.Tensor) []int {
	for _, a := range n.c.Accesses() {
		if a.Tensor != t {
			continue
		}
		for d, sub := range a.Subscripts {
			i, _, linear := schedule.IndexPlusConstant(n.c, sub)
			if led := n.ledBy(p.x, t, d); led != nil {
				i, linear = led, true
			}
			if !linear || i != n.results[p.row] && i != n.results[p.column] {
				continue
			}
			if d == len(a.Subscripts)-1 {
				return nil
			}
			var order []int
			for k := range a.Subscripts {
				if k != d {
					order = append(order, k+1)
				}
			}
			return append(order, d+1)
		}
		return nil
	}
	return nil
}
