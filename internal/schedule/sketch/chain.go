package sketch

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// chain makes one launch of several statements of which some are products, like the layers of a network or the steps of an attention:
// a group goes through the statements for a block of rows, which are the last of their common results. What a product reads for
// all rows, each item loads once for its rows of the block, or the items stage it in local memory as those of tiles do; and what one statement leaves for
// the next is near: in local memory, if there is room for the rows of the block, or in the cache of the core.
func chain(x *subject) (list []schedule.Node) {
	if len(x.nests) < 2 {
		return nil
	}
	for common := x.common; common > 0; common-- {
		if !slices.ContainsFunc(x.nests, func(n *nest) bool { return n.isProduct(common) }) {
			continue
		}
		for _, items := range doubling(4*x.width(), x.grid.Items) {
			for _, across := range []int64{x.width(), items} {
				for _, rows := range doubling(min(2, items/across), min(64, ceilPower(x.extent(common-1)))) {
					b := &rowBlock{x: x, common: common, rows: rows, across: across, beside: items / across}
					if rows <= 16 {
						list = append(list, b.launch())
					}
					if b.local = x.near(common, rows); len(b.local) > 0 && rows <= 16 {
						list = append(list, b.launch())
					}
					if b.staged = len(b.local) > 0; b.staged && rows <= mostOfItem*b.beside {
						list = append(list, b.launch())
					}
				}
			}
		}
	}
	return list
}

// mostOfItem is how many rows of a product an item has at most.
const mostOfItem = 8

// isProduct reports whether a statement sums for results of its own what is the same for all rows.
func (n *nest) isProduct(common int) bool {
	return n.free && len(n.reduced) > 0 && len(n.results) > common && n.sharesAlong(common-1)
}

// A rowBlock is a way to share a block of rows among the items of a group.
type rowBlock struct {
	x              *subject
	common         int           // results that the statements have in common; the last one is over rows
	rows           int64         // of a block
	across, beside int64         // items side by side along a row, and how often a group has so many
	local          []*ein.Tensor // temporaries of the block that are in local memory
	staged         bool          // what products read for all rows is copied there, some steps at a time
}

func (b *rowBlock) launch() schedule.Node {
	var groups []*schedule.Member
	for k := range b.common - 1 {
		groups = append(groups, b.x.group(k, 1))
	}
	row := b.common - 1
	g := b.x.group(row, b.rows)
	g.Pad = b.rows > 1 && b.x.extent(row)%b.rows != 0
	return band(append(groups, g), inLocal(b.local, b.x.inOrder(b.share)))
}

// share is what the items do of one statement.
func (b *rowBlock) share(n *nest) schedule.Node {
	row, rest := n.results[b.common-1], n.results[b.common:]
	sums := len(n.reduced) > 0 && n.free
	switch {
	case b.staged && len(rest) > 0 && sums && n.isProduct(b.common):
		return b.stage(n, row, rest)
	case len(rest) > 0 && sums && n.streams(n.sideBySide(), rest[len(rest)-1]):
		return b.teams(n, row, rest)
	case len(rest) > 0:
		return b.spread(n, row, rest)
	case sums:
		return b.teams(n, row, nil)
	}
	if b.rows == 1 {
		return n.serial(nil)
	}
	return n.serial([]*ein.Index{row})
}

// streams reports whether what a product reads for all rows lies side by side along what is reduced, not along its results.
func (n *nest) streams(reduced, result *ein.Index) bool {
	return slices.ContainsFunc(n.reads, func(r *read) bool { return r.steps[reduced] == 1 && r.steps[result] > 1 })
}

// teams lets the items along a row sum a result together, beside each other for several: those of the last index beyond the rows, or the rows.
func (b *rowBlock) teams(n *nest, row *ein.Index, rest []*ein.Index) schedule.Node {
	last, size := row, b.rows
	var around []*schedule.Member
	if len(rest) > 0 {
		last = rest[len(rest)-1]
		size = extentOf(last)
	}
	if turns := n.loop(last); size > b.beside && b.beside > 1 {
		turns.Tile, turns.Pad = b.beside, size%b.beside != 0
		around = append(around, turns)
	}
	if last != row && b.rows > 1 {
		around = append(around, n.loop(row))
	}
	var own []*schedule.Member
	if b.beside > 1 {
		own = []*schedule.Member{n.loop(last)}
		own[0].Items = b.beside
	} else if size > 1 {
		around = append(around, n.loop(last))
	}
	within := schedule.BandOver(n.statement, n.single, n.combined(b.x, own, n.sideBySide(), b.across, false))
	if len(rest) > 0 {
		return schedule.BandOver(n.statement, rest[:len(rest)-1], band(around, within))
	}
	return band(around, within)
}

// spread gives items the last of the results beyond the rows, in turns, each for its rows of the block. They go through the other results one
// by one.
func (b *rowBlock) spread(n *nest, row *ein.Index, rest []*ein.Index) schedule.Node {
	last := rest[len(rest)-1]
	along := n.loop(last)
	along.Items = b.across
	items := []*schedule.Member{along}
	if b.beside > 1 {
		own := n.loop(row)
		own.Items, own.Tile = b.beside, max(1, b.rows/b.beside)
		items = []*schedule.Member{own, along}
	}
	var tile []*schedule.Member
	if b.rows > max(1, b.beside) {
		tile = []*schedule.Member{n.loop(row)}
		tile[0].Unroll = true
	}
	within := band(tile, n.serial(nil))
	if len(n.reduced) > 0 && n.free {
		var around, steps []*schedule.Member
		for _, i := range n.single {
			around = append(around, n.loop(i))
		}
		for _, i := range n.reduced {
			steps = append(steps, n.loop(i))
		}
		sums := &schedule.Accumulate{Statement: n.statement, Region: schedule.Register, Child: band(append(steps, tile...), &schedule.Leaf{})}
		within = band(around, sums)
	}
	return schedule.BandOver(n.statement, rest[:len(rest)-1], band(items, within))
}

// stage lets each item hold a tile of the results of a product, and the items copy what they read for some steps to local memory together, as in
// tiles; a block of columns at a time.
func (b *rowBlock) stage(n *nest, row *ein.Index, rest []*ein.Index) schedule.Node {
	column, last := rest[len(rest)-1], n.reduced[len(n.reduced)-1]
	rows := max(1, b.rows/max(1, b.beside))
	columns := min(4, max(1, extentOf(column)/b.across))
	p := &tiling{x: b.x, sum: n, row: b.common - 1, column: len(n.results) - 1}
	own := n.loop(column)
	own.Items, own.Tile = b.across, columns
	items := []*schedule.Member{own}
	if b.beside > 1 {
		own := n.loop(row)
		own.Items, own.Tile = b.beside, rows
		items = append([]*schedule.Member{own}, items...)
	}
	p.tile, p.items, p.steps = [2]int64{rows, columns}, [2]int64{b.beside, b.across}, min(16, extentOf(last))
	p.vector = p.vectors()[0]
	p.copied = p.copies()
	within := band([]*schedule.Member{n.loop(last)}, band(items, p.ofItem(n)))
	for _, t := range slices.Backward(p.shared()) {
		within = &schedule.Place{Tensor: t.Name, Region: schedule.Local, Layout: p.layout(n, t), Pad: padding(t, int64(max(1, p.vector))), Vector: p.copied, Child: within}
	}
	var around, outer []*schedule.Member
	for _, i := range n.single {
		around = append(around, n.loop(i))
	}
	for _, i := range rest[:len(rest)-1] {
		around = append(around, n.loop(i))
	}
	if block := b.across * columns; extentOf(column) > block {
		turns := n.loop(column)
		turns.Tile, turns.Pad = block, extentOf(column)%block != 0
		around = append(around, turns)
	}
	for _, i := range n.reduced[:len(n.reduced)-1] {
		outer = append(outer, n.loop(i))
	}
	blocks := n.loop(last)
	blocks.Tile, blocks.Pad = p.steps, extentOf(last)%p.steps != 0
	if p.steps < extentOf(last) {
		outer = append(outer, blocks)
	}
	return band(around, &schedule.Accumulate{Statement: n.statement, Region: schedule.Register, Child: band(outer, within)})
}
