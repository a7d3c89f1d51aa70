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

// product draws a function that sums a product of several factors.
func product(t *rapid.T) *ein.Func {
	dtype := rapid.SampledFrom([]string{"int32", "uint8", "float64"}).Draw(t, "type")
	extents := rapid.SliceOfN(rapid.OneOf(rapid.IntRange(1, 7), rapid.IntRange(5, 7)), 2, 5).Draw(t, "extents")
	reduced := rapid.SliceOfN(rapid.Bool(), len(extents), len(extents)).Draw(t, "reduced")
	var inputs, factors, indices, kept, dims []string
	for n, e := range extents {
		if reduced[n] {
			indices = append(indices, fmt.Sprintf("i%d in 0:%d reduce +", n, e))
			continue
		}
		indices = append(indices, fmt.Sprintf("i%d in 0:%d", n, e))
		kept, dims = append(kept, fmt.Sprintf("i%d", n)), append(dims, fmt.Sprint(e))
	}
	for f := range rapid.OneOf(rapid.IntRange(1, 5), rapid.IntRange(3, 4)).Draw(t, "factors") {
		var shape, subscripts []string
		for n, e := range extents {
			switch rapid.IntRange(0, 4).Draw(t, "dimension") {
			case 0, 1:
				shape, subscripts = append(shape, fmt.Sprint(e)), append(subscripts, fmt.Sprintf("i%d", n))
			case 2:
				shape, subscripts = append(shape, fmt.Sprint(e+2)), append(subscripts, fmt.Sprintf("i%d + 2i64", n))
			}
		}
		inputs = append(inputs, fmt.Sprintf("in A%d: %s[%s]", f, dtype, strings.Join(shape, ", ")))
		factors = append(factors, fmt.Sprintf("A%d[%s]", f, strings.Join(subscripts, ", ")))
	}
	out, joins := "out", ""
	if rapid.Bool().Draw(t, "joins") {
		out, joins = "inout", " accumulate +"
	}
	text := fmt.Sprintf("func f { %s %s O: %s[%s] for %s%s { O[%s] = %s } }", strings.Join(inputs, " "), out, dtype, strings.Join(dims, ", "),
		strings.Join(indices, ", "), joins, strings.Join(kept, ", "), strings.Join(factors, " * "))
	f, err := ein.ParseFunc("product", text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return f
}

// TestMinimiseOperations: contractions of parts of a product give what the whole sum gives,
// bit by bit (the arguments are small integers), and take fewer operations.
func TestMinimiseOperations(t *testing.T) {
	parted, drawn := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		drawn++
		f := product(t)
		mode := rapid.SampledFrom([]numerics.Mode{numerics.Default, numerics.Fast}).Draw(t, "mode")
		g := rewrite.MinimiseOperations(f, mode)
		if err := ein.Verify(g); err != nil {
			t.Fatalf("%v\n%s\n%s", err, f, g)
		}
		if len(g.Body) == 1 {
			return
		}
		parted++
		before, _ := f.Work(nil)
		after, _ := g.Work(nil)
		if after > before && mode == numerics.Fast { // guards have the sum as it is written, too
			t.Errorf("%d operations became %d\n%s\n%s", before, after, f, g)
		}
		args, err := eintest.Arguments(rapid.Uint64().Draw(t, "seed"), f, nil)
		if err != nil {
			t.Fatal(err)
		}
		sameResults(t, f, g, args, nil)
	})
	if parted == 0 && drawn >= 100 { // of the few that -short draws there may be none
		t.Error("no product was parted")
	}
}

// TestDirect: functions that say so are computed as they are written.
func TestDirect(t *testing.T) {
	const text = `func f %s { in A: float32[30, 40] in B: float32[40, 30] in x: float32[30] out y: float32[30]
		for i in 0:30, k in 0:30 reduce +, j in 0:40 reduce + { y[i] = A[i, j] * B[j, k] * x[k] } }`
	for word, statements := range map[string]int{"": 2, "direct": 1} {
		f, err := ein.ParseFunc("direct", fmt.Sprintf(text, word))
		if err != nil {
			t.Fatal(err)
		}
		if f, err = ein.ParseFunc("printed", ein.Print(f)); err != nil {
			t.Fatal(err)
		}
		if g, err := rewrite.Optimise(f, numerics.Fast); err != nil || len(g.Body) != statements {
			t.Errorf("%q: %v, %d statements instead of %d", word, err, len(g.Body), statements)
		}
	}
}
