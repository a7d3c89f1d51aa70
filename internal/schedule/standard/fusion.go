package standard

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// A group is a run of statements that share an outer band. columns[c][k] is the
// Concat index of statement statements[k] along column c of the band; every
// dependence between the statements has distance 0 along every column.
type group struct {
	statements []int
	columns    [][]*ein.Index
	rows       bool         // a chain of contractions whose temporaries stay on the chip
	elements   *elements    // the plan of a chain over tiny elements, or nil
	layers     *smallLayers // the plan of a chain of small layers, or nil
}

// groups partitions the body greedily.
func (mk *maker) groups() []*group {
	var list []*group
	fresh := true // no statement joins the group before
	for s := 0; s < len(mk.f.Body); s++ {
		c := mk.f.Body[s]
		if mk.options.Plain {
			list = append(list, single(s, c))
			continue
		}
		chain := mk.elementChain(s)
		if chain == nil {
			chain = mk.rowChain(s)
		}
		if chain == nil {
			chain = mk.layerChain(s)
		}
		if chain == nil {
			chain = mk.pointRun(s)
		}
		if chain != nil {
			list = append(list, chain)
			s, fresh = s+len(chain.statements)-1, true
			continue
		}
		if n := len(list); n > 0 && !fresh {
			if joined := mk.join(list[n-1], s); joined != nil {
				list[n-1] = joined
				continue
			}
		}
		fresh = false
		list = append(list, single(s, c))
	}
	return list
}

// single returns the group of one statement.
func single(s int, c *ein.Comprehension) *group {
	g := &group{statements: []int{s}}
	for _, i := range c.ByKind(ein.Concat) {
		g.columns = append(g.columns, []*ein.Index{i})
	}
	return g
}

// join returns the group with one more statement, or nil where fusion is not
// possible or would cost more than it saves.
func (mk *maker) join(g *group, s int) *group {
	if slices.ContainsFunc(append(slices.Clone(g.statements), s), mk.isAlone) {
		return nil
	}
	if joined := mk.link(g, s, false); joined != nil && mk.worthwhile(g, joined, s) {
		return joined
	}
	return nil
}

// link returns the group with one more statement and the columns that are left, or
// nil where the two have nothing in common. If it is loose, tensors that both only read
// relate them, and results of the same shape.
func (mk *maker) link(g *group, s int, loose bool) *group {
	assigned := make([]*ein.Index, len(g.columns))
	alive := make([]bool, len(g.columns))
	for c := range alive {
		alive[c] = true
	}
	related := false
	for k, earlier := range g.statements {
		for _, a := range mk.accesses[earlier] {
			for _, b := range mk.accesses[s] {
				onlyRead := !a.Writes && !b.Writes
				if a.Tensor != b.Tensor || onlyRead && !loose {
					continue
				}
				related = related || !onlyRead
				for c := range g.columns {
					q := mk.linked(g.columns[c][k], a, b)
					if onlyRead && q == nil {
						continue
					}
					related = true
					if q == nil || assigned[c] != nil && assigned[c] != q {
						alive[c] = false
						continue
					}
					assigned[c] = q
				}
			}
		}
	}
	if loose && mk.linkResults(g, s, assigned, alive) {
		related = true
	}
	joined := &group{statements: append(slices.Clone(g.statements), s)}
	for c, column := range g.columns {
		if alive[c] && assigned[c] != nil && !slices.ContainsFunc(joined.columns, func(col []*ein.Index) bool { return col[len(col)-1] == assigned[c] }) {
			joined.columns = append(joined.columns, append(slices.Clone(column), assigned[c]))
		}
	}
	if !related || len(joined.columns) == 0 {
		return nil
	}
	return joined
}

// linkResults assigns to columns of a group that nothing else relates to the statement
// the indices that run along the same dimension of a result of the same shape.
func (mk *maker) linkResults(g *group, s int, assigned []*ein.Index, alive []bool) (some bool) {
	x, y := mk.f.Body[g.statements[0]].Writes[0], mk.f.Body[s].Writes[0]
	if !slices.EqualFunc(x.Tensor.Dims, y.Tensor.Dims, func(a, b ein.Dim) bool { return a.Min.Equal(b.Min) && a.Extent.Equal(b.Extent) }) {
		return false
	}
	a, b := schedule.Access{Statement: g.statements[0], Subscripts: x.Subscripts}, schedule.Access{Statement: s, Subscripts: y.Subscripts}
	for c, column := range g.columns {
		if alive[c] && assigned[c] == nil {
			assigned[c] = mk.linked(column[0], a, b)
			some = some || assigned[c] != nil
		}
	}
	return some
}

// linked returns the index of b's statement that equals index p of a's statement
// wherever the two accesses touch the same element, or nil.
func (mk *maker) linked(p *ein.Index, a, b schedule.Access) *ein.Index {
	for d := range a.Subscripts {
		i, shiftA, okA := schedule.IndexPlusConstant(mk.f.Body[a.Statement], a.Subscripts[d])
		j, shiftB, okB := schedule.IndexPlusConstant(mk.f.Body[b.Statement], b.Subscripts[d])
		if okA && okB && i == p && shiftA == shiftB && j.Combine.Kind == ein.Concat && j.Min.Equal(i.Min) && j.Extent.Equal(i.Extent) {
			return j
		}
	}
	return nil
}

// worthwhile weighs a fusion: columns that are lost can no longer be tiled for
// reuse in registers or spread over threads.
func (mk *maker) worthwhile(before, joined *group, s int) bool {
	lost := wide(before) > wide(joined)
	for _, earlier := range before.statements {
		if lost && mk.contraction(mk.f.Body[earlier]) {
			return false
		}
	}
	own := wide(single(s, mk.f.Body[s]))
	if own > wide(joined) && mk.contraction(mk.f.Body[s]) {
		return false
	}
	for k, member := range joined.statements {
		for _, column := range joined.columns {
			if mk.addedRows(member, column[k]) != nil {
				return false // a block of columns would not stay in the caches
			}
		}
	}
	if !lost && own == wide(joined) {
		return true
	}
	if mk.shortRuns(joined) {
		return false
	}
	pieces := int64(1)
	for _, column := range joined.columns {
		pieces *= estimate(column[0].Extent)
	}
	return pieces >= int64(mk.m.Cores) || !mk.isLong(joined.statements, 1)
}

// wide counts the columns of a group that have several points: others are no loss. They remain of a
// tensor's last few elements, such as the parts of complex numbers, that statements of their own compute.
func wide(g *group) (n int) {
	for _, column := range g.columns {
		if estimate(column[0].Extent) != 1 {
			n++
		}
	}
	return n
}

// shortRuns reports whether a group walks whole planes below pieces of rows: the
// last dimension of a tensor that it writes is a column, and one before is not.
// The pieces are too many for the nearest cache, and too short to be streams.
func (mk *maker) shortRuns(g *group) bool {
	const nearby = 32 // rows
	for k, s := range g.statements {
		c := mk.f.Body[s]
		for _, w := range c.Writes {
			rows, row := int64(1), false
			for _, i := range c.ByKind(ein.Concat) {
				switch mk.along(c, w.Tensor, w.Subscripts, i) {
				case unit:
					row = isColumn(g, k, i)
				case far:
					if !isColumn(g, k, i) {
						rows *= max(1, estimate(i.Extent))
					}
				}
			}
			if row && rows > nearby {
				return true
			}
		}
	}
	return false
}

// contraction reports whether a statement is a reduction with reuse: some load
// depends on one Concat index and not on another.
func (mk *maker) contraction(c *ein.Comprehension) bool {
	concat := c.ByKind(ein.Concat)
	if len(ein.Reduced(c)) == 0 || len(concat) == 0 {
		return false
	}
	loads := 0
	for _, a := range c.Accesses() {
		uses := 0
		for _, i := range concat {
			if ein.AnyDependsOn(a.Subscripts, i) {
				uses++
			}
		}
		if uses < len(concat) {
			loads++
		}
	}
	return loads >= 2 || loads == 1 && len(c.Accesses()) > 1
}

// assumedExtent stands for a size that is not known.
const assumedExtent = 256

// estimate is the value of a size for the cost model.
func estimate(e affine.Expr) int64 {
	if n, ok := e.IsConst(); ok {
		return max(n, 0)
	}
	return assumedExtent
}

// work estimates the operations of some statements.
func (mk *maker) work(statements []int) int64 {
	total := int64(0)
	for _, s := range statements {
		points := int64(1)
		for _, i := range mk.f.Body[s].Indices {
			if points *= max(1, estimate(i.Extent)); points > 1<<40 {
				points = 1 << 40
			}
		}
		total += points * mk.operations(mk.f.Body[s])
	}
	return total
}

// operations counts the nodes of the values; functions count more.
func (mk *maker) operations(c *ein.Comprehension) int64 {
	n := int64(1)
	for _, v := range c.Values {
		ein.Walk(v, func(e ein.Expr) bool {
			n++
			if _, ok := e.(*ein.Call); ok {
				n += 8
			}
			return true
		})
	}
	return n
}
