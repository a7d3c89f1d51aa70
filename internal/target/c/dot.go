package c

import (
	"fmt"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

// How dot products of groups are computed
//
// A group is a word of 32 bits, and a helper takes vectors of words. The processor for
// which the text is compiled chooses among its bodies; all have the same bits, because
// nothing saturates and 32-bit sums wrap:
//
//   - With VNNI, vpdpwssd adds the two products of a word, vpdpbusd the four of unsigned
//     by signed bytes. Other signs take what differs by 128 and set it right: x·y is
//     (x+128)·y − 128·y, and x·(y−128) + 128·x.
//   - vpmaddwd multiplies pairs of 16 bits. Its sum of two products wraps for
//     (−32768)² + (−32768)² only, to the same bits as theirs. Bytes go in two steps, the
//     even and the odd ones extended to 16 bits; vpmaddubsw, which saturates, is no use.
//   - Elsewhere words are shifted and multiplied.
//
// Groups of bfloat16 are parts of products of matrices only (multiply.go). vdpbf16ps takes
// small numbers for 0 and rounds as AMX does, so that the bound of errors is the same
// (ein.flushed); elsewhere each is shifted to a float32 and multiplied.

// dot prints a Dot.
func (k *kernel) dot(e *loop.Dot) code {
	x, y := e.X, e.Y
	name := "dot_16"
	if x.Type().Elem != tensor.Int16 {
		if x.Type().Elem == tensor.Int8 && y.Type().Elem == tensor.Uint8 {
			x, y = y, x
		}
		sign := map[tensor.DType]string{tensor.Int8: "s", tensor.Uint8: "u"}
		name = "dot_" + sign[x.Type().Elem] + sign[y.Type().Elem]
	}
	t := e.Type()
	return primary("%s(%s, %s, %s)", k.unit.helper(name, t), k.text(e.Z), k.words(x, t).text, k.words(y, t).text)
}

// words prints the groups of an operand as a vector of words.
func (k *kernel) words(e loop.Expr, t loop.Type) code {
	if e.Type().Lanes*e.Type().Elem.Size() == t.Lanes*t.Elem.Size() {
		return castTo(k.unit.vector("i32", t.Lanes), k.expr(e))
	}
	return k.splat(t, k.word(e))
}

// word prints a group. Adding the sign bit to bytes flips it, which is one operation on
// the word.
func (k *kernel) word(e loop.Expr) code {
	switch e := e.(type) {
	case *loop.Load:
		if e.Mask == nil && e.Buffer.Type.Lanes == 1 && e.Index.Type().Lanes == 1 {
			return primary("%s(%s)", k.unit.helper("word", loop.Scalar(tensor.Int32)), k.at(e.Buffer, e.Index))
		}
	case *loop.Binary:
		bytes, ok := e.X.(*loop.Cast)
		if b, isOne := e.Y.(*loop.Broadcast); ok && isOne && e.Op == ein.Add && bytes.To.Size() == 1 && bytes.X.Type().Elem.Size() == 1 {
			if c, ok := b.X.(*loop.Const); ok && c.Bits&0xff == 0x80 {
				return primary("(%s ^ (i32)0x80808080)", k.word(bytes.X).at(levelUnary))
			}
		}
	}
	return castTo("i32", k.expr(e))
}

// isDot reports whether a helper is one of a few instructions that must stand where
// their operands are in registers.
func isDot(name string) bool { return strings.HasPrefix(name, "dot_") || name == "distances" }

// distances prints a Distances.
func (k *kernel) distances(e *loop.Distances) code {
	sums := fmt.Sprintf("%s(%s, %s)", k.unit.helper("distances", e.X.Type()), k.text(e.X), k.text(e.Y))
	return binary(k.expr(e.Z), "+", castTo(k.unit.value(e.Type()), code{sums, levelPrimary}), levelAdd)
}

const dotParams = "$V z, $V x, $V y"

// vnni and pairs are the conditions for instructions on vectors of this size.
const (
	vnni  = "defined(__AVX512VNNI__) && ($BYTES == 64 || defined(__AVX512VL__) && $BYTES >= 16)"
	pairs = "defined(__AVX512BW__) && $BYTES == 64 || defined(__AVX2__) && $BYTES == 32 || defined(__AVX__) && $BYTES == 16"
)

const dotBytes = `__asm__("vpdpbusd %2, %1, %0" : "+v"(z) : "v"(x), "v"(y));`

var dotTemplates = map[string][]template{
	"word": {{kinds: "i", params: "const void *p", body: `
  i32 w;
  __builtin_memcpy(&w, p, sizeof w);
  return w;`}},
	"dot_16": {{kinds: "i", lanes: vectors, params: dotParams, body: `
#if ` + vnni + `
  __asm__("vpdpwssd %2, %1, %0" : "+v"(z) : "v"(x), "v"(y));
  return z;
#elif ` + pairs + `
  __asm__("vpmaddwd %1, %0, %0" : "+v"(x) : "v"(y));
  return z + x;
#else
  return z + (x << 16 >> 16) * (y << 16 >> 16) + (x >> 16) * (y >> 16);
#endif`}},
	// The sums of eight bytes are integers of 64 bits, of which the lower half is an even lane.
	"distances": {{kinds: "u", lanes: vectors, params: "$V x, $V y", body: `
#if ` + pairs + `
  $V r;
  __asm__("vpsadbw %2, %1, %0" : "=v"(r) : "v"(x), "v"(y));
  return r;
#else
  typedef u64 words __attribute__((vector_size($BYTES)));
  words d = (words)(@max(x, y) - @min(x, y));
  d = (d & 0x00ff00ff00ff00ffULL) + (d >> 8 & 0x00ff00ff00ff00ffULL);
  d = (d & 0x0000ffff0000ffffULL) + (d >> 16 & 0x0000ffff0000ffffULL);
  return ($V)((d & 0xffffffffULL) + (d >> 32));
#endif`}},
	"dot_bf16": {{kinds: "f", lanes: vectors, params: "$V z, $U x, $U y", body: `
#if defined(__AVX512BF16__) && ($BYTES == 64 || defined(__AVX512VL__) && $BYTES >= 16)
  __asm__("vdpbf16ps %2, %1, %0" : "+v"(z) : "v"(x), "v"(y));
  return z;
#else
  z += ($V)(x << 16) * ($V)(y << 16);
  return z + ($V)(x & 0xffff0000u) * ($V)(y & 0xffff0000u);
#endif`}},
	"dot_us": dotOfBytes(false, true, `
  `+dotBytes+`
  return z;`),
	"dot_ss": dotOfBytes(true, true, `
  $V c = {};
  x ^= 0x80808080;
  `+dotBytes+`
  x = 0x80808080 - ($V){};
  __asm__("vpdpbusd %2, %1, %0" : "+v"(c) : "v"(x), "v"(y));
  return z - c;`),
	"dot_uu": dotOfBytes(false, false, `
  $V c = {}, ones = 0x01010101 - ($V){};
  y ^= 0x80808080;
  `+dotBytes+`
  __asm__("vpdpbusd %2, %1, %0" : "+v"(c) : "v"(x), "v"(ones));
  return z + (c << 7);`),
}

// dotOfBytes is the helper for bytes that are signed or not, with a body for VNNI.
func dotOfBytes(xSigned, ySigned bool, withVNNI string) []template {
	even := map[bool]string{true: "(($W)# << 8) >> 8", false: "($X)# & 255"}
	odd := map[bool]string{true: "($W)# >> 8", false: "($X)# >> 8"}
	of := func(name, text string) string { return "($V)(" + strings.ReplaceAll(text, "#", name) + ")" }
	return []template{{kinds: "i", lanes: vectors, params: dotParams, body: `
#if ` + vnni + withVNNI + `
#else
  z = @dot_16(z, ` + of("x", even[xSigned]) + ", " + of("y", even[ySigned]) + `);
  return @dot_16(z, ` + of("x", odd[xSigned]) + ", " + of("y", odd[ySigned]) + `);
#endif`}}
}
