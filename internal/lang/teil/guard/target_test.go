package guard_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/teil/guard"
)

// partsDrawn draws a function whose statements write parts of a matrix, which they may read: every so many
// places, forwards or backwards, single ones, whole dimensions.
func partsDrawn(t *rapid.T) *ein.Func {
	between := func(low, high int) int { return rapid.IntRange(low, high).Draw(t, "number") }
	var body strings.Builder
	for range between(1, 3) {
		var subscripts, reads []string
		var ranges []string
		for _, index := range []string{"i", "j"} {
			// rows: N + 3 of them; columns: 2*N
			size, extents := "{N + 3}", []string{"N", "3", "N + 1"}
			if index == "j" {
				size, extents = "{2*N}", []string{"N", "2*N", "1"}
			}
			extent := rapid.SampledFrom(extents).Draw(t, "extent")
			s := rapid.SampledFrom([]string{
				index, index + " + 1i64", "{N} - 1i64 - " + index, size + " - 1i64 - " + index, "2i64 * " + index, "2i64 * " + index + " + 1i64",
				"{N} + " + index, "0i64", size + " - 1i64", "3i64 * " + index + " + {N} - 1i64",
			}).Draw(t, "subscript")
			subscripts = append(subscripts, s)
			reads = append(reads, "min("+index+fmt.Sprintf(" + %di64, %s - 1i64)", between(0, 2), size))
			if s == "0i64" || s == size+" - 1i64" {
				extent = "1"
			}
			ranges = append(ranges, index+" in 0:"+extent)
		}
		into := rapid.SampledFrom([]string{"", " accumulate +"}).Draw(t, "into")
		fmt.Fprintf(&body, " for %s%s { C[%s] = C[%s] + A[%s] * 2i64 }\n", strings.Join(ranges, ", "), into, strings.Join(subscripts, ", "), strings.Join(reads, ", "), strings.Join(reads, ", "))
	}
	f, err := ein.ParseFunc("parts", "func parts {\n size N = dim 0 of B\n in A: int64[N + 3, 2*N]\n in B: int64[N]\n inout C: int64[N + 3, 2*N]\n"+body.String()+"}")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestParts compares functions that write parts with their TeIL programs, and plants mistakes in them.
func TestParts(t *testing.T) {
	verdicts := map[guard.Verdict]int{}
	var j judged
	rapid.Check(t, func(t *rapid.T) {
		f, seed := partsDrawn(t), rapid.Uint64().Draw(t, "seed")
		random := rand.New(rand.NewPCG(seed, 0))
		report, err := guard.Check(f)
		if err != nil {
			t.Fatal(err)
		}
		verdicts[report.Verdict]++
		for n := range int64(5) {
			sizes := map[string]int64{"N": n + 1}
			problem := leaves(f, sizes)
			if problem != nil && report.Verdict == guard.Safe {
				t.Errorf("called safe, but for %v %v\n%s", sizes, problem, f)
			}
			if problem == nil && !sameValues(t, f, sizes, seed) {
				t.Errorf("at %v the function is not called safe\n%s", sizes, f)
			}
		}
		j.mutate(t, f, random)
	})
	t.Logf("%v, with mistakes %+v", verdicts, j)
	if verdicts[guard.Safe] == 0 || verdicts[guard.Refused] == 0 {
		t.Error("no function is safe, or none is refused")
	}
}

// TestTargets: what a statement that writes a part becomes, and which rule refuses one that leaves its tensor.
func TestTargets(t *testing.T) {
	for text, want := range map[string]string{
		"for i in 0:N { C[i] = A[i] }":                         "C = replace 1 0 1 C A",
		"for i in 0:N { C[2i64 * i + 1i64] = A[i] }":           "C = replace 1 1 2 C A",
		"for i in 0:N { C[{2*N} - 1i64 - 2i64 * i] = A[i] }":   "C = replace 1 1 2 C (flip 1 A)",
		"for i in 0:2*N { C[{2*N} - 1i64 - i] = A[i / 2i64] }": "C = flip 1 (repeat 1 2 A)",
		"for i in 0:N accumulate + { C[i + {N}] = A[i] }":      "C = replace 1 N 1 C (add (shift 1 N N C) A)",
		"for i in 0:1 { C[{N}] = A[i] }":                       "C = replace 1 N 1 C (expa 1 1 (proj 1 1 (shift 1 0 1 A)))",
		"for i in 0:N { C[2i64 * i + 2i64] = A[i] }":           "T-Replace",
		"for i in 0:N { C[i + {N} + 1i64] = A[i] }":            "OK-Stmt",
		"for i in 0:N { C[i - 1i64] = A[i] }":                  "OK-Stmt",
		"for i in 0:N { C[3i64 * i] = A[i] }":                  "T-Replace",
		"for i in 0:N, j in 0:2 { C[2i64 * i + j] = A[i] }":    "not expressible",
		"for i in 0:N { C[i % 2i64] = A[i] }":                  "not expressible",
		"for i in 0:N { C[i * i] = A[i] }":                     "not expressible",
	} {
		f, err := ein.ParseFunc("f", "func f {\n size N = dim 0 of A\n in A: float32[N]\n out C: float32[2*N]\n "+text+"\n}")
		if err != nil {
			t.Fatal(err)
		}
		if got := verdictOf(t, f); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}
