package standard

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// tiled makes the subtree of any group: blocks, tiles and the nests inside.
func (mk *maker) tiled(p *plan) schedule.Node {
	if len(p.g.statements) == 1 {
		inner := mk.statement(p, 0)
		mk.fetchRows(p, inner)
		return mk.outer(p, inner)
	}
	mk.narrow(p)
	seq := &schedule.Sequence{}
	for k, s := range p.g.statements {
		seq.Children = append(seq.Children, &schedule.Filter{Statements: []int{s}, Child: mk.statement(p, k)})
	}
	return mk.outer(p, mk.contract(p, seq))
}

// column makes a member over a column.
func (p *plan) column(c int, tile int64) *schedule.Member {
	m := &schedule.Member{Tile: tile}
	for k, s := range p.g.statements {
		m.Loops = append(m.Loops, schedule.Loop{Statement: s, Index: p.g.columns[c][k].Name})
	}
	return m
}

// blocksAndTiles makes the loops over the columns: those over blocks, or points of columns
// without tiles, and those over the tiles in a block.
func (mk *maker) blocksAndTiles(p *plan, inner schedule.Node) (blocks, tiles []*schedule.Member) {
	run := mk.interleavedPoints(p)
	var between []*schedule.Member
	for _, c := range p.order() {
		if p.tiles[c] == 1 {
			m := p.column(c, 1)
			m.Parallel, m.Coincident = p.parallel, true
			if run > 0 && mk.isBetween(p, c) {
				m.Parallel = false
				between = append(between, m)
				continue
			}
			blocks = append(blocks, m)
			continue
		}
		streams := c == p.vector && isStreamed(inner)
		block := mk.block(p, c, streams)
		if c == p.vector && len(between) > 0 && block == p.tiles[c] { // they are inside of it
			m := p.column(c, block)
			m.Parallel, m.Coincident = p.parallel, true
			blocks = append(blocks, m)
			continue
		}
		if block > p.tiles[c] {
			m := p.column(c, block)
			m.Parallel, m.Coincident = p.parallel, true
			blocks = append(blocks, m)
		}
		if streams { // tiles of a vector would not begin at lines
			continue
		}
		m := p.column(c, p.tiles[c])
		m.Coincident = true
		// The vector tile is outside: its panel is reused by all tiles inside.
		if c == p.vector {
			tiles = append([]*schedule.Member{m}, tiles...)
		} else {
			tiles = append(tiles, m)
		}
	}
	return append(blocks, between...), tiles
}

// outer puts the loops over the columns around the tiles.
func (mk *maker) outer(p *plan, inner schedule.Node) schedule.Node {
	if len(p.g.columns) == 0 {
		return inner
	}
	blocks, tiles := mk.blocksAndTiles(p, inner)
	if len(tiles) > 0 || isStreamed(inner) {
		mk.keepSerial(blocks)
	}
	reduction := mk.blockedReduction(p)
	if p.parallel && len(tiles) > 0 && p.areSingle(blocks) {
		for _, m := range blocks {
			m.Parallel = false
		}
		tiles[0].Parallel = true // outside of the blocks of a reduction: forking is dear
		if reduction != nil && mk.isFar(mk.f.Body[p.g.statements[0]]) {
			blocks, tiles = append(blocks, tiles[0]), tiles[1:]
		} else {
			reduction = nil
		}
	}
	if packed := mk.packed(p, reduction); len(packed) > 0 && len(tiles) > 1 {
		inner = wrap(tiles[1:], inner)
		for _, name := range packed {
			inner = &schedule.Place{Tensor: name, Region: schedule.Private, Child: inner}
		}
		tiles = tiles[:1]
	}
	if reduction != nil {
		return wrap(blocks, &schedule.Accumulate{Statement: p.g.statements[0], Region: schedule.Output,
			Child: &schedule.Band{Members: []*schedule.Member{reduction}, Child: wrap(tiles, inner)}})
	}
	if len(blocks) > 0 && len(tiles) > 0 {
		return wrap(blocks, wrap(tiles, inner))
	}
	return wrap(append(blocks, tiles...), inner)
}

// areSingle reports whether loops over columns have one iteration together.
func (p *plan) areSingle(blocks []*schedule.Member) bool {
	for _, m := range blocks {
		for c, column := range p.g.columns {
			if column[0].Name == m.Loops[0].Index && (p.tiles[c] > 1 || estimate(column[0].Extent) > 1) {
				return false
			}
		}
	}
	return true
}

// isFar reports whether the operands of a reduction have no room in the second-level
// caches of all cores.
func (mk *maker) isFar(c *ein.Comprehension) bool {
	bytes := int64(0)
	for _, a := range c.Accesses() {
		bytes += schedule.MultiplySizes(pointsOf(c, a), int64(a.Tensor.Type.Size()))
	}
	return len(ein.Reduced(c)) > 0 && bytes > mk.m.L2*int64(mk.m.Cores)
}

func wrap(members []*schedule.Member, child schedule.Node) schedule.Node {
	if len(members) == 0 {
		return child
	}
	return &schedule.Band{Members: members, Permutable: false, Child: child}
}

// order lists the columns with the vector column last and the tiled ones just
// before it.
func (p *plan) order() []int {
	var plain, tiled []int
	for c := range p.g.columns {
		switch {
		case c == p.vector:
		case p.tiles[c] > 1:
			tiled = append(tiled, c)
		default:
			plain = append(plain, c)
		}
	}
	list := append(plain, tiled...)
	if p.vector >= 0 {
		list = append(list, p.vector)
	}
	return list
}

// block sizes the part of a tiled column that one task works on: its data stays
// in the second-level cache, and there are enough tasks for all cores.
// Rows that stream are cut into longer parts, each of which has a head and a tail.
func (mk *maker) block(p *plan, c int, streams bool) int64 {
	n := estimate(p.g.columns[c][0].Extent)
	tile := p.tiles[c]
	const most, streamed = 256, 4096
	block, run := n, int64(0)
	if c == p.vector {
		run = mk.interleavedPoints(p)
	}
	if streams {
		block = min(n, max(tile, streamed/tile*tile))
	} else if c != p.vector {
		block = min(n, max(tile, most/tile*tile))
	} else {
		block = min(n, max(tile, 1024/tile*tile))
	}
	if p.parallel {
		tasks := int64(1)
		for other := range p.g.columns {
			if other != c && p.tiles[other] == 1 && (run == 0 || !mk.isBetween(p, other)) {
				tasks *= max(1, estimate(p.g.columns[other][0].Extent))
			}
		}
		cores := int64(mk.m.Cores)
		want, alone := (4*cores+tasks-1)/tasks, c == p.vector && !p.othersTiled(c)
		if c == p.vector && len(p.order()) > 1 && !alone {
			want = 1 // the other tiled column is cut first
		}
		each := n / max(1, want)
		if alone && each < 2*tile && tasks < cores && n >= cores*tile && mk.isFar(mk.f.Body[p.g.statements[0]]) {
			each = roundUp((n*tasks+cores-1)/cores, tile) // rows are read in runs as long as each core can have them
		}
		if each < block {
			block = evenBlock(n, each, tile, tasks, cores)
		}
	}
	if run > 0 {
		block = min(block, max(tile, run/tile*tile))
	}
	if block >= n {
		return 0
	}
	pieces := (n + block - 1) / block // of equal size
	return roundUp((n+pieces-1)/pieces, tile)
}

// evenBlock rounds a block to tiles: down, so that there are enough tasks, or up where the cores then
// share those evenly that are left. Two threads had 9 blocks of 112 rows of a matrix of 1000 x 1000,
// 5 and 4 of them, and have 8 of 128.
func evenBlock(n, each, tile, tasks, cores int64) int64 {
	down, up := max(tile, each/tile*tile), roundUp(max(1, each), tile)
	share := func(block int64) int64 { // of the core with the most, in points
		pieces := (n + block - 1) / block
		block = roundUp((n+pieces-1)/pieces, tile)
		whole, rest := n/block*tasks, n%block
		most := (whole + cores - 1) / cores * block
		if whole%cores == 0 && rest > 0 {
			most += (tasks + cores - 1) / cores * rest
		}
		return most
	}
	if share(up)*100 < share(down)*98 {
		return up
	}
	return down
}

func (p *plan) othersTiled(c int) bool {
	for other, tile := range p.tiles {
		if other != c && tile > 1 {
			return true
		}
	}
	return false
}

func roundUp(n, multiple int64) int64 { return (n + multiple - 1) / multiple * multiple }

// contract places the temporaries that only the group uses: the block of the tiles on the stack, if it is small
// enough, else in memory that each thread has for itself, if that is less than the whole.
func (mk *maker) contract(p *plan, n schedule.Node) schedule.Node {
	const most, mostTogether = machine.StackBytes / 2, machine.StackBytes * 3 / 4
	together := int64(0)
	for _, t := range mk.f.ByRole(ein.Temp) {
		size, ok := mk.blockBytes(p, t)
		region := schedule.Private
		switch {
		case !ok:
			continue
		case size <= min(most, mostTogether-together):
			together += size
		case mk.isLess(p, size, t):
			region = schedule.Workspace
		default:
			continue
		}
		n = &schedule.Place{Tensor: t.Name, Region: region, Child: n}
	}
	return n
}

// narrow gives up tiles that use an operand several times where the temporaries of so many points leave the
// second-level cache: they are read more often than the operand.
func (mk *maker) narrow(p *plan) {
	bytes := int64(0)
	for _, t := range mk.f.ByRole(ein.Temp) {
		if size, ok := mk.blockBytes(p, t); ok {
			bytes += min(size, 1<<50)
		}
	}
	for c := range p.tiles {
		if c != p.vector && bytes > mk.m.L2 {
			p.tiles[c] = 1
		}
	}
}

// isLess reports whether a block of a temporary for each thread takes less memory than all of it.
func (mk *maker) isLess(p *plan, block int64, t *ein.Tensor) bool {
	threads := int64(1)
	if p.parallel {
		threads = int64(mk.m.Cores)
	}
	whole := int64(t.Type.Size())
	for _, dim := range t.Dims {
		whole = schedule.MultiplySizes(whole, schedule.KnownSize(dim.Extent))
	}
	return schedule.MultiplySizes(threads, block) < whole
}

// blockBytes returns the bytes of a temporary in one block of the group; ok is
// false when it is used elsewhere or its size is not known.
func (mk *maker) blockBytes(p *plan, t *ein.Tensor) (int64, bool) {
	var write *schedule.Access
	for s, list := range mk.accesses {
		for i, a := range list {
			if a.Tensor != t {
				continue
			}
			if !slices.Contains(p.g.statements, s) {
				return 0, false
			}
			if a.Writes && write == nil {
				write = &list[i]
			}
		}
	}
	if write == nil {
		return 0, false
	}
	k := slices.Index(p.g.statements, write.Statement)
	size := int64(t.Type.Size())
	for d, dim := range t.Dims {
		index, _, ok := schedule.IndexPlusConstant(mk.f.Body[write.Statement], write.Subscripts[d])
		col := slices.IndexFunc(p.g.columns, func(column []*ein.Index) bool { return ok && column[k] == index })
		if col >= 0 {
			size = schedule.MultiplySizes(size, p.tiles[col])
			continue
		}
		n, known := dim.Extent.IsConst()
		if !known {
			return 0, false
		}
		size = schedule.MultiplySizes(size, max(1, n))
	}
	return size, true
}
