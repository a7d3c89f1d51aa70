package ricci_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/tensor"
)

// checked runs a def on random arguments, changes its outputs and judges them.
func checked(t *testing.T, text string, args tensors, spoil func(tensors)) (*ricci.CheckReport, error) {
	t.Helper()
	return checkedWith(t, text, args, ricci.Options{}, spoil)
}

func checkedWith(t *testing.T, text string, args tensors, options ricci.Options, spoil func(tensors)) (*ricci.CheckReport, error) {
	t.Helper()
	ctx := context.Background()
	kernel, err := parse(t, text).CompileFor(ctx, args, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kernel.Close() })
	outputs, err := kernel.RunNamed(ctx, args)
	if err != nil {
		t.Fatal(err)
	}
	if spoil != nil {
		spoil(outputs)
	}
	report, err := kernel.Check(ctx, args, outputs, ricci.CheckOptions{Points: 1 << 20})
	if report == nil {
		t.Fatal(err)
	}
	return report, err
}

// A large product is judged by a sample of exact and of rounded elements.
func TestCheckDrawsASample(t *testing.T) {
	args := tensors{"A": random(t, tensor.Float32, 1, 40, 1000), "B": random(t, tensor.Float32, 2, 1000, 300)}
	report, err := checked(t, matmul, args, nil)
	if err != nil {
		t.Fatal(err)
	}
	values, exact := report.Values["C"], report.Exact["C"]
	if values.Of != 12000 || values.Elements < 500 || values.Elements >= values.Of {
		t.Errorf("%d of %d elements were judged", values.Elements, values.Of)
	}
	if exact.Exact != exact.Elements || exact.Elements != values.Elements {
		t.Errorf("%d of %d elements are exact on whole numbers, %d were judged", exact.Exact, exact.Elements, values.Elements)
	}
	if values.Sharpness > 1e-3 || values.Sharpness == 0 || values.Likely >= values.Sharpness || values.Unlikely != 0 {
		t.Errorf("an error of %g is noticed, of %g by chance; %d are unlikely", values.Sharpness, values.Likely, values.Unlikely)
	}
	for name, spoil := range map[string]func(tensors){
		"zero":       func(outputs tensors) { tensor.FillConst(outputs["C"], 0) },
		"one corner": func(outputs tensors) { outputs["C"].SetFloat(1, 39, 299) },
		"sign": func(outputs tensors) {
			for o := range outputs["C"].Offsets() {
				outputs["C"].SetFloatAt(o, -outputs["C"].FloatAt(o))
			}
		},
	} {
		if _, err := checked(t, matmul, args, spoil); diagnostic(err) != "E0628" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Programs whose elements hang on too much are judged at smaller sizes.
func TestCheckTakesSmallerSizes(t *testing.T) {
	const chain = `def chain(float(M,K) A, float(K,L) B, float(L,N) C) -> (T, D) {
  T(i,l) +=! A(i,k) * B(k,l)
  D(i,j) +=! T(i,l) * C(l,j)
}`
	args := tensors{"A": random(t, tensor.Float32, 1, 501, 1000), "B": random(t, tensor.Float32, 2, 1000, 1003), "C": random(t, tensor.Float32, 3, 1003, 300)}
	report, err := checked(t, chain, args, nil)
	if err != nil {
		t.Fatal(err)
	}
	if report.Sizes["L"]%16 != 1003%16 || report.Sizes["L"] >= 1003 || report.Values["D"].Elements != report.Values["D"].Of || !report.Values["D"].OK() {
		t.Errorf("judged at %v: %+v", report.Sizes, report.Values["D"])
	}
	if len(report.Remarks) == 0 || !strings.Contains(report.Remarks[0], "evaluated on their own") {
		t.Errorf("the remarks are %q", report.Remarks)
	}
}

// A check of which every element hangs on a rounding is no success.
func TestCheckOfNothing(t *testing.T) {
	const text = "def f(float(N) x) -> (y) { y(i) = 1.0 / (exp(x(i)) - exp(x(i))) }"
	report, err := checked(t, text, tensors{"x": random(t, tensor.Float32, 1, 9)}, nil)
	if diagnostic(err) != "E0630" || report.Values["y"].Compared() != 0 {
		t.Errorf("%v: %+v", err, report)
	}
}

// Divisors, roots and means have numbers on which they are exact.
func TestExactNumbersAreFound(t *testing.T) {
	for text, args := range map[string]tensors{
		"def f(float(N) x, float(N) d) -> (y) { y(i) = x(i) / d(i) }":                                                         {"x": random(t, tensor.Float32, 1, 40), "d": random(t, tensor.Float32, 2, 40)},
		"def f(float(N,M) x) -> (m) { m(i) +=! x(i,j)\n m(i) = m(i) / M }":                                                    {"x": random(t, tensor.Float32, 1, 4, 30)},
		"def f(float(N) x, float(N,N) A) -> (y) { y(i) +=! x(i) > 0.0 ? A(i,j) * x(j) : 0.0 }":                                {"x": random(t, tensor.Float32, 1, 40), "A": random(t, tensor.Float32, 2, 40, 40)},
		"def f(double(N) x, double s) -> (y) { y +=! (x(i)*s)*(x(i)*s)*(x(i)*s)*(x(i)*s) }":                                   {"x": random(t, tensor.Float64, 1, 1000), "s": random(t, tensor.Float64, 2)},
		"def f(float16(N,K) x, float16(K,M) w) -> (y) { y(i,j) +=! float(x(i,k)) * float(w(k,j)) }":                           {"x": random(t, tensor.Float16, 1, 9, 300), "w": random(t, tensor.Float16, 2, 300, 8)},
		"def f(float(N,N) A) -> (B, C, D) { B(i,j) +=! A(i,k)*A(k,j)\n C(i,j) +=! B(i,k)*B(k,j)\n D(i,j) +=! C(i,k)*C(k,j) }": {"A": random(t, tensor.Float32, 1, 40, 40)},
	} {
		report, err := checked(t, text, args, nil)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		for name, f := range report.Exact {
			if f.Exact != f.Elements {
				t.Errorf("%s: %d of %d elements of %s are exact", text, f.Exact, f.Elements, name)
			}
		}
	}
}

// Of strict numerics the last bit counts.
func TestCheckOfStrictNumerics(t *testing.T) {
	args := tensors{"A": random(t, tensor.Float32, 1, 5, 70), "B": random(t, tensor.Float32, 2, 70, 9)}
	strict := ricci.Options{Numerics: "strict"}
	if report, err := checkedWith(t, matmul, args, strict, nil); err != nil || report.Values["C"].Exact != 45 {
		t.Errorf("%v: %+v", err, report.Values["C"])
	}
	_, err := checkedWith(t, matmul, args, strict, func(outputs tensors) {
		c := outputs["C"]
		c.SetFloat(float64(math.Nextafter32(float32(c.Float(2, 3)), 100)), 2, 3)
	})
	if diagnostic(err) != "E0628" || !strings.Contains(err.Error(), "[2 3]") {
		t.Errorf("a last bit: %v", err)
	}
}
