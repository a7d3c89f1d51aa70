package c

import (
	"fmt"
	"strings"

	"github.com/ricci-lang/ricci/internal/loop"
)

// How lanes a short step apart are loaded
//
// What lies between the lanes is loaded with them: as many whole vectors as the step is long,
// from which shuffles take the lanes. The last one ends at the last lane, so that nothing is
// read behind it. A step of 3 in 16 lanes takes 3 loads and 2 shuffles instead of 16 loads and
// as many insertions.

// mostEvery is the longest step of lanes that are loaded with what lies between them.
const mostEvery = 4

// isEvery reports whether lanes a step apart are loaded with what lies between them. Bytes are
// not where they take several shuffles (grey values of 3001 x 4003 pixels: 1.18 of the time).
func isEvery(t loop.Type, step int64) bool {
	return step == 2 || step > 2 && step <= min(mostEvery, int64(t.Lanes)) && t.Elem.Size() >= 4
}

// everyName returns the helper that loads lanes so many elements apart.
func everyName(step int64) string { return fmt.Sprintf("every_%d", step) }

// addEvery adds the helpers for all steps to a table.
func addEvery(table map[string][]template) map[string][]template {
	for step := 2; step <= mostEvery; step++ {
		name := everyName(int64(step))
		table[name] = []template{{kinds: "fiu", lanes: vectors, params: "const $S *p", body: everyStep(step, func(to string, at string) string {
			return fmt.Sprintf("  __builtin_memcpy(&%s, p + %s, sizeof %[1]s);", to, at)
		})}}
		table[name+"_masked"] = []template{{kinds: "fiu", lanes: vectors, params: "const $S *p, $I m", body: `
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__) || $BYTES / $N >= 4 && defined(__AVX2__)` + everyStep(step, func(to, at string) string {
			return fmt.Sprintf("  %s = @load_masked(p + %s, ($I){$L{(%[2]s + #) %% %[3]d ? 0 : m[(%[2]s + #) / %[3]d]}});", to, at, step)
		}) + fmt.Sprintf(`
#else
  return ($V){$L{m[#] ? p[%d * #] : 0}};
#endif`, step)}}
	}
	return table
}

// everyStep is the body of a helper; load gives the statement that loads a vector from an element on.
func everyStep(step int, load func(to, at string) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n  $V x, y;\n%s\n", load("x", "0"))
	found := fmt.Sprintf("%d * #", step) // a lane's place in x
	for k := 1; k < step; k++ {
		at, behind := fmt.Sprintf("%d * $N", k), fmt.Sprintf("%d * # < %d * $N", step, k+1)
		if k == step-1 {
			at, behind = fmt.Sprintf("%d * ($N - 1)", k), "1"
		}
		fmt.Fprintf(&b, "%s\n%s\n", load("y", at), shuffle("  x = %s;", fmt.Sprintf("$L{%d * # < %d * $N ? %s : %s ? $N + %[1]d * # - %[5]s : 0}", step, k, found, behind, at)))
		found = "#"
	}
	b.WriteString("  return x;")
	return b.String()
}
