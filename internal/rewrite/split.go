package rewrite

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// How boundaries are split
//
// A padded convolution tests at every point whether its reads are in bounds, but
// only points near the boundary need to. Where the conditions of a reduction are
// affine, the range of an index is cut into the interior, where the conditions
// hold for all values of the other indices, and the rest on either side. Each
// piece becomes a statement of its own, and comparisons whose outcome is known over
// its ranges become constants, which Simplify drops together with their selects.
// Subscripts that are clamped, mirrored or wrapped have conditions too: that the
// minima, maxima and remainders change nothing (boundary_subscript.go).
//
// Pieces no longer fuse with other statements. So point-wise statements are only cut
// where they stand alone and are large, or where nothing would fuse with them anyway (a stencil that reads the
// clamped neighbours of what another one writes, in all directions) and what they compute stays in a cache: two
// clamped stencils of 256² floats, one after the other, take 0.4 of the time. Through memory whole rows are faster
// (2500² floats take 1.2 of the time in pieces), whose vectors test whether they are inside (Inside).

// small is the magnitude up to which numbers take part in these proofs: sums and
// products of so few of them cannot wrap.
const small = 1 << 31

// SplitBoundaries cuts reductions with affine conditions at their boundaries, and
// decides comparisons that have one outcome.
func SplitBoundaries(f *ein.Func) *ein.Func {
	f = f.Clone()
	var body []*ein.Comprehension
	for _, c := range f.Body {
		pieces := []*ein.Comprehension{c}
		if len(c.ByKind(ein.Reduce)) > 0 || standsAlone(f, c) {
			pieces = split(c)
		}
		for _, piece := range pieces {
			decide(piece)
			body = append(body, piece)
		}
	}
	f.Body = body
	return f
}

const (
	leastPoints = 4096    // of a point-wise statement that is cut
	mostShared  = 1 << 20 // bytes that one writes for others, or reads of them
)

// standsAlone reports whether a point-wise statement is large, and no other one writes what it reads or reads
// what it writes, unless that is in a cache and they have no loops to share.
func standsAlone(f *ein.Func, c *ein.Comprehension) bool {
	points := int64(1)
	for _, i := range c.Indices {
		n, known := i.Extent.IsConst()
		if !known || n < 1 || n >= small {
			return false
		}
		points = min(points*n, small)
	}
	if points < leastPoints {
		return false
	}
	return !slices.ContainsFunc(f.Body, func(other *ein.Comprehension) bool {
		return other != c && (isTied(c, other) || isTied(other, c))
	})
}

// isTied reports whether a statement reads what another one writes, or writes it, too, and that comes from
// memory, or they may share loops: along some dimension all reads are at the index of the write.
func isTied(writer, reader *ein.Comprehension) bool {
	for _, w := range writer.Writes {
		if writes(reader, w.Tensor) {
			return true
		}
		list := accessesOf(reader, w.Tensor)
		if len(list) > 0 && points(writer.Indices)*float64(w.Tensor.Type.Size()) > mostShared {
			return true
		}
		for d, sub := range w.Subscripts {
			i, shift, ok := indexPlusNumber(writer, sub)
			if ok && len(list) > 0 && !slices.ContainsFunc(list, func(a *ein.Access) bool {
				j, other, plain := indexPlusNumber(reader, a.Subscripts[d])
				return !plain || shift != other || !i.Min.Equal(j.Min) || !i.Extent.Equal(j.Extent)
			}) {
				return true
			}
		}
	}
	return false
}

// split cuts along every index that is worth it; only the interior is cut again.
func split(c *ein.Comprehension) []*ein.Comprehension {
	if len(c.ByKind(ein.Scan)) > 0 || contains(c, isChecked) {
		return []*ein.Comprehension{c}
	}
	for _, w := range c.Writes {
		if len(accessesOf(c, w.Tensor)) > 0 {
			return []*ein.Comprehension{c}
		}
	}
	for k, i := range c.Indices {
		if i.Combine.Kind != ein.Concat {
			continue
		}
		lo, hi, ok := interior(c, i)
		if !ok {
			continue
		}
		first, _ := i.Min.IsConst()
		n, _ := i.Extent.IsConst()
		list := []*ein.Comprehension{}
		if lo > first {
			list = append(list, restricted(c, k, first, lo))
		}
		list = append(list, split(restricted(c, k, lo, hi))...)
		if hi < first+n {
			list = append(list, restricted(c, k, hi, first+n))
		}
		return list
	}
	if len(c.ByKind(ein.Concat)) == len(c.Indices) {
		return splitHalves(c, mostHalvings)
	}
	return splitSum(c)
}

// splitHalves cuts a point-wise statement where a condition on one index chooses between two large
// parts, of which each has conditions of its own (rotary embeddings, which read d + D/2 in
// the first half and d - D/2 in the second: 0.6 of the time).
func splitHalves(c *ein.Comprehension, times int) []*ein.Comprehension {
	for k, i := range c.Indices {
		if at, ok := half(c, i); ok && times > 0 {
			first, _ := i.Min.IsConst()
			n, _ := i.Extent.IsConst()
			return append(splitHalves(restricted(c, k, first, at), times-1), splitHalves(restricted(c, k, at, first+n), times-1)...)
		}
	}
	return []*ein.Comprehension{c}
}

// half returns where a condition on an index alone cuts its range into parts of at least a quarter.
func half(c *ein.Comprehension, index *ein.Index) (at int64, ok bool) {
	first, okMin := index.Min.IsConst()
	n, okExtent := index.Extent.IsConst()
	if !okMin || !okExtent || n < leastHalved || n >= small || first >= small || first <= -small {
		return 0, false
	}
	for _, g := range conditions(c) {
		coefficient, rest, linear := g.Linear(index.Name)
		r, known := rest.IsConst()
		if !linear || !known || coefficient == 0 {
			continue
		}
		if at = -floor(r, coefficient); coefficient < 0 {
			at = floor(r, -coefficient) + 1
		}
		if before := at - first; 4*before >= n && 4*before <= 3*n {
			return at, true
		}
	}
	return 0, false
}

const (
	leastHalved  = 32 // points of an index whose range is cut in the middle: two vectors and more
	mostHalvings = 2  // of a statement, one after the other
)

// leastSummed is how many points an index has that is reduced and cut.
const leastSummed = 64

// splitSum cuts along an index that is reduced: the interior makes the results, and the
// boundaries are joined to them. The energy of 1027² spins with their neighbours around the
// edges takes 0.05 of the time.
func splitSum(c *ein.Comprehension) []*ein.Comprehension {
	folds := slices.DeleteFunc(slices.Clone(c.Indices), func(i *ein.Index) bool { return i.Combine.Kind == ein.Concat })
	if len(folds) == 0 || len(c.Writes) != 1 || c.Writes[0].Tensor.Type != c.Values[0].Type() {
		return []*ein.Comprehension{c}
	}
	op := folds[0].Combine.Op
	if !op.Associative || !op.Commutative || c.Accumulate != nil && !sameOperator(c.Accumulate, op) || slices.ContainsFunc(folds, func(i *ein.Index) bool {
		return i.Combine.Kind != ein.Reduce || !sameOperator(i.Combine.Op, op)
	}) {
		return []*ein.Comprehension{c}
	}
	for k, i := range c.Indices {
		if i.Combine.Kind != ein.Reduce {
			continue
		}
		lo, hi, ok := interior(c, i)
		first, _ := i.Min.IsConst()
		n, _ := i.Extent.IsConst()
		if !ok || n < leastSummed {
			continue
		}
		list := splitSum(restricted(c, k, lo, hi))
		for _, edge := range [][2]int64{{first, lo}, {hi, first + n}} {
			if edge[0] < edge[1] {
				piece := restricted(c, k, edge[0], edge[1])
				piece.Accumulate = op
				list = append(list, piece)
			}
		}
		return list
	}
	return []*ein.Comprehension{c}
}

// interior returns the part [lo, hi) of an index's range in which all conditions
// that depend on it hold. ok is false where that is the whole range, or less than
// half of it.
func interior(c *ein.Comprehension, index *ein.Index) (lo, hi int64, ok bool) {
	first, okMin := index.Min.IsConst()
	n, okExtent := index.Extent.IsConst()
	if !okMin || !okExtent || n >= small || first >= small || first <= -small {
		return 0, 0, false
	}
	lo, hi = first, first+n
	known := affine.NewFacts()
	for _, g := range conditions(c) {
		coefficient, rest, linear := g.Linear(index.Name)
		if !linear || coefficient == 0 {
			continue
		}
		least, _, bounded := known.Extremes(rest, box(c))
		r, isConst := least.IsConst()
		if !bounded || !isConst {
			continue
		}
		// coefficient·x + r ≥ 0
		if coefficient > 0 {
			lo = max(lo, -floor(r, coefficient))
		} else {
			hi = min(hi, floor(r, -coefficient)+1)
		}
	}
	return lo, hi, hi-lo < n && 2*(hi-lo) >= n
}

func floor(x, y int64) int64 {
	q := x / y
	if x%y != 0 && (x < 0) != (y < 0) {
		q--
	}
	return q
}

func box(c *ein.Comprehension) []affine.Range {
	var list []affine.Range
	for _, i := range c.Indices {
		list = append(list, affine.Range{Symbol: i.Name, Min: i.Min, Extent: i.Extent})
	}
	return list
}

// conditions returns the affine g of all comparisons g ≥ 0 in the conditions of
// selects, and of all subscripts that are moved.
func conditions(c *ein.Comprehension) []affine.Expr {
	var list []affine.Expr
	known := affine.NewFacts()
	collect := func(e ein.Expr) bool {
		if g, ok := inequality(e); ok {
			list = append(list, g)
		}
		if d, ok := difference(e); ok {
			// Where one end of the range is meant, the other points are the interior.
			lo, hi, bounded := known.Extremes(d, box(c))
			if n, isConst := lo.IsConst(); bounded && isConst && n == 0 {
				list = append(list, d.AddConst(-1))
			} else if n, isConst := hi.IsConst(); bounded && isConst && n == 0 {
				list = append(list, d.Scale(-1).AddConst(-1))
			}
		}
		return true
	}
	for _, v := range c.Values {
		ein.Walk(v, func(e ein.Expr) bool {
			switch e := e.(type) {
			case *ein.Select:
				ein.Walk(e.Cond, collect)
			case *ein.Access:
				for _, sub := range e.Subscripts {
					_, needs := withoutBoundary(sub, box(c))
					list = append(list, needs...)
				}
			}
			return true
		})
	}
	return list
}

// inequality returns g such that the comparison e holds where g ≥ 0.
func inequality(e ein.Expr) (affine.Expr, bool) {
	b, ok := e.(*ein.Binary)
	if !ok || !b.Op.IsComparison() || magnitude(b.X) >= small || magnitude(b.Y) >= small {
		return affine.Expr{}, false
	}
	x, okX := ein.AffineOf(withoutCasts(b.X))
	y, okY := ein.AffineOf(withoutCasts(b.Y))
	if !okX || !okY {
		return affine.Expr{}, false
	}
	switch b.Op {
	case ein.Ge:
		return x.Sub(y), true
	case ein.Gt:
		return x.Sub(y).AddConst(-1), true
	case ein.Le:
		return y.Sub(x), true
	case ein.Lt:
		return y.Sub(x).AddConst(-1), true
	}
	return affine.Expr{}, false
}

// difference returns the d of a comparison of d and 0 for equality.
func difference(e ein.Expr) (affine.Expr, bool) {
	b, ok := e.(*ein.Binary)
	if !ok || b.Op != ein.Eq && b.Op != ein.Ne || magnitude(b.X) >= small || magnitude(b.Y) >= small {
		return affine.Expr{}, false
	}
	x, okX := ein.AffineOf(withoutCasts(b.X))
	y, okY := ein.AffineOf(withoutCasts(b.Y))
	return x.Sub(y), okX && okY
}

// magnitude bounds |e| for sums of indices and numbers in signed types of at least
// 32 bits; it is at least small for anything else, and for what could wrap.
func magnitude(e ein.Expr) int64 {
	if t := e.Type(); t != tensor.Int64 && t != tensor.Int32 {
		return small
	}
	m := int64(small)
	switch e := e.(type) {
	case *ein.Const:
		m = distance(e.Int())
	case *ein.SizeRef:
		if n, ok := e.Size.IsConst(); ok {
			m = distance(n)
		}
	case *ein.IndexRef:
		first, okMin := e.Index.Min.IsConst()
		n, okExtent := e.Index.Extent.IsConst()
		if okMin && okExtent {
			m = distance(first) + distance(n)
		}
	case *ein.Cast:
		m = magnitude(e.X)
	case *ein.Unary:
		if e.Op == ein.Neg {
			m = magnitude(e.X)
		}
	case *ein.Binary:
		x, y := magnitude(e.X), magnitude(e.Y)
		switch e.Op {
		case ein.Add, ein.Sub:
			m = x + y
		case ein.Mul:
			m = x * y
		case ein.Div, ein.Mod:
			if n, ok := e.Y.(*ein.Const); ok && n.Int() > 0 {
				m = x // or less
				if e.Op == ein.Mod {
					m = max(x, distance(n.Int())) // that of -1
				}
			}
		}
	}
	return min(m, small)
}

// distance is the distance from 0, at most small.
func distance(n int64) int64 {
	if n <= -small || n >= small {
		return small
	}
	return max(n, -n)
}

// withoutCasts drops conversions between integer types, which change no number of
// small magnitude.
func withoutCasts(e ein.Expr) ein.Expr {
	return ein.Map(e, func(e ein.Expr) ein.Expr {
		if c, ok := e.(*ein.Cast); ok {
			return c.X
		}
		return e
	})
}

// restricted returns a copy of c with index number k over [lo, hi).
func restricted(c *ein.Comprehension, k int, lo, hi int64) *ein.Comprehension {
	copied := &ein.Comprehension{Pos: c.Pos, Accumulate: c.Accumulate}
	env := map[*ein.Index]ein.Expr{}
	for n, i := range c.Indices {
		j := *i
		if n == k {
			j.Min, j.Extent = affine.Const(lo), affine.Const(hi-lo)
		}
		copied.Indices = append(copied.Indices, &j)
		env[i] = &ein.IndexRef{Pos: i.Pos, Index: &j}
	}
	copied.Values = substituteAll(c.Values, env)
	for _, w := range c.Writes {
		copied.Writes = append(copied.Writes, &ein.Write{Pos: w.Pos, Tensor: w.Tensor, Subscripts: substituteAll(w.Subscripts, env)})
	}
	return copied
}

// decide replaces comparisons that have one outcome over the ranges of c.
func decide(c *ein.Comprehension) {
	ranges := box(c)
	if slices.ContainsFunc(c.Indices, func(i *ein.Index) bool { n, ok := i.Extent.IsConst(); return !ok || n < 1 }) {
		return
	}
	for k, v := range c.Values {
		c.Values[k] = ein.Map(v, func(e ein.Expr) ein.Expr { return decided(e, ranges) })
	}
}

// decided returns the outcome of a comparison, or the operand that a minimum, maximum
// or remainder is, where it is the same over all of the ranges.
func decided(e ein.Expr, ranges []affine.Range) ein.Expr {
	known := affine.NewFacts()
	holds := func(g affine.Expr) bool {
		lo, _, ok := known.Extremes(g, ranges)
		return ok && known.Proves(lo)
	}
	if value, needs := withoutBoundary(e, ranges); len(needs) > 0 && !slices.ContainsFunc(needs, func(g affine.Expr) bool { return !holds(g) }) {
		return value
	}
	if d, ok := difference(e); ok && (holds(d.AddConst(-1)) || holds(d.Scale(-1).AddConst(-1))) {
		return boolean(e.(*ein.Binary).Op == ein.Ne)
	} else if ok && holds(d) && holds(d.Scale(-1)) { // an index of one value
		return boolean(e.(*ein.Binary).Op == ein.Eq)
	}
	g, ok := inequality(e)
	switch {
	case !ok:
		return e
	case holds(g):
		return boolean(true)
	case holds(g.Scale(-1).AddConst(-1)):
		return boolean(false)
	}
	return e
}
