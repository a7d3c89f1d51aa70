package c

import (
	"fmt"
	"strings"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

// widenPrefix begins the names of helpers that convert a vector of narrow integers, whose type
// follows, to wider ones.
const widenPrefix = "widen_"

// widthLetter is how instructions call integers of the size of a type.
func widthLetter(t tensor.DType) string {
	return map[int]string{1: "b", 2: "w", 4: "d", 8: "q"}[t.Size()]
}

// truncatePrefix begins the names of helpers that convert a vector of wide integers, whose type
// follows, to narrower ones.
const truncatePrefix = "truncate_"

// truncateTemplate returns the helper for a name. gcc 12 takes vectors of 32 and 64 bits apart,
// element by element, to put bytes and words together.
func truncateTemplate(name string, to tensor.DType) (template, bool) {
	text, ok := strings.CutPrefix(name, truncatePrefix)
	from, err := tensor.ParseDType(text)
	if !ok || err != nil {
		return template{}, false
	}
	return template{params: "$" + storedName(from) + " x", body: fmt.Sprintf(`
#if defined(__GNUC__) && !defined(__clang__) && $BYTES >= 16 && ($N * %[1]d == 64 && defined(__AVX512BW__) || $N * %[1]d == 32 && defined(__AVX512BW__) && defined(__AVX512VL__))
  $V r;
  __asm__("vpmov%[2]s%[3]s %%1, %%0" : "=v"(r) : "v"(x));
  return r;
#else
  return __builtin_convertvector(x, $V);
#endif`, from.Size(), widthLetter(from), widthLetter(to))}, true
}

// widenTemplate returns the helper for a name. gcc 12 takes vectors apart, element by element,
// where the result is four times as wide, fills less than a register, or more than one; and
// widens halves of a vector by themselves, and puts them together again, where it is twice as wide.
func (u *unit) widenTemplate(name string, t loop.Type) (template, bool) {
	text, ok := strings.CutPrefix(name, widenPrefix)
	from, err := tensor.ParseDType(text)
	if !ok || err != nil {
		return template{}, false
	}
	elem := storedName(from)
	h := template{params: "$" + elem + " x"}
	if bytes := t.Lanes * t.Elem.Size(); bytes > u.options.VectorBytes && t.Lanes >= 4 {
		h.body = fmt.Sprintf(`
  union { $%[1]s v; %[2]s h[2]; } a = {x};
  union { $V v; $H h[2]; } r;
  r.h[0] = @%[3]s.H(a.h[0]);
  r.h[1] = @%[3]s.H(a.h[1]);
  return r.v;`, elem, u.vector(elem, t.Lanes/2), name)
		return h, true
	}
	size := t.Lanes * from.Size()
	if size < 4 {
		h.body = "  return __builtin_convertvector(x, $V);"
		return h, true
	}
	operand, move := "x", ""
	if size < 16 { // the rest of the register is not read; a union with a whole one would go through memory in two pieces
		operand = "whole"
		move = fmt.Sprintf(`
  union { $%s v; u%d bits; } part = {x};
  %s whole;
  __asm__("vmov%s %%1, %%0" : "=v"(whole) : "rm"(part.bits));`, elem, 8*size, u.vector(elem, 16/from.Size()), map[int]string{4: "d", 8: "q"}[size])
	}
	sign := map[bool]string{true: "s", false: "z"}[from.Kind() == tensor.KindInt]
	h.body = fmt.Sprintf(`
#if defined(__GNUC__) && !defined(__clang__) && ($BYTES == 64 && defined(__AVX512BW__) || $BYTES == 32 && defined(__AVX2__) || $BYTES == 16 && defined(__AVX__))
%s
  $V r;
  __asm__("vpmov%sx%s%s %%1, %%0" : "=v"(r) : "v"(%s));
  return r;
#else
  return __builtin_convertvector(x, $V);
#endif`, move, sign, widthLetter(from), widthLetter(t.Elem), operand)
	return h, true
}
