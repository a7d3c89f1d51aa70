package standard

import (
	"fmt"
	"testing"

	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// TestLongReductionsHaveSchedules: sums over two long indices in either order, and signals
// that are longer than a copy of them may be, do not fall back to the order of the program.
func TestLongReductionsHaveSchedules(t *testing.T) {
	const sum = `func f { in A: float32[%[1]d, %[2]d] out s: float32[] for %[3]s { s[] = A[y, x] * float32(x) } }`
	var texts []string
	for _, sizes := range [][2]int{{721, 1281}, {65, 100000}, {100000, 7}, {300, 300}, {3, 50000}} {
		for _, order := range []string{"y in 0:%[1]d reduce +, x in 0:%[2]d reduce +", "x in 0:%[2]d reduce +, y in 0:%[1]d reduce +"} {
			texts = append(texts, fmt.Sprintf(sum, sizes[0], sizes[1], fmt.Sprintf(order, sizes[0], sizes[1])))
		}
	}
	for _, n := range []int{16000, 262144, 1000000} {
		texts = append(texts, fmt.Sprintf(`func f { in x: float32[%d] in h: float32[63] out y: float32[%d]
			for i in 0:%[2]d, k in 0:63 reduce + { y[i] = x[4i64 * i + k] * h[k] } }`, 4*n+63, n))
	}
	for _, text := range texts {
		f := parseFunc(t, text)
		tree, err := Default(f, &machine.Processor{VectorBytes: 64, VectorRegisters: 32, L1: 48 << 10, L2: 2 << 20, L3: 32 << 20, Cores: 2})
		if err != nil {
			t.Fatal(err)
		}
		if tree.Fallback != nil {
			t.Errorf("%v\n%s", tree.Fallback, text)
		}
		if err := schedule.Check(f, tree); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
	}
}
