package rewrite

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// How integers become narrow
//
// A vector has as many lanes as the widest value of its statement allows, so that
//
//	b[i, j] = uint8(min(255i32, int32(a[i, j]) + int32(b[i, j])))
//
// takes a quarter of the elements of a register at a time, and as much memory as
// int32 for what is kept between statements. Narrow computes whole statements in fewer bits,
// the least with which every operation gives the same result:
//
//   - sums, differences and products have the same low bits however many bits are above, and
//     so have the casts between them. What only needs its low bits, because a cast takes them
//     or because the range of the value says that there are no others, is computed from the low
//     bits of its operands;
//   - min, max, quotients and comparisons need the whole operands, of which the ranges must fit
//     the narrow type (ranges.go);
//   - some operations fit fewer bits in another form (narrow_forms.go).
//
// A statement is changed as a whole or not at all: a single wide value would keep the vectors
// short, and then narrow operations only add conversions. Temporaries whose values fit
// get narrow elements, and reductions into them are done in these; sums of products of which
// processors sum groups in 32 bits (ein.DotOf) stay what they are, and so do equalities
// with indices, which later stages know how to turn into subscripts.

// narrowWidths are the bits that are tried, the least first.
var narrowWidths = []int{8, 16, 32}

// Narrow computes in narrow integers where the results are the same.
func Narrow(f *ein.Func) *ein.Func {
	f = f.Clone()
	for _, t := range f.ByRole(ein.Temp) {
		narrowTensor(f, t)
	}
	r := newRanges(f)
	for k := 0; k < len(f.Body); k++ {
		if !narrowPosition(r, k) {
			narrowStatement(r, f.Body[k])
		}
	}
	return f
}

// integerType returns the integer type of a width.
func integerType(bits int, kind tensor.Kind) tensor.DType {
	for _, t := range tensor.DTypes() {
		if t.IsInteger() && t.Kind() == kind && 8*t.Size() == bits {
			return t
		}
	}
	return tensor.Invalid
}

// typeOf returns an integer type of a width for a range, or Invalid.
func (r interval) typeOf(bits int) tensor.DType {
	for _, kind := range []tensor.Kind{tensor.KindUint, tensor.KindInt} {
		if t := integerType(bits, kind); r.fits(t) {
			return t
		}
	}
	return tensor.Invalid
}

// narrowTensor gives a temporary the narrowest elements in which all that write it can compute.
func narrowTensor(f *ein.Func, t *ein.Tensor) {
	if !t.Type.IsInteger() {
		return
	}
	r := newRanges(f)
	all := r.tensor(t)
	for _, bits := range narrowWidths {
		narrow := all.typeOf(bits)
		if bits >= 8*t.Type.Size() {
			return
		}
		if narrow != tensor.Invalid && narrowWriters(r, t, narrow) {
			widenReads(f, t, narrow)
			return
		}
	}
}

// narrowWriters lets all statements that write a tensor compute it in a narrow type, or none.
func narrowWriters(r *ranges, t *ein.Tensor, narrow tensor.DType) bool {
	values := map[*ein.Comprehension]ein.Expr{}
	for _, c := range r.f.Body {
		if !writes(c, t) {
			continue
		}
		if len(c.Writes) != 1 || c.Accumulate != nil || reads(c, t) > 0 || !isNarrowable(c) {
			return false
		}
		n := newNarrower(r, 8*narrow.Size())
		if values[c] = n.value(c.Values[0], narrow); n.failed || n.widest(values[c]) > n.bits {
			return false
		}
	}
	for c, v := range values {
		c.Values[0] = v
		for _, i := range c.Indices {
			if i.Combine.Kind == ein.Reduce {
				i.Combine.Op = ein.BuiltinOperator(i.Combine.Op.Kind, narrow)
			}
		}
	}
	return true
}

// isNarrowable reports whether the reductions of a statement may be done in a narrow type where
// their results fit.
func isNarrowable(c *ein.Comprehension) bool {
	for _, i := range c.Indices {
		switch {
		case i.Combine.Kind == ein.Concat:
		case i.Combine.Kind == ein.Scan || !slices.Contains([]ein.OperatorKind{ein.SumOp, ein.MinOp, ein.MaxOp}, i.Combine.Op.Kind):
			return false
		}
	}
	_, _, group := ein.DotOf(c)
	return group == 0
}

// widenReads makes the elements of a tensor narrow, and widens what is read of it.
func widenReads(f *ein.Func, t *ein.Tensor, narrow tensor.DType) {
	wide := t.Type
	widen := func(e ein.Expr) ein.Expr {
		if a, ok := e.(*ein.Access); ok && a.Tensor == t {
			return &ein.Cast{Pos: a.Pos, To: wide, X: a}
		}
		return e
	}
	t.Type = narrow
	for _, c := range f.Body {
		for k, v := range c.Values {
			c.Values[k] = ein.Map(v, widen)
		}
		for _, w := range c.Writes {
			for k, s := range w.Subscripts {
				w.Subscripts[k] = ein.Map(s, widen)
			}
		}
	}
}

// narrowStatement computes a statement in the fewest bits that do.
func narrowStatement(r *ranges, c *ein.Comprehension) {
	if _, _, group := ein.DotOf(c); group > 0 || narrowSum(r, c) {
		return
	}
	widest := 0
	for _, v := range c.Values {
		widest = max(widest, (&narrower{}).widest(v))
	}
	for _, bits := range narrowWidths {
		if bits >= widest {
			return
		}
		n := newNarrower(r, bits)
		var values []ein.Expr
		for k, v := range c.Values {
			if c.Writes[k].Tensor.Type.IsHalf() {
				return
			}
			if values = append(values, n.same(v)); n.failed || n.widest(values[k]) > bits {
				break
			}
		}
		if len(values) == len(c.Values) && !n.failed && n.widest(values[len(values)-1]) <= bits {
			c.Values = values
			return
		}
	}
}
