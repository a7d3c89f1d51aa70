package rewrite_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/rewrite"
)

// TestShortReductions computes drawn sums, products and extrema of a few terms where drawn statements fold them, and
// wants the same bits, in every mode of numerics.
func TestShortReductions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(what string, texts ...string) string { return rapid.SampledFrom(texts).Draw(t, what) }
		number := func(what string, least, most int) int { return rapid.IntRange(least, most).Draw(t, what) }
		dtype := draw("type", "float32", "float64", "int32")
		terms, first := number("terms", 1, 8), number("first", 0, 2)
		last := first + terms
		fold := draw("fold", "+", "*", "min", "max")
		term := draw("term", "p[i, d] * p[j, d]", "p[j, d] - p[i, d]", "d == i ? p[j, d] : -p[i, d]")
		var inner, extents string
		if number("nested", 0, 1) == 1 {
			inner = ", e in 0:1 reduce " + draw("inner", "min", fold)
		}
		outer := "i in 0:9"
		target, place := "out y: "+dtype+"[9]", "y[i]"
		if draw("row", "yes", "no") == "yes" {
			target, place, extents = "out y: "+dtype+"[9, 3]", "y[i, c]", ", c in 0:3"
		}
		value := draw("value", "s[i, j]", "s[i, j] * s[i, j]", "i < j ? s[i, j] - s[i, j] * s[i, j] : p[i, 0i64]",
			"i == j ? p[i, 0i64] : i < j ? s[i, j] : s[i, j] + s[i, j]")
		text := fmt.Sprintf(`func short {
  in p: %[1]s[9, %[2]d]
  temp s: %[1]s[9, 9]
  %[3]s
  for i in 0:9, j in 0:9, d in %[4]d:%[2]d reduce %[5]s%[6]s { s[i, j] = %[7]s }
  for %[8]s%[9]s, j in 0:9 reduce %[10]s { %[11]s = %[12]s }
}`, dtype, last, target, first, fold, inner, term, outer, extents, draw("reader", "+", "max"), place, value)
		f, err := ein.ParseFunc("short", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		args, err := eintest.Arguments(rapid.Uint64().Draw(t, "seed"), f, nil)
		if err != nil {
			t.Fatal(err)
		}
		g, err := rewrite.Optimise(f, numerics.Strict)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(ein.Print(g), "temp s") {
			t.Fatalf("the short reduction was kept:\n%s", ein.Print(g))
		}
		sameResults(t, f, g, args, nil)
	})
}
