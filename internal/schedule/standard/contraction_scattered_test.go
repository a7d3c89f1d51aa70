package standard_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/standard"
)

// TestScatteredResults makes schedules of products of a transposed matrix and one with few columns: results
// wait in a block where they are many for each element that is copied, and all blocks have room.
func TestScatteredResults(t *testing.T) {
	for _, test := range []struct {
		rows, columns, steps int
		word                 string
		l2                   int64
		cores                int
		placed               bool
	}{
		{1000, 33, 1000, "float64", 2 << 20, 1, true},
		{1000, 33, 1000, "float64", 2 << 20, 64, true},
		{300, 33, 3000, "float64", 2 << 20, 2, true},
		{1000, 24, 3000, "float32", 2 << 20, 2, true},
		{1000, 10, 300, "float64", 2 << 20, 1, false},
		{300, 17, 1000, "float32", 2 << 20, 1, false},
		{3000, 17, 3000, "float64", 2 << 20, 2, false},
		{1000, 24, 3000, "float64", 2 << 20, 1, false},
		{100000, 64, 4000, "float64", 64 << 20, 2, false},
		{100000, 37, 9000, "float32", 16 << 20, 3, true},
	} {
		f, err := ein.ParseFunc("product", fmt.Sprintf(`
func product {
  in A: %[1]s[%[4]d, %[2]d]
  in B: %[1]s[%[4]d, %[3]d]
  out C: %[1]s[%[2]d, %[3]d]
  for i in 0:%[2]d, j in 0:%[3]d, k in 0:%[4]d reduce + { C[i, j] = A[k, i] * B[k, j] }
}`, test.word, test.rows, test.columns, test.steps))
		if err != nil {
			t.Fatal(err)
		}
		m := &machine.Processor{VectorBytes: 64, VectorRegisters: 32, L1: 48 << 10, L2: test.l2, L3: 64 << 20, Cores: test.cores}
		tree, err := standard.Default(f, m)
		if err != nil || tree.Fallback != nil {
			t.Fatalf("%v: %v %v", test, err, tree.Fallback)
		}
		if printed := schedule.Print(tree); strings.Contains(printed, "place C private") != test.placed {
			t.Errorf("%v:\n%s", test, printed)
		}
	}
}
