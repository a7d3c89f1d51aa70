package lower_test

import (
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// TestManyRegisters: what a schedule asks to be in registers, and is far more than there are, is
// an array, over which no loop is written out: a compiler would take minutes.
func TestManyRegisters(t *testing.T) {
	p := readProgram(t, `
func product {
  in A: float32[70, 9]
  in B: float32[9, 50]
  out C: float32[70, 50]
  for i in 0:70, j in 0:50, k in 0:9 reduce + { C[i, j] = A[i, k] * B[k, j] }
}`)
	for _, row := range []struct {
		tree   string
		unroll bool
	}{
		{"band S0.i tile 4 pad\n  accumulate S0 register\n    band S0.k\n      band S0.i unroll | S0.j vector 16 unroll\n", true},
		{"band S0.i tile 64 pad\n  accumulate S0 register\n    band S0.k\n      band S0.i | S0.j\n", false},
		{"band S0.i tile 64 pad\n  place A register\n    place B register\n      band S0.i | S0.j\n        accumulate S0 private\n          band S0.k\n", false},
	} {
		tree, err := schedule.Parse("domain S0[i, j, k]\n" + row.tree)
		if err != nil {
			t.Fatal(err)
		}
		f, err := lower.Lower(p.f, tree, lower.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if text := loop.Print(f); strings.Contains(text, "unrolled") != row.unroll {
			t.Errorf("loops are written out, which should be %t:\n%s", row.unroll, text)
		}
		verify(t, p, tree, nil, evaluate)
	}
}
