package c

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

// How products are added to tiles of registers
//
// gcc lets a multiply-add write its result into the register of an operand that it needs no
// longer, as the last product with a repeated scalar does not need it any more. An accumulator
// then lies elsewhere at the end of an iteration than at its beginning, and a copy brings it
// back, or as many as five in a loop of 16 products. An empty instruction that reads the
// scalar after the product leaves gcc no register but the accumulator's own. (The instruction
// itself, as text, would not do: gcc copies what texts write, and may keep both copies.)
// Products of float64 take 0.97 to 0.99 of the time, contractions of six indices 0.98; those of
// float32 the same, and convolutions 1.01 to 1.03, so they are left alone, as are the 16 registers of
// AVX2 (1.02).

// addShared prints x*y + z of float64 where z is an accumulator in registers, and one of x and y a
// scalar for products of several iterations of unrolled loops.
func (k *kernel) addShared(e *loop.MulAdd) (code, bool) {
	t := e.Type()
	z, ok := e.Z.(*loop.Load)
	if !ok || z.Buffer.Region != loop.Register || t.Elem != tensor.Float64 || t.Lanes == 1 || t.Lanes*t.Elem.Size() > k.unit.options.VectorBytes {
		return code{}, false
	}
	scalar, other := e.X, e.Y
	if !isSplat(scalar) {
		scalar, other = other, scalar
	}
	if !isSplat(scalar) || isSplat(other) || !slices.ContainsFunc(k.unrolled, func(v *loop.Var) bool { return !mentions(scalar, v) }) {
		return code{}, false
	}
	return primary("%s(%s, %s, %s)", k.unit.helper("add_shared", t), k.expr(e.Z).text, k.text(scalar.(*loop.Broadcast).X), k.text(other)), true
}

// sharedTemplates define add_shared, and kept, whose instruction is empty, too: what it returns is not loaded
// again where it is used, and stays where it is in the order of the program. Loops over the elements of a filter
// are one block of some hundred products, before which gcc would load, and spill, all that does not change.
//
// What held returns is not loaded again either, but comes where its uses want it (loop.Hold).
var sharedTemplates = map[string][]template{
	"kept": {
		{kinds: "fiu", lanes: registers, params: "$V x", body: `
#if defined(__GNUC__) && defined(__AVX512F__)
  __asm__ volatile("" : "+v"(x));
#endif
  return x;`},
		{kinds: "fiu", lanes: vectors, params: "$V x", body: `  return x;`},
	},
	"held": {
		{kinds: "fiu", lanes: registers, params: "$V x", body: `
#if defined(__AVX512F__)
  __asm__("" : "+v"(x));
#elif defined(__SSE2__)
  __asm__("" : "+x"(x));
#elif defined(__aarch64__)
  __asm__("" : "+w"(x));
#endif
  return x;`},
		{kinds: "fiu", lanes: vectors, params: "$V x", body: `  return x;`},
	},
	"add_shared": {{kinds: "f", lanes: registers, params: "$V z, $S x, $V y", body: `
  const $V xs = x - ($V){};
  z = xs * y + z;
#if defined(__GNUC__) && !defined(__clang__) && defined(__AVX512F__)
  __asm__("" : : "v"(xs)); // so that the sum is not in its register
#endif
  return z;`}},
}
