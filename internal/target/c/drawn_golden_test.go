package c

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/goldentest"
	"github.com/ricci-lang/ricci/internal/loop/looptest"
)

// TestDrawnGolden records the kernels of drawn programs, without the helpers that they call. That C computes the right thing is what
// TestRandomPrograms asks; this shows what becomes longer or slower.
func TestDrawnGolden(t *testing.T) {
	var out strings.Builder
	for seed := range uint64(14) {
		f := looptest.Program(rand.New(rand.NewPCG(seed, 26)), fmt.Sprintf("p%d", seed))
		text, err := Print(f, Options{Parallel: Pool, VectorBytes: []int{16, 32, 64}[seed%3]})
		if err != nil {
			t.Fatal(err)
		}
		paragraphs := strings.Split(text, "\n\n")
		for _, p := range paragraphs {
			if strings.Contains(p, "ricci_p") {
				out.WriteString(strings.TrimSpace(p) + "\n")
			}
		}
	}
	goldentest.Text(t, "testdata/drawn.c.txt", out.String())
}
