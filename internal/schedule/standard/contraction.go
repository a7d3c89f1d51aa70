package standard

import (
	"cmp"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How contractions are scheduled
//
// A contraction is a reduction whose operands are reused: some index of the result
// does not occur in an operand. The indices of the result have roles. One is the
// vector index; the columns are those that the operands along the vector use, the
// rows the others, the batch those that all operands use. For a matrix product
// rows, columns and the reduced index are i, j and k.
//
// A register tile of some vectors times some points of another index accumulates
// while the reduction runs. Around it stand, from the inside out: loops over the
// columns, whose operands have a block that stays in the second-level cache, copied
// into panels; loops over the rows, whose operands are read as they lie, a few
// streams at a time; a loop over blocks of the reduction, if it is long; and the
// parallel loop over blocks of the columns (or of the rows, if the columns are few).
// Every element of the columns is copied once then, and the rows never are.
//
// Where the rows do not lie in streams the two change places: a block of the row
// operands is copied and stays, and panels of the column operands pass by, each
// copied for that block. Layouts are folded into the copies, and no transposition is
// ever made of a whole operand.
//
// Operands of another type than the sum, floats of 16 bits for example, are converted by
// the copies, so that the register tile is that of the sum's type. The rows are copied for
// it, too, tile by tile, between the loops over the rows and those over the columns: of
// 1024³ products of bfloat16 one thread takes 0.42 of the time that conversions for every
// use need, and as long as for floats. Where the result cannot hold partial sums, as one of
// 16 bits, those of a task wait in an array.

// A contraction is what was decided for a statement.
type contraction struct {
	mk *maker
	s  int
	c  *ein.Comprehension
	// outer are the reduced indices around the register tile, which are those of a
	// factor that leaves the sum over the others, the inner ones.
	outer, inner []*ein.Index
	units        []*ein.Index  // reduced indices of one value, innermost
	operands     []*ein.Access // that the inner sum reads
	vector       *ein.Index
	lanes        int64
	tile         map[*ein.Index]int64 // of the registers, in points; 1 where absent
	batch        []*ein.Index         // like rows and columns in the order of the written tensor
	rows         []*ein.Index
	columns      []*ein.Index
	block        map[*ein.Index]int64 // of a task
	depth        int64                // of a block of the first inner index; 0 for all of it
	// columnBlocks says that a block of the column operands stays in the second-level
	// cache while the rows pass by, not one of the row operands.
	columnBlocks bool
	uncopied     bool // the columns are read as they lie, from the second-level cache
	scattered    bool // the result waits in a block until it is transposed (contraction_scattered.go)
	parallel     bool
	mayPlace     bool       // the result may be transposed when it is complete
	group        *ein.Index // the inner index whose points are multiplied by groups; nil for none
	groupSize    int64
	matrix       bool // the groups are multiplied by a matrix unit
	// open has the indices whose extents are not known, but supposed (contraction_symbolic.go).
	open map[*ein.Index]bool
}

// contracted makes the schedule of a group that is one contraction of known sizes.
func (mk *maker) contracted(p *plan) schedule.Node {
	if len(p.g.statements) != 1 {
		return nil
	}
	for _, mayPlace := range []bool{true, false} {
		k := mk.newContraction(p, p.g.statements[0])
		if !mk.contraction(k.c) || !k.isRegular() {
			return nil
		}
		k.mayPlace = mayPlace
		if n := k.nest(p); n != nil {
			return n
		}
	}
	return nil
}

// nest makes the loops, or nil.
func (k *contraction) nest(p *plan) schedule.Node {
	k.factorise()
	k.cutOneSymbolicSum()
	if !k.chooseTile(p) {
		return nil
	}
	k.chooseGroups()
	k.chooseRoles()
	if len(k.rows) == 0 || len(k.columns) == 0 {
		return nil
	}
	if k.uncopied = k.readsUncopied(); !k.uncopied {
		k.chooseDepth()
	}
	k.columnBlocks = k.blocksColumns()
	switch {
	case k.placesResult(k.vector):
		return k.placed()
	case len(k.open) == 0 && !k.uncopied && k.splitsReduction():
		return k.splitReductionTree()
	case len(k.open) == 0 && !k.uncopied && k.inStrips():
		return k.strips()
	case k.isScattered():
		return k.placedTiles()
	}
	k.chooseBlocks()
	return k.tree()
}

func (mk *maker) newContraction(p *plan, s int) *contraction {
	return &contraction{mk: mk, s: s, c: mk.f.Body[s], parallel: p.parallel, tile: map[*ein.Index]int64{}, block: map[*ein.Index]int64{}}
}

// isRegular reports whether all sizes are known and not empty, and the sums may be
// taken in any order.
func (k *contraction) isRegular() bool {
	op, free := ein.ReductionOperator(k.c)
	if !free || op == nil || len(k.c.Writes) != 1 {
		return false
	}
	for _, i := range k.c.Indices {
		if n, known := i.Extent.IsConst(); !known || n < 1 {
			return false
		}
	}
	return true
}

// factorise finds what the inner sum is. A factor that depends on some of the reduced
// indices only is multiplied with the sum over the others, if that is long.
func (k *contraction) factorise() {
	const long = 32
	k.inner, k.operands = ein.Reduced(k.c), distinct(k.c.Accesses())
	if long := slices.DeleteFunc(slices.Clone(k.inner), isUnit); len(long) > 0 {
		k.units = slices.DeleteFunc(slices.Clone(k.inner), func(i *ein.Index) bool { return !isUnit(i) })
		k.inner = long
	}
	op, _ := ein.ReductionOperator(k.c)
	if op.Kind != ein.SumOp {
		return
	}
	factors := ein.Factors(k.c.Values[0])
	all := k.inner
	k.operands = dependents(factors, all)
	if !k.mk.mayAccumulateInOutput(k.c) {
		return
	}
	best := int64(-1)
	for _, f := range factors {
		outer := slices.DeleteFunc(slices.Clone(all), func(i *ein.Index) bool { return !ein.DependsOn(f, i) })
		inner := slices.DeleteFunc(slices.Clone(all), func(i *ein.Index) bool { return ein.DependsOn(f, i) })
		inside := dependents(factors, inner)
		if len(outer) == 0 || len(inside) < 2 || extentOf(inner) < long {
			continue
		}
		if dense := k.readAsTheyLie(inside, inner); dense > best {
			best, k.outer, k.inner, k.operands = dense, outer, inner, inside
		}
	}
}

// readAsTheyLie counts the elements of operands along which one of the indices steps
// from neighbour to neighbour.
func (k *contraction) readAsTheyLie(operands []*ein.Access, indices []*ein.Index) int64 {
	total := int64(0)
	for _, a := range operands {
		if slices.ContainsFunc(indices, func(i *ein.Index) bool { return k.mk.along(k.c, a.Tensor, a.Subscripts, i) == unit }) {
			total += pointsOf(k.c, a)
		}
	}
	return total
}

// pointsOf is the number of elements that an access reads.
func pointsOf(c *ein.Comprehension, a *ein.Access) int64 {
	return extentOf(slices.DeleteFunc(slices.Clone(c.Indices), func(i *ein.Index) bool { return !ein.AnyDependsOn(a.Subscripts, i) }))
}

// dependents lists the accesses in the factors that depend on one of the indices.
func dependents(factors []ein.Expr, indices []*ein.Index) []*ein.Access {
	var list []*ein.Access
	for _, f := range factors {
		if ein.DependsOn(f, indices...) {
			ein.Walk(f, func(e ein.Expr) bool {
				if a, ok := e.(*ein.Access); ok {
					list = append(list, a)
				}
				return true
			})
		}
	}
	return distinct(list)
}

// distinct drops accesses to an element that another one of the list reads, as those of the
// second factor in (x - y)·(x - y).
func distinct(accesses []*ein.Access) []*ein.Access {
	var list []*ein.Access
	for _, a := range accesses {
		if !slices.ContainsFunc(list, func(b *ein.Access) bool { return readsSame(a, b) }) {
			list = append(list, a)
		}
	}
	return list
}

// readsSame reports whether two accesses read the same element at every point.
func readsSame(a, b *ein.Access) bool {
	return a.Tensor == b.Tensor && slices.EqualFunc(a.Subscripts, b.Subscripts, func(x, y ein.Expr) bool {
		p, okX := ein.AffineOf(x)
		q, okY := ein.AffineOf(y)
		return okX && okY && p.Equal(q)
	})
}

func (k *contraction) tileOf(i *ein.Index) int64 { return max(1, k.tile[i]) }

// steps is the number of points of the inner sum.
func (k *contraction) steps() int64 { return extentOf(k.inner) }

func extentOf(indices []*ein.Index) int64 {
	total := int64(1)
	for _, i := range indices {
		total *= max(1, estimate(i.Extent))
	}
	return total
}

// reuse is how often every element of an operand is used.
func (k *contraction) reuse(a *ein.Access) int64 {
	total := int64(1)
	for _, i := range k.c.ByKind(ein.Concat) {
		if !ein.AnyDependsOn(a.Subscripts, i) {
			total *= estimate(i.Extent)
		}
	}
	return total
}

// packable reports whether an operand may be copied: it is an input that is read in
// this place only, and its subscripts are indices plus constants, in bounds.
func (k *contraction) packable(a *ein.Access) bool {
	if a.Tensor.Role != ein.Input || len(a.Subscripts) == 0 {
		return false
	}
	for _, other := range k.c.Accesses() {
		if other.Tensor == a.Tensor && !readsSame(a, other) {
			return false
		}
	}
	for d, sub := range a.Subscripts {
		if _, _, ok := schedule.IndexPlusConstant(k.c, sub); !ok || !ein.InBounds(k.c, a, d) {
			return false
		}
	}
	return true
}

// step is the distance of neighbours along an index, in elements.
func (mk *maker) step(t *ein.Tensor, subscripts []ein.Expr, i *ein.Index) int64 {
	total := int64(0)
	for d, sub := range subscripts {
		if a, ok := ein.AffineOf(sub); ok {
			if coefficient, _, linear := a.Linear(i.Name); linear {
				total += coefficient * mk.distanceOf(t, d)
			}
		}
	}
	return max(total, -total)
}

// distanceOf is the stride of a dimension of a tensor of known sizes, in elements.
func (mk *maker) distanceOf(t *ein.Tensor, d int) int64 {
	if strides, given := mk.options.Strides[t.Name]; given && d < len(strides) {
		return strides[d]
	}
	total := int64(1)
	for _, dim := range t.Dims[d+1:] {
		total *= max(1, estimate(dim.Extent))
	}
	return total
}

// byDistance lists subscripts of a tensor in the order of memory: those first whose neighbours are
// farther apart.
func (mk *maker) byDistance(t *ein.Tensor, subscripts []ein.Expr) []ein.Expr {
	dims := make([]int, len(subscripts))
	for d := range dims {
		dims[d] = d
	}
	distance := func(d int) int64 { n := mk.distanceOf(t, d); return max(n, -n) }
	slices.SortStableFunc(dims, func(x, y int) int { return cmp.Compare(distance(y), distance(x)) })
	list := make([]ein.Expr, len(dims))
	for n, d := range dims {
		list[n] = subscripts[d]
	}
	return list
}

// mayAccumulateInOutput reports whether partial sums may live in the written
// tensors.
func (mk *maker) mayAccumulateInOutput(c *ein.Comprehension) bool {
	op, free := ein.ReductionOperator(c)
	return free && op != nil && schedule.InOutput(c, op) == ""
}
