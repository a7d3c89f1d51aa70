package c

import (
	"math"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

// How products of small numbers in wide lanes are computed
//
// Samples, pixels and quantised weights are multiplied in 32 bits and sums of them in 64, where
// the numbers need half of these. vpmulld is two instructions of ten cycles, vpmullq three of
// fifteen; vpmaddwd, which multiplies the halves of each lane and adds the two products, is one of
// five, and vpmuldq, which multiplies the lower halves, as well:
//
//   - Lanes of 32 bits that hold numbers of 16 are one half and its sign. If one of the two
//     operands has zeros instead of the sign, the sum is the product of the lower halves.
//     A sum of such products takes no addition where the machine has vpdpwssd (dot.go).
//   - Lanes of 64 bits that hold numbers of 32 are multiplied by their lower halves.
//
// All give the bits of the product in the lane. What numbers an expression can be follows from its
// types and constants.

// product prints a product of vectors of integers by their lower halves, if they fit there.
func (k *kernel) product(x, y loop.Expr) (code, bool) {
	t := x.Type()
	switch {
	case !k.multipliesHalves(x, y):
		return code{}, false
	case t.Elem == tensor.Int32:
		x, y = cheaperFirst(x, y)
		return primary("%s(%s, %s)", k.unit.helper("product_16", t), k.withoutSign(x).text, k.text(y)), true
	}
	return primary("%s(%s, %s)", k.unit.helper("product_32", t), k.text(x), k.text(y)), true
}

// productSum prints x*y + z of vectors whose numbers fit in half a lane.
func (k *kernel) productSum(x, y, z loop.Expr) (code, bool) {
	t := x.Type()
	if t.Elem != tensor.Int32 || !k.multipliesHalves(x, y) {
		return code{}, false
	}
	x, y = cheaperFirst(x, y)
	return primary("%s(%s, %s, %s)", k.unit.helper("dot_16", t), k.text(z), k.withoutSign(x).text, k.text(y)), true
}

// sumOfProduct prints an addition one of whose operands is a product.
func (k *kernel) sumOfProduct(e *loop.Binary) (code, bool) {
	for _, sides := range [][2]loop.Expr{{e.Y, e.X}, {e.X, e.Y}} {
		if product, ok := sides[0].(*loop.Binary); ok && e.Op == ein.Add && product.Op == ein.Mul {
			if c, ok := k.productSum(product.X, product.Y, sides[1]); ok {
				return c, true
			}
		}
	}
	return code{}, false
}

// multipliesHalves reports whether instructions on half lanes multiply two vectors.
func (k *kernel) multipliesHalves(x, y loop.Expr) bool {
	t := x.Type()
	bytes := t.Lanes * t.Elem.Size()
	if t.Lanes < 2 || bytes < 16 || bytes > k.unit.options.VectorBytes {
		return false
	}
	half := map[tensor.DType]tensor.DType{tensor.Int32: tensor.Int16, tensor.Int64: tensor.Int32, tensor.Uint64: tensor.Uint32}[t.Elem]
	return half != tensor.Invalid && fits(x, half) && fits(y, half)
}

// An interval has the numbers from low to high.
type interval struct{ low, high int64 }

// intervalOf returns the numbers of an integer type of at most 32 bits, or of any other.
func intervalOf(t tensor.DType) interval {
	bits := uint(8 * t.Size())
	switch {
	case t == tensor.Bool:
		return interval{0, 1}
	case t == tensor.Uint64:
		return interval{0, math.MaxInt64} // which is too large for every use
	case !t.IsInteger() || bits > 32:
		return interval{math.MinInt64, math.MaxInt64}
	case t.Kind() == tensor.KindUint:
		return interval{0, 1<<bits - 1}
	}
	return interval{-1 << (bits - 1), 1<<(bits-1) - 1}
}

func (i interval) isIn(other interval) bool { return i.low >= other.low && i.high <= other.high }

// isSmall reports whether sums of the numbers, and products with those of int32, are in int64.
func (i interval) isSmall() bool { return i.isIn(interval{-1 << 31, 1<<32 - 1}) }

func fits(e loop.Expr, t tensor.DType) bool { return numbersOf(e).isIn(intervalOf(t)) }

// numbersOf returns the numbers that an integer expression, or each of its lanes, can be. What
// goes beyond its type wraps, and can be any of it.
func numbersOf(e loop.Expr) interval {
	all := intervalOf(e.Type().Elem)
	found := all
	switch e := e.(type) {
	case *loop.Const:
		if shift := uint(64 - 8*e.Elem.Size()); e.Elem.Kind() == tensor.KindInt {
			v := int64(e.Bits<<shift) >> shift
			found = interval{v, v}
		} else if v := int64(e.Bits << shift >> shift); e.Elem.IsInteger() && v >= 0 {
			found = interval{v, v}
		}
	case *loop.Broadcast:
		return numbersOf(e.X)
	case *loop.Cast:
		if t := e.X.Type().Elem; t.IsInteger() || t == tensor.Bool {
			found = numbersOf(e.X)
		}
	case *loop.Unary:
		if x := numbersOf(e.X); e.Op == ein.Neg && x.isSmall() {
			found = interval{-x.high, -x.low}
		}
	case *loop.Select:
		x, y := numbersOf(e.Then), numbersOf(e.Else)
		found = interval{min(x.low, y.low), max(x.high, y.high)}
	case *loop.Binary:
		if e.X.Type().Elem == e.Type().Elem {
			found = combined(e.Op, numbersOf(e.X), numbersOf(e.Y), all)
		}
	}
	if found.isIn(all) {
		return found
	}
	return all
}

// combined returns the numbers of an operation, or all.
func combined(op ein.BinaryOp, x, y, all interval) interval {
	signed := intervalOf(tensor.Int32)
	if !x.isSmall() || !y.isSmall() || op == ein.Mul && !x.isIn(signed) && !y.isIn(signed) {
		return all
	}
	switch op {
	case ein.Add:
		return interval{x.low + y.low, x.high + y.high}
	case ein.Sub:
		return interval{x.low - y.high, x.high - y.low}
	case ein.Mul:
		ends := []int64{x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high}
		return interval{min(ends[0], ends[1], ends[2], ends[3]), max(ends[0], ends[1], ends[2], ends[3])}
	case ein.Min:
		return interval{min(x.low, y.low), min(x.high, y.high)}
	case ein.Max:
		return interval{max(x.low, y.low), max(x.high, y.high)}
	case ein.BitAnd, ein.BitOr, ein.BitXor:
		low, high := ein.BitRange(op, x.low, x.high, y.low, y.high)
		return interval{low, high}
	case ein.Shr:
		if y.low == y.high && 0 <= y.low && y.low < 63 {
			return interval{x.low >> y.low, x.high >> y.low}
		}
	}
	return all
}

// cheaperFirst puts the operand first whose sign costs less to leave out.
func cheaperFirst(x, y loop.Expr) (loop.Expr, loop.Expr) {
	if signCost(y) < signCost(x) {
		return y, x
	}
	return x, y
}

func signCost(e loop.Expr) int {
	cast, _ := e.(*loop.Cast)
	switch {
	case numbersOf(e).low >= 0:
		return 0
	case isSplat(e):
		return 1
	case cast != nil && cast.X.Type().Elem == tensor.Int16 && !isSplat(cast.X):
		return 2
	}
	return 3
}

// withoutSign prints lanes of numbers of 16 bits with zeros above them.
func (k *kernel) withoutSign(e loop.Expr) code {
	t := e.Type()
	switch signCost(e) {
	case 0:
		return k.expr(e)
	case 1:
		return k.splat(t, castTo("i32", castTo("u16", k.expr(e.(*loop.Broadcast).X))))
	case 2:
		half := k.expr(e.(*loop.Cast).X)
		return primary("%s(%s)", k.unit.helper(widenPrefix+tensor.Uint16.String(), t), castTo(k.unit.vector("u16", t.Lanes), half).text)
	}
	return binary(k.expr(e), "&", code{"65535", levelPrimary}, levelBitAnd)
}

var productTemplates = map[string][]template{
	"product_16": {{kinds: "i", lanes: vectors, params: "$V x, $V y", body: `
#if ` + pairs + `
  __asm__("vpmaddwd %1, %0, %0" : "+v"(x) : "v"(y));
  return x;
#else
  return (x << 16 >> 16) * (y << 16 >> 16);
#endif`}},
	"product_32": {
		{kinds: "i", lanes: vectors, params: "$V x, $V y", body: productOfHalves("vpmuldq")},
		{kinds: "u", lanes: vectors, params: "$V x, $V y", body: productOfHalves("vpmuludq")},
	},
}

// productOfHalves is the body of products of 64 bits.
func productOfHalves(instruction string) string {
	return `
#if defined(__AVX512F__) && $BYTES == 64 || defined(__AVX2__) && $BYTES == 32 || defined(__AVX__) && $BYTES == 16
  __asm__("` + instruction + ` %1, %0, %0" : "+v"(x) : "v"(y));
  return x;
#else
  return x * y;
#endif`
}
