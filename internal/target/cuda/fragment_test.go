package cuda

import (
	"math/rand/v2"
	"testing"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/looptest"
)

// TestFragments: the unchanged texts of products of matrix units, by threads in lock step, have the evaluator's bits.
func TestFragments(t *testing.T) {
	var list []*loop.Func
	cases := looptest.FragmentCases()
	for _, c := range cases {
		f, err := c.Program()
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, f)
	}
	for i, one := range compileShim(t, list, func(_ *loop.Func, text string) string { return text }) {
		for n := range 3 {
			words := cases[i].Arguments(rand.New(rand.NewPCG(uint64(i), uint64(n))), one.f, n == 0)
			if err := compare(t, one, words); err != nil {
				t.Errorf("%s × %s over %d: %v", cases[i].X, cases[i].Y, cases[i].Shape.Depth, err)
			}
		}
	}
}
