package estimate_test

import (
	"testing"

	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/estimate"
)

const matmul = `func matmul {
  in A: float32[512, 512]
  in B: float32[512, 512]
  out C: float32[512, 512]
  for i in 0:512, j in 0:512, k in 0:512 reduce + { C[i, j] = A[i, k] * B[k, j] }
}`

// machine has 64-byte vectors.
func machine(cores int) *schedule.Machine {
	return &schedule.Machine{VectorBytes: 64, VectorRegisters: 32, L1: 32 << 10, L2: 1 << 20, L3: 32 << 20, Cores: cores}
}

func TestX(t *testing.T) {
	f := function(t, matmul)
	tree, _ := schedule.Default(f, machine(2))
	r, err := estimate.Estimate(f, tree, machine(2))
	t.Logf("%s\n%s %v", schedule.Print(tree), r, err)
	tree = schedule.Canonical(f)
	r, err = estimate.Estimate(f, tree, machine(2))
	t.Logf("%s\n%s %v", schedule.Print(tree), r, err)
}
