package c

import (
	"math"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

// How vectors are divided by a scalar
//
// A division of a whole register takes 16 cycles or more, in which two multiplications
// can be done in each. Where all lanes have one divisor y, as in the last step of a softmax or
// a mean, its reciprocal z is computed once, and
//
//	q = x·z,  r = x - q·y,  q + r·z
//
// is the quotient, correctly rounded, where z is the rounded reciprocal and nothing
// leaves the range in which r is exact (Brisebarre, Muller and Raina, "Accelerating Correctly
// Rounded Floating-Point Division When the Divisor Is Known in Advance", 2004). The exponents
// of x and y are tested for that. Zeros, which are often there many of, have q as their
// quotient, with the right sign; any other vector is divided.

// dividedByScalar prints the quotient of a vector by a scalar; ok is false where an
// instruction does as well.
func (k *kernel) dividedByScalar(e *loop.Binary) (c code, ok bool) {
	t := e.Type()
	if e.Op != ein.Div || t.Lanes == 1 || t.Elem != tensor.Float32 && t.Elem != tensor.Float64 || isSplat(e.X) || !isSplat(e.Y) {
		return code{}, false
	}
	y := e.Y.(*loop.Broadcast).X
	if constant, ok := y.(*loop.Const); ok && isPowerOfTwo(constant) {
		return code{}, false // compilers multiply
	}
	return primary("%s(%s, %s)", k.unit.helper("div_by", t), k.text(e.X), k.text(y)), true
}

// divideTemplates define div_by. Its limits are exponents: x is between 2⁻¹⁰⁰ and 2¹⁰⁰ and y
// between 2⁻²⁰ and 2²⁰, or 2⁻⁹⁰⁰ and 2⁹⁰⁰, and 2⁻⁶⁰ and 2⁶⁰ in double precision. Those of x are
// compared as its bits without the sign.
var divideTemplates = map[string][]template{
	"div_by": {
		{kinds: "f", lanes: registers, params: "$V x, $S y", body: `
#if $BYTES == 64 && defined(__AVX512F__) && defined(__AVX512BW__)
  const $S size = y < 0 ? -y : y, z = 1 / y;
  const _Bool near = size >= $C{$SIZE == 4 ? 0x1p-20f : 0x1p-60} && size <= $C{$SIZE == 4 ? 0x1p20f : 0x1p60};
  const $U least = ($C{$SIZE == 4 ? 27U << 24 : 123ULL << 53}) + ($U){};
  const $U normal = ($C{$SIZE == 4 ? 200U << 24 : 1800ULL << 53}) + ($U){};
  const $U range = near ? normal : ($U){}, bits = ($U)x + ($U)x;
  const $V ys = y - ($V){}, zs = z - ($V){}, q = x * zs;
  const u64 all = (1ULL << $N) - 1;
  $V r = x, p = q;
  u64 inside, zero;
  __asm__("vfnmadd231$PACKED %2, %1, %0" : "+v"(r) : "v"(q), "v"(ys));
  __asm__("vfmadd231$PACKED %2, %1, %0" : "+v"(p) : "v"(r), "v"(zs));
  __asm__("vpcmpltu$LETTER %2, %1, %0" : "=Yk"(inside) : "v"(bits - least), "v"(range));
  if (__builtin_expect(inside == all, 1)) return p;
  __asm__("vptestnm$LETTER %1, %1, %0" : "=Yk"(zero) : "v"(bits));
  if (near && (inside | zero) == all) {
    r = q;
    __asm__("vmova$PACKED %1, %0%{%2%}" : "+v"(r) : "v"(p), "Yk"(inside));
    return r;
  }
#endif
  return x / y;`},
		{kinds: "f", lanes: halved, params: "$V x, $S y", body: `
  union { $V v; $H h[2]; } a = {x}, r;
  r.h[0] = @div_by.H(a.h[0], y);
  r.h[1] = @div_by.H(a.h[1], y);
  return r.v;`},
	},
}

// isPowerOfTwo reports whether the reciprocal of a constant is exact.
func isPowerOfTwo(c *loop.Const) bool {
	fraction, _ := math.Frexp((&ein.Const{DType: c.Elem, Bits: c.Bits}).Float())
	return math.Abs(fraction) == 0.5
}
