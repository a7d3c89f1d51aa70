package rewrite

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
)

// How neighbouring indices become one
//
// A convolution with a filter of one point is a product of matrices, of the filters and
// of an image whose rows follow each other in memory. Written with the indices h and w it
// has rows of 14 or 56 points, which fill no whole number of vectors. Coalesce makes one
// index of the two, and one dimension of those of the tensors that they subscribe, where
// nothing can tell: all accesses of these tensors have both indices, over all of the last
// two dimensions, and no other expression has one of them. A reduced index of one
// value, such as those of the filter, may be added to them.
//
// Rows of products are joined: of a statement with a long sum and an operand that has
// neither of the indices. Images of a few vectors stay as they are: their products have
// vectors along the filters.
//
// So are the last two indices of statements that go through all of their tensors element by
// element, and of sums over all of them, where the last has few points: the colours of a
// picture, small matrices and boxes. Their vectors would have lanes that are used in part, or
// lie apart: 481 x 641 pixels of 3 floats times a number take 0.32 ms instead of 0.40, all
// products of 30011 pairs of 3 x 3 matrices summed 0.1 instead of 0.2. What these read may be
// shifted along the first of the two, by a number or by the indices of a short window: each
// channel of a neighbouring pixel is as far from that of this one as the others are.

const (
	leastCoalesced = 128 // points of the joint index of a product
	leastSum       = 24  // steps; the tiles for short sums are made for windows
	longestRow     = 128 // points of rows that are joined element by element
	longestPixel   = 16  // points of those that windows move along; more fill a vector
	longestWindow  = 64  // steps
)

// Coalesce joins the last two indices of the results of products, where all sizes are
// known. The tensors that dense excludes are not row-major and keep their dimensions; the
// elements of the others stay where they are.
func Coalesce(f *ein.Func, dense func(*ein.Tensor) bool) *ein.Func {
	if len(f.Sizes) > 0 {
		return f
	}
	for n := range f.Body {
		for newCoalescing(f, f.Body[n], dense) != nil { // each takes an index away
			f = f.Clone()
			newCoalescing(f, f.Body[n], dense).apply()
		}
	}
	return f
}

// A coalescing is a set of statements with a pair of indices each, and the tensors whose
// last two dimensions these subscribe.
type coalescing struct {
	f       *ein.Func
	dense   func(*ein.Tensor) bool
	product bool // it starts at a product
	pairs   map[*ein.Comprehension][2]*ein.Index
	tensors []*ein.Tensor
}

// newCoalescing starts at the last two indices of a product's result, or of statements that go
// through all elements, and follows the tensors; nil where something keeps the indices apart.
func newCoalescing(f *ein.Func, c *ein.Comprehension, dense func(*ein.Tensor) bool) *coalescing {
	p := &coalescing{f: f, dense: dense, pairs: map[*ein.Comprehension][2]*ein.Index{}}
	pair, ok := rowsOfProduct(c)
	p.product = ok
	if !ok {
		pair, _, ok = rowsOfElements(c)
	}
	if !ok || !p.add(c, pair) {
		return nil
	}
	for n := 0; n < len(p.tensors); n++ {
		for _, other := range f.Body {
			for _, subscripts := range placesOf(other, p.tensors[n]) {
				if pair, ok := p.lastPair(other, subscripts); !ok || !p.add(other, pair) {
					return nil
				}
			}
		}
	}
	return p
}

// rowsOfProduct returns the last two indices of the result of a product of operands of
// which only some have these indices.
func rowsOfProduct(c *ein.Comprehension) (pair [2]*ein.Index, ok bool) {
	steps := int64(1)
	for _, i := range c.Indices {
		n, known := i.Extent.IsConst()
		if !known || n < 1 || i.Combine.Kind == ein.Scan {
			return pair, false
		}
		if i.Combine.Kind == ein.Reduce {
			steps *= n
		}
	}
	if len(c.Writes) != 1 || steps < leastSum {
		return pair, false
	}
	if pair, ok = lastPair(c, c.Writes[0].Subscripts); !ok {
		return pair, false
	}
	with, without := 0, 0
	for _, a := range c.Accesses() {
		if here, ok := lastPair(c, a.Subscripts); ok && here == pair {
			with++
		} else {
			without++ // nor has it one of them, or they are not joined
		}
	}
	rows, _ := pair[0].Extent.IsConst()
	columns, _ := pair[1].Extent.IsConst()
	return pair, with > 0 && without > 0 && rows > 1 && columns > 1 && rows*columns >= leastCoalesced
}

// rowsOfElements returns the last two indices of a statement that has all of its indices in
// each access, and is no reduction, one of a window, or a sum, product, least or greatest value of
// all points.
// Whether nothing keeps them apart add finds out.
func rowsOfElements(c *ein.Comprehension) (pair [2]*ein.Index, kind ein.CombineKind, ok bool) {
	reduced, steps := 0, int64(1)
	for _, i := range c.Indices {
		n, known := i.Extent.IsConst()
		if !known || n < 1 || i.Combine.Kind == ein.Scan {
			return pair, kind, false
		}
		if i.Combine.Kind == ein.Reduce {
			reduced++
			steps = affine.MultiplySaturating(steps, n)
		}
	}
	subscripts, longest := c.Writes[0].Subscripts, int64(longestRow)
	if reduced > 0 && reduced < len(c.Indices) && steps <= longestWindow && len(c.Writes) == 1 && isWindow(c) {
		longest = longestPixel
	} else if reduced > 0 {
		op, free := ein.ReductionOperator(c)
		if !free || reduced < len(c.Indices) || len(c.Writes) > 1 || len(c.Accesses()) == 0 {
			return pair, kind, false
		}
		if _, folds := ein.FoldOperator(op); !folds {
			return pair, kind, false
		}
		kind, subscripts = ein.Reduce, c.Accesses()[0].Subscripts
	}
	if kind == ein.Concat {
		pair, _, ok = shiftedPair(c, subscripts)
	} else {
		pair, ok = lastPairOf(c, subscripts, kind)
	}
	if !ok {
		return pair, kind, false
	}
	rows, _ := pair[0].Extent.IsConst()
	columns, _ := pair[1].Extent.IsConst()
	return pair, kind, rows > 1 && columns > 1 && columns < longest
}

// isWindow reports whether a statement reads, with the last two indices of its result, what lies
// next to a point of it along each of its reduced indices.
func isWindow(c *ein.Comprehension) bool {
	pair, _, ok := shiftedPair(c, c.Writes[0].Subscripts)
	if !ok {
		return false
	}
	along := map[*ein.Index]bool{}
	for _, a := range c.Accesses() {
		if here, _, ok := shiftedPair(c, a.Subscripts); !ok || here != pair {
			continue
		}
		for _, sub := range a.Subscripts {
			at, isAffine := ein.AffineOf(sub)
			moves := isAffine && slices.ContainsFunc(c.Indices, func(i *ein.Index) bool { return i.Combine.Kind == ein.Concat && at.Uses(i.Name) })
			for _, i := range c.Indices {
				along[i] = along[i] || moves && at.Uses(i.Name)
			}
		}
	}
	return !slices.ContainsFunc(c.Indices, func(i *ein.Index) bool { return i.Combine.Kind == ein.Reduce && !along[i] })
}

// shiftedPair returns the indices that are the last two subscripts of an access, and what is added
// to the first of them.
func shiftedPair(c *ein.Comprehension, subscripts []ein.Expr) (pair [2]*ein.Index, shift affine.Expr, ok bool) {
	if len(subscripts) < 2 {
		return pair, shift, false
	}
	last := subscripts[len(subscripts)-2:]
	a, isAffine := ein.AffineOf(last[0])
	if pair[1] = plainIndex(c, last[1]); pair[1] == nil || pair[1].Combine.Kind != ein.Concat || !isAffine {
		return pair, shift, false
	}
	for _, i := range c.Indices {
		if i.Combine.Kind != ein.Concat || !a.Uses(i.Name) {
			continue
		}
		coefficient, rest, linear := a.Linear(i.Name)
		if !linear || coefficient != 1 || pair[0] != nil {
			return pair, shift, false
		}
		pair[0], shift = i, rest
	}
	return pair, shift, pair[0] != nil && pair[0] != pair[1]
}

// lastPair returns the indices that are the last two subscripts of an access.
func lastPair(c *ein.Comprehension, subscripts []ein.Expr) (pair [2]*ein.Index, ok bool) {
	return lastPairOf(c, subscripts, ein.Concat)
}

func lastPairOf(c *ein.Comprehension, subscripts []ein.Expr, kind ein.CombineKind) (pair [2]*ein.Index, ok bool) {
	if len(subscripts) < 2 {
		return pair, false
	}
	for k, sub := range subscripts[len(subscripts)-2:] {
		if pair[k] = plainIndex(c, sub); pair[k] == nil || pair[k].Combine.Kind != kind {
			return pair, false
		}
	}
	return pair, pair[0] != pair[1]
}

// lastPair returns the indices that are the last two subscripts of an access, of the kind that
// is joined.
func (p *coalescing) lastPair(c *ein.Comprehension, subscripts []ein.Expr) (pair [2]*ein.Index, ok bool) {
	if p.product {
		return lastPair(c, subscripts)
	}
	_, kind, ok := rowsOfElements(c)
	if !ok {
		return pair, false
	}
	if kind == ein.Concat {
		pair, _, ok = shiftedPair(c, subscripts)
		return pair, ok
	}
	return lastPairOf(c, subscripts, kind)
}

// plainIndex returns the index whose value an expression always has, or nil.
func plainIndex(c *ein.Comprehension, e ein.Expr) *ein.Index {
	a, ok := ein.AffineOf(e)
	if !ok {
		return nil
	}
	only := map[string]affine.Expr{}
	for _, i := range c.Indices {
		if n, known := i.Extent.IsConst(); known && n == 1 && i.Combine.Kind == ein.Reduce {
			only[i.Name] = i.Min
		}
	}
	name, single := a.Subst(only).IsSymbol()
	for _, i := range c.Indices {
		if single && i.Name == name {
			return i
		}
	}
	return nil
}

// placesOf lists the subscripts of all accesses of a statement to a tensor.
func placesOf(c *ein.Comprehension, t *ein.Tensor) [][]ein.Expr {
	var list [][]ein.Expr
	for _, a := range c.Accesses() {
		if a.Tensor == t {
			list = append(list, a.Subscripts)
		}
	}
	for _, w := range c.Writes {
		if w.Tensor == t {
			list = append(list, w.Subscripts)
		}
	}
	return list
}

// add makes the pair of a statement one that is joined, if it is its only pair and
// occurs nowhere but in the last subscripts of tensors that have room for it.
func (p *coalescing) add(c *ein.Comprehension, pair [2]*ein.Index) bool {
	if old, known := p.pairs[c]; known {
		return old == pair
	}
	p.pairs[c] = pair
	joined, total, ok := 0, 0, true
	if _, _, elements := rowsOfElements(c); !p.product && !elements {
		return false
	}
	place := func(t *ein.Tensor, subscripts []ein.Expr) {
		if here, plain := p.lastPair(c, subscripts); plain && here == pair {
			joined += 2
			ok = ok && p.has(t, pair)
		}
	}
	count := func(e ein.Expr) bool {
		switch e := e.(type) {
		case *ein.IndexRef:
			if e.Index == pair[0] || e.Index == pair[1] {
				total++
			}
		case *ein.Access:
			before := joined
			place(e.Tensor, e.Subscripts)
			ok = ok && (!e.Checked || joined == before)
		}
		return true
	}
	for _, v := range c.Values {
		ein.Walk(v, count)
	}
	for _, w := range c.Writes {
		place(w.Tensor, w.Subscripts)
		for _, sub := range w.Subscripts {
			ein.Walk(sub, count)
		}
	}
	return ok && joined == total
}

// has makes a tensor one whose last two dimensions are joined, if a pair goes over all of
// them, or over all of the last one element by element.
func (p *coalescing) has(t *ein.Tensor, pair [2]*ein.Index) bool {
	for k, d := range t.Dims[len(t.Dims)-2:] {
		if (k > 0 || p.product) && (!d.Min.Equal(pair[k].Min) || !d.Extent.Equal(pair[k].Extent)) {
			return false
		}
	}
	if !slices.Contains(p.tensors, t) {
		p.tensors = append(p.tensors, t)
	}
	return p.dense(t)
}

// apply joins the indices and the dimensions.
func (p *coalescing) apply() {
	mins, columns := map[*ein.Tensor]affine.Expr{}, map[*ein.Tensor]affine.Expr{}
	for _, t := range p.tensors {
		last := len(t.Dims) - 2
		mins[t], columns[t] = t.Dims[last].Min, t.Dims[last+1].Extent
		t.Dims = append(t.Dims[:last:last], ein.Dim{Extent: t.Dims[last].Extent.Mul(t.Dims[last+1].Extent)})
	}
	for _, c := range p.f.Body {
		pair, joined := p.pairs[c]
		if !joined {
			continue
		}
		i := &ein.Index{Pos: pair[0].Pos, Name: freshIndex(p.f, c, pair[0].Name+pair[1].Name), Extent: pair[0].Extent.Mul(pair[1].Extent), Combine: pair[0].Combine}
		indices := map[string]*ein.Index{i.Name: i}
		for _, other := range c.Indices {
			indices[other.Name] = other
		}
		replace := func(t *ein.Tensor, subscripts []ein.Expr) []ein.Expr {
			last := len(subscripts) - 2
			if !slices.Contains(p.tensors, t) {
				return subscripts
			}
			at := affine.Symbol(i.Name)
			if here, shift, ok := shiftedPair(c, subscripts); ok && here == pair && !p.product {
				at = at.Add(shift.Add(pair[0].Min).Sub(mins[t]).Mul(columns[t]))
			} else if !p.product {
				at = at.Add(pair[0].Min.Sub(mins[t]).Mul(columns[t]))
			}
			return append(subscripts[:last:last], ein.FromAffine(at, indices, i.Pos))
		}
		for k, v := range c.Values {
			c.Values[k] = ein.Map(v, func(e ein.Expr) ein.Expr {
				if a, ok := e.(*ein.Access); ok {
					a.Subscripts = replace(a.Tensor, a.Subscripts)
				}
				return e
			})
		}
		for _, w := range c.Writes {
			w.Subscripts = replace(w.Tensor, w.Subscripts)
		}
		c.Indices[slices.Index(c.Indices, pair[0])] = i
		c.Indices = slices.DeleteFunc(c.Indices, func(other *ein.Index) bool { return other == pair[1] })
	}
}
