package c

import (
	"fmt"
	"strings"

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

// widenTemplate returns the helper for a name. gcc 12 widens halves of a vector by themselves,
// and puts them together again.
func widenTemplate(name string, to tensor.DType) (template, bool) {
	text, ok := strings.CutPrefix(name, widenPrefix)
	from, err := tensor.ParseDType(text)
	if !ok || err != nil {
		return template{}, false
	}
	sign := map[bool]string{true: "s", false: "z"}[from.Kind() == tensor.KindInt]
	return template{params: "$" + storedName(from) + " x", body: fmt.Sprintf(`
#if defined(__GNUC__) && !defined(__clang__) && $N * %d >= 16 && ($BYTES == 64 && defined(__AVX512BW__) || $BYTES == 32 && defined(__AVX2__))
  $V r;
  __asm__("vpmov%sx%s%s %%1, %%0" : "=v"(r) : "v"(x));
  return r;
#else
  return __builtin_convertvector(x, $V);
#endif`, from.Size(), sign, widthLetter(from), widthLetter(to))}, true
}
