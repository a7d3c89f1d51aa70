package ein

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ricci-lang/ricci/tensor"
	"pgregory.net/rapid"
)

const productText = `func product { in X: %[1]s[%[2]d] out z: %[1]s[] for k in 0:%[2]d reduce * { z[] = X[k] } }`

// multiplied multiplies by a random tree over a random permutation.
func multiplied[T float32 | float64](random *rand.Rand, x []T) T {
	terms := make([]T, len(x))
	for i, k := range random.Perm(len(x)) {
		terms[i] = x[k]
	}
	for len(terms) > 1 {
		i := random.IntN(len(terms) - 1)
		terms[i] *= terms[i+1]
		terms = append(terms[:i+1], terms[i+2:]...)
	}
	return terms[0]
}

func TestProductsInAnyOrderStayInTheirBound(t *testing.T) {
	t.Run("float32", rapid.MakeCheck(func(r *rapid.T) { checkProducts[float32](t, r, tensor.Float32, 120) }))
	t.Run("float64", rapid.MakeCheck(func(r *rapid.T) { checkProducts[float64](t, r, tensor.Float64, 1000) }))
}

// checkProducts draws factors near 1, or such that partial products leave the range of the
// type, which has so many binades below and above 1, in some orders.
func checkProducts[T float32 | float64](t *testing.T, r *rapid.T, d tensor.DType, binades int) {
	n := rapid.IntRange(1, 12).Draw(r, "n")
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 0))
	spread := rapid.SampledFrom([]int{0, 2, binades / 6, binades}).Draw(r, "spread")
	special := rapid.SampledFrom([][]float64{nil, {0}, {math.Inf(-1)}, {0, math.Inf(1)}, {math.NaN()}}).Draw(r, "special")
	x := make([]T, n)
	for i := range x {
		x[i] = T(random.NormFloat64() * math.Exp2(float64(random.IntN(2*spread+1)-spread)))
		if len(special) > 0 && random.IntN(4) == 0 {
			x[i] = T(special[random.IntN(len(special))])
		}
	}
	want, bound := evaluateWithBounds(t, fmt.Sprintf(productText, d, n), tensors{"X": arrayOf(t, x)})
	for range 10 {
		got := scalarOf(t, d, float64(multiplied(random, x)))
		c, err := Compare(got, want["z"], bound["z"])
		if err != nil {
			r.Fatal(err)
		}
		if !c.OK() || spread <= 2 && c.Ambiguous != 0 {
			r.Fatalf("%v: %v, ambiguous: %d", x, c.Worst, c.Ambiguous)
		}
	}
}
