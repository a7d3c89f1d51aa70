package rewrite_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/rewrite"
)

// TestResidues compares reductions of which residues choose the terms with what they were: windows with
// any steps, one way or the other, by all operators, within limits and without; some terms that
// are not the identity elsewhere, and conditions that nothing can be made of.
func TestResidues(t *testing.T) {
	parted := 0
	rapid.Check(t, func(t *rapid.T) {
		text := drawResidues(func(n int, what string) int { return rapid.IntRange(0, n-1).Draw(t, what) })
		f, err := ein.ParseFunc("test", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		args, err := eintest.Arguments(rapid.Uint64().Draw(t, "seed"), f, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(rewrite.SplitResidues(f).Body) > 1 {
			parted++
		}
		g, err := rewrite.Optimise(f, numerics.Default)
		if err != nil {
			t.Fatalf("%v\n%s", err, f)
		}
		nearResults(t, f, g, args)
	})
	if parted == 0 {
		t.Fatal("nothing was parted")
	}
}

// drawResidues draws a function of one reduction over windows of one or two dimensions.
func drawResidues(below func(n int, what string) int) string {
	kinds := []struct{ typ, operator, identity, other string }{
		{"float32", "+", "0f32", "1f32"}, {"float64", "+", "0f64", "-3f64"}, {"int32", "+", "0i32", "7i32"},
		{"float32", "max", "-inf_f32", "0f32"}, {"float64", "min", "inf_f64", "2f64"},
	}
	k := kinds[below(len(kinds), "kind")]
	if below(8, "default") == 0 {
		k.identity = k.other
	}
	var ranges, results, write, read, filter, holds, limits []string
	for d := range 1 + below(2, "dimensions") {
		i, r := fmt.Sprintf("i%d", d), fmt.Sprintf("r%d", d)
		step, factor := 1+below(4, "step"), []int{-1, -1, 1, -2, 3}[below(5, "factor")]
		at := fmt.Sprintf("(%di64 * %s + %di64 * %s + %di64)", []int{1, 1, 1, 2, 3}[below(5, "scale")], i, factor, r, below(6, "shift"))
		first, n, m := below(4, "first"), 1+below(9, "points"), 1+below(5, "window")
		ranges = append(ranges, fmt.Sprintf("%s in %d:%d", i, first, first+n), fmt.Sprintf("%s in 0:%d reduce %s", r, m, k.operator))
		results, write, filter = append(results, fmt.Sprintf("%d:%d", first, first+n)), append(write, i), append(filter, r)
		quotient := fmt.Sprintf("%s / %di64", at, step)
		if below(6, "another") == 0 {
			quotient = fmt.Sprintf("%s / %di64 %% 5i64", at, 1+below(4, "divisor"))
		}
		read = append(read, quotient)
		holds = append(holds, fmt.Sprintf("%s %% %di64 %s %di64", at, step, []string{"==", "==", "==", "!="}[below(4, "compare")], below(step, "class")))
		limits = append(limits, fmt.Sprintf("%s >= 0i64 && %[1]s < 6i64", quotient))
	}
	if below(2, "order") == 0 {
		slices.Reverse(ranges)
	}
	comma := func(list []string) string { return strings.Join(list, ", ") }
	shape := func(n string) string { return comma(slices.Repeat([]string{n}, len(read))) }
	value := fmt.Sprintf("(%s ? X[%s] : %s) * V[%s]", strings.Join(limits, " && "), comma(read), k.other, comma(filter))
	value = fmt.Sprintf("%s ? %s : %s", strings.Join(holds, []string{" && ", " && ", " || "}[below(3, "join")]), value, k.identity)
	return fmt.Sprintf("func f {\n  in X: %[1]s[%[2]s]\n  in V: %[1]s[%[3]s]\n  out O: %[1]s[%[4]s]\n  for %[5]s { O[%[6]s] = %[7]s }\n}",
		k.typ, shape("6"), shape("5"), comma(results), comma(ranges), comma(write), value)
}
