package c

import (
	"fmt"
	"strings"

	"github.com/ricci-lang/ricci/tensor"
)

// widenPrefix begins the names of helpers that convert a vector of narrow integers, whose type
// follows, to wider ones.
const widenPrefix = "widen_"

// widenTemplate returns the helper for a name. gcc 12 widens halves of a vector by themselves,
// and puts them together again.
func widenTemplate(name string, to tensor.DType) (template, bool) {
	text, ok := strings.CutPrefix(name, widenPrefix)
	from, err := tensor.ParseDType(text)
	if !ok || err != nil {
		return template{}, false
	}
	letters := map[int]string{1: "b", 2: "w", 4: "d", 8: "q"}
	sign := map[bool]string{true: "s", false: "z"}[from.Kind() == tensor.KindInt]
	return template{params: "$" + storedName(from) + " x", body: fmt.Sprintf(`
#if defined(__GNUC__) && !defined(__clang__) && $N * %d >= 16 && ($BYTES == 64 && defined(__AVX512BW__) || $BYTES == 32 && defined(__AVX2__))
  $V r;
  __asm__("vpmov%sx%s%s %%1, %%0" : "=v"(r) : "v"(x));
  return r;
#else
  return __builtin_convertvector(x, $V);
#endif`, from.Size(), sign, letters[from.Size()], letters[to.Size()])}, true
}
