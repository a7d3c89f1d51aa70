package schedule

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
)

// How much of a tensor the inner loops use
//
// What the loops so far leave of the coordinate over each index of a statement is a block:
// so many values from a base on. The index is its coordinate without the other parts, so a
// subscript that is affine in the indices is affine in the coordinates, and its values from
// the one corner of their blocks to the other are a range, whose length is known where the
// sizes of the blocks are. A box is the hull of such ranges: where the bases of two differ
// by a number, as those of statements do that share their loops, whatever their shifts.
// Blocks of skewed loops are no boxes, and the values of coordinates are not all points; the
// box has room for more than is used then, also beyond the ends of the tensor.

// A Use is an access of a statement to a tensor.
type Use struct {
	Statement  int
	Subscripts []ein.Expr
	Writes     bool
}

// Blocks says what is left of the coordinate over an index of a statement.
type Blocks func(statement int, i *ein.Index) (base, size affine.Expr)

// Box returns the range of the elements along a dimension that uses of a tensor have in the
// blocks: so many from low on. It is the whole dimension where that is no longer, or nothing
// better is known; ok is false if its size is not known either.
func (f Frames) Box(fn *ein.Func, t *ein.Tensor, uses []Use, d int, blocks Blocks) (low affine.Expr, size int64, ok bool) {
	size, ok = t.Dims[d].Extent.IsConst()
	first, n, hull := f.hull(fn, uses, d, blocks)
	if hull && (!ok || n < size) {
		return first, n, true
	}
	return t.Dims[d].Min, max(size, 0), ok
}

// Whole is the Box of what is read at all points of the blocks, whether they exist or not.
func (f Frames) Whole(fn *ein.Func, t *ein.Tensor, uses []Use, d int, blocks Blocks) (low affine.Expr, size int64, ok bool) {
	if low, size, ok = f.hull(fn, uses, d, blocks); ok {
		return low, size, true
	}
	return f.Box(fn, t, uses, d, blocks)
}

// hull is the smallest range that has those of all uses.
func (f Frames) hull(fn *ein.Func, uses []Use, d int, blocks Blocks) (low affine.Expr, size int64, ok bool) {
	for k, u := range uses {
		first, n, ok := f.span(fn.Body[u.Statement], u, d, blocks)
		if !ok {
			return low, 0, false
		}
		if k == 0 {
			low, size = first, n
			continue
		}
		ahead, known := first.Sub(low).IsConst()
		if !known {
			return low, 0, false
		}
		end := max(size, ahead+n)
		if ahead < 0 {
			low, end = first, end-ahead
		}
		size = end
	}
	return low, size, len(uses) > 0
}

// span is the range of one use.
func (f Frames) span(c *ein.Comprehension, u Use, d int, blocks Blocks) (low affine.Expr, size int64, ok bool) {
	e, ok := ein.AffineOf(u.Subscripts[d])
	if !ok {
		return low, 0, false
	}
	values, ok := f.Values(u.Statement, c, All)
	if !ok {
		return low, 0, false // which Check refuses
	}
	env := map[string]affine.Expr{}
	for i, v := range values {
		for _, p := range v.Coordinates {
			env[i.Name] = env[i.Name].Add(affine.Symbol(coordinateOf(p.Index)).Scale(p.Factor))
		}
	}
	e, size = e.Subst(env), 1
	for _, i := range c.Indices {
		factor, rest, linear := e.Linear(coordinateOf(i))
		if !linear {
			return low, 0, false
		}
		if e = rest; factor == 0 {
			continue
		}
		base, n := blocks(u.Statement, i)
		steps, known := n.AddConst(-1).IsConst()
		if !known {
			return low, 0, false
		}
		reach := MultiplySizes(max(factor, -factor), max(steps, 0))
		if reach > unknownBytes/4-size {
			return low, 0, false
		}
		size += reach
		if low = low.Add(base.Scale(factor)); factor < 0 {
			low = low.AddConst(-reach)
		}
	}
	return low.Add(e), size, true
}

// coordinateOf is the symbol of the coordinate over an index.
func coordinateOf(i *ein.Index) string { return "$" + i.Name }

// IsExact reports whether the points of a statement whose blocks are known are boxes of its
// indices: no coordinate is more than its index.
func (f Frames) IsExact(statement int, c *ein.Comprehension) bool {
	return !slices.ContainsFunc(c.Indices, func(i *ein.Index) bool { return len(f.Of(statement, i).By) > 0 })
}
