package pipelinetest_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/pipelinetest"
	"github.com/ricci-lang/ricci/tensor"
)

// hostile are values on which laws of real numbers break.
var hostile = []float64{1e20, -1e20, 1e-20, 1e38, -1e38, 1e-38, 1e-45, -1e-45, 0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1, -1, 3, 1e300, 1e-300, 5e-324}

// large are those of them whose products do not underflow.
var large = []float64{1e20, -1e20, 1e38, -1e38, 0, math.Copysign(0, -1), math.Inf(1), math.NaN(), 1, -3, 1e300}

// fillHostile puts ordinary and hostile values into the floats of a case's arguments.
func fillHostile(one *pipelinetest.Case, from *pipelinetest.Choices, values []float64) {
	for _, x := range one.Func.ByRole(ein.Input, ein.InOut) {
		if a := one.Args[x.Name]; x.Type.IsFloat() && a != nil {
			oneIn := pipelinetest.Pick(from, 2, 5, 20, 1<<30)
			for o := range a.Offsets() {
				v := float64(from.Between(-1000, 1000)) / 128
				if from.OneIn(oneIn) {
					v = pipelinetest.Pick(from, values...)
				}
				a.SetFloatAt(o, v)
			}
		}
	}
}

// exactCalls are the functions whose results are rounded correctly.
var exactCalls = map[string]bool{"sqrt": true, "fabs": true, "floor": true, "ceil": true, "trunc": true}

// isExact reports whether a function has no others.
func isExact(f *ein.Func) bool {
	exact := true
	for _, c := range f.Body {
		for _, v := range c.Values {
			ein.Walk(v, func(e ein.Expr) bool {
				if call, ok := e.(*ein.Call); ok {
					exact = exact && exactCalls[call.Func.Name]
				}
				return exact
			})
		}
	}
	return exact
}

// products are sums of products that invite to regroup them, in all the forms in which factors stand.
var products = []string{
	"in s: %[1]s[] in A: %[1]s[9, 20] in B: %[1]s[20, 17] out C: %[1]s[9, 17] for i in 0:9, j in 0:17, k in 0:20 reduce + { C[i, j] = s[] * A[i, k] * B[k, j] }",
	"in s: %[1]s[] in A: %[1]s[9, 20] in B: %[1]s[20, 17] inout C: %[1]s[9, 17] for i in 0:9, j in 0:17, k in 0:20 reduce + accumulate + { C[i, j] = A[i, k] * B[k, j] * s[] }",
	"in m: %[1]s[40] in A: %[1]s[40, 50] in x: %[1]s[50] out y: %[1]s[40] for i in 0:40, k in 0:50 reduce + { y[i] = m[i] * A[i, k] * x[k] }",
	"in s: %[1]s[] in x: %[1]s[100] out y: %[1]s[] for i in 0:100 reduce + { y[] = (x[i] * s[]) * (x[i] * s[]) * (x[i] * s[]) }",
	"in X: %[1]s[7, 9, 20] in C: %[1]s[9, 17] in D: %[1]s[20, 17] out A: %[1]s[7, 17] for i in 0:7, r in 0:17, k in 0:9 reduce +, l in 0:20 reduce + { A[i, r] = X[i, k, l] * D[l, r] * C[k, r] }",
	"in A: %[1]s[30, 40] in B: %[1]s[40, 30] in x: %[1]s[30] out y: %[1]s[30] for i in 0:30, k in 0:30 reduce +, j in 0:40 reduce + { y[i] = A[i, j] * B[j, k] * x[k] }",
	"in A: %[1]s[12, 40] in B: %[1]s[40, 20] in M: %[1]s[12, 20] out C: %[1]s[12, 20] for i in 0:12, j in 0:20, k in 0:40 reduce + { C[i, j] = A[i, k] * B[k, j] * M[i, j] }",
	"in A: %[1]s[50, 33] out y: %[1]s[50] for i in 0:50, k in 0:33 reduce + { y[i] = A[i, k] / 3%[2]s * 0.01%[2]s }",
	"in A: %[1]s[50, 33] out y: %[1]s[50, 33] for i in 0:50, k in 0:33 scan + { y[i, k] = A[i, k] * 0.1%[2]s }",
	"in A: %[1]s[50, 33] out y: %[1]s[33] for k in 0:33, i in 0:50 reduce * { y[k] = A[i, k] }",
}

// productCase is one of them with hostile values.
func productCase(t *testing.T, seed uint64, mode numerics.Mode) *pipelinetest.Case {
	t.Helper()
	from := pipelinetest.Seeded(seed)
	dtype := pipelinetest.Pick(from, "float32", "float64")
	text := fmt.Sprintf("func f { "+products[seed%uint64(len(products))]+" }", dtype, map[string]string{"float32": "f32", "float64": "f64"}[dtype])
	one := &pipelinetest.Case{Name: fmt.Sprintf("product%d", seed), Text: text, Func: read(t, "product.ein", text), Sizes: map[string]int64{}, Args: map[string]*tensor.Tensor{}, Numerics: mode}
	values := hostile
	if mode != numerics.Strict && strings.Count(text, "reduce +") > 1 { // regrouped: what underflows is lost absolutely
		values = large
	}
	return hostileCase(t, one, from, values, seed)
}

// drawnCase is a random function without functions that are rounded in a way of their own; nil for others.
func drawnCase(t *testing.T, seed uint64, mode numerics.Mode) *pipelinetest.Case {
	t.Helper()
	from := pipelinetest.Seeded(seed)
	one := &pipelinetest.Case{Name: fmt.Sprintf("drawn%d", seed), Numerics: mode}
	one.Func = rapid.Custom(func(t *rapid.T) *ein.Func {
		f := eintest.FuncWith(t, eintest.Options{Statements: from.Between(1, 4)})
		one.Sizes = eintest.Sizes(t)
		return f
	}).Example(int(seed))
	if !isExact(one.Func) {
		return nil
	}
	return hostileCase(t, one, from, hostile, seed)
}

// hostileCase gives a case its arguments, and takes it as far as the printer.
func hostileCase(t *testing.T, one *pipelinetest.Case, from *pipelinetest.Choices, values []float64, seed uint64) *pipelinetest.Case {
	t.Helper()
	var err error
	if one.Args, err = eintest.Arguments(seed, one.Func, one.Sizes); err == nil {
		fillHostile(one, from, values)
		err = one.DrawSetting(from)
	}
	if err == nil {
		if from.OneIn(2) {
			err = one.PrepareDefault()
		} else {
			err = one.Prepare(from)
		}
	}
	if err != nil {
		t.Errorf("%v\n%s", err, one)
		return nil
	}
	return one
}

// TestStrict: strict kernels give the bits of the evaluator for hostile values, with any schedule that is
// legal, any number of threads and all widths of vectors; the flags of the compiler allow it to
// contract, which the text forbids.
func TestStrict(t *testing.T) {
	runUnits(t, perUnit, func(seed uint64, number int) *pipelinetest.Case {
		if number%2 == 0 {
			return productCase(t, seed, numerics.Strict)
		}
		return drawnCase(t, seed, numerics.Strict)
	})
}

// magnitudes is a function whose results are the sums of the magnitudes of the terms; of old values it takes
// the magnitudes from its arguments.
func magnitudes(f *ein.Func) *ein.Func {
	g := f.Clone()
	fabs, _ := ein.LookupBuiltin("fabs")
	for _, c := range g.Body {
		for k, v := range c.Values {
			c.Values[k] = &ein.Call{Pos: v.Span(), Func: fabs, Args: []ein.Expr{v}}
		}
	}
	return g
}

// TestDefaultKeepsRange: in the default mode no result is infinite or not a number where the magnitudes of its
// terms add up to less than a quarter of the largest number, and its error is bounded by this sum, whatever
// the values are. Values whose products underflow are left out where products are regrouped: what they lose is absolute.
func TestDefaultKeepsRange(t *testing.T) {
	judged := 0
	runUnits(t, perUnit, func(seed uint64, number int) *pipelinetest.Case {
		one := productCase(t, seed, numerics.Default)
		if one != nil && !strings.Contains(one.Text, "reduce *") {
			one.Oracle = func(got map[string]*tensor.Tensor) error {
				n, err := withinMagnitudes(one, got)
				judged += n
				return err
			}
		}
		return one
	})
	if judged < 100 {
		t.Errorf("only %d results were judged", judged)
	}
}

// TestRangeOracle: the oracle of TestDefaultKeepsRange notices what kernels of mode fast do to hostile values.
func TestRangeOracle(t *testing.T) {
	const enough, most = 3, 2000
	noticed := 0
	for seed := uint64(0); seed < most && noticed < enough; seed++ {
		one := productCase(t, seed, numerics.Fast)
		if one == nil || strings.Contains(one.Text, "reduce *") || len(one.Strides) > 0 {
			continue
		}
		one.Oracle = func(got map[string]*tensor.Tensor) error {
			_, err := withinMagnitudes(one, got)
			if err != nil {
				noticed++
			}
			return err
		}
		_ = one.Interpret() // the ordinary comparison may fail, too
	}
	if noticed < enough {
		t.Errorf("of %d functions in mode fast the oracle noticed %d", most, noticed)
	}
}

// withinMagnitudes judges the results whose terms are small enough, and says how many there are.
func withinMagnitudes(one *pipelinetest.Case, got map[string]*tensor.Tensor) (judged int, err error) {
	args := map[string]*tensor.Tensor{}
	for name, a := range one.Args {
		copied, err := a.Clone()
		if err != nil {
			return 0, err
		}
		defer copied.Close()
		if one.Func.Tensor(name).Role == ein.InOut {
			for o := range copied.Offsets() {
				copied.SetFloatAt(o, math.Abs(copied.FloatAt(o)))
			}
		}
		args[name] = copied
	}
	options := ein.EvalOptions{Sizes: one.Sizes}
	want, err := ein.Evaluate(one.Func, one.Args, options)
	if err != nil {
		return 0, err
	}
	sums, err := ein.Evaluate(magnitudes(one.Func), args, options)
	if err != nil {
		return 0, err
	}
	for name, w := range want {
		unit, least, largest := 0x1p-24, 0x1p-149, math.MaxFloat32
		if w.DType() == tensor.Float64 {
			unit, least, largest = 0x1p-53, 0x1p-1074, math.MaxFloat64
		}
		at, offsets := 0, slices.Collect(got[name].Offsets())
		for o := range w.Offsets() {
			x, y, sum := got[name].FloatAt(offsets[at]), w.FloatAt(o), sums[name].FloatAt(o)
			at++
			if !(sum < largest/4) {
				continue
			}
			judged++
			if allowed := 4000*unit*sum + 4000*least; !(math.Abs(x-y) <= allowed) {
				return judged, fmt.Errorf("%s: element %d is %v, the evaluator says %v; the magnitudes of its terms add up to %v", name, at-1, x, y, sum)
			}
		}
	}
	return judged, nil
}
