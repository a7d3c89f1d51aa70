package lower_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/tensor"
)

// TestConvertedOperands runs the default schedules of contractions whose operands are
// converted, of random types, layouts and sizes, in the evaluator of loops. Copies of
// operands have the type of the sum, and register tiles read nothing else.
func TestConvertedOperands(t *testing.T) {
	draw := rand.New(rand.NewPCG(13, 14))
	types := []struct {
		from []tensor.DType
		sum  tensor.DType
		out  tensor.DType
	}{
		{[]tensor.DType{tensor.BFloat16, tensor.Float16}, tensor.Float32, tensor.Float32},
		{[]tensor.DType{tensor.BFloat16}, tensor.Float32, tensor.BFloat16},
		{[]tensor.DType{tensor.Int8, tensor.Uint16, tensor.Float16}, tensor.Float32, tensor.Float32},
		{[]tensor.DType{tensor.Float32, tensor.BFloat16, tensor.Int32}, tensor.Float64, tensor.Float64},
		{[]tensor.DType{tensor.Int8, tensor.Uint32}, tensor.Int64, tensor.Int64},
	}
	converted, partial := 0, 0
	for n := range 40 {
		u := types[n%len(types)]
		pick := func() tensor.DType { return u.from[draw.IntN(len(u.from))] }
		m, n, k := []int{1, 6, 13, 33}[draw.IntN(4)], []int{9, 65, 97, 120}[draw.IntN(4)], 7+draw.IntN(40)
		if draw.IntN(3) == 0 {
			m, n, k = 13, 33, 193+draw.IntN(9)
		}
		stored := func(x, y string, xs, ys int) (string, string) {
			if draw.IntN(2) == 0 {
				x, y, xs, ys = y, x, ys, xs
			}
			return x + ", " + y, fmt.Sprintf("%d, %d", xs, ys)
		}
		a, aDims := stored("i", "k", m, k)
		b, bDims := stored("k", "j", k, n)
		p := readProgram(t, fmt.Sprintf(`
func product {
  in A: %[1]s[%[2]s]
  in B: %[3]s[%[4]s]
  out C: %[5]s[%[6]d, %[7]d]
  for i in 0:%[6]d, j in 0:%[7]d, k in 0:%[8]d reduce + { C[i, j] = %[9]s(A[%[10]s]) * %[9]s(B[%[11]s]) }
}`, pick(), aDims, pick(), bDims, u.out, m, n, k, u.sum, a, b))
		machine := &machine.Processor{VectorBytes: 32, VectorRegisters: 16, L1: 1 << 12, L2: 1 << 15, L3: 1 << 20, Cores: 1 + draw.IntN(2), Features: []string{"avx2"}}
		tree := p.defaultTree(t, machine)
		if strings.Contains(schedule.Print(tree), "accumulate S0 private") {
			partial++
		}
		verify(t, p, tree, nil, func(t testing.TB, p program, f *loop.Func, args map[string]*tensor.Tensor) (map[string]*tensor.Tensor, bool) {
			copies := 0
			for _, b := range f.Buffers {
				if name, _, ok := strings.Cut(b.Name, "_block"); ok && (name == "A" || name == "B") {
					copies++
					if b.Type.Elem != u.sum {
						t.Errorf("%s holds %s, and the sum is of %s:\n%s", b.Name, b.Type.Elem, u.sum, schedule.Print(tree))
					}
				}
			}
			if copies == 2 {
				converted++
			}
			return evaluate(t, p, f, args)
		})
	}
	if converted < 3 || partial < 3 {
		t.Errorf("%d schedules convert both operands, %d keep partial sums in an array", converted, partial)
	}
}
