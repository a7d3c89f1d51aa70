package standard

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

func (k *contraction) member(i *ein.Index, tile int64) *schedule.Member {
	return &schedule.Member{Loops: []schedule.Loop{{Statement: k.s, Index: i.Name}}, Tile: tile}
}

// padded makes a member whose last tile is as large as the others where there are
// many, so that there is one kernel for all. A copy of columns lies in panels only if the
// tiles of a smaller last block are padded, too: one thread takes 0.85 of the time for
// 2048³ doubles by blocks of 352 columns, and 0.93 for floats.
func (k *contraction) padded(i *ein.Index, tile int64) *schedule.Member {
	const few = 24 // tiles, beside which one at the edge is work that counts
	m, n, span := k.member(i, tile), estimate(i.Extent), k.span(i)
	uneven := n%tile != 0 || span%tile != 0 || i == k.vector && n%span != 0
	m.Pad = k.open[i] && tile > 1 || uneven && (k.block[i] > 0 || n >= few*tile) && !(k.uncopied && tile == k.tileOf(i) && (k.block[i] == 0 || k.block[i] == tile))
	return m
}

// packsVectors reports whether all operands along the vector are packed, under every
// tile, so that padded vectors read zeros.
func (k *contraction) packsVectors() bool {
	if k.isShallow() && !k.sweeps(k.vector) || len(k.rows) == 0 {
		return false
	}
	for _, a := range k.operands {
		if k.onColumns(a) && !(k.packable(a) && k.packsColumns(a)) {
			return false
		}
	}
	return true
}

// tasks makes the parallel loops.
func (k *contraction) tasks() []*schedule.Member {
	var tasks []*schedule.Member
	add := func(m *schedule.Member) {
		m.Parallel, m.Coincident = k.parallel, true
		tasks = append(tasks, m)
	}
	for _, i := range k.batch {
		add(k.member(i, 1))
	}
	for _, i := range append(slices.Clone(k.rows), k.columns...) {
		if block := k.block[i]; block > 0 && block < estimate(i.Extent) && block > 1 {
			add(k.padded(i, block))
		} else if block == 1 {
			add(k.member(i, 1))
		}
	}
	return tasks
}

// tree assembles the loops.
func (k *contraction) tree() schedule.Node {
	n := k.blocked()
	var sums []*schedule.Member
	for _, i := range k.outer {
		sums = append(sums, k.member(i, 1))
	}
	if k.depth > 0 {
		sums = append(sums, k.padded(k.inner[0], k.depth))
	}
	if len(sums) > 0 {
		n = &schedule.Accumulate{Statement: k.s, Region: k.partialSums(), Child: &schedule.Band{Members: sums, Child: n}}
	}
	return wrap(k.tasks(), n)
}

// blocked makes the loops of a task for one block of the reduction.
func (k *contraction) blocked() schedule.Node {
	inner := k.accumulate()
	rows, columns := k.loops(k.rows), k.loops(k.columns)
	var plain []*schedule.Member
	if k.isShallow() { // the tiles along the columns are innermost
		tiled := func(m *schedule.Member) bool { return m.Tile > 1 }
		for _, m := range columns {
			if !tiled(m) {
				plain = append(plain, m)
			} else {
				rows = append(rows, m)
			}
		}
		columns = plain
	}
	if k.uncopied {
		return wrap(append(rows, columns...), inner)
	}
	if k.columnBlocks {
		return k.pack(k.convertRows(rows, columns, inner), true)
	}
	n := wrap(rows, inner)
	if len(rows) > 0 || k.group != nil {
		var elements []*schedule.Member
		columns, elements = k.wholeLines(columns)
		n = k.pack(wrap(elements, n), true)
	}
	return k.pack(wrap(columns, n), false)
}

// loops makes the loops over tiles and points below the tasks.
func (k *contraction) loops(indices []*ein.Index) []*schedule.Member {
	var plain, tiled []*schedule.Member
	for _, i := range indices {
		tile := k.tileOf(i)
		switch {
		case k.block[i] == 1 || tile > 1 && tile >= min(estimate(i.Extent), k.span(i)) && i != k.vector:
		case tile > 1 || i == k.vector:
			if tile < k.span(i) {
				m := k.member(i, tile)
				if i != k.vector || k.packsVectors() {
					m = k.padded(i, tile)
				}
				m.Coincident = true
				tiled = append(tiled, m)
			}
		case k.block[i] != 1:
			plain = append(plain, k.member(i, 1))
		}
	}
	return append(plain, tiled...)
}

// accumulate makes the register tile and what runs inside of it.
func (k *contraction) accumulate() schedule.Node {
	var inside []*schedule.Member
	for _, i := range k.c.ByKind(ein.Concat) {
		if k.tileOf(i) > 1 && i != k.vector {
			m := k.member(i, 1)
			m.Unroll = true
			inside = append(inside, m)
		}
	}
	m := k.member(k.vector, 1)
	m.Vector, m.Unroll, m.Stream = int(k.lanes), true, k.streamsResult(k.vector, k.tileOf(k.vector))
	inside = append(inside, m)
	var steps []*schedule.Member
	for _, i := range slices.Concat(k.inner, k.units) {
		if k.depth == 1 && i == k.inner[0] { // its blocks are points
			continue
		}
		m := k.member(i, 1)
		if i == k.group {
			m.Group, m.Flip, m.Matrix = int(k.groupSize), !k.matrix && k.flips(), k.matrix
		}
		steps = append(steps, m)
	}
	return &schedule.Accumulate{Statement: k.s, Region: schedule.Register, Child: wrap(steps, wrap(inside, &schedule.Leaf{}))}
}

// convertRows makes loops over rows and columns. Between them it places the row operands
// of a register tile whose elements are converted, where enough columns follow; the others
// are read as they lie.
func (k *contraction) convertRows(rows, columns []*schedule.Member, inner schedule.Node) schedule.Node {
	const most = machine.StackBytes / 4
	below := wrap(columns, inner)
	n := below
	for _, a := range k.operands {
		if !k.onColumns(a) && k.packable(a) && k.converts(a) && k.columnTiles() >= leastPacked && k.rowsOfTile()*k.stepsInBlock()*k.operandBytes() <= most {
			n = &schedule.Place{Tensor: a.Tensor.Name, Region: schedule.Private, Child: n}
		}
	}
	if n == below {
		return wrap(append(rows, columns...), inner)
	}
	return wrap(rows, n)
}

// converts reports whether a copy of an operand has another type than the operand.
func (k *contraction) converts(a *ein.Access) bool {
	return k.group == nil && schedule.PlacedType(nil, k.mk.f, a.Tensor, []int{k.s}) != a.Tensor.Type
}

// pack places the operands of the columns or of the rows that lie badly. Those of the rows need room on the
// stack beside the panel of the columns and partial sums, unless groups are made of them.
func (k *contraction) pack(n schedule.Node, columns bool) schedule.Node {
	room := machine.StackBytes - k.panelBytes() - k.partialBytes()
	for _, a := range k.operands {
		if k.onColumns(a) != columns || !k.packable(a) || columns && !k.packsColumns(a) || !columns && !k.packsRows(a) {
			continue
		}
		if !columns && k.group == nil {
			bytes := k.rowBlockBytes(a)
			if bytes > room {
				continue
			}
			room -= bytes
		}
		n = &schedule.Place{Tensor: a.Tensor.Name, Region: schedule.Private, Child: n}
	}
	return n
}

// panelBytes is the size of the columns of a register tile in a block of the reduction.
func (k *contraction) panelBytes() int64 {
	return schedule.MultiplySizes(k.stepsInBlock(), k.columnsOfTile()*k.operandBytes())
}

// partialBytes is the size of the partial sums of a task that are on the stack.
func (k *contraction) partialBytes() int64 {
	if k.depth == 0 && len(k.outer) == 0 || k.partialSums() == schedule.Output {
		return 0
	}
	bytes := int64(k.c.Values[0].Type().Compute().Size())
	for _, i := range k.c.ByKind(ein.Concat) {
		if !slices.Contains(k.batch, i) {
			bytes = schedule.MultiplySizes(bytes, roundUp(k.span(i), k.tileOf(i)))
		}
	}
	return bytes
}

// rowBlockBytes is the size of what a task copies of an operand of the rows at a time.
func (k *contraction) rowBlockBytes(a *ein.Access) int64 {
	bytes := schedule.MultiplySizes(k.stepsInBlock(), k.operandBytes())
	for _, i := range k.c.ByKind(ein.Concat) {
		if ein.AnyDependsOn(a.Subscripts, i) && !slices.Contains(k.batch, i) {
			bytes = schedule.MultiplySizes(bytes, k.span(i))
		}
	}
	return bytes
}
