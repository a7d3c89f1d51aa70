package guard_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/teil/guard"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
)

// mapsDrawn draws a function that reads a vector, which is as long as the reads at the size N need, by
// nested quotients, remainders, reflections, minima and maxima of sums of indices.
func mapsDrawn(t *rapid.T, n int64) *ein.Func {
	between := func(low, high int) int { return rapid.IntRange(low, high).Draw(t, "number") }
	var subscript func(depth int) string
	subscript = func(depth int) string {
		if depth == 0 {
			return fmt.Sprintf("%di64 * %s + %di64", between(-2, 3), rapid.SampledFrom([]string{"i", "j", "k"}).Draw(t, "index"), between(-3, 3))
		}
		inner, size := subscript(depth-1), rapid.SampledFrom([]string{"{N}", "{N + 2}", "3i64", "4i64"}).Draw(t, "size")
		switch between(0, 5) {
		case 0:
			return fmt.Sprintf("(%s) %% %s", inner, size)
		case 1:
			return fmt.Sprintf("(%s) / %s", inner, size)
		case 2:
			return fmt.Sprintf("max(%di64, min(%s, %s))", between(-3, 1), inner, size)
		case 3:
			double := map[string]string{"{N}": "{2*N}", "{N + 2}": "{2*N + 4}", "3i64": "6i64", "4i64": "8i64"}[size]
			return fmt.Sprintf("min((%s) %% %s, %s - 1i64 - (%s) %% %s)", inner, double, double, inner, double)
		case 4:
			return fmt.Sprintf("%s(%s, %di64)", rapid.SampledFrom([]string{"min", "max"}).Draw(t, "end"), inner, between(-2, 4))
		}
		return fmt.Sprintf("%di64 * (%s) + (%s)", between(1, 3), inner, subscript(depth-1))
	}
	read := subscript(between(1, 3))
	parse := func(size, read string) *ein.Func {
		f, err := ein.ParseFunc("maps", fmt.Sprintf("func maps {\n size N = dim 0 of B\n in A: int64[%s]\n in B: int64[N]\n out C: int64[N, 3]\n for i in 0:N, j in 0:3, k in 1:4 reduce + { C[i, j] = A[%s] * B[i] }\n}", size, read))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	low, high := reached(parse("1", read), n)
	return parse(fmt.Sprint(high-low+1+int64(between(0, 1))), fmt.Sprintf("%s - %di64", read, low))
}

// reached returns the least and the largest subscript of the first access.
func reached(f *ein.Func, n int64) (low, high int64) {
	b := &brute{sizes: map[string]int64{"N": n}, indices: map[*ein.Index]int64{}}
	low, high = 1<<40, -1<<40
	c := f.Body[0]
	for p := range n * 9 {
		for k, v := range []int64{p / 9, p / 3 % 3, 1 + p%3} {
			b.indices[c.Indices[k]] = v
		}
		at, _ := b.value(c.Accesses()[0].Subscripts[0])
		low, high = min(low, at), max(high, at)
	}
	return low, high
}

// TestMapsOfSubscripts compares functions that read through maps with their TeIL programs, and plants
// mistakes in them.
func TestMapsOfSubscripts(t *testing.T) {
	verdicts := map[guard.Verdict]int{}
	var j judged
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(1, 5).Draw(t, "N")
		f, seed := mapsDrawn(t, n), rapid.Uint64().Draw(t, "seed")
		bound, err := f.Specialise(map[string]int64{"N": n}, nil)
		if err != nil {
			t.Fatal(err)
		}
		report, err := guard.Check(bound)
		if err != nil {
			t.Fatal(err)
		}
		verdicts[report.Verdict]++
		if report.Verdict == guard.Refused {
			t.Errorf("%s is refused: %s\n%s", f.Name, report.Refusal.Message, bound)
		}
		sameValues(t, f, map[string]int64{"N": n}, seed)
		random := rand.New(rand.NewPCG(seed, 0))
		j.mutate(t, bound, random)
		j.mutate(t, f, random)
	})
	t.Logf("%v, with mistakes %+v", verdicts, j)
	if verdicts[guard.Safe] < verdicts[guard.NotExpressible]/2 {
		t.Errorf("only %d of the functions are safe, %d are not expressible", verdicts[guard.Safe], verdicts[guard.NotExpressible])
	}
}

// TestMaps: which operations a subscript becomes, and that one which leaves its tensor is refused.
func TestMaps(t *testing.T) {
	for subscript, want := range map[string]string{
		"i % {N}":          "B = A", // there is nothing to wrap
		"(i - 1i64) % {N}": "B = shift 1 0 N (wrap 1 1 0 A)",
		"min((i + 2i64) % {2*N}, {2*N} - 1i64 - (i + 2i64) % {2*N})": "B = shift 1 2 N (mirror 1 0 2 A)",
		"max(0i64, min(i - 1i64, {N} - 1i64))":                       "B = shift 1 0 N (clamp 1 1 0 A)",
		"i / 2i64":                                                   "B = shift 1 0 N (repeat 1 2 (shift 1 0 ((N + 1)/2) A))",
		"(i + 1i64) / 2i64":                                          "B = shift 1 1 N (repeat 1 2 (shift 1 0 (N/2 + 1) A))",
		"{N} - 1i64 - (i - 3i64) % {N}":                              "B = shift 1 0 N (wrap 1 3 0 (flip 1 A))",
		"2i64 * (i / 2i64) % {N}":                                    "B = shift 1 0 N (repeat 1 2 (stride 1 2 (shift 1 0 (2*((N + 1)/2) - 1) A)))",
		"(i - 1i64) % {N} + 1i64":                                    "T-Shift",
		"(i + 2i64 * i) % {N} + 1i64":                                "not expressible",
		"i % 4i64 + {N} - 4i64":                                      "not expressible",
		"(i - 1i64) % ({N} + 1i64)":                                  "not expressible",
		"(i + 2i64) / 2i64":                                          "T-Shift",
		"max(0i64, min(i - 1i64, {N} - 1i64)) + 1i64":                "not expressible",
		"min((i + 2i64) % {2*N}, {2*N} - (i + 2i64) % {2*N})":        "not expressible",
		"i * i + 1i64":                                               "not expressible",
		"i / (i + 1i64)":                                             "not expressible",
	} {
		f, err := ein.ParseFunc("f", "func f {\n size N = dim 0 of A\n in A: float32[N]\n out B: float32[N]\n for i in 0:N {\n B[i] = A["+subscript+"]\n }\n}")
		if err != nil {
			t.Fatal(err)
		}
		if got := verdictOf(t, f); got != want {
			t.Errorf("%s: got %s, want %s", subscript, got, want)
		}
	}
}

// verdictOf is the first statement of a safe function in TeIL, the rule that refuses it, or that it cannot be expressed.
func verdictOf(t *testing.T, f *ein.Func) string {
	t.Helper()
	r, err := guard.Check(f)
	if err != nil {
		t.Fatal(err)
	}
	switch r.Verdict {
	case guard.Safe:
		return syntax.PrintStatement(r.Program.Statements[0])
	case guard.Refused:
		return r.Refusal.Rule
	}
	return r.Verdict.String()
}
