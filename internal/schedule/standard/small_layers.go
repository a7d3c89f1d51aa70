package standard

import (
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How small layers are fused
//
// A small network is a chain of products with weights that stay in the caches, each followed by a bias
// and a function. One after the other they are loops over threads of a few microseconds each, whose starts
// and ends take as long. So a chain is one loop over the rows that its products share, in equal shares for the
// cores: a task makes the panels of all weights once, and takes a block of rows at a time through all
// layers, so that what lies between them stays in the nearest cache. Within a block every
// product has register tiles of its own, and what follows it point by point is computed tile by tile.
// Three layers of 128 rows and 128, 64, 32 and 2 columns take 0.74 of the time on two threads, the same in doubles
// 0.83, two layers of 1000 rows and 32, 64 and 16 columns 0.5 to 0.9.
//
// Longer chains gain nothing: the starts do not count, and products by themselves choose the sizes of
// their blocks more freely.

// Where the weights do not stay in the nearest cache, blocks of rows read them again and again; on
// one thread products by themselves are as fast then (100 x 100 x 100 twice 0.98 of the time, doubles of the
// three layers 0.94).

const (
	longestLayers = 60  // times the work for which a second thread pays; longer chains are not fused
	mostLayerRows = 64  // of a block
	unhidden      = 0.5 // of the time in which a block reads the weights from the second-level cache
)

// smallLayers is the plan of a chain of small layers.
type smallLayers struct {
	mk     *maker
	g      *group // with the column of the rows only
	size   int64  // rows of a block
	share  int64  // rows of a task
	parts  []*smallLayer
	cycles float64
}

// A smallLayer is some statements of a chain, one after the other, by number in the group.
type smallLayer struct {
	first, end int
	tile       *registerTile // of a product, which is the first of them; nil where they are computed row by row
	g          *group        // of a product and what is finished in its tiles, with the columns that they share
}

// layerChain returns the group of a chain of small layers that starts with statement s, or nil. It is the
// longest one.
func (mk *maker) layerChain(s int) *group {
	if !mk.contraction(mk.f.Body[s]) {
		return nil
	}
	g := single(s, mk.f.Body[s])
	var best *group
	for next := s + 1; next < len(mk.f.Body) && next < s+longestChain; next++ {
		if g = mk.link(g, next, false); g == nil || mk.isLong(g.statements, longestLayers) {
			break
		}
		if l := mk.newLayers(g); l != nil {
			best, l.g.layers = l.g, l
		}
	}
	return best
}

// newLayers plans a chain; nil where it is none, or fusing it would not pay.
func (mk *maker) newLayers(g *group) *smallLayers {
	for _, s := range g.statements {
		c := mk.f.Body[s]
		if _, free := ein.ReductionOperator(c); !free || len(c.Writes) != 1 || mk.windowed(c) {
			return nil
		}
		for _, i := range c.Indices {
			if n, known := i.Extent.IsConst(); !known || n < 1 {
				return nil
			}
		}
	}
	var best *smallLayers
	for _, column := range g.columns {
		l := &smallLayers{mk: mk, g: &group{statements: g.statements, columns: [][]*ein.Index{column}}}
		if l.choose() && (best == nil || l.cycles < best.cycles) {
			best = l
		}
	}
	return best
}

// rows are those of all layers.
func (l *smallLayers) rows() int64 { return estimate(l.g.columns[0][0].Extent) }

// choose finds the parts of the chain and the number of rows of a block.
func (l *smallLayers) choose() bool {
	cores := int64(1)
	if l.mk.m.Cores > 1 && l.mk.isLong(l.g.statements, 1) {
		cores = int64(l.mk.m.Cores)
	}
	if weights := l.weights(); weights > min(l.mk.m.L2, machine.StackBytes)/4 || weights > l.mk.m.L1 && cores == 1 {
		return false
	}
	each := (l.rows() + cores - 1) / cores
	if each < leastReuse {
		return false // panels of the weights do not pay
	}
	l.cycles = math.Inf(1)
	best := *l
	for size := int64(4); size <= min(each, mostLayerRows); size += 2 {
		l.size = size
		if l.rowBytes()*size > l.mk.m.L1/2 || !l.part() {
			break
		}
		blocks := float64((each + size - 1) / size)
		if cycles := l.cycles * blocks; cycles < best.cycles*0.99 {
			best = *l
			best.cycles = cycles
		}
	}
	*l = best
	if len(l.parts) == 0 {
		return false
	}
	l.share = roundUp(each, l.size)
	return true
}

// weights is the size of what the products read that does not depend on the rows.
func (l *smallLayers) weights() int64 {
	total := int64(0)
	for k, s := range l.g.statements {
		if c := l.mk.f.Body[s]; l.mk.contraction(c) {
			for _, a := range c.Accesses() {
				if !ein.AnyDependsOn(a.Subscripts, l.g.columns[0][k]) {
					total += l.mk.bytesOf(a.Tensor)
				}
			}
		}
	}
	return total
}

// rowBytes is the size of the temporaries that only the chain uses, for one row.
func (l *smallLayers) rowBytes() int64 {
	total := int64(0)
	for _, t := range l.temporaries(l.g.statements) {
		bytes := int64(t.Type.Size())
		for _, d := range t.Dims {
			bytes = schedule.MultiplySizes(bytes, max(1, estimate(d.Extent)))
		}
		total += bytes / max(1, l.rows())
	}
	return total
}

// temporaries lists those that only some statements use.
func (l *smallLayers) temporaries(statements []int) []*ein.Tensor {
	return slices.DeleteFunc(l.mk.f.ByRole(ein.Temp), func(t *ein.Tensor) bool {
		inside, outside := false, false
		for s, list := range l.mk.accesses {
			if slices.ContainsFunc(list, func(a schedule.Access) bool { return a.Tensor == t }) {
				here := slices.Contains(statements, s)
				inside, outside = inside || here, outside || !here
			}
		}
		return !inside || outside
	})
}

// part parts the chain into layers for blocks of l.size rows.
func (l *smallLayers) part() bool {
	l.parts, l.cycles = nil, 0
	products := 0
	for k := 0; k < len(l.g.statements); {
		p := &smallLayer{first: k, end: k + 1}
		if c := l.mk.f.Body[l.g.statements[k]]; l.mk.contraction(c) {
			if p.tile = l.tile(k); p.tile == nil {
				return false
			}
			l.cycles += p.tile.cycles
			products++
			l.finish(p)
		} else {
			for p.end < len(l.g.statements) && !l.mk.contraction(l.mk.f.Body[l.g.statements[p.end]]) {
				p.end++
			}
		}
		l.parts, k = append(l.parts, p), p.end
	}
	if weights := l.weights(); weights > l.mk.m.L1/2 { // every block reads them from the second-level cache
		l.cycles += float64(weights) / l.mk.nextBytes() * unhidden
	}
	return products > 1
}

// tile designs the register tile of a product, statement number k; nil where it has none, or is one for a
// matrix unit.
func (l *smallLayers) tile(k int) *registerTile {
	s, row := l.g.statements[k], l.g.columns[0][k]
	c := l.mk.f.Body[s]
	if l.mk.partsContraction(s) != nil || l.mk.matrixTile(s, row, func(i *ein.Index) bool { return i == row }) != nil ||
		!slices.ContainsFunc(c.Accesses(), func(a *ein.Access) bool { return !ein.AnyDependsOn(a.Subscripts, row) }) {
		return nil
	}
	t := l.mk.designTile(s, tileProblem{copies: 1, blocks: max(1, l.rows()/l.size), size: func(i *ein.Index) int64 {
		if i == row {
			return l.size
		}
		return estimate(i.Extent)
	}})
	if t == nil || t.vector == row || slices.ContainsFunc(c.Accesses(), func(a *ein.Access) bool {
		return slices.Contains(t.packed, a.Tensor) && ein.AnyDependsOn(a.Subscripts, row)
	}) {
		return nil
	}
	return t
}

// finish adds to a product the statements after it that are computed point by point with vectors along
// those of its tile.
func (l *smallLayers) finish(p *smallLayer) {
	s := l.g.statements[p.first]
	p.g = single(s, l.mk.f.Body[s])
	for p.end < len(l.g.statements) {
		next := l.g.statements[p.end]
		joined := l.mk.link(p.g, next, false)
		if joined == nil || len(joined.columns) != len(p.g.columns) || len(l.mk.f.Body[next].Indices) != len(joined.columns) ||
			!l.mk.followsVector(joined, 0, p.tile.vector) {
			return
		}
		p.g, p.end = joined, p.end+1
	}
}

// layerBlocks makes the subtree of a chain.
func (mk *maker) layerBlocks(p *plan) schedule.Node {
	l := p.g.layers
	if l == nil {
		return nil
	}
	seq := &schedule.Sequence{}
	for _, part := range l.parts {
		child := l.between(part)
		if part.tile != nil {
			child = l.product(part)
		}
		seq.Children = append(seq.Children, &schedule.Filter{Statements: l.g.statements[part.first:part.end], Child: child})
	}
	n := l.placed(l.g.statements, seq)
	if share := min(l.share, l.rows()); l.size < share {
		block := p.column(0, l.size)
		block.Coincident = true
		n = wrap([]*schedule.Member{block}, n)
	}
	for _, part := range slices.Backward(l.parts) {
		if part.tile != nil {
			n = placed(part.tile.packed, n)
		}
	}
	if l.share >= l.rows() {
		return n
	}
	task := p.column(0, l.share)
	task.Parallel, task.Coincident = p.parallel, true
	return wrap([]*schedule.Member{task}, n)
}

// placed places the temporaries that only some statements use, and not those of one product.
func (l *smallLayers) placed(statements []int, n schedule.Node) schedule.Node {
	list := l.temporaries(statements)
	for _, part := range l.parts {
		if own := l.g.statements[part.first:part.end]; part.tile != nil && len(own) < len(statements) {
			inTiles := l.temporaries(own)
			list = slices.DeleteFunc(list, func(t *ein.Tensor) bool { return slices.Contains(inTiles, t) })
		}
	}
	return placed(list, n)
}

// product makes the nest of a product in a block of rows, and what is finished in its tiles.
func (l *smallLayers) product(p *smallLayer) schedule.Node {
	t := p.tile
	fused := &plan{g: p.g}
	var loops []*schedule.Member
	for col, column := range p.g.columns {
		i, extent := column[0], estimate(column[0].Extent)
		if i == l.g.columns[0][p.first] {
			extent = l.size
		}
		tile := t.count(i)
		if i == t.vector {
			tile = t.vectors * t.lanes
		}
		if tile < extent || tile == 1 {
			loops = append(loops, fused.column(col, tile))
		}
	}
	// The vectors of the weights are near while the rows pass by.
	slices.SortStableFunc(loops, func(a, b *schedule.Member) int {
		return compareBool(a.Loops[0].Index != t.vector.Name, b.Loops[0].Index != t.vector.Name)
	})
	sum := t.nest(l.mk.f.Body[t.statement])
	if p.end == p.first+1 {
		return wrap(loops, sum)
	}
	seq := &schedule.Sequence{Children: []*schedule.Filter{{Statements: p.g.statements[:1], Child: sum}}}
	for n, s := range p.g.statements[1:] {
		var points []*schedule.Member
		for _, column := range p.g.columns {
			m := (&plan{g: &group{statements: []int{s}, columns: [][]*ein.Index{column[n+1 : n+2]}}}).column(0, 1)
			m.Unroll = true
			if column[0] == t.vector {
				m.Vector = int(t.lanes)
			} else if t.count(column[0]) == 1 {
				continue
			}
			points = append(points, m)
		}
		slices.SortStableFunc(points, func(a, b *schedule.Member) int { return compareBool(a.Vector > 0, b.Vector > 0) })
		seq.Children = append(seq.Children, &schedule.Filter{Statements: []int{s}, Child: wrap(points, &schedule.Leaf{})})
	}
	return wrap(loops, l.placed(p.g.statements, seq))
}

// between makes statements that are computed row by row.
func (l *smallLayers) between(p *smallLayer) schedule.Node {
	r := &rows{mk: l.mk, g: l.g, temporaries: l.temporaries(l.g.statements)}
	return r.between(p.first, p.end)
}
