package standard

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// runOf is a function of n statements over the same points; statement k reads what it likes of those before, at place at.
func runOf(n int, read func(k int) string) string {
	var temps, body strings.Builder
	for k := range n {
		fmt.Fprintf(&temps, "  temp t%d: float32[10000]\n", k)
		fmt.Fprintf(&body, "  for n in 0:10000 { t%d[n] = %s }\n", k, read(k))
	}
	return fmt.Sprintf("func f {\n  in X: float32[10000, 3]\n%s  out Y: float32[10000]\n%s  for n in 0:10000 { Y[n] = t0[n] + t%d[n] }\n}", &temps, &body, n-1)
}

// TestPointRuns: many statements over the same points are one loop whose temporaries are vectors, also where neighbours share
// nothing; few are not. What is read elsewhere is written outside of the run.
func TestPointRuns(t *testing.T) {
	m := &machine.Processor{VectorBytes: 64, VectorRegisters: 32, L1: 48 << 10, L2: 2 << 20, L3: 32 << 20, Cores: 2}
	apart := func(k int) string { return fmt.Sprintf("X[n, %di64] * t%d[n]", k%3, max(0, k-2)) } // of the one before the last one
	const many = 2 * leastRun
	for name, c := range map[string]struct {
		n      int
		read   func(k int) string
		loops  int // over blocks of vectors
		placed string
	}{
		"many": {many, apart, 1, fmt.Sprint("t", many-1)},
		"few":  {leastRun - 2, apart, leastRun - 2, ""},
		"read elsewhere": {many, func(k int) string { // S0 and S1 are before it
			if k == leastRun {
				return "t1[9999i64 - n]"
			}
			return apart(k)
		}, 2, "t2"},
	} {
		tree, err := Default(parseFunc(t, runOf(c.n, func(k int) string {
			if k < 2 {
				return fmt.Sprintf("X[n, %di64]", k)
			}
			return c.read(k)
		})), m)
		if err != nil || tree.Fallback != nil {
			t.Fatal(err, tree.Fallback)
		}
		text := schedule.Print(tree)
		if loops := strings.Count(text, " tile 16 "); loops != c.loops || c.placed != "" && !strings.Contains(text, "place "+c.placed+" private") {
			t.Errorf("%s: %d loops over vectors, expected %d\n%s", name, loops, c.loops, text)
		}
	}
}

// TestPointRunsKeepOrder: what a statement reads elsewhere none behind it in the run may write.
func TestPointRunsKeepOrder(t *testing.T) {
	var body strings.Builder
	for k := range leastRun {
		fmt.Fprintf(&body, "  for n in 0:100 { Y[n, %di64] = Z[99i64 - n] + %df32 }\n", k, k)
	}
	f := parseFunc(t, fmt.Sprintf("func f {\n  in X: float32[100]\n  out Y: float32[100, %d]\n  out Z: float32[100]\n  for n in 0:100 { Z[n] = X[n] }\n%s  for n in 0:100 { Z[n] = Y[n, 3i64] }\n}", leastRun, &body))
	tree, err := Default(f, &machine.Processor{VectorBytes: 64, VectorRegisters: 32, L1: 48 << 10, L2: 2 << 20, L3: 32 << 20, Cores: 2})
	if err != nil || tree.Fallback != nil {
		t.Fatal(err, tree.Fallback)
	}
}
