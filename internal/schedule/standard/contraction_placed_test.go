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

// TestContractionsFit makes schedules of contractions with operands stored either way for
// several machines: the blocks of a task have room on the stack of a thread. Where both
// operands lie in rows along the sum, most results are transposed when they are complete.
func TestContractionsFit(t *testing.T) {
	shapes := [][4]int{{128, 1, 1024, 1024}, {128, 1, 4096, 16384}, {500, 1, 5000, 3000}, {512, 1, 9000, 70000}, {40, 7, 333, 1000}, {40, 200, 100, 500}, {30, 100, 16, 2500}}
	placed := 0
	check := func(a, b, word string, shape [4]int, m *machine.Processor) {
		sizes := strings.NewReplacer("i", fmt.Sprint(shape[0]), "b", fmt.Sprint(shape[1]), "j", fmt.Sprint(shape[2]), "k", fmt.Sprint(shape[3]))
		f, err := ein.ParseFunc("product", fmt.Sprintf(`
func product {
  in A: %[1]s[%[2]s]
  in B: %[1]s[%[3]s]
  out C: %[1]s[%[4]s]
  for i in 0:%[7]d, b in 0:%[8]d, j in 0:%[9]d, k in 0:%[10]d reduce + { C[i, b, j] = A[%[5]s] * B[%[6]s] }
}`, word, sizes.Replace(a), sizes.Replace(b), sizes.Replace("i, b, j"), a, b, shape[0], shape[1], shape[2], shape[3]))
		if err != nil {
			t.Fatal(err)
		}
		tree, err := standard.Default(f, m)
		if err != nil || tree.Fallback != nil {
			t.Fatalf("L2 %d, %d cores, %s, A[%s], B[%s], %v: %v %v", m.L2, m.Cores, word, a, b, shape, err, tree.Fallback)
		}
		if strings.Contains(schedule.Print(tree), "place C private") {
			placed++
		}
	}
	for _, l2 := range []int64{128 << 10, 1 << 20, 4 << 20, 64 << 20} {
		for _, cores := range []int{1, 2, 64} {
			m := &machine.Processor{VectorBytes: 64, VectorRegisters: 32, L1: 32 << 10, L2: l2, L3: 64 << 20, Cores: cores}
			for _, shape := range shapes {
				for _, word := range []string{"float32", "float64"} {
					check("i, k", "b, j, k", word, shape, m)
				}
				check("k, i", "b, j, k", "float32", shape, m)
				check("i, k", "k, b, j", "float32", shape, m)
				check("k, i", "b, k, j", "float32", shape, m)
			}
		}
	}
	if placed < 60 {
		t.Errorf("%d results are transposed", placed)
	}
	t.Logf("%d results are transposed", placed)
}
