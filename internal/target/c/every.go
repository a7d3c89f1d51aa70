package c

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/loop"
)

// How lanes a short step apart are loaded
//
// What lies between the lanes is loaded with them: as many whole vectors as the step is long,
// from which shuffles take the lanes. The last one ends at the last lane, so that nothing is
// read behind it. A step of 3 in 16 lanes takes 3 loads and 2 shuffles instead of 16 loads and
// as many insertions.

// mostEvery is the longest step of lanes that are loaded with what lies between them, and
// mostEveryNarrow that of bytes and words, of which a vector has more, and no gathers: halves
// of 721 x 1281 pixels of 3 bytes, whose lanes are 6 apart, take 0.10 instead of 1.0 ms.
const (
	mostEvery       = 4
	mostEveryNarrow = 8
)

// isEvery reports whether lanes a step apart are loaded with what lies between them.
func isEvery(t loop.Type, step int64) bool {
	most := int64(mostEvery)
	if t.Elem.Size() <= 2 && t.Lanes >= 16 {
		most = mostEveryNarrow
	}
	return step == 2 || step > 2 && step <= min(most, int64(t.Lanes))
}

// isEveryStored reports whether lanes a step apart are stored by vectors that leave out what lies
// between them.
func isEveryStored(t loop.Type, step int64) bool {
	return step >= 2 && step <= min(mostEvery, int64(t.Lanes))
}

// everyPrefix is what the names of helpers that load lanes some elements apart begin with; the
// distance follows.
const everyPrefix = "every_"

// everyName returns the helper that loads lanes so many elements apart.
func everyName(step int64) string { return everyPrefix + strconv.FormatInt(step, 10) }

// everyStoredName returns the helper that stores lanes so many elements apart.
func everyStoredName(step int64) string { return "store_" + everyName(step) }

// oneByOne is the condition under which lanes of narrow elements are loaded one by one: several
// shuffles pay where one instruction takes any bytes, or words, of two vectors (grey values of
// 3001 x 4003 pixels of 3 bytes: 1.18 of the time without it; of 721 x 1281 0.16 with it).
const oneByOne = `$SIZE == 1 && !defined(__AVX512VBMI__) || $SIZE == 2 && !defined(__AVX512BW__)`

// addEvery adds the helpers for all steps to a table.
func addEvery(table map[string][]template) map[string][]template {
	for step := 2; step <= mostEveryNarrow; step++ {
		name := everyName(int64(step))
		whole := everyStep(step, func(to string, at string) string {
			return fmt.Sprintf("  __builtin_memcpy(&%s, $C{p + %s}, sizeof %[1]s);", to, at)
		})
		vector := `defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__) || $SIZE >= 4 && defined(__AVX2__)`
		if step > 2 {
			whole = "\n#if " + oneByOne + fmt.Sprintf("\n  return ($V){$L{p[%d * #]}};\n#else", step) + whole + "\n#endif"
			vector = "!(" + oneByOne + ") && (" + vector + ")"
		}
		table[name] = []template{{kinds: "fiu", lanes: vectors, params: "const $S *p", body: whole}}
		stored := everyStoredName(int64(step))
		table[stored] = []template{{kinds: "fiu", lanes: vectors, result: "void", params: "$S *p, $V x", body: storeEvery(step, "-1", "")}}
		table[stored+"_masked"] = []template{{kinds: "fiu", lanes: vectors, result: "void", params: "$S *p, $V x, $I m", body: storeEvery(step, "m[%s / %d]", "if (m[l]) ")}}
		table[name+"_masked"] = []template{{kinds: "fiu", lanes: vectors, params: "const $S *p, $I m", body: "\n#if " + vector + everyStep(step, func(to, at string) string {
			return fmt.Sprintf("  %s = @load_masked($C{p + %s}, ($I){$L{(%[2]s + #) %% %[3]d ? 0 : m[(%[2]s + #) / %[3]d]}});", to, at, step)
		}) + fmt.Sprintf(`
#else
  return ($V){$L{m[#] ? p[%d * #] : 0}};
#endif`, step)}}
	}
	return table
}

// storeEvery is the body of a helper that stores lanes a step apart: as many vectors as the step
// is long, in which shuffles bring the lanes to their places, and of which the others are masked.
// YUV values of 721 x 1281 pixels of 3 bytes take 0.7 instead of 5 ms, loads this way included. Without
// masks for the elements there are these. Lanes have a mask, or are tested one by one.
func storeEvery(step int, mask, test string) string {
	var b strings.Builder
	b.WriteString("\n#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && !(" + oneByOne + ")\n  $V y = x;\n")
	for k := range step {
		at := fmt.Sprintf("(%d * $N + #)", k)
		lane := mask
		if test != "" {
			lane = fmt.Sprintf(mask, at, step)
		}
		fmt.Fprintf(&b, "  @store_masked($C{p + %d * $N}, %s, ($I){$L{%s %% %d ? 0 : %s}});\n", k, shuffle("x", "y", fmt.Sprintf("%s / %d", at, step)), at, step, lane)
	}
	fmt.Fprintf(&b, "#else\n  for (int l = 0; l < $N; l++) %sp[l * %d] = x[l];\n#endif", test, step)
	return b.String()
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
		fmt.Fprintf(&b, "%s\n  x = %s;\n", load("y", at), shuffle("x", "y", fmt.Sprintf("%d * # < %d * $N ? %s : %s ? $N + %[1]d * # - %[5]s : 0", step, k, found, behind, at)))
		found = "#"
	}
	b.WriteString("  return x;")
	return b.String()
}
