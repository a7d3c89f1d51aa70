package field_test

import (
	"math"
	"testing"

	"github.com/ricci-lang/ricci/internal/field"
)

// TestGrids: polynomials sampled by two grids of different orientations are the same field as far as a kernel is exact, and
// not one degree further. The smoothing of B-splines changes quadratic and cubic polynomials by derivatives of them, so that
// the highest of these is right.
func TestGrids(t *testing.T) {
	for _, k := range kernels {
		for seed := range uint64(6) {
			for degree := k.degree; degree <= k.degree+1 && degree < 4; degree++ {
				values := func(grid uint64) []float64 {
					w := newWorld(t, 2, seed)
					var operators []*field.Operator
					draw := w.random
					w.random = newWorld(t, 2, 1000+grid).random
					v, h := w.image("V", k.name, 0)
					w.random = draw
					w.images[v].of = []polynomial{w.polynomial(degree)}
					for _, beta := range [][]field.Index{nil, {field.Axis(0, 2)}, {field.Axis(0, 2), field.Axis(1, 2)}} {
						shape := []int{2, 2}[:len(beta)]
						operators = append(operators, w.probed(w.store.Operator(shape, w.store.Conv(v, h, nil, beta))))
					}
					x, err := field.Expand(operators, w.binding)
					if err != nil {
						t.Fatal(err)
					}
					var list []float64
					for _, r := range w.run(x, 0) {
						list = append(list, r...)
					}
					return list
				}
				one, two := values(2*seed), values(2*seed+1)
				equal := make([]bool, len(one))
				for n := range one {
					equal[n] = math.Abs(one[n]-two[n]) < 1e-9
				}
				if want := degree <= k.degree; equal[0] != want {
					t.Errorf("%s: values of a polynomial of degree %d are %g and %g", k.name, degree, one[0], two[0])
				}
				for n := range one[:3] {
					if degree <= k.degree && !equal[n] {
						t.Errorf("%s: derivative %d of degree %d is %g and %g", k.name, n, degree, one[n], two[n])
					}
				}
				if (k.name == "bspln3" || k.name == "bspln5") && !(equal[3] && equal[4] && equal[6]) {
					t.Errorf("%s: Hessians of degree %d are %g and %g", k.name, degree, one[3:], two[3:])
				}
			}
		}
	}
}
