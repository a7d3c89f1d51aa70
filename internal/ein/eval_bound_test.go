package ein

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/ricci-lang/ricci/tensor"
	"pgregory.net/rapid"
)

func evaluateWithBounds(t testing.TB, text string, args tensors) (outputs, bounds tensors) {
	t.Helper()
	outputs, bounds, err := EvaluateWithBounds(parsed(t, text), args, EvalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return outputs, bounds
}

const dotText = `func dot { in X: %[1]s[%[2]d] in Y: %[1]s[%[2]d] out z: %[1]s[]
	for k in 0:%[2]d reduce + { z[] = X[k] * Y[k] } }`

// sumInSomeOrder adds by a random tree over a random permutation, some products
// by fused multiply-add.
func sumInSomeOrder[T float32 | float64](random *rand.Rand, x, y []T) T {
	terms := make([]T, len(x))
	carry := T(0)
	for i, k := range random.Perm(len(x)) {
		if random.IntN(4) == 0 {
			carry = T(math.FMA(float64(x[k]), float64(y[k]), float64(carry)))
			continue
		}
		terms[i] = x[k] * y[k]
	}
	terms = append(terms, carry)
	for len(terms) > 1 {
		i := random.IntN(len(terms) - 1)
		terms[i] += terms[i+1]
		terms = append(terms[:i+1], terms[i+2:]...)
	}
	return terms[0]
}

func TestSumsInAnyOrderStayInTheirBound(t *testing.T) {
	t.Run("float32", rapid.MakeCheck(func(r *rapid.T) { checkSums[float32](t, r, tensor.Float32) }))
	t.Run("float64", rapid.MakeCheck(func(r *rapid.T) { checkSums[float64](t, r, tensor.Float64) }))
}

func checkSums[T float32 | float64](t *testing.T, r *rapid.T, d tensor.DType) {
	n := rapid.IntRange(1, 200).Draw(r, "n")
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 0))
	spread := rapid.IntRange(0, 20).Draw(r, "spread")
	x, y := make([]T, n), make([]T, n)
	for i := range x {
		x[i] = T(random.NormFloat64() * math.Exp2(float64(random.IntN(spread+1))))
		y[i] = T(random.NormFloat64())
	}
	want, bound := evaluateWithBounds(t, fmt.Sprintf(dotText, d, n), tensors{"X": arrayOf(t, x), "Y": arrayOf(t, y)})
	for range 5 {
		got := scalarOf(t, d, float64(sumInSomeOrder(random, x, y)))
		c, err := Compare(got, want["z"], bound["z"])
		if err != nil {
			r.Fatal(err)
		}
		if !c.OK() || c.Ambiguous != 0 {
			r.Fatal(c.Worst)
		}
	}
}

func TestBoundsAreTight(t *testing.T) {
	const n = 1000
	random := rand.New(rand.NewPCG(7, 8))
	x, y, sum := make([]float32, n), make([]float32, n), 0.0
	for i := range x {
		x[i], y[i] = random.Float32(), random.Float32()
		sum += float64(x[i]) * float64(y[i])
	}
	_, bound := evaluateWithBounds(t, fmt.Sprintf(dotText, tensor.Float32, n), tensors{"X": arrayOf(t, x), "Y": arrayOf(t, y)})
	if b := bound["z"].Float(); b > 1.01*(n+1)*0x1p-24*sum || b < 0.99*n*0x1p-24*sum {
		t.Errorf("the bound is %v, expected about n·u·Σ|x·y| = %v", b, n*0x1p-24*sum)
	}
	// Integers in floats are exact as long as they fit.
	for i := range x {
		x[i], y[i] = float32(i%7), float32(i%5)
	}
	_, bound = evaluateWithBounds(t, fmt.Sprintf(dotText, tensor.Float32, n), tensors{"X": arrayOf(t, x), "Y": arrayOf(t, y)})
	if b := bound["z"].Float(); b != 0 {
		t.Errorf("a sum of small integers has the bound %v", b)
	}
}

// Sums over several indices are bounded as one sum, in any order of its indices.
func TestNestedSumsAreOneSum(t *testing.T) {
	x := arrayOf(t, []float32{1e7, -1e7, 0.3, 1e7, -1e7, 0.3}, 2, 3)
	_, bound := evaluateWithBounds(t, "func f { in X: float32[2, 3] out y: float32[] for i in 0:2 reduce +, j in 0:3 reduce + { y[] = X[i, j] } }", tensors{"X": x})
	if b := bound["y"].Float(); b < 5*0x1p-24*2e7 { // the positive terms together
		t.Errorf("the bound %v does not cover sums of columns first", b)
	}
}

// A factor that all terms have may be multiplied last, also an infinite one.
func TestInfiniteFactor(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		x     []float32
		bound float64
	}{{[]float32{inf, -inf}, unbounded}, {[]float32{inf, inf}, 0}, {[]float32{inf, 1}, 0}, {[]float32{float32(math.NaN()), 1}, 0}} {
		_, bound := evaluateWithBounds(t, "func f { in X: float32[2] out y: float32[] for i in 0:2 reduce + { y[] = X[i] } }", tensors{"X": arrayOf(t, c.x)})
		if b := bound["y"].Float(); b != c.bound {
			t.Errorf("the bound of the sum of %v is %v, not %v", c.x, b, c.bound)
		}
	}
}

func TestDecisionsWithinErrors(t *testing.T) {
	inexact := "(a[] * b[])" // 0.1f·0.1f is not a float32
	cases := []struct {
		name, out, expr string
		a, b            float64
		least, most     float64
	}{
		{"exact addition", "float32", "a[] + b[]", 1, 2, 0, 0},
		{"rounded product", "float32", inexact, 0.1, 0.1, 1e-10, 1e-8},
		{"exact comparison", "bool", "a[] + b[] < 3f32", 1, 2, 0, 0},
		{"near tie", "bool", inexact + " < " + inexact + " + 0f32", 0.1, 0.1, 1, 1},
		{"clear comparison", "bool", inexact + " < a[]", 0.1, 0.1, 0, 0},
		{"clear truncation", "int32", "int32(" + inexact + " * 150f32)", 0.1, 0.1, 0, 0},
		{"truncation at a step", "int32", "int32(" + inexact + " * 100f32)", 0.1, 0.1, 1, 1},
		{"floor at a step", "float32", "floor(" + inexact + " * 100f32)", 0.1, 0.1, 1, 1},
		{"rounding away from a step", "float32", "round(" + inexact + " * 100f32)", 0.1, 0.1, 0, 0},
		{"union of the branches", "float32", inexact + " * 100f32 < 1f32 ? 5f32 : 8f32", 0.1, 0.1, 3, 3},
		{"condition decided by logic", "float32", inexact + " * 100f32 < 1f32 && a[] > 1f32 ? 5f32 : 8f32", 0.1, 0.1, 0, 0},
		{"subscript", "float32", "T[int64(" + inexact + " * 100f32)]", 0.1, 0.1, unbounded, unbounded},
		{"unsafe branch", "float32", inexact + " * 100f32 < 1f32 ? T[7i64 + int64(a[])] : 8f32", 0.1, 0.1, unbounded, unbounded},
		{"branch not near", "float32", inexact + " * 100f32 < 1f32 ? T[7i64 + int64(a[])] : 8f32", 0.1, 0.2, 0, 0},
		{"ambiguous bool as a number", "float32", "float32(" + inexact + " * 100f32 < 1f32)", 0.1, 0.1, 1, 1.1},
		{"negated ambiguous bool", "bool", "!(" + inexact + " * 100f32 < 1f32)", 0.1, 0.1, 1, 1},
		{"ambiguous or true", "bool", inexact + " * 100f32 < 1f32 || a[] > 0f32", 0.1, 0.1, 0, 0},
		{"negated integer", "int32", "-int32(" + inexact + " * 100f32)", 0.1, 0.1, 1, 1},
		{"integer quotient", "int32", "int32(" + inexact + " * 100f32) / 3i32", 0.1, 0.1, 1, 2},
		{"integer remainder", "int32", "int32(" + inexact + " * 100f32) % 3i32", 0.1, 0.1, unbounded, unbounded},
		{"integer comparison", "bool", "int32(" + inexact + " * 100f32) < 5i32", 0.1, 0.1, 0, 0},
		{"near integer comparison", "bool", "int32(" + inexact + " * 100f32) < 2i32", 0.1, 0.1, 1, 1},
		{"wider integer", "int64", "int64(int32(" + inexact + " * 100f32))", 0.1, 0.1, 1, 1},
		{"narrow integer", "uint8", "uint8(int32(" + inexact + " * 100f32) - 1i32)", 0.1, 0.1, unbounded, unbounded},
		{"bool of an integer", "bool", "bool(int32(" + inexact + " * 100f32))", 0.1, 0.1, 1, 1},
		{"bool of a float", "bool", "bool(" + inexact + ")", 0.1, 0.1, 0, 0},
		{"saturation", "uint8", "uint8(" + inexact + " * 1000000f32)", 0.1, 0.1, 0, 0},
		{"wider float", "float64", "float64(" + inexact + ")", 0.1, 0.1, 1e-10, 1e-8},
		{"narrower float", "float32", "float32(float64(a[]) * float64(b[]))", 0.1, 0.1, 0, 1e-8},
		{"sign of no number", "float32", "copysign(a[], 0f32 / 0f32)", 0.1, 0.1, unbounded, unbounded},
		{"large integer in a float", "float32", "float32(16777217i64 + int64(a[]))", 0.1, 0.1, 0, 0},
		{"infinite minus infinite", "float32", "1f32 / (a[] - a[]) - 1f32 / (b[] - b[])", 0.1, 0.1, 0, 0},
		{"wave", "float32", "sin(" + inexact + " * 1000f32)", 0.1, 0.1, 1e-8, 1e-5},
		{"NaN of a wave", "float32", "cos(" + inexact + " / (a[] - b[]))", 0.1, 0.1, 0, unbounded},
		{"pole", "float32", "tgamma(" + inexact + " - 0.01f32)", 0.1, 0.1, unbounded, unbounded},
		{"overflowing sum", "float32", "a[] * a[] * 1e38f32 * 2f32 + 3e38f32", 1, 0, 0, 0},
		{"quotient by nearly zero", "float32", "1f32 / (" + inexact + " - 0.01f32)", 0.1, 0.1, unbounded, unbounded},
		{"root of nearly zero", "float32", "sqrt(" + inexact + " - 0.01f32)", 0.1, 0.1, unbounded, unbounded},
		{"root", "float32", "sqrt(" + inexact + ")", 0.1, 0.1, 1e-9, 2e-7},
		{"overflow", "float32", "exp(a[])", 100, 0, 0, 0},
		{"near overflow", "float32", "exp(a[])", 88.722839, 0, unbounded, unbounded},
		{"NaN", "float32", "a[] / b[]", 0, 0, 0, 0},
		{"NaN test of a rounded value", "bool", inexact + " != " + inexact, 0.1, 0.1, 0, 0},
		{"relu of a negative", "float32", "max(-" + inexact + ", 0f32)", 0.1, 0.1, 0, 0},
		{"zero of either sign", "float32", "max(a[], -b[])", 0, 0, eitherZero, eitherZero},
		{"zero of either sign and a number", "float32", "max(a[], -b[]) + 1f32", 0, 0, 0, 0},
		{"zeros of either sign", "float32", "max(a[], -b[]) * 3f32 - min(-a[], b[])", 0, 0, eitherZero, eitherZero},
		{"narrow zero of either sign", "float32", "float32(float64(max(a[], -b[])))", 0, 0, eitherZero, eitherZero},
		{"comparison of a zero of either sign", "bool", "max(a[], -b[]) == 0f32 && !bool(max(a[], -b[]))", 0, 0, 0, 0},
		{"functions of a zero of either sign", "float32", "floor(max(a[], -b[])) + exp2(max(a[], -b[])) + copysign(0f32, max(a[], -b[]))", 0, 0, 0, 1e-6},
		{"direction of a zero of either sign", "float32", "atan2(max(a[], -b[]), -1f32)", 0, 0, 6, 7},
		{"quotient by a zero of either sign", "float32", "1f32 / max(a[], -b[])", 0, 0, unbounded, unbounded},
		{"integers", "int32", "int32(" + inexact + " * 100f32) * 3i32 + 1i32", 0.1, 0.1, 3, 3},
		{"wrapping", "int8", "int8(" + inexact + " * 100f32 + 127f32) + 1i8", 0.1, 0.1, 0, unbounded},
		{"remainder", "float32", "a[] % " + inexact, 0.7, 0.1, 1e-9, 1e-1},
	}
	for _, c := range cases {
		text := fmt.Sprintf("func f { in a: float32[] in b: float32[] in T: float32[2] out y: %s[] for { y[] = %s } }", c.out, c.expr)
		args := tensors{"a": scalarOf(t, tensor.Float32, c.a), "b": scalarOf(t, tensor.Float32, c.b), "T": arrayOf(t, []float32{1, 2})}
		_, bounds := evaluateWithBounds(t, text, args)
		if e := bounds["y"].Float(); !(e >= c.least && e <= c.most) {
			t.Errorf("%s: %s has the bound %v, expected %v to %v", c.name, c.expr, e, c.least, c.most)
		}
	}
}

func TestAmbiguousPositions(t *testing.T) {
	text := "func f { in X: float32[3] out v: float32[] out p: int64[] for k in 0:3 reduce argmin { v[] = X[k] * X[k] * X[k] p[] = k } }"
	next := math.Nextafter32(0.1, 1)
	for _, c := range []struct {
		x         []float32
		ambiguous bool
	}{{[]float32{0.1, 0.2, 0.3}, false}, {[]float32{0.2, 0.1, next}, true}, {[]float32{0.1, next, 0.01}, false}, {[]float32{2, 2, 3}, false}} {
		_, bounds := evaluateWithBounds(t, text, tensors{"X": arrayOf(t, c.x)})
		if e := bounds["p"].Float(); (e > 0) != c.ambiguous {
			t.Errorf("the position in %v has the bound %v", c.x, e)
		}
	}
	const minimum = "func f { in X: float32[%[1]d] out v: float32[] for k in 0:%[1]d reduce min { v[] = X[k] } }"
	for _, x := range [][]float32{{1, float32(math.NaN()), 2}, {float32(math.NaN())}} {
		_, bounds := evaluateWithBounds(t, fmt.Sprintf(minimum, len(x)), tensors{"X": arrayOf(t, x)})
		if e := bounds["v"].Float(); e != 0 {
			t.Errorf("the minimum of %v does not depend on the order and has the bound %v", x, e)
		}
	}
}

// What is stored in 16 bits adds the rounding of the storage.
func TestBoundsOfHalfStorage(t *testing.T) {
	const text = `func f { in X: %[1]s[4] in Y: %[1]s[4] temp h: %[1]s[4] out z: %[1]s[4] out s: float32[]
	  for i in 0:4 { h[i] = float32(X[i]) * float32(Y[i]) * 0.3f32 }
	  for i in 0:4 { z[i] = float32(h[i]) * 0.7f32 }
	  for i in 0:4 reduce + { s[] = float32(h[i]) } }`
	for _, d := range []tensor.DType{tensor.Float16, tensor.BFloat16} {
		text := fmt.Sprintf(text, d)
		halves := func(values ...float64) *tensor.Tensor {
			x, err := tensor.New(d, len(values))
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range values {
				x.SetFloat(v, i)
			}
			return x
		}
		args := tensors{"X": halves(0.1, 2, -0.3, 1000), "Y": halves(0.7, 4, 0.9, -3)}
		want, bounds := evaluateWithBounds(t, text, args)
		for name, got := range evaluate(t, text, args, nil) {
			if c, err := Compare(got, want[name], bounds[name]); err != nil || !c.OK() {
				t.Errorf("%s of %s: %v %v", name, d, err, c.Worst)
			}
		}
		unit := precisionOf(d).unit
		if b := bounds["s"].Float(); b < unit*900 || b > 1000*unit {
			t.Errorf("%s: the sum has the bound %v", d, b)
		}
	}
}

// What a matrix unit takes for 0 is within the bound of a sum of products of bfloat16, which
// has no error otherwise.
func TestSmallNumbersOfMatrixProducts(t *testing.T) {
	const text = `func f { in X: bfloat16[2] in Y: bfloat16[2] out z: float32[]
	  for k in 0:2 reduce + { z[] = float32(X[k]) * float32(Y[k]) } }`
	for _, test := range []struct {
		x, y        []float64
		least, most float64
	}{
		{[]float64{0x1p-130, 1}, []float64{0x1p120, 3}, 0x1p-10, 0x1p-9},
		{[]float64{0x1p-70, 0}, []float64{0x1p-60, 3}, 0x1p-130, 0x1p-120},
		{[]float64{5, 1}, []float64{-0.5, 3}, 0, 0},
	} {
		args := tensors{}
		for name, values := range map[string][]float64{"X": test.x, "Y": test.y} {
			x, err := tensor.New(tensor.BFloat16, len(values))
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range values {
				x.SetFloat(v, i)
			}
			args[name] = x
		}
		_, bounds := evaluateWithBounds(t, text, args)
		if b := bounds["z"].Float(); b < test.least || b > test.most {
			t.Errorf("%v times %v has the bound %g, expected one from %g to %g", test.x, test.y, b, test.least, test.most)
		}
	}
}

// An old value is one more term of the sum.
func TestBoundsOfAccumulation(t *testing.T) {
	text := "func f { in X: float32[2] inout y: float32[] for k in 0:2 reduce + accumulate + { y[] = X[k] } }"
	_, bounds := evaluateWithBounds(t, text, tensors{"X": arrayOf(t, []float32{0.1, -0.1}), "y": scalarOf(t, tensor.Float32, 1000)})
	if b := bounds["y"].Float(); b < 2*0x1p-24*1000 || b > 2.1*0x1p-24*1000 {
		t.Errorf("the bound is %v", b)
	}
}

// randomExpr writes a float32 expression over X[i] and Y[i].
func randomExpr(r *rapid.T, depth int) string {
	if depth == 0 {
		return rapid.SampledFrom([]string{"X[i]", "Y[i]", "0.5f32", "3f32", "float32(i)"}).Draw(r, "leaf")
	}
	sub := func() string { return randomExpr(r, depth-1) }
	switch rapid.IntRange(0, 9).Draw(r, "node") {
	case 0, 1:
		return "(" + sub() + " + " + sub() + ")"
	case 2:
		return "(" + sub() + " - " + sub() + ")"
	case 3, 4:
		return "(" + sub() + " * " + sub() + ")"
	case 5:
		return "(" + sub() + " / " + sub() + ")"
	case 6:
		return rapid.SampledFrom([]string{"min", "max", "pow", "hypot", "fmod", "atan2", "fmax"}).Draw(r, "f2") + "(" + sub() + ", " + sub() + ")"
	case 7:
		return "(" + sub() + rapid.SampledFrom([]string{" < ", " >= ", " == "}).Draw(r, "compare") + sub() + " ? " + sub() + " : " + sub() + ")"
	case 8:
		return "float32(" + rapid.SampledFrom([]string{"int8", "int32", "uint8"}).Draw(r, "type") + "(" + sub() + "))"
	}
	list := Builtins()
	for {
		b := list[rapid.IntRange(0, len(list)-1).Draw(r, "builtin")]
		if b.Arity == 1 {
			return b.Name + "(" + sub() + ")"
		}
	}
}

// sloppy is a float32 arithmetic that rounds up or down at random and has
// functions that are off by up to an ulp.
type sloppy struct {
	exact
	random *rand.Rand
}

func (s sloppy) round(v float64) float64 {
	f := float32(v)
	if float64(f) == v || math.IsNaN(v) || math.IsInf(float64(f), 0) || s.random.IntN(2) == 0 {
		return float64(f)
	}
	return float64(math.Nextafter32(f, float32(math.Copysign(math.Inf(1), v-float64(f)))))
}

func (s sloppy) binary(op BinaryOp, t tensor.DType) func(a, b value) value {
	if t != tensor.Float32 || op.IsComparison() || s.random.IntN(2) == 0 {
		return s.exact.binary(op, t)
	}
	f := floatOperations[op]
	return func(a, b value) value { return value{f: s.round(f(a.f, b.f))} }
}

func (s sloppy) call(b *Builtin, t tensor.DType) func([]value) value {
	f := s.exact.call(b, tensor.Float64)
	if b.ulps <= 1 {
		return s.exact.call(b, t)
	}
	return func(args []value) value { return value{f: s.round(f(args).f)} }
}

// randomFunc writes a function with one comprehension over random values.
func randomFunc(r *rapid.T) string {
	value := randomExpr(r, rapid.IntRange(1, 4).Draw(r, "depth"))
	kind := rapid.SampledFrom([]string{"reduce +", "reduce *", "reduce max", "scan +", "reduce argmax"}).Draw(r, "kind")
	out, writes := "out z: float32[]", "z[] = "+value
	switch kind {
	case "scan +":
		out, writes = "out z: float32[8]", "z[i] = "+value
	case "reduce argmax":
		out, writes = "out z: float32[] out p: int64[]", "z[] = "+value+" p[] = i"
	}
	return fmt.Sprintf("func f { in X: float32[8] in Y: float32[8] %s for i in 0:8 %s { %s } }", out, kind, writes)
}

// Evaluation in float32, exact or sloppy, is one of the implementations that the
// bounds speak of.
func TestEvaluationsStayInTheBounds(t *testing.T) {
	elements, ambiguous := 0, 0
	rapid.Check(t, func(r *rapid.T) {
		text := randomFunc(r)
		f := parsed(t, text)
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 0))
		x, y := make([]float32, 8), make([]float32, 8)
		for i := range x {
			x[i], y[i] = float32(random.NormFloat64()), float32(random.IntN(9)-4)/2
		}
		args := tensors{"X": arrayOf(t, x), "Y": arrayOf(t, y)}
		want, bound := evaluateWithBounds(t, text, args)
		for _, a := range []arithmetic{exact{}, sloppy{random: random}, sloppy{random: random}} {
			ev := &evaluator{arithmetic: a}
			if err := ev.run(f, args); err != nil {
				r.Fatal(err)
			}
			results, err := ev.results(f, (*array).tensor)
			if err != nil {
				r.Fatal(err)
			}
			for name, got := range results {
				allowed := bound[name]
				if _, is := a.(sloppy); is { // up or down errs by twice as much as to the nearest
					if allowed, err = bound[name].Clone(); err != nil {
						r.Fatal(err)
					}
					for o := range allowed.Offsets() {
						allowed.SetFloatAt(o, 2*allowed.FloatAt(o))
					}
				}
				c, err := Compare(got, want[name], allowed)
				if err != nil || !c.OK() {
					r.Fatalf("%s with %T\n%s: %v %v, bound %v", text, a, name, err, c.Worst, bound[name])
				}
				elements, ambiguous = elements+c.Elements, ambiguous+c.Ambiguous
			}
		}
	})
	if ambiguous > elements/2 {
		t.Errorf("%d of %d elements have no bound: the bounds say too little", ambiguous, elements)
	}
	t.Logf("%d of %d elements are ambiguous", ambiguous, elements)
}

func TestCompare(t *testing.T) {
	want := arrayOf(t, []float32{1, 2, 3, float32(math.NaN()), float32(math.Inf(1)), 0}, 2, 3)
	zero, err := tensor.New(tensor.Float64, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	if c, err := Compare(want, want, zero); err != nil || !c.OK() || c.Elements != 6 || c.Worst != nil {
		t.Errorf("a tensor differs from itself: %+v %v", c, err)
	}
	got := arrayOf(t, []float32{1, 2.001, 3.5, float32(math.NaN()), 7, 0}, 2, 3)
	bound := arrayOf(t, []float64{0, 0.01, 0.01, 0, unbounded, 0}, 2, 3)
	c, err := Compare(got, want, bound)
	if err != nil || c.Mismatches != 1 || c.Ambiguous != 1 || c.Worst == nil || fmt.Sprint(c.Worst.Index) != "[0 2]" {
		t.Errorf("got %+v %v", c, err)
	}
	if text := c.Worst.String(); text != "element [0 2] is 3.5, the reference is 3: off by 0.5, allowed are 0.0125" {
		t.Errorf("got %s", text)
	}
	if c, err = Compare(got, want, nil); err != nil || c.Mismatches != 3 {
		t.Errorf("without bounds: %+v %v", c, err)
	}
	huge := arrayOf(t, []uint64{math.MaxUint64})
	if c, err = Compare(arrayOf(t, []uint64{math.MaxUint64 - 1}), huge, arrayOf(t, []float64{0})); err != nil || c.Mismatches != 1 || c.Worst.Got != "18446744073709551614" {
		t.Errorf("integers are not compared exactly: %+v %v", c, err)
	}
	if _, err := Compare(huge, want, nil); err == nil {
		t.Error("tensors of different types are compared")
	}
}

// TestNeighboursOfZeroStayInTheirBound: beside 0 the numbers of float32 are farther apart than those
// of float64, in which bounds are computed.
func TestNeighboursOfZeroStayInTheirBound(t *testing.T) {
	want, bound := evaluateWithBounds(t, `func f { in X: float32[3] out Y: float32[3] for i in 0:3 { Y[i] = nextafter(X[i], -acos(0f32)) } }`,
		tensors{"X": arrayOf(t, []float32{0, 1e-44, -1e-44})})
	got := arrayOf(t, []float32{-math.SmallestNonzeroFloat32, math.Nextafter32(1e-44, -1), math.Nextafter32(-1e-44, -1)})
	if c, err := Compare(got, want["Y"], bound["Y"]); err != nil || !c.OK() {
		t.Errorf("%v %v", err, c.Worst)
	}
}

// TestWorstElementIsFound: Compare names the element that is farthest off, in tensors of every rank,
// whatever their strides, and counts those that are off.
func TestWorstElementIsFound(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		shape := rapid.SliceOfN(rapid.IntRange(1, 4), 0, 4).Draw(r, "shape")
		d := rapid.SampledFrom([]tensor.DType{tensor.Float32, tensor.Float32, tensor.Float64, tensor.BFloat16, tensor.Int8, tensor.Int64, tensor.Uint8, tensor.Uint64}).Draw(r, "type")
		draw := func(name string, d tensor.DType) *tensor.Tensor {
			if len(shape) < 2 || !rapid.Bool().Draw(r, "turned "+name) {
				x, err := tensor.New(d, shape...)
				if err != nil {
					r.Fatal(err)
				}
				return x
			}
			turned := slices.Clone(shape)
			turned[0], turned[1] = turned[1], turned[0]
			x, err := tensor.New(d, turned...)
			if err != nil {
				r.Fatal(err)
			}
			order := make([]int, len(shape))
			for d := range order {
				order[d] = d
			}
			order[0], order[1] = 1, 0
			if x, err = x.Transpose(order...); err != nil {
				r.Fatal(err)
			}
			return x
		}
		got, want, bound := draw("got", d), draw("want", d), draw("bound", tensor.Float64)
		index, worst, most := make([]int, len(shape)), make([]int, len(shape)), 0.0
		wrong, unknown, exact := 0, 0, 0
		for range want.Len() {
			value := float64(rapid.IntRange(-3, 3).Draw(r, "value"))
			if d.Kind() == tensor.KindUint {
				value += 3
			}
			e := rapid.SampledFrom([]float64{0, 0, 0.5, unbounded}).Draw(r, "bound")
			off := rapid.SampledFrom([]float64{0, 0, 0, 0.25, 1, 2, 3}).Draw(r, "off")
			sign := rapid.SampledFrom([]float64{-1, 1}).Draw(r, "sign")
			if value+sign*off < 0 && d.Kind() == tensor.KindUint {
				sign = 1
			}
			want.SetFloat(value, index...)
			got.SetFloat(value+sign*off, index...)
			off = math.Abs(got.Float(index...) - value) // of integers the whole part
			bound.SetFloat(e, index...)
			allowed := 0.0
			switch e {
			case unbounded:
				unknown++
			case 0:
				exact++
			default:
				allowed = e
				if p := precisionOf(d); p != nil {
					allowed = safety(p)*e + p.unit*math.Abs(value) + p.tiny
				}
			}
			if e != unbounded {
				if off > allowed {
					wrong++
				}
				if off > 0 && off/allowed > most {
					most, worst = off/allowed, slices.Clone(index)
				}
			}
			advance(index, shape)
		}
		c, err := Compare(got, want, bound)
		if err != nil || c.Elements != want.Len() || c.Mismatches != wrong || c.Ambiguous != unknown || c.Exact != exact || c.OK() != (wrong == 0) {
			r.Fatalf("got %+v %v; %d elements are off, %d unknown, %d exact", c, err, wrong, unknown, exact)
		}
		if (c.Worst == nil) != (most == 0) || most > 0 && !slices.Equal(c.Worst.Index, worst) {
			r.Fatalf("got %v, the worst element is %v, %v times off", c.Worst, worst, most)
		}
		if most > 0 {
			one, err := strconv.ParseFloat(c.Worst.Got, 64)
			other, err2 := strconv.ParseFloat(c.Worst.Want, 64)
			if err != nil || err2 != nil || one != got.Float(worst...) || other != want.Float(worst...) || math.Abs(one-other) != c.Worst.Error {
				r.Fatalf("got %v of %s: %v, %v", c.Worst, d, err, err2)
			}
		}
	})
}

// TestSharpness: in nine of ten elements an error is noticed that is larger than this, in parts of the root
// of the mean square.
func TestSharpness(t *testing.T) {
	for _, n := range []int{1, 9, 10, 11, 20, 99} {
		want, bound := make([]float64, n), make([]float64, n)
		for k := range n {
			want[k], bound[k] = float64(3+k%2*4), float64((k*7)%n)
		}
		c, err := Compare(arrayOf(t, want), arrayOf(t, want), arrayOf(t, bound))
		if err != nil {
			t.Fatal(err)
		}
		var allowed []float64
		squares := 0.0
		for k := range n {
			a := 0.0
			if bound[k] > 0 {
				a = 2*bound[k] + 0x1p-53*want[k] + 0x1p-1074
			}
			allowed, squares = append(allowed, a), squares+want[k]*want[k]
		}
		slices.Sort(allowed)
		if expected := allowed[n*9/10] / math.Sqrt(squares/float64(n)); math.Abs(c.Sharpness-expected) > 1e-9*expected {
			t.Errorf("of %d elements: %v, expected %v", n, c.Sharpness, expected)
		}
	}
}

// TestAllowedBesideZero: the last digit of the smallest numbers is allowed, too.
func TestAllowedBesideZero(t *testing.T) {
	const tiny = 0x1p-149
	for steps, ok := range map[float32]bool{0: true, 1: true, 2: true, 3: false} {
		c, err := Compare(arrayOf(t, []float32{steps * tiny}), arrayOf(t, []float32{0}), arrayOf(t, []float64{tiny}))
		if err != nil || c.OK() != ok {
			t.Errorf("%v of the smallest numbers off: %+v %v", steps, c, err)
		}
	}
}
