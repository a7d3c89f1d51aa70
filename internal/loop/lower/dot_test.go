package lower_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/tensor"
)

// TestDotGroups runs the default schedules of contractions of narrow integers, of random
// types, layouts and sizes, on machines that multiply groups, in the evaluator of loops.
func TestDotGroups(t *testing.T) {
	draw := rand.New(rand.NewPCG(11, 12))
	grouped, flipped := 0, 0
	for range 60 {
		x, y := tensor.Int16, tensor.Int16
		if draw.IntN(3) > 0 {
			bytes := []tensor.DType{tensor.Int8, tensor.Uint8}
			x, y = bytes[draw.IntN(2)], bytes[draw.IntN(2)]
		}
		sizes := []int{1, 2, 3, 5, 6, 7, 13, 16, 31, 32, 33, 65}
		m, n, k := sizes[draw.IntN(12)], sizes[draw.IntN(12)], sizes[draw.IntN(12)]
		if draw.IntN(6) == 0 {
			k = 800 + draw.IntN(9)
		}
		a, aDims := "i, k", fmt.Sprintf("%d, %d", m, k)
		if draw.IntN(3) == 0 {
			a, aDims = "k, i", fmt.Sprintf("%d, %d", k, m)
		}
		b, bDims := "k, j", fmt.Sprintf("%d, %d", k, n)
		if draw.IntN(2) == 0 {
			b, bDims = "j, k", fmt.Sprintf("%d, %d", n, k)
		}
		p := readProgram(t, fmt.Sprintf(`
func narrow {
  in A: %s[%s]
  in B: %s[%s]
  out C: int32[%d, %d]
  for i in 0:%d, j in 0:%d, k in 0:%d reduce + { C[i, j] = int32(A[%s]) * int32(B[%s]) }
}`, x, aDims, y, bDims, m, n, m, n, k, a, b))
		machine := &machine.Processor{VectorBytes: 32, VectorRegisters: 16, L1: 1 << 12, L2: 1 << 14, L3: 1 << 20, Cores: 1 + draw.IntN(2), Features: []string{"avx2"}}
		if draw.IntN(2) == 0 {
			machine.VectorBytes, machine.VectorRegisters, machine.Features = 64, 32, []string{"avx512bw"}
		}
		if draw.IntN(2) == 0 {
			machine.Features = append(machine.Features, "avx512vnni")
		}
		tree := p.defaultTree(t, machine)
		text := schedule.Print(tree)
		if strings.Contains(text, "group") {
			grouped++
		}
		if strings.Contains(text, "flip") {
			flipped++
		}
		verify(t, p, tree, nil, evaluate)
	}
	if grouped < 15 || flipped < 5 {
		t.Errorf("only %d of the schedules go by groups, and %d flip signs", grouped, flipped)
	}
}

// TestGroupsOfWindows runs groups whose lanes are some points apart, from copies of every kind.
func TestGroupsOfWindows(t *testing.T) {
	for _, region := range []string{"private", "workspace"} {
		for _, group := range []string{"4", "4 matrix"} {
			for _, subscript := range []string{"j + r", "2i64 * j + r", "3i64 * j + 2i64 * r"} {
				p := readProgram(t, fmt.Sprintf(`
func windows {
  in X: int8[10, 200]
  in W: int8[10, 2]
  out Y: int32[3, 61]
  for n in 0:3, j in 0:61, k in 0:10 reduce +, r in 0:2 reduce + { Y[n, j] = int32(X[k, %s]) * int32(W[k, r]) }
}`, subscript))
				tree, err := schedule.Parse(fmt.Sprintf(`domain S0[n, j, k, r]
place X %s
  band S0.j tile 32
    accumulate S0 register
      band S0.r | S0.k group %s | S0.n unroll | S0.j vector 16
`, region, group))
				if err != nil {
					t.Fatal(err)
				}
				verify(t, p, tree, nil, evaluate)
			}
		}
	}
}
