package lower_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/schedule"
)

// stencil makes a program that adds so many neighbours in two or three dimensions of
// the given extents.
func stencil(r *rand.Rand, reach, reads int, extents []int) string {
	var terms []string
	for range reads {
		var subscripts []string
		for d := range extents {
			subscripts = append(subscripts, fmt.Sprintf("%c + %di64", 'i'+d, r.IntN(reach)))
		}
		terms = append(terms, fmt.Sprintf("X[%s] * %df32", strings.Join(subscripts, ", "), 1+r.IntN(3)))
	}
	var loops, in, out []string
	for d, n := range extents {
		loops = append(loops, fmt.Sprintf("%c in 0:%d", 'i'+d, n))
		in, out = append(in, fmt.Sprint(n+reach-1)), append(out, fmt.Sprint(n))
	}
	indices := []string{"i", "j", "k"}[:len(extents)]
	return fmt.Sprintf("func stencil {\n  in X: float32[%s]\n  out Y: float32[%s]\n  for %s { Y[%s] = %s }\n}",
		strings.Join(in, ", "), strings.Join(out, ", "), strings.Join(loops, ", "), strings.Join(indices, ", "), strings.Join(terms, " + "))
}

// TestStencils compares the default schedules of stencils whose points share what they read
// with the evaluator, for sizes that no tile divides.
func TestStencils(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	together := 0
	for _, extents := range [][]int{{1, 40}, {2, 33}, {5, 16}, {7, 50}, {13, 19}, {1, 3, 20}, {2, 2, 33}, {3, 5, 17}, {5, 7, 40}, {9, 9, 35}} {
		p := readProgram(t, stencil(r, 3, 24, extents))
		for _, machine := range machines() {
			tree := p.defaultTree(t, machine)
			if strings.Contains(schedule.Print(tree), "unroll") {
				together++
			}
			verify(t, p, tree, nil, evaluate)
		}
	}
	if together < 8 {
		t.Errorf("points are computed together in %d schedules", together)
	}
}

// TestBurstsThatAreNone lowers unrolled loops whose stores stay where they are: what is
// written may be read, or the number of points is not known.
func TestBurstsThatAreNone(t *testing.T) {
	for _, test := range []struct{ name, text, tree string }{
		{"in place", "func f {\n inout x: float32[6, 8]\n for i in 0:6, j in 0:8 { x[i, j] = x[i, j] + x[i, j] }\n}",
			"domain S0[i, j]\nband S0.i tile 2\n  band S0.i unroll | S0.j"},
		{"a partial vector of unknown size", "# sizes N=13\nfunc f {\n size N\n in x: float32[N + 1]\n out y: float32[N]\n for i in 0:N { y[i] = x[i] + x[i + 1i64] }\n}",
			"domain S0[i]\nband S0.i tile 8\n  band S0.i vector 4 unroll"},
		{"a parallel loop inside", "func f {\n in x: float32[9, 12]\n out y: float32[7, 10]\n for i in 0:7, j in 0:10 { y[i, j] = x[i, j] + x[i + 1i64, j + 2i64] }\n}",
			"domain S0[i, j]\nband S0.i tile 4 | S0.i tile 2 | S0.j tile 2 | S0.j unroll | S0.i parallel"},
		{"accumulators", "func f {\n in x: float32[8, 9]\n out y: float32[8]\n for i in 0:8, k in 0:8 reduce + { y[i] = x[i, k] + x[i, k + 1i64] }\n}",
			"domain S0[i, k]\nband S0.i tile 4\n  accumulate S0 register\n    band S0.k\n      band S0.i unroll"},
	} {
		t.Run(test.name, func(t *testing.T) {
			tree, err := schedule.Parse(test.tree)
			if err != nil {
				t.Fatal(err)
			}
			p := readProgram(t, test.text)
			verify(t, p, tree, map[string]bool{"N": true}, evaluate)
		})
	}
}
