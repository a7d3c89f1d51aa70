package c

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

// How operators on bits are printed
//
// C leaves shifts undefined whose count is negative or not less than the number of bits, and shifts to the left of
// negative numbers. So numbers are shifted to the left without their signs, and counts that are not known go to helpers
// that test them. Shifts of negative numbers to the right keep the sign in gcc and clang.

// bitOperators are the operators on bits that C has as they are meant.
var bitOperators = map[ein.BinaryOp]struct {
	text  string
	level int
}{ein.BitAnd: {"&", levelBitAnd}, ein.BitOr: {"|", levelBitOr}, ein.BitXor: {"^", levelBitXor}}

// shiftHelpers shift by any count.
var shiftHelpers = map[ein.BinaryOp]string{ein.Shl: "shl", ein.Shr: "shr"}

// bitwise prints an operator on bits.
func (k *kernel) bitwise(e *loop.Binary) code {
	t := e.X.Type()
	if op, ok := bitOperators[e.Op]; ok {
		return k.narrow(t, k.infix(op.text, op.level, e.X, e.Y))
	}
	count, known := constantOf(e.Y)
	if !known || count < 0 || count >= int64(8*t.Elem.Size()) {
		return primary("%s(%s, %s)", k.unit.helper(shiftHelpers[e.Op], t), k.text(e.X), k.text(e.Y))
	}
	x, places := k.expr(e.X), constant(&loop.Const{Elem: tensor.Int32, Bits: uint64(count)})
	if t.Lanes > 1 {
		places = constant(&loop.Const{Elem: t.Elem, Bits: uint64(count)})
	}
	if e.Op == ein.Shr {
		return k.narrow(t, binary(x, ">>", places, levelShift))
	}
	size := t.Elem.Size()
	if t.Lanes == 1 {
		size = max(size, 4) // less is computed as an int
	}
	shifted := binary(castTo(k.unit.vector(unsigned(size), t.Lanes), x), "<<", places, levelShift)
	return castTo(k.unit.value(t), shifted)
}

// bitTemplates defines shifts by any count, and counts of bits. Where vectors have no instruction for these, bits are
// added in pairs, then in fours, and so on (Warren, Hacker's Delight, section 5-1).
var bitTemplates = map[string][]template{
	"fold_and": foldTemplates("", "@fold_and.H(($H)(a.h[0] & a.h[1]))", "x"),
	"fold_or":  foldTemplates("", "@fold_or.H(($H)(a.h[0] | a.h[1]))", "x"),
	"fold_xor": foldTemplates("", "@fold_xor.H(($H)(a.h[0] ^ a.h[1]))", "x"),
	"shl": {
		{kinds: "iu", params: "$V x, $V y", body: "  return ($U)y < $C{8 * $SIZE} ? ($V)((u64)x << y) : 0;"},
		{kinds: "iu", lanes: registers, params: "$V x, $V y", body: `
  $U n = ($U)y, top = $C{8 * $SIZE - 1} + ($U){};
  return ($V)((($U)x << (n & top)) & ($U)(n <= top));`},
		{kinds: "iu", lanes: halved, params: "$V x, $V y", body: halves("$V", "@shl")},
	},
	"shr": {
		{kinds: "i", params: "$V x, $V y", body: "  return ($V)(x >> (($U)y < $C{8 * $SIZE} ? y : $C{8 * $SIZE - 1}));"},
		{kinds: "u", params: "$V x, $V y", body: "  return y < $C{8 * $SIZE} ? ($V)(x >> y) : 0;"},
		{kinds: "i", lanes: registers, params: "$V x, $V y", body: `
  $U n = ($U)y, top = $C{8 * $SIZE - 1} + ($U){};
  return x >> ($V)@min.u$C{8 * $SIZE}(n, top);`},
		{kinds: "u", lanes: registers, params: "$V x, $V y", body: `
  $V top = $C{8 * $SIZE - 1} + ($V){};
  return (x >> (y & top)) & ($V)(y <= top);`},
		{kinds: "iu", lanes: halved, params: "$V x, $V y", body: halves("$V", "@shr")},
	},
	"popcount": {
		{kinds: "iu", params: "$V x", body: "  return ($V)__builtin_popcountll(($U)x);"},
		{kinds: "iu", lanes: registers, params: "$V x", body: `
#if ` + bitInstructions("__AVX512VPOPCNTDQ__", "__AVX512BITALG__") + `
  $V r;
  __asm__("vpopcnt$LETTER %1, %0" : "=v"(r) : "v"(x));
  return r;
#else
  $U v = ($U)x, pairs = ~($U){} / 3, fours = ~($U){} / 5, eights = ~($U){} / 17;
  v -= (v >> 1) & pairs;
  v = (v & fours) + ((v >> 2) & fours);
  v = (v + (v >> 4)) & eights;
#if $SIZE > 1
  v += v >> 8;
#endif
#if $SIZE > 2
  v += v >> 16;
#endif
#if $SIZE > 4
  v += v >> 32;
#endif
  return ($V)(v & $C{16 * $SIZE - 1});
#endif`},
		{kinds: "iu", lanes: halved, params: "$V x", body: eachHalf("popcount")},
	},
	"clz": {
		{kinds: "iu", params: "$V x", body: "  return ($V)(x == 0 ? $C{8 * $SIZE} : __builtin_clzll(($U)x) - $C{64 - 8 * $SIZE});"},
		{kinds: "iu", lanes: registers, params: "$V x", body: `
#if $SIZE >= 4 && ` + bitInstructions("__AVX512CD__", "__AVX512CD__") + `
  $V r;
  __asm__("vplzcnt$LETTER %1, %0" : "=v"(r) : "v"(x));
  return r;
#else
  $U v = ($U)x;
  v |= v >> 1;
  v |= v >> 2;
  v |= v >> 4;
#if $SIZE > 1
  v |= v >> 8;
#endif
#if $SIZE > 2
  v |= v >> 16;
#endif
#if $SIZE > 4
  v |= v >> 32;
#endif
  return $C{8 * $SIZE} - @popcount(($V)v);
#endif`},
		{kinds: "iu", lanes: halved, params: "$V x", body: eachHalf("clz")},
	},
}

// bitInstructions is the condition that processors have an instruction on all lanes, by the feature for words of 32 and 64 bits
// and that for narrower ones.
func bitInstructions(wide, narrow string) string {
	return "($SIZE >= 4 && defined(" + wide + ") || $SIZE < 4 && defined(" + narrow + ")) && ($BYTES == 64 || $BYTES >= 16 && defined(__AVX512VL__))"
}

// eachHalf computes a function of a long vector by halves.
func eachHalf(name string) string {
	return `
  union { $V v; $H h[2]; } a = {x};
  a.h[0] = @` + name + `.H(a.h[0]);
  a.h[1] = @` + name + `.H(a.h[1]);
  return a.v;`
}
