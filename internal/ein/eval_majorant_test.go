package ein

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ricci-lang/ricci/tensor"
	"pgregory.net/rapid"
)

// operatorsInAnyOrder are on pairs; the second values of a test may be tiny.
var operatorsInAnyOrder = []struct{ name, body string }{
	{"compose", "(r1 * l1, r1 * l2 + r2)"}, // of two linear maps
	{"complex product", "(l1 * r1 - l2 * r2, l1 * r2 + l2 * r1)"},
	{"sum and maximum", "(l1 + r1, max(l2, r2))"},
	{"square of the sum", "(l1 + r1, l2 + r2 + 2%[1]s * l1 * r1)"},
}

// foldText folds the pairs (A[i], B[i]).
func foldText(d tensor.DType, body string, n int) string {
	literal := map[tensor.DType]string{tensor.Float32: "f32", tensor.Float64: "f64"}[d]
	return fmt.Sprintf(`func fold { in A: %[1]s[%[3]d] in B: %[1]s[%[3]d] out x: %[1]s[] out y: %[1]s[]
	  op o(l1: %[1]s, l2: %[1]s | r1: %[1]s, r2: %[1]s) = %[2]s associative
	  for i in 0:%[3]d reduce o { x[] = A[i] y[] = B[i] } }`,
		d, fmt.Sprintf(body+"%.0[1]s", literal), n)
}

// foldInSomeOrder applies an operator by a random tree over the values.
func foldInSomeOrder(random *rand.Rand, combine func(l, r, result []Number), values [][]Number) []Number {
	if len(values) == 1 {
		return values[0]
	}
	k := 1 + random.IntN(len(values)-1)
	result := make([]Number, 2)
	combine(foldInSomeOrder(random, combine, values[:k]), foldInSomeOrder(random, combine, values[k:]), result)
	return result
}

func TestOperatorsInAnyOrderStayInTheirBound(t *testing.T) {
	for _, o := range operatorsInAnyOrder {
		t.Run(o.name+"/float32", rapid.MakeCheck(func(r *rapid.T) { checkFolds[float32](t, r, tensor.Float32, o.body) }))
		t.Run(o.name+"/float64", rapid.MakeCheck(func(r *rapid.T) { checkFolds[float64](t, r, tensor.Float64, o.body) }))
	}
}

// Folds that some orders take beyond the range of the type are in their bound, which need not exist. No
// partial result is larger than the whole one.
func TestOperatorsThatOverflow(t *testing.T) {
	for _, o := range operatorsInAnyOrder {
		t.Run(o.name, rapid.MakeCheck(func(r *rapid.T) {
			n := rapid.IntRange(2, 40).Draw(r, "n")
			random := rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 0))
			scale := math.Exp2(float64(rapid.IntRange(0, 127).Draw(r, "scale")))
			a, b, values := make([]float32, n), make([]float32, n), make([][]Number, n)
			for i := range n {
				a[i], b[i] = float32(1+scale*random.Float64()), float32(1+scale*random.Float64())
				if random.IntN(2) == 0 {
					a[i] = -a[i]
				}
				if scale < 1<<20 && random.IntN(60) == 0 {
					a[i] = []float32{float32(math.Inf(1)), float32(math.NaN())}[random.IntN(2)]
				}
				values[i] = []Number{{Float: float64(a[i])}, {Float: float64(b[i])}}
			}
			checkOrders(t, r, tensor.Float32, o.body, tensors{"A": arrayOf(t, a), "B": arrayOf(t, b)}, values, random, func(c Comparison) bool { return c.OK() })
		}))
	}
}

func checkFolds[T float32 | float64](t *testing.T, r *rapid.T, d tensor.DType, body string) {
	n := rapid.IntRange(2, 150).Draw(r, "n")
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 0))
	scale := math.Exp2(-float64(rapid.SampledFrom([]int{0, 1, 20, 100, 1000}).Draw(r, "scale")))
	a, b, values := make([]T, n), make([]T, n), make([][]Number, n)
	for i := range n {
		a[i], b[i] = T(2*random.Float64()-1), T(scale*random.NormFloat64())
		values[i] = []Number{{Float: float64(a[i])}, {Float: float64(b[i])}}
	}
	checkOrders(t, r, d, body, tensors{"A": arrayOf(t, a), "B": arrayOf(t, b)}, values, random, func(c Comparison) bool { return c.OK() && c.Ambiguous == 0 })
}

// checkOrders compares folds of values in some orders with the evaluator.
func checkOrders(t *testing.T, r *rapid.T, d tensor.DType, body string, in tensors, values [][]Number, random *rand.Rand, accepts func(Comparison) bool) {
	text := foldText(d, body, len(values))
	want, bound := evaluateWithBounds(t, text, in)
	combine, err := CompileOperator(parsed(t, text).Body[0].Indices[0].Combine.Op)
	if err != nil {
		r.Fatal(err)
	}
	for range 5 {
		for k, got := range foldInSomeOrder(random, combine, values) {
			name := []string{"x", "y"}[k]
			c, err := Compare(scalarOf(t, d, got.Float), want[name], bound[name])
			if err != nil {
				r.Fatal(err)
			}
			if !accepts(c) {
				r.Fatalf("%s: %v, %d ambiguous", name, c.Worst, c.Ambiguous)
			}
		}
	}
}

// What no order rounds stays exact, and the bound of the rest is about that of a sum.
func TestBoundsOfOperatorsAreTight(t *testing.T) {
	const n = 100
	compose := operatorsInAnyOrder[0].body
	a, b, sum := make([]float32, n), make([]float32, n), 0.0
	for i := range n {
		a[i], b[i] = float32(1-2*(i%2)), float32(i)
	}
	_, bounds := evaluateWithBounds(t, foldText(tensor.Float32, compose, n), tensors{"A": arrayOf(t, a), "B": arrayOf(t, b)})
	if x, y := bounds["x"].Float(), bounds["y"].Float(); x != 0 || y != 0 {
		t.Errorf("maps of integers have the bounds %v and %v", x, y)
	}
	for i := range n {
		a[i], b[i] = 1, float32(i)/3
		sum += float64(b[i])
	}
	_, bounds = evaluateWithBounds(t, foldText(tensor.Float32, compose, n), tensors{"A": arrayOf(t, a), "B": arrayOf(t, b)})
	if y := bounds["y"].Float(); y < n*0x1p-24*sum || y > 3*n*0x1p-24*sum {
		t.Errorf("the bound is %v, expected up to 3·n·u·M = %v", y, 3*n*0x1p-24*sum)
	}
}

// A product or quotient below the smallest numbers is rounded, although what it loses
// is no number.
func TestBoundsBelowTheSmallestNumber(t *testing.T) {
	for _, c := range []struct {
		expr string
		a, b float64
		want float64
	}{
		{"a[] * b[]", 1e-200, 1e-200, 0x1p-1074},
		{"a[] * b[]", 1e-300, 3e-20, 0x1p-1074},
		{"a[] / b[]", 5e-320, 0.7, 0x1p-1074},
		{"a[] * b[]", 0x1p-1000, 0x1p-70, 0},
		{"a[] * b[]", 0, 1e-200, 0},
	} {
		text := "func f { in a: float64[] in b: float64[] out y: float64[] for { y[] = " + c.expr + " } }"
		_, bounds := evaluateWithBounds(t, text, tensors{"a": scalarOf(t, tensor.Float64, c.a), "b": scalarOf(t, tensor.Float64, c.b)})
		if e := bounds["y"].Float(); e < c.want || e > 2*c.want {
			t.Errorf("%s of %g and %g has the bound %g, expected %g", c.expr, c.a, c.b, e, c.want)
		}
	}
}
