package standard

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How chains of contractions are fused
//
// In attention, the product of queries and keys goes through a softmax into the
// product with the values. The temporaries between them are larger than the caches,
// but what one block of rows needs of them is not. Such a chain is one group: the
// columns that all of its statements share are enumerated outside, all but one point
// by point and in parallel, and the last one, the rows, in blocks whose temporaries
// stay in the second-level cache. Within a block every statement has the nest that
// suits it, contractions with register tiles of their own; operands that do not
// depend on the rows are copied into panels once for all blocks.
//
// Fusion pays where the temporaries do not fit into the second-level cache as a
// whole: they would be written to and read from farther memory. It costs little,
// because the register tiles have enough rows.
//
// Where not even few rows fit there, the temporaries would take the product of all their dimensions: attention
// over 100,000 positions 80 GB. Blocks of many rows then lie in memory that each thread has for itself. They
// pass through farther caches, as the whole would; the operands do so once for each block, and of those that are
// copied a task has the panel of one tile.

const (
	longestChain = 16
	leastRows    = 12 // of a block, which is a multiple of it: register tiles divide it
	mostRows     = 96
)

// rowChain returns the group of a chain that starts with statement s, or nil. It is
// the longest one.
func (mk *maker) rowChain(s int) *group {
	if !mk.contraction(mk.f.Body[s]) {
		return nil
	}
	g := single(s, mk.f.Body[s])
	var best *group
	for next := s + 1; next < len(mk.f.Body) && next < s+longestChain; next++ {
		if g = mk.link(g, next, false); g == nil {
			break
		}
		if r := mk.newRows(g); r != nil {
			best = g
		}
	}
	if best != nil {
		best.rows = true
	}
	return best
}

// rows is the plan of a chain.
type rows struct {
	mk          *maker
	g           *group
	column      int                   // the column of the rows
	size        int64                 // of a block of rows
	tiles       map[int]*registerTile // of the contractions, by number in the group
	temporaries []*ein.Tensor
	each        map[*ein.Tensor]int64 // bytes of one point of all columns
	far         bool                  // blocks do not fit into the second-level cache
}

// newRows plans a chain; nil where fusing it would not pay or its sizes are not known.
func (mk *maker) newRows(g *group) *rows {
	r := &rows{mk: mk, g: g, column: -1, tiles: map[int]*registerTile{}, each: map[*ein.Tensor]int64{}}
	for _, s := range g.statements {
		c := mk.f.Body[s]
		if _, free := ein.ReductionOperator(c); !free {
			return nil
		}
		for _, i := range c.Indices {
			if n, known := i.Extent.IsConst(); !known || n < 1 {
				return nil
			}
		}
	}
	whole, each, ok := r.temporaryBytes()
	if !ok || whole <= mk.m.L2 || !r.chooseColumn() {
		return nil
	}
	rows := r.extent(r.column)
	r.size = min(mostRows, mk.m.L2/4/max(1, each)) / leastRows * leastRows
	if r.size = min(r.size, rows); r.size > 0 && r.design() {
		return r
	}
	r.far, r.size = true, min(mostRows, rows)
	if whole <= mk.farFrom() || schedule.MultiplySizes(int64(mk.m.Cores)*r.size, each)*leastSaved > whole || !r.design() {
		return nil
	}
	return r
}

// leastSaved is how many times less memory blocks in ordinary memory take than the whole.
const leastSaved = 4

// farFrom is the size of temporaries that the last cache does not keep.
func (mk *maker) farFrom() int64 { return max(mk.m.L3, mk.m.L2*int64(mk.m.Cores)) }

func (r *rows) extent(column int) int64 { return estimate(r.g.columns[column][0].Extent) }

// temporaryBytes returns the size of the temporaries that only the chain uses, and
// that of one point of all columns.
func (r *rows) temporaryBytes() (whole, each int64, ok bool) {
	for _, t := range r.mk.f.ByRole(ein.Temp) {
		var write *schedule.Access
		inside, outside := false, false
		for s, list := range r.mk.accesses {
			for k := range list {
				if list[k].Tensor != t {
					continue
				}
				here := slices.Contains(r.g.statements, s)
				inside, outside = inside || here, outside || !here
				if here && list[k].Writes && write == nil {
					write = &list[k]
				}
			}
		}
		if !inside || outside {
			continue
		}
		if write == nil {
			return 0, 0, false
		}
		n := slices.Index(r.g.statements, write.Statement)
		all, point := int64(t.Type.Size()), int64(t.Type.Size())
		for d, dim := range t.Dims {
			extent := schedule.KnownSize(dim.Extent)
			all = schedule.MultiplySizes(all, extent)
			index, _, plain := schedule.IndexPlusConstant(r.mk.f.Body[write.Statement], write.Subscripts[d])
			if !plain || !isColumn(r.g, n, index) {
				point = schedule.MultiplySizes(point, extent)
			}
		}
		whole, each = whole+min(all, 1<<50), each+min(point, 1<<50)
		r.temporaries, r.each[t] = append(r.temporaries, t), point
	}
	return whole, each, true
}

// chooseColumn picks the rows: the last column on which some operand of every
// contraction does not depend.
func (r *rows) chooseColumn() bool {
	for col := range r.g.columns {
		reused := true
		for k, s := range r.g.statements {
			c := r.mk.f.Body[s]
			if !r.mk.contraction(c) {
				continue
			}
			reused = reused && slices.ContainsFunc(c.Accesses(), func(a *ein.Access) bool { return !ein.AnyDependsOn(a.Subscripts, r.g.columns[col][k]) })
		}
		if reused {
			r.column = col
		}
	}
	return r.column >= 0
}

// design makes the register tiles.
func (r *rows) design() bool {
	panels := int64(0)
	blocks := (r.extent(r.column) + r.size - 1) / r.size
	for column := range r.g.columns {
		if column != r.column {
			blocks = schedule.MultiplySizes(blocks, r.extent(column))
		}
	}
	for k, s := range r.g.statements {
		c := r.mk.f.Body[s]
		if !r.mk.contraction(c) {
			continue
		}
		t := r.mk.matrixTile(s, r.g.columns[r.column][k], func(i *ein.Index) bool { return isColumn(r.g, k, i) })
		if t == nil {
			t = r.mk.designTile(s, tileProblem{copies: 1, blocks: blocks, size: func(i *ein.Index) int64 {
				switch {
				case i == r.g.columns[r.column][k]:
					return r.size
				case isColumn(r.g, k, i):
					return 1
				}
				return estimate(i.Extent)
			}})
		}
		if t == nil || isColumn(r.g, k, t.vector) {
			return false
		}
		r.tiles[k] = t
		for _, a := range c.Accesses() {
			bytes := r.operandBytes(k, a)
			if slices.Contains(t.packed, a.Tensor) {
				if panels += bytes; ein.AnyDependsOn(a.Subscripts, r.g.columns[r.column][k]) {
					return false
				}
			}
			if bytes > r.mk.m.L2/2 && !r.far {
				return false // the blocks would read it from farther memory again and again
			}
		}
	}
	return len(r.tiles) > 0 && (r.far || panels <= min(r.mk.m.L2/2, machine.StackBytes/2))
}

// operandBytes is the size of an operand for one point of the columns.
func (r *rows) operandBytes(k int, a *ein.Access) int64 {
	bytes := int64(a.Tensor.Type.Size())
	for _, i := range r.mk.f.Body[r.g.statements[k]].Indices {
		if ein.AnyDependsOn(a.Subscripts, i) && !isColumn(r.g, k, i) {
			bytes = schedule.MultiplySizes(bytes, max(1, estimate(i.Extent)))
		}
	}
	return bytes
}

// rowBlocks makes the subtree of a chain.
func (mk *maker) rowBlocks(p *plan) schedule.Node {
	if !p.g.rows {
		return nil
	}
	r := mk.newRows(p.g)
	if r == nil {
		return nil
	}
	var inner schedule.Node = r.sequence()
	for _, t := range r.temporaries {
		inner = &schedule.Place{Tensor: t.Name, Region: r.regionOf(t), Child: inner}
	}
	var outer []*schedule.Member
	tasks := int64(1)
	for col := range p.g.columns {
		if col != r.column {
			m := p.column(col, 1)
			m.Parallel = p.parallel
			outer = append(outer, m)
			tasks *= r.extent(col)
		}
	}
	n := r.extent(r.column)
	if want := int64(mk.m.Cores) * tasksPerCore; p.parallel && tasks < want {
		if piece := roundUp((n*tasks+want-1)/want, r.size); piece < n && piece > r.size {
			m := p.column(r.column, piece)
			m.Parallel = true
			outer, n = append(outer, m), piece
		}
	}
	block := p.column(r.column, r.size)
	block.Parallel = p.parallel && len(outer) == 0
	switch {
	case r.size >= n:
		block = nil
	case block.Parallel:
		outer, block = append(outer, block), nil
	}
	if block != nil {
		inner = &schedule.Band{Members: []*schedule.Member{block}, Child: inner}
	}
	for _, k := range r.contractions() {
		if r.far {
			break // copies are made for one tile of the vector
		}
		for _, t := range r.tiles[k].packed {
			inner = &schedule.Place{Tensor: t.Name, Region: schedule.Private, Child: inner}
		}
	}
	return wrap(outer, inner)
}

// regionOf is where the block of a temporary lies: small ones of far blocks are on the stack all the same.
func (r *rows) regionOf(t *ein.Tensor) schedule.Region {
	if r.far && schedule.MultiplySizes(r.each[t], r.size)*int64(len(r.temporaries)) > machine.StackBytes/4 {
		return schedule.Workspace
	}
	return schedule.Private
}

// contractions lists the numbers of the contractions in order.
func (r *rows) contractions() []int {
	var list []int
	for k := range r.g.statements {
		if r.tiles[k] != nil {
			list = append(list, k)
		}
	}
	return list
}

// sequence makes the statements of a block: contractions for themselves, and what
// stands between them row by row.
func (r *rows) sequence() schedule.Node {
	seq := &schedule.Sequence{}
	for k := 0; k < len(r.g.statements); k++ {
		if t := r.tiles[k]; t != nil {
			seq.Children = append(seq.Children, &schedule.Filter{Statements: r.g.statements[k : k+1], Child: r.contraction(k, t)})
			continue
		}
		end := k + 1
		for end < len(r.g.statements) && r.tiles[end] == nil {
			end++
		}
		seq.Children = append(seq.Children, &schedule.Filter{Statements: r.g.statements[k:end], Child: r.between(k, end)})
		k = end - 1
	}
	return seq
}

// contraction makes the nest of a contraction in a block of rows.
func (r *rows) contraction(k int, t *registerTile) schedule.Node {
	c := r.mk.f.Body[t.statement]
	member := func(i *ein.Index, tile int64) *schedule.Member {
		return &schedule.Member{Loops: []schedule.Loop{{Statement: t.statement, Index: i.Name}}, Tile: tile}
	}
	row := r.g.columns[r.column][k]
	extent := func(i *ein.Index) int64 {
		if i == row {
			return r.size
		}
		return estimate(i.Extent)
	}
	tiled := func(i *ein.Index) bool {
		return i == t.vector || slices.ContainsFunc(t.points, func(p tilePoints) bool { return p.index == i })
	}
	var list []*schedule.Member
	for _, i := range c.ByKind(ein.Concat) {
		if !tiled(i) && (i == row || !isColumn(r.g, k, i)) {
			list = append(list, member(i, 1))
		}
	}
	if width := t.vectors * t.lanes; width < extent(t.vector) {
		list = append(list, member(t.vector, width))
	}
	var points []*schedule.Member
	for _, p := range t.points {
		if p.count < extent(p.index) {
			points = append(points, member(p.index, p.count))
		}
	}
	if !r.far {
		return wrap(append(list, points...), t.nest(c))
	}
	inner := wrap(points, t.nest(c))
	for _, operand := range t.packed {
		inner = &schedule.Place{Tensor: operand.Name, Region: schedule.Private, Child: inner}
	}
	return wrap(list, inner)
}

// between makes the statements from number k to end, row by row.
func (r *rows) between(k, end int) schedule.Node {
	g := &group{statements: r.g.statements[k:end], columns: [][]*ein.Index{r.g.columns[r.column][k:end]}}
	row := (&plan{g: g}).column(0, 1)
	seq := &schedule.Sequence{}
	for n, s := range g.statements {
		c := r.mk.f.Body[s]
		p := &plan{g: &group{statements: []int{s}}, vector: -1, own: map[int]*ein.Index{}, near: r.temporaries}
		for _, column := range r.g.columns {
			p.g.columns, p.tiles = append(p.g.columns, column[k+n:k+n+1]), append(p.tiles, 1)
		}
		cheapest := r.mk.vectorCost(c, nil, 1)
		for _, i := range c.Indices {
			if isColumn(p.g, 0, i) {
				continue
			}
			if cost := r.mk.vectorCost(c, i, r.mk.lanesOf(c)); cost < cheapest {
				cheapest, p.own[s] = cost, i
			}
		}
		seq.Children = append(seq.Children, &schedule.Filter{Statements: []int{s}, Child: r.mk.statement(p, 0)})
	}
	if len(seq.Children) == 1 {
		return wrap([]*schedule.Member{row}, seq.Children[0].Child)
	}
	return wrap([]*schedule.Member{row}, seq)
}
