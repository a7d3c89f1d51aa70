package mapping

import (
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// TestParallelLoops fuses a scan with what reads it where the loops that are left of the
// scan would be parallel inside of the parallel ones that both share.
func TestParallelLoops(t *testing.T) {
	f, err := ein.ParseFunc("test", `func f {
  in X: float32[5, 2]
  out Y: float32[2, 1, 5]
  temp S: float32[5, 1, 2]
  for i in 0:5, j in 0:1 scan +, k in 0:2 { S[i, j, k] = X[i, k] + float32(j) }
  for i in 0:5, j in 0:1, k in 0:2 { Y[k, j, i] = S[i, j, k] }
}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{".fuse(max).tile(4)", ".fuse(preserve3coincident).tile(4, 1, 2, 1).unroll(2).mapToThreads(8).mapToBlocks(8).useSharedMemory(true).usePrivateMemory(false)", ".fuse(max).tile(1, 2, 1, 2).unroll(4)"} {
		o, err := Parse(text, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, bytes := range []int{8, 16} {
			tree, err := Make(f, &machine.Processor{VectorBytes: bytes, VectorRegisters: 16, L1: 1 << 11, L2: 1 << 13, L3: 1 << 15, Cores: 1}, o)
			if err == nil {
				err = schedule.Check(f, tree)
			}
			if err != nil {
				t.Errorf("%s: %v\n%s", text, err, schedule.Print(tree))
			}
		}
	}
}
