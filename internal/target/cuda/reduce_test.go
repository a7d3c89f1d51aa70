package cuda

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/looptest"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// reduced is a function whose reductions, and a scan, are those of several sub-groups, of several groups, of positions and of truths.
const reduced = `
func reduced {
  in X: float32[6, 300]
  in K: int16[6, 300]
  temp m: float32[6]
  out P: int64[6]
  out V: int16[6]
  out any: bool[6]
  out s: float64[]
  out R: int32[6, 300]
  for i in 0:6, j in 0:300 reduce max { m[i] = X[i, j] }
  for i in 0:6, j in 0:300 reduce argmax { V[i] = K[i, j] P[i] = j }
  for i in 0:6, j in 0:300 reduce || { any[i] = X[i, j] > m[i] - 0.01f32 && K[i, j] > 9i16 }
  for i in 0:6, j in 0:300 scan + { R[i, j] = int32(K[i, j]) }
  for i in 0:6 reduce +, j in 0:300 reduce + { s[] = float64(X[i, j]) - float64(m[i]) }
}`

const reducedTree = `domain S0[i, j]; S1[i, j]; S2[i, j]; S3[i, j]; S4[i, j]
sequence
  filter S0
    band S0.i tile 2 groups
      accumulate S0 local shuffle 16
        band S0.i items 2 | S0.j items 16
  filter S1
    band S1.i groups
      accumulate S1 local shuffle 32
        band S1.j items 96
  filter S2
    band S2.i tile 4 groups pad
      accumulate S2 local shuffle 32
        band S2.i items 4 | S2.j items 8
  filter S3
    accumulate S3 workspace tree 2 shuffle 2
      band S3.j tile 128 groups pad | S3.i groups
        accumulate S3 local shuffle 32
          band S3.j tile 2 items 64
            band S3.j
  filter S4
    accumulate S4 workspace tree 64 shuffle 32
      band S4.j tile 32 groups | S4.i groups
        accumulate S4 local shuffle 32
          band S4.j items 32
`

// TestReductions runs reductions by shuffles and in two passes, and texts in which something is missing.
func TestReductions(t *testing.T) {
	f, err := ein.ParseFunc("reduced", reduced)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := schedule.Parse(reducedTree)
	if err != nil {
		t.Fatal(err)
	}
	mutants := []struct{ name, old, new string }{
		{"as it is", "", ""},
		{"a step less", "acc[0], 8, 16)", "acc[0], 4, 16)"},
		{"smaller sub-groups", "acc[0], 16, 32)", "acc[0], 16, 16)"},
		{"without a barrier", "  __syncthreads();\n", ""},
		{"without what others carry", ", 2) >= 1)", ", 2) >= 2)"},
		{"without the second pass", "  s[0] = ", "  if (0) s[0] = "},
	}
	list := make([]*loop.Func, len(mutants))
	for i := range list {
		if list[i], err = lower.Lower(f, tree, lower.Options{}); err != nil {
			t.Fatal(err)
		}
		if err := loop.Verify(list[i]); err != nil {
			t.Fatal(err)
		}
	}
	next := 0
	programs := compileShim(t, list, func(_ *loop.Func, text string) string {
		m := mutants[next]
		next++
		changed := strings.ReplaceAll(text, m.old, m.new)
		if m.old == "" {
			changed = text
		} else if changed == text {
			t.Errorf("%s: there is no %q in\n%s", m.name, m.old, text)
		}
		return changed
	})
	words := looptest.Arguments(rand.New(rand.NewPCG(3, 4)), list[0])
	for i, m := range mutants {
		if err := compare(t, programs[i], words); (err == nil) != (m.old == "") {
			t.Errorf("%s: %v", m.name, err)
		}
	}
}
