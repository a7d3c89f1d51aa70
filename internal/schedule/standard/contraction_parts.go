package standard

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/tensor"
)

// How contractions of float32 are scheduled for a matrix unit
//
// A unit that takes bfloat16 multiplies float32 in parts (ein/parts.go). Making these costs as much
// as hundreds of products do, so that a task is as large as can be: an equal share of the rows
// or of the columns, with all of the reduction, and what is made of the other operand is made for each
// of them. Within a task the target has its own order, which keeps the parts near.
//
// It is for results and operands of which one index is side by side, the operands' along the reduction
// or along their own index of the result, and where the times below say that vectors are slower.

// vectorProduct is the time of 32 x 32 x 32 products by vectors whose units are as busy as they usually
// are, in the cycles of schedule.PartsProduct, and leastGain what parts must gain over them: their time
// depends more on where the operands come from.
const vectorProduct, leastGain = 1280.0, 0.9

// A partsContraction is a contraction for a matrix unit, which multiplies parts.
type partsContraction struct {
	c           *ein.Comprehension
	row, column *ein.Index
	member      *ein.Index   // of the sum, along which operands are read
	batch       []*ein.Index // the other indices of the result
}

// inParts makes the subtree of a group that is one contraction of float32, or nil.
func (mk *maker) inParts(p *plan) schedule.Node {
	if len(p.g.statements) != 1 {
		return nil
	}
	s := p.g.statements[0]
	k := mk.partsContraction(s)
	if k == nil {
		return nil
	}
	member := func(i *ein.Index, tile int64) *schedule.Member {
		return &schedule.Member{Loops: []schedule.Loop{{Statement: s, Index: i.Name}}, Tile: tile}
	}
	var tasks []*schedule.Member
	count := int64(1)
	for _, i := range k.batch {
		m := member(i, 1)
		m.Parallel, m.Coincident = p.parallel, true
		tasks = append(tasks, m)
		count *= estimate(i.Extent)
	}
	if p.parallel && count < int64(mk.m.Cores) {
		split, share := k.shares(int64(mk.m.Cores))
		if share > 0 {
			m := member(split, share)
			m.Parallel, m.Coincident = true, true
			tasks = append(tasks, m)
		}
	}
	var inside []*schedule.Member
	for _, i := range append(slices.DeleteFunc(schedule.Reduced(k.c), func(i *ein.Index) bool { return i == k.member }), k.member, k.row, k.column) {
		inside = append(inside, member(i, 1))
	}
	n := len(inside)
	inside[n-3].Group, inside[n-3].Matrix, inside[n-1].Vector = 1, true, mk.lanesOf(k.c)
	return wrap(tasks, &schedule.Accumulate{Statement: s, Region: schedule.Output, Child: wrap(inside, &schedule.Leaf{})})
}

// shares returns the index that is cut into shares of equal size for so many threads, rows or columns,
// whichever leaves fewer parts to make; 0 where there is not enough of either.
func (k *partsContraction) shares(threads int64) (split *ein.Index, share int64) {
	best := 0.0
	for _, i := range []*ein.Index{k.column, k.row} {
		n := estimate(i.Extent)
		size := roundUp((n+threads-1)/threads, ein.PartsRows)
		if size >= n {
			continue
		}
		rows, columns := estimate(k.row.Extent), size
		if i == k.row {
			rows, columns = size, estimate(k.column.Extent)
		}
		if made := k.made(rows, columns); share == 0 || made < best {
			best, split, share = made, i, size
		}
	}
	return split, share
}

// made is how many elements parts are made of for each member of the sum.
func (k *partsContraction) made(rows, columns int64) float64 {
	blocks := (columns + ein.PartsColumns - 1) / ein.PartsColumns
	return float64(rows*blocks + columns)
}

// partsContraction recognises a contraction of float32 that parts are faster for, or returns nil.
func (mk *maker) partsContraction(s int) *partsContraction {
	c := mk.f.Body[s]
	x, y, size := ein.MatrixOf(c)
	if size != 1 || len(c.Writes) != 1 || c.Writes[0].Tensor.Type != tensor.Float32 || !mk.m.MultipliesMatrices(tensor.Float32) || !mk.mayAccumulateInOutput(c) ||
		c.Accumulate != nil && c.Accumulate.Kind != ein.SumOp {
		return nil
	}
	for _, i := range c.Indices {
		if n, known := i.Extent.IsConst(); !known || n < 1 {
			return nil
		}
	}
	k := &partsContraction{c: c}
	for _, i := range c.ByKind(ein.Concat) {
		inX, inY := schedule.AnyDependsOn(x.Subscripts, i), schedule.AnyDependsOn(y.Subscripts, i)
		if inX != inY && mk.along(c, c.Writes[0].Tensor, c.Writes[0].Subscripts, i) == unit {
			k.column = i
		}
	}
	if k.column == nil {
		return nil
	}
	along, shared := x, y
	if !schedule.AnyDependsOn(x.Subscripts, k.column) {
		along, shared = y, x
	}
	for _, i := range c.ByKind(ein.Concat) {
		if schedule.AnyDependsOn(shared.Subscripts, i) && !schedule.AnyDependsOn(along.Subscripts, i) && (k.row == nil || estimate(i.Extent) > estimate(k.row.Extent)) {
			k.row = i
		}
	}
	for _, i := range schedule.Reduced(c) {
		if schedule.AnyDependsOn(x.Subscripts, i) && schedule.AnyDependsOn(y.Subscripts, i) && (k.member == nil || estimate(i.Extent) > estimate(k.member.Extent)) {
			k.member = i
		}
	}
	if k.row == nil || k.member == nil {
		return nil
	}
	k.batch = slices.DeleteFunc(c.ByKind(ein.Concat), func(i *ein.Index) bool { return i == k.row || i == k.column })
	if _, _, why := schedule.DotOperands(c, k.member, k.column, 1); why != "" || !k.isFaster(mk, along, shared) {
		return nil
	}
	return k
}

// isFaster compares the times of parts and of vectors. Operands whose neighbours are neither along the
// reduction nor along the index of the result are left to vectors.
func (k *partsContraction) isFaster(mk *maker, along, shared *ein.Access) bool {
	isNear := func(a *ein.Access, i *ein.Index) bool { return mk.along(k.c, a.Tensor, a.Subscripts, i) == unit }
	p := schedule.PartsProduct{
		Rows: float64(estimate(k.row.Extent)), Columns: float64(estimate(k.column.Extent)), Members: float64(estimate(k.member.Extent)), Sums: 1,
		RowsAcross: !isNear(shared, k.member), ColumnsAcross: !isNear(along, k.column),
	}
	if p.RowsAcross && !isNear(shared, k.row) || p.ColumnsAcross && !isNear(along, k.member) {
		return false
	}
	for _, i := range schedule.Reduced(k.c) {
		if i != k.member {
			p.Sums *= float64(estimate(i.Extent))
		}
	}
	const products = ein.PartsRows * ein.PartsRows * ein.PartsRows
	return p.Cycles() < leastGain*vectorProduct*p.Rows*p.Columns*p.Members*p.Sums/products
}
