package lower_test

import (
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// TestPaddedBeyondTheEnd: where tiles are longer than an index, blocks in local memory are, too, so that an item knows where in its registers
// everything is, and loads whole vectors: subscripts that stay below the end would be known when it runs only.
func TestPaddedBeyondTheEnd(t *testing.T) {
	p := readProgram(t, `
func product {
  in A: float32[13, 40]
  in B: float32[40, 11]
  out C: float32[13, 11]
  for i in 0:13, j in 0:11, k in 0:40 reduce + { C[i, j] = A[i, k] * B[k, j] }
}`)
	tree, err := schedule.Parse(`domain S0[i, j, k]
band S0.i tile 32 pad groups | S0.j tile 16 pad groups
  accumulate S0 register
    band S0.k tile 8
      place A local layout 2 1 pad 4 vector 4
        place B local pad 4
          band S0.k
            band S0.i tile 4 items 8 | S0.j tile 4 items 4
              place A register layout 2 1
                band S0.i unroll | S0.j vector 4 unroll
`)
	if err != nil {
		t.Fatal(err)
	}
	kernel, err := lower.Lower(p.f, tree, lower.Options{})
	if err != nil {
		t.Fatal(err)
	}
	text := loop.Print(kernel)
	products := 0
	for line := range strings.Lines(text) {
		if !strings.Contains(line, "A_block[") {
			continue
		}
		if products++; strings.Contains(line, "min(") || strings.Contains(line, "mask") {
			t.Errorf("a subscript that is not known before: %s", line)
		}
	}
	if products < 2 {
		t.Errorf("no block in registers:\n%s", text)
	}
	verify(t, p, tree, nil, evaluate)
}
