package standard

import (
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/fetch"
)

// TestIllegalDefault: what a defect of a maker makes illegal gets tiles, which are vectors on all cores, and
// not the order of the program; the tree says what was illegal.
func TestIllegalDefault(t *testing.T) {
	f := parseFunc(t, `
func f {
  in A: float32[300, 400]
  in B: float32[400, 500]
  out C: float32[300, 500]
  out D: float32[300, 500]
  for i in 0:300, j in 0:500, k in 0:400 reduce + { C[i, j] = A[i, k] * B[k, j] }
  for i in 0:300, j in 0:500 { D[i, j] = max(C[i, j], 0f32) }
}`)
	m := &machine.Processor{VectorBytes: 64, VectorRegisters: 32, L1: 48 << 10, L2: 2 << 20, L3: 32 << 20, Cores: 2}
	nothing := []family{{"nothing", func(mk *maker, p *plan) schedule.Node { return &schedule.Leaf{} }}}
	tree, err := defaultBy(nothing, f, m, schedule.Options{})
	if err != nil {
		t.Fatal(err)
	}
	fetch.Mark(f, tree, m, nil) // as DefaultFor does
	text := schedule.Print(tree)
	if tree.Fallback == nil || strings.Count(text, "vector 16") < 2 || strings.Count(text, "parallel") < 2 {
		t.Errorf("%v\n%s", tree.Fallback, text)
	}
	if plain, err := DefaultFor(f, m, schedule.Options{Plain: true}); err != nil || plain.Fallback != nil || schedule.Print(plain) != text {
		t.Errorf("%v\n%s", err, schedule.Print(plain))
	}
}
