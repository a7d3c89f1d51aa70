package mapping

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/standard"
)

// launch makes the loops of the groups, with a branch for each statement; nil where a variant says nothing new.
func (mk *mapper) launch(group standard.Group, v variant) *schedule.Filter {
	groups, tiles := &schedule.Band{}, []*schedule.Member{}
	left := map[*ein.Index]int64{} // the block of a column that a branch has
	for c := range v.columns {
		task, tile := mk.cut(group, c)
		m := member(group, c, task)
		m.Groups, m.Pad = true, v.pad && task > 1
		groups.Members = append(groups.Members, m)
		if tile < task {
			m := member(group, c, tile)
			m.Pad = v.pad && tile > 1
			tiles = append(tiles, m)
		}
		for _, i := range group.Columns[c] {
			left[i] = tile
		}
	}
	if len(groups.Members) == 0 {
		groups.Members = []*schedule.Member{single(group.Statements, 0)}
		groups.Members[0].Groups = true
	}
	seq, room := &schedule.Sequence{}, mk.grid.Local
	for _, s := range group.Statements {
		b := &branch{mapper: mk, room: &room, s: s, c: mk.f.Body[s], left: left, v: v, alone: len(group.Statements) == 1, columns: v.columns}
		child := b.node()
		if child == nil {
			return nil
		}
		seq.Children = append(seq.Children, &schedule.Filter{Statements: []int{s}, Child: child})
	}
	var inside schedule.Node = seq
	if len(seq.Children) == 1 {
		inside = seq.Children[0].Child
	}
	if groups.Child = inside; len(tiles) > 0 {
		groups.Child = &schedule.Band{Members: tiles, Child: inside}
	}
	return &schedule.Filter{Statements: group.Statements, Child: groups}
}

// cut says how large the block of a group is along a column, and the tile in it: one tile, or as many as the number of blocks asks for.
// Without options a group has as many points as items along the axis.
func (mk *mapper) cut(group standard.Group, column int) (task, tile int64) {
	n, known := group.Columns[column][0].Extent.IsConst()
	if !known {
		n = 1 << 30
	}
	n = max(n, 1)
	tile = n
	switch axis := len(group.Columns) - 1 - column; {
	case column < len(mk.o.Tile) && mk.o.Tile[column] > 0:
		tile = min(n, mk.o.Tile[column])
	case len(mk.o.Tile) > 0:
	case axis < len(mk.threads):
		tile = min(n, mk.threads[axis])
	default:
		tile = 1
	}
	task = tile
	if known && column < len(mk.o.Blocks) {
		if most := (n + mk.o.Blocks[column] - 1) / mk.o.Blocks[column]; most > tile {
			task = (most + tile - 1) / tile * tile
		}
	}
	return task, tile
}

// member is a loop over a column, for all statements of a group.
func member(group standard.Group, column int, tile int64) *schedule.Member {
	m := &schedule.Member{Tile: tile}
	for at, s := range group.Statements {
		m.Loops = append(m.Loops, schedule.Loop{Statement: s, Index: group.Columns[column][at].Name})
	}
	return m
}

// single is a loop of one iteration: number k of those that statements have.
func single(statements []int, k int) *schedule.Member {
	m := &schedule.Member{Tile: 1}
	for _, s := range statements {
		m.Loops = append(m.Loops, schedule.Loop{Statement: s, Index: schedule.SingleName(k)})
	}
	return m
}

// A branch makes what is in a group of one statement.
type branch struct {
	*mapper
	s       int
	c       *ein.Comprehension
	left    map[*ein.Index]int64
	v       variant
	alone   bool   // no other statement is in the launch
	room    *int64 // bytes of shared memory that are left
	columns int
}

func (b *branch) over(i *ein.Index) *schedule.Member {
	return &schedule.Member{Loops: []schedule.Loop{{Statement: b.s, Index: i.Name}}, Tile: 1}
}

// size is how many values of an index a branch has.
func (b *branch) size(i *ein.Index) int64 {
	if n, cut := b.left[i]; cut {
		return n
	}
	if n, known := i.Extent.IsConst(); known {
		return max(n, 1)
	}
	return 1 << 30
}

// node makes the loops below those of the groups.
func (b *branch) node() schedule.Node {
	var points []*ein.Index // parallel dimensions of a tile
	for _, i := range b.c.ByKind(ein.Concat) {
		if _, cut := b.left[i]; !cut || b.left[i] > 1 {
			points = append(points, i)
		}
	}
	_, free := ein.ReductionOperator(b.c)
	reduced := ein.Reduced(b.c)
	if b.v.together != (len(points) == 0 && free && len(reduced) > 0) {
		return nil
	}
	if b.v.together {
		return b.reduceTogether(reduced)
	}
	items, rest := b.items(points)
	cut, inner := b.reducedLoops(reduced, free)
	copies := b.copies(points, reduced, cut)
	region := schedule.Register
	if free && !b.o.Private {
		region = schedule.Output
	}
	accumulate := func(n schedule.Node) schedule.Node {
		if len(reduced) == 0 {
			return n
		}
		return &schedule.Accumulate{Statement: b.s, Region: region, Child: n}
	}
	b.unrolled(inner)
	switch {
	case b.v.shared != noCopies && copies == nil:
		return nil
	case b.v.shared == aboveItems && len(reduced) > 0 && !(free && b.o.Private):
		return nil
	case b.v.shared == aboveItems:
		return accumulate(band(cut, placed(copies, band(inner, band(items, band(rest, &schedule.Leaf{}))))))
	}
	return band(items, band(rest, accumulate(band(cut, placed(copies, band(inner, &schedule.Leaf{}))))))
}

// reduceTogether lets all items of a group reduce one result: along the last dimension, in turns.
func (b *branch) reduceTogether(reduced []*ein.Index) schedule.Node {
	parts := int64(0)
	for _, w := range b.c.Writes {
		parts += int64(w.Tensor.Type.Compute().Size())
	}
	for _, n := range b.threads {
		parts *= n
	}
	if !b.takes(parts) {
		return nil
	}
	last := b.over(reduced[len(reduced)-1])
	axes := b.singles(len(b.threads) - 1)
	last.Items = b.threads[0]
	var rest []*schedule.Member
	for _, i := range reduced[:len(reduced)-1] {
		rest = append(rest, b.over(i))
	}
	return &schedule.Accumulate{Statement: b.s, Region: schedule.Local, Child: band(append(axes, last), band(rest, &schedule.Leaf{}))}
}

// takes takes shared memory, where there is as much.
func (b *branch) takes(bytes int64) bool {
	if bytes = machine.InLocal(bytes); b.grid.Local > 0 && bytes > *b.room {
		return false
	}
	*b.room -= bytes
	return true
}

// singles are the axes in front, along which the first items alone work.
func (b *branch) singles(count int) (axes []*schedule.Member) {
	for k := range count {
		m := single([]int{b.s}, k+1)
		m.Items = b.threads[len(b.threads)-1-k]
		axes = append(axes, m)
	}
	return axes
}

// items maps the last parallel dimensions to the axes of items, x being the last; the rest is that of an item.
func (b *branch) items(points []*ein.Index) (items, rest []*schedule.Member) {
	first := max(0, len(points)-len(b.threads))
	items = b.singles(len(b.threads) - len(points) + first)
	for k, i := range points[first:] {
		m := b.over(i)
		m.Items = b.threads[len(points)-first-1-k]
		items = append(items, m)
	}
	for _, i := range points[:first] {
		rest = append(rest, b.over(i))
	}
	return items, rest
}

// reducedLoops are the loops over the tiles of what is reduced, and over their points.
func (b *branch) reducedLoops(reduced []*ein.Index, free bool) (cut, inner []*schedule.Member) {
	for k, i := range reduced {
		at := b.columns + k
		if free && b.alone && at < len(b.o.Tile) && b.o.Tile[at] > 0 && b.o.Tile[at] < b.size(i) {
			m := b.over(i)
			m.Tile = b.o.Tile[at]
			cut = append(cut, m)
		}
		inner = append(inner, b.over(i))
	}
	return cut, inner
}

// unrolled writes out the innermost loops, as far as the options allow.
func (b *branch) unrolled(inner []*schedule.Member) {
	budget := b.o.Unroll
	for k := len(inner) - 1; k >= 0 && budget > 1; k-- {
		name := inner[k].Loops[0].Index
		at := slices.IndexFunc(b.c.Indices, func(i *ein.Index) bool { return i.Name == name })
		n := b.size(b.c.Indices[at])
		for r, i := range ein.Reduced(b.c) {
			if t := b.columns + r; i.Name == name && b.alone && t < len(b.o.Tile) && b.o.Tile[t] > 0 {
				n = min(n, b.o.Tile[t])
			}
		}
		if n > budget {
			return
		}
		inner[k].Unroll = true
		budget /= n
	}
}

func band(members []*schedule.Member, child schedule.Node) schedule.Node {
	if len(members) == 0 {
		return child
	}
	return &schedule.Band{Members: members, Child: child}
}

func placed(tensors []*ein.Tensor, child schedule.Node) schedule.Node {
	for _, t := range slices.Backward(tensors) {
		child = &schedule.Place{Tensor: t.Name, Region: schedule.Local, Child: child}
	}
	return child
}
