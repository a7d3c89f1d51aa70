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

// busyVectors is the time of products by vectors to that of units that are always busy, and leastGain what parts must gain
// over them: their time depends more on where the operands come from. Lanes that vectors waste count from leastWaste on: two
// threads take 0.52 of the time for 128 x 196 x 512, of which 13 vectors are also shared unequally.
const busyVectors, leastGain, leastWaste = 1.25, 0.85, 1.03

// vectorCycles is how long one core takes for so many products of float32 by vectors.
func (mk *maker) vectorCycles(products float64) float64 {
	return busyVectors * products / (mk.units() * float64(mk.m.VectorBytes/tensor.Float32.Size()))
}

// A partsContraction is a contraction for a matrix unit, which multiplies parts.
type partsContraction struct {
	mk            *maker
	c             *ein.Comprehension
	along, shared *ein.Access // the operands with the columns and the rows
	// rows and columns are indices whose points are neighbours' neighbours, the fastest first, so that
	// they are rows and columns of one product.
	rows, columns []*ein.Index
	members       []*ein.Index // of the sum, like rows and columns, along which operands are read
	batch         []*ein.Index // the other indices of the result
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
	points := slices.Clone(k.batch) // of which tasks are
	for _, i := range k.batch {
		tasks = append(tasks, member(i, 1))
	}
	if p.parallel && extentOf(k.batch) < int64(mk.m.Cores) {
		if split, share, _ := k.shares(int64(mk.m.Cores)); split != nil {
			tasks = append(tasks, member(split, share))
			if share == 1 {
				points = append(points, split)
			}
		}
	}
	for _, m := range tasks {
		m.Parallel, m.Coincident = p.parallel, true
	}
	var inside []*schedule.Member
	for _, i := range ein.Reduced(k.c) {
		m := member(i, 1)
		if i == k.members[0] {
			m.Group, m.Matrix = 1, true
		}
		inside = append(inside, m)
	}
	for _, i := range slices.Backward(append(slices.Clone(k.columns), k.rows...)) {
		if i != k.columns[0] && !slices.Contains(points, i) {
			inside = append(inside, member(i, 1))
		}
	}
	vector := member(k.columns[0], 1)
	vector.Vector = mk.lanesOf(k.c)
	return wrap(tasks, &schedule.Accumulate{Statement: s, Region: schedule.Output, Child: wrap(append(inside, vector), &schedule.Leaf{})})
}

// shares returns the index that is cut into shares of equal size for so many threads, of rows or of columns,
// whichever takes less time, and this; nil where there is not enough of either. Of several indices it is the
// slowest, which leaves the others together.
func (k *partsContraction) shares(threads int64) (split *ein.Index, share int64, cycles float64) {
	cycles = k.product().Cycles(k.mk.m)
	for _, list := range [][]*ein.Index{k.columns, k.rows} {
		i, part := list[len(list)-1], k.product()
		n := estimate(i.Extent)
		size := (n + threads - 1) / threads
		if len(list) == 1 {
			size = roundUp(size, ein.PartsLines/2)
		}
		if size >= n {
			continue
		}
		if i == k.columns[len(k.columns)-1] {
			part.Columns *= float64(size) / float64(n)
		} else {
			part.Rows *= float64(size) / float64(n)
		}
		if time := part.Cycles(k.mk.m); time < cycles {
			cycles, split, share = time, i, size
		}
	}
	return split, share, cycles
}

// partsContraction recognises a contraction of float32 that parts are faster for, or returns nil.
func (mk *maker) partsContraction(s int) *partsContraction {
	c := mk.f.Body[s]
	x, y := mk.operandsOfParts(c)
	if x == nil {
		return nil
	}
	k := &partsContraction{mk: mk, c: c, along: x, shared: y}
	if k.only(x, y, true) == nil {
		k.along, k.shared = y, x
	}
	column, row := k.only(k.along, k.shared, true), k.only(k.shared, k.along, false)
	for _, i := range ein.Reduced(c) {
		if list := k.joinedMembers(i); ein.AnyDependsOn(x.Subscripts, i) && ein.AnyDependsOn(y.Subscripts, i) && extentOf(list) > extentOf(k.members) {
			k.members = list
		}
	}
	if column == nil || row == nil || k.members == nil {
		return nil
	}
	k.columns, k.rows = k.joined(column, k.along, k.shared), k.joined(row, k.shared, k.along)
	k.batch = slices.DeleteFunc(c.ByKind(ein.Concat), func(i *ein.Index) bool { return slices.Contains(k.rows, i) || slices.Contains(k.columns, i) })
	if _, _, why := schedule.DotOperands(c, k.members[0], column, 1); why != "" || !k.isFaster() {
		return nil
	}
	return k
}

// operandsOfParts returns the operands of a sum of products of float32, of known size, for a machine with a unit that
// multiplies their parts; nil for what is none.
func (mk *maker) operandsOfParts(c *ein.Comprehension) (x, y *ein.Access) {
	x, y, size := ein.MatrixOf(c)
	if size != 1 || len(c.Writes) != 1 || c.Writes[0].Tensor.Type != tensor.Float32 || !mk.multipliesParts() || !mk.mayAccumulateInOutput(c) ||
		c.Accumulate != nil && c.Accumulate.Kind != ein.SumOp {
		return nil, nil
	}
	for _, i := range c.Indices {
		if n, known := i.Extent.IsConst(); !known || n < 1 {
			return nil, nil
		}
	}
	return x, y
}

// only returns an index of the result that one operand has and the other has not: the one along which
// results are side by side, or of those that others join the one with the most points.
func (k *partsContraction) only(a, other *ein.Access, near bool) (best *ein.Index) {
	w, most := k.c.Writes[0], int64(0)
	for _, i := range k.c.ByKind(ein.Concat) {
		if !ein.AnyDependsOn(a.Subscripts, i) || ein.AnyDependsOn(other.Subscripts, i) {
			continue
		}
		if near && k.mk.along(k.c, w.Tensor, w.Subscripts, i) == unit {
			return i
		}
		if n := extentOf(k.joined(i, a, other)); !near && n > most {
			best, most = i, n
		}
	}
	return best
}

// joined lists an index and those of the result whose points lie behind its points, in an operand and in
// the results, one after the other.
func (k *partsContraction) joined(first *ein.Index, a, other *ein.Access) []*ein.Index {
	w := k.c.Writes[0]
	candidates := slices.DeleteFunc(k.c.ByKind(ein.Concat), func(i *ein.Index) bool {
		return !ein.AnyDependsOn(a.Subscripts, i) || ein.AnyDependsOn(other.Subscripts, i)
	})
	return k.behind(first, candidates, a, &ein.Access{Tensor: w.Tensor, Subscripts: w.Subscripts})
}

// joinedMembers lists a reduced index and those whose points lie behind its points in both operands.
func (k *partsContraction) joinedMembers(first *ein.Index) []*ein.Index {
	return k.behind(first, ein.Reduced(k.c), k.along, k.shared)
}

// behind lists an index and those of the candidates whose points lie behind its points in two tensors, one after
// the other.
func (k *partsContraction) behind(first *ein.Index, candidates []*ein.Index, in ...*ein.Access) []*ein.Index {
	list := []*ein.Index{first}
	for again := true; again; {
		again = false
		for _, i := range candidates {
			if !slices.Contains(list, i) && !slices.ContainsFunc(in, func(a *ein.Access) bool {
				return k.mk.step(a.Tensor, a.Subscripts, i) != extentOf(list)*k.mk.step(a.Tensor, a.Subscripts, first)
			}) {
				list, again = append(list, i), true
			}
		}
	}
	return list
}

// product describes the whole product.
func (k *partsContraction) product() *schedule.PartsProduct {
	p := &schedule.PartsProduct{
		Rows: float64(extentOf(k.rows)), Columns: float64(extentOf(k.columns)), Members: float64(extentOf(k.members)), Sums: 1, Panels: schedule.CutOf(ein.PartsProduct, k.mk.m).Blocking.Panels,
		RowsAcross: !k.isNear(k.shared, k.members[0]), ColumnsAcross: !k.isNear(k.along, k.columns[0]),
	}
	for _, i := range ein.Reduced(k.c) {
		if !slices.Contains(k.members, i) {
			p.Sums *= float64(estimate(i.Extent))
		}
	}
	return p
}

// isNear reports whether an operand's neighbours along an index lie side by side.
func (k *partsContraction) isNear(a *ein.Access, i *ein.Index) bool {
	return k.mk.along(k.c, a.Tensor, a.Subscripts, i) == unit
}

// isFaster compares the times of parts and of vectors. Operands whose neighbours are neither along the
// reduction nor along the index of the result are left to vectors.
func (k *partsContraction) isFaster() bool {
	p := k.product()
	if p.RowsAcross && !k.isNear(k.shared, k.rows[0]) || p.ColumnsAcross && !k.isNear(k.along, k.members[0]) {
		return false
	}
	threads, cycles := int64(k.mk.m.Cores), p.Cycles(k.mk.m)
	vectors := k.mk.vectorCycles(p.Rows * p.Columns * p.Members * p.Sums)
	if lanes := int64(k.mk.lanesOf(k.c)); extentOf(k.columns) >= 4*lanes { // of fewer columns vectors may lie along the rows
		if wasted := waste(extentOf(k.columns), lanes); wasted >= leastWaste {
			vectors *= wasted
		}
	}
	if extentOf(k.batch) < threads { // which share the product
		_, _, cycles = k.shares(threads)
		vectors /= float64(threads)
	}
	return cycles < leastGain*vectors
}
