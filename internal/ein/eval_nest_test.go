package ein

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// arrayOf returns a tensor over data.
func arrayOf[T tensor.Element](t testing.TB, data []T, shape ...int) *tensor.Tensor {
	t.Helper()
	if shape == nil {
		shape = []int{len(data)}
	}
	a, err := tensor.FromSlice(data, shape...)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func elements[T tensor.Element](t testing.TB, a *tensor.Tensor) []T {
	t.Helper()
	data, err := tensor.ToSlice[T](a)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

type tensors = map[string]*tensor.Tensor

func evaluate(t testing.TB, text string, args tensors, sizes map[string]int64) tensors {
	t.Helper()
	out, err := Evaluate(parsed(t, text), args, EvalOptions{Sizes: sizes})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func expect[T tensor.Element](t *testing.T, got *tensor.Tensor, want ...T) {
	t.Helper()
	if g := elements[T](t, got); fmt.Sprint(g) != fmt.Sprint(want) {
		t.Errorf("got  %v\nwant %v", g, want)
	}
}

func TestMatrixProduct(t *testing.T) {
	const text = `func mm {
	  size M = dim 0 of A  size K = dim 1 of A  size N = dim 1 of B
	  in A: int32[M, K]  in B: int32[K, N]  out C: int32[M, N]
	  for i in 0:M, j in 0:N, k in 0:K reduce + { C[i, j] = A[i, k] * B[k, j] }
	}`
	args := tensors{"A": arrayOf(t, []int32{1, 2, 3, 4, 5, 6}, 2, 3), "B": arrayOf(t, []int32{1, 0, 0, 1, 2, 2}, 3, 2)}
	sizes := map[string]int64{"M": 2, "K": 3, "N": 2}
	expect[int32](t, evaluate(t, text, args, sizes)["C"], 7, 8, 16, 17)

	// The same with the reduction outermost: a fold of matrices.
	outer := strings.Replace(text, "for i in 0:M, j in 0:N, k in 0:K reduce +", "for k in 0:K reduce +, i in 0:M, j in 0:N", 1)
	expect[int32](t, evaluate(t, outer, args, sizes)["C"], 7, 8, 16, 17)

	special, err := parsed(t, text).Specialise(sizes, nil)
	if err != nil {
		t.Fatal(err)
	}
	out, err := Evaluate(special, args, EvalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	expect[int32](t, out["C"], 7, 8, 16, 17)
}

func TestReductions(t *testing.T) {
	cases := []struct {
		op        string
		want, old int64 // without and with the old value 10
	}{{"+", 11, 21}, {"*", 40, 400}, {"min", 2, 2}, {"max", 5, 10}}
	x := arrayOf(t, []int64{2, 4, 5})
	for _, c := range cases {
		text := fmt.Sprintf("func f { in X: int64[3] out y: int64[] for k in 0:3 reduce %s { y[] = X[k] } }", c.op)
		expect(t, evaluate(t, text, tensors{"X": x}, nil)["y"], c.want)
		text = fmt.Sprintf("func f { in X: int64[3] inout y: int64[] for k in 0:3 reduce %s accumulate %s { y[] = X[k] } }", c.op, c.op)
		expect(t, evaluate(t, text, tensors{"X": x, "y": scalarOf(t, tensor.Int64, 10)}, nil)["y"], c.old)
	}
	text := "func f { in X: bool[3] out y: bool[] out z: bool[] for k in 0:3 reduce && { y[] = X[k] } for k in 0:3 reduce || { z[] = X[k] } }"
	out := evaluate(t, text, tensors{"X": arrayOf(t, []bool{true, false, true})}, nil)
	expect(t, out["y"], false)
	expect(t, out["z"], true)
}

// Folds go from the first index to the last: visible in float32.
func TestOrderOfFolds(t *testing.T) {
	x := []float32{1e8, 1, -1e8, 1}
	text := "func f { in X: float32[4] out y: float32[] out s: float32[4] for k in 0:4 reduce + { y[] = X[k] } for k in 0:4 scan + { s[k] = X[k] } }"
	out := evaluate(t, text, tensors{"X": arrayOf(t, x)}, nil)
	expect[float32](t, out["y"], 1)
	expect[float32](t, out["s"], 1e8, 1e8, 0, 1)
	// An operator that is neither associative nor commutative.
	text = "func f { in X: int32[4] op sub(a: int32 | b: int32) = (a - b) out y: int32[] out s: int32[4] for k in 0:4 reduce sub { y[] = X[k] } for k in 0:4 scan sub { s[k] = X[k] } }"
	out = evaluate(t, text, tensors{"X": arrayOf(t, []int32{10, 1, 2, 3})}, nil)
	expect[int32](t, out["y"], 4)
	expect[int32](t, out["s"], 10, 9, 7, 4)
}

// MBBS of the MDH paper: prefix sums over rows of sums over columns, and the
// scan as the inner index below a reduction.
func TestMixedCombinations(t *testing.T) {
	args := tensors{"A": arrayOf(t, []int32{1, 2, 3, 4, 5, 6}, 3, 2)}
	text := "func f { in A: int32[3, 2] out y: int32[3] for i in 0:3 scan +, j in 0:2 reduce + { y[i] = A[i, j] } }"
	expect[int32](t, evaluate(t, text, args, nil)["y"], 3, 10, 21)
	text = "func f { in A: int32[3, 2] out y: int32[3] for j in 0:2 reduce max, i in 0:3 scan + { y[i] = A[i, j] } }"
	expect[int32](t, evaluate(t, text, args, nil)["y"], 2, 6, 12)
	text = "func f { in A: int32[3, 2] out y: int32[2, 3] for j in 0:2, i in 0:3 scan * { y[j, i] = A[i, j] } }"
	expect[int32](t, evaluate(t, text, args, nil)["y"], 1, 3, 15, 2, 8, 48)
	// Scan outside a Concat: prefixes of rows; two scans: prefixes of prefixes.
	text = "func f { in A: int32[3, 2] out y: int32[3, 2] for i in 0:3 scan +, j in 0:2 { y[i, j] = A[i, j] } }"
	expect[int32](t, evaluate(t, text, args, nil)["y"], 1, 2, 4, 6, 9, 12)
	text = "func f { in A: int32[3, 2] out y: int32[3, 2] for i in 0:3 scan +, j in 0:2 scan + { y[i, j] = A[i, j] } }"
	expect[int32](t, evaluate(t, text, args, nil)["y"], 1, 3, 4, 10, 9, 21)
	text = "func f { in A: int32[3, 2] out y: int32[] for i in 0:3 reduce max, j in 0:2 reduce + { y[] = A[i, j] } }"
	expect[int32](t, evaluate(t, text, args, nil)["y"], 11)
	text = "func f { in A: int32[3, 2] out y: int32[] for i in 0:3 reduce +, j in 0:2 reduce max { y[] = A[i, j] } }"
	expect[int32](t, evaluate(t, text, args, nil)["y"], 12)
}

// The largest prefix sum by an operator on pairs (sum, largest prefix).
func TestMaximumPrefixSum(t *testing.T) {
	const text = `func mps {
	  in X: int32[6]  out s: int32[]  out m: int32[]  out S: int32[6]  out M: int32[6]
	  op mps(s1: int32, m1: int32 | s2: int32, m2: int32) = (s1 + s2, max(m1, s1 + m2)) identity (0i32, -1000i32) associative
	  for k in 0:6 reduce mps { s[] = X[k] m[] = X[k] }
	  for k in 0:6 scan mps { S[k] = X[k] M[k] = X[k] }
	}`
	out := evaluate(t, text, tensors{"X": arrayOf(t, []int32{2, -3, 4, 1, -6, 3})}, nil)
	expect[int32](t, out["s"], 1)
	expect[int32](t, out["m"], 4)
	expect[int32](t, out["S"], 2, -1, 3, 4, -2, 1)
	expect[int32](t, out["M"], 2, 2, 3, 4, 4, 4)
}

func TestArgMinMax(t *testing.T) {
	nan := float32(math.NaN())
	cases := []struct {
		x        []float32
		min, max int64
	}{
		{[]float32{3, 1, 2, 1}, 1, 0}, {[]float32{nan, 5, nan, 7}, 1, 3}, {[]float32{nan, nan, nan, nan}, 0, 0},
		{[]float32{2, 2, 2, 2}, 0, 0}, {[]float32{1, 2, 3, nan}, 0, 2}, {[]float32{0, float32(math.Inf(-1)), 0, float32(math.Inf(1))}, 1, 3},
	}
	for _, c := range cases {
		text := `func f { in X: float32[4] out v: float32[] out p: int64[] out w: float32[] out q: int64[]
		  for k in 0:4 reduce argmin { v[] = X[k] p[] = k } for k in 0:4 reduce argmax { w[] = X[k] q[] = k } }`
		out := evaluate(t, text, tensors{"X": arrayOf(t, c.x)}, nil)
		expect(t, out["p"], c.min)
		expect(t, out["q"], c.max)
		if fmt.Sprint(out["v"].Float()) != fmt.Sprint(float64(c.x[c.min])) {
			t.Errorf("argmin of %v has the value %v", c.x, out["v"].Float())
		}
		_, bounds, err := EvaluateWithBounds(parsed(t, text), tensors{"X": arrayOf(t, c.x)}, EvalOptions{})
		if err != nil || bounds["p"].Float() != 0 || bounds["q"].Float() != 0 {
			t.Errorf("exact positions have the bounds %v and %v (%v)", bounds["p"].Float(), bounds["q"].Float(), err)
		}
	}
}

// The right-hand side is read in full before anything is written.
func TestInPlace(t *testing.T) {
	text := "func f { inout A: int32[2, 2] for i in 0:2, j in 0:2 { A[i, j] = A[j, i] } }"
	old := arrayOf(t, []int32{1, 2, 3, 4}, 2, 2)
	expect[int32](t, evaluate(t, text, tensors{"A": old}, nil)["A"], 1, 3, 2, 4)
	expect[int32](t, old, 1, 2, 3, 4) // arguments stay as they are
	text = "func f { inout X: int32[4] for i in 1:4 { X[i] = X[i - 1i64] } }"
	expect[int32](t, evaluate(t, text, tensors{"X": arrayOf(t, []int32{1, 2, 3, 4})}, nil)["X"], 1, 1, 2, 3)
	text = "func f { inout X: int32[4] for i in 0:4, k in 0:4 reduce + accumulate + { X[i] = X[k] } }"
	expect[int32](t, evaluate(t, text, tensors{"X": arrayOf(t, []int32{1, 2, 3, 4})}, nil)["X"], 11, 12, 13, 14)
}

func TestSeveralWritesAreSimultaneous(t *testing.T) {
	args := tensors{"A": arrayOf(t, []int32{1, 2}), "B": arrayOf(t, []int32{3, 4})}
	out := evaluate(t, "func f { inout A: int32[2] inout B: int32[2] for i in 0:2 { A[i] = B[i] B[i] = A[i] } }", args, nil)
	expect[int32](t, out["A"], 3, 4)
	expect[int32](t, out["B"], 1, 2)
	out = evaluate(t, `func f { inout A: int32[2] inout B: int32[2]
	  op cross(a: int32, b: int32 | c: int32, d: int32) = (a + d, b * c)
	  for i in 0:2 accumulate cross { A[i] = B[i] B[i] = A[i] } }`, args, nil)
	expect[int32](t, out["A"], 2, 4)
	expect[int32](t, out["B"], 9, 16)
}

func TestTemporariesAndOffsets(t *testing.T) {
	text := `func f { in X: float32[6] temp t: float32[1:5] out Y: float32[2:4]
	  for i in 1:5 { t[i] = X[i - 1i64] + X[i + 1i64] }
	  for i in 2:4 { Y[i] = t[i - 1i64] * t[i + 1i64] } }`
	out := evaluate(t, text, tensors{"X": arrayOf(t, []float32{1, 2, 3, 4, 5, 6})}, nil)
	expect[float32](t, out["Y"], 4*8, 6*10)
}

func TestStridedArguments(t *testing.T) {
	memory := []int32{0, 1, 2, 3, 4, 5, 6, 7}
	base, err := tensor.Wrap(memory, len(memory))
	if err != nil {
		t.Fatal(err)
	}
	for _, view := range []struct {
		first, stride int
		want          []int32
	}{{0, 2, []int32{0, 2, 4, 6}}, {7, -2, []int32{7, 5, 3, 1}}, {3, 0, []int32{3, 3, 3, 3}}} {
		element, err := tensor.Wrap(memory[view.first:], len(memory)-view.first)
		if err != nil {
			t.Fatal(err)
		}
		x, err := tensor.FromPointer(tensor.Int32, element.Pointer(), []int{4}, []int{view.stride})
		if err != nil {
			t.Fatal(err)
		}
		out := evaluate(t, "func f { in X: int32[4] out Y: int32[4] for i in 0:4 { Y[i] = X[i] } }", tensors{"X": x}, nil)
		expect(t, out["Y"], view.want...)
	}
	expect(t, base, memory...)
}

func TestEmptyRanges(t *testing.T) {
	sizes := map[string]int64{"N": 0}
	header := "func f { size N = dim 0 of X or zero in X: float32[N] op lonely(a: float32 | b: float32) = (a + b) "
	empty := tensors{"X": arrayOf(t, []float32{}, 0)}
	for op, want := range map[string]float32{"+": 0, "*": 1, "min": float32(math.Inf(1)), "max": float32(math.Inf(-1))} {
		text := header + "out y: float32[] for k in 0:N reduce " + op + " or empty { y[] = X[k] } }"
		expect(t, evaluate(t, text, empty, sizes)["y"], want)
	}
	expect(t, evaluate(t, header+"out y: float32[2, N] for i in 0:2, k in 0:N or empty { y[i, k] = X[k] } }", empty, sizes)["y"], []float32{}...)
	expect(t, evaluate(t, header+"out y: float32[2] for k in 0:N reduce + or empty, i in 0:2 { y[i] = X[k] } }", empty, sizes)["y"], []float32{0, 0}...)
	expect(t, evaluate(t, header+"out y: float32[N] for i in 0:N or empty, k in 0:N reduce lonely or empty { y[i] = X[k] } }", empty, sizes)["y"], []float32{}...)

	for text, code := range map[string]source.Code{
		"out y: float32[] for k in 0:N reduce lonely or empty { y[] = X[k] } }": source.EmptyReduction,
		"out y: float32[] for k in 0:N reduce + { y[] = X[k] } }":               source.EmptyRange,
		"out y: float32[N] for k in 0:N { y[k] = X[k] } }":                      source.EmptyRange,
	} {
		_, err := Evaluate(parsed(t, header+text), empty, EvalOptions{Sizes: sizes})
		var d *source.Diagnostic
		if !errors.As(err, &d) || d.Code != code || d.Help == "" {
			t.Errorf("%s: got %v, want %s", text, err, code)
		}
	}
}

func TestOutOfBounds(t *testing.T) {
	args := tensors{"X": arrayOf(t, []float32{1, 2, 3}), "I": arrayOf(t, []int64{0, 2, 3, 9})}
	text := "func f { in X: float32[3] in I: int64[4] out Y: float32[4] for i in 0:4 { Y[i] = X![I[i]] } }"
	for _, run := range []func(*Func) error{
		func(f *Func) error { _, err := Evaluate(f, args, EvalOptions{}); return err },
		func(f *Func) error { _, _, err := EvaluateWithBounds(f, args, EvalOptions{}); return err },
	} {
		var d *source.Diagnostic
		if err := run(parsed(t, text)); !errors.As(err, &d) || d.Code != source.OutOfBounds {
			t.Fatalf("got %v", err)
		}
		if d.Message != "X is read at 3 in dimension 0, expected 0 to 2" || d.Span.Text() != "X![I[i]]" || len(d.Notes) != 1 || d.Notes[0].Message != "i = 2 here" {
			t.Errorf("got %+v", d)
		}
		// The same access without the check is a defect of whoever proved it.
		f := parsed(t, text)
		Walk(f.Body[0].Values[0], func(e Expr) bool {
			if a, ok := e.(*Access); ok {
				a.Checked = false
			}
			return true
		})
		var internal *source.InternalError
		if err := run(f); !errors.As(err, &internal) {
			t.Errorf("got %v, want an internal error", err)
		}
	}
	// Only the chosen branch of a selection is evaluated.
	text = "func f { in X: float32[3] out Y: float32[5] for i in 0:5 { Y[i] = i < 3i64 ? X[i] : -1f32 } }"
	expect[float32](t, evaluate(t, text, args, nil)["Y"], 1, 2, 3, -1, -1)
	// A write out of bounds is always a defect.
	text = "func f { out Y: float32[3] for i in 0:4 { Y[i] = 1f32 } }"
	var internal *source.InternalError
	f, err := ParseFunc("test", text)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Evaluate(f, nil, EvalOptions{}); !errors.As(err, &internal) {
		t.Errorf("got %v, want an internal error", err)
	}
}

func TestBadArgumentsAreErrors(t *testing.T) {
	f := parsed(t, "func f { size N = dim 0 of X in X: float32[N] out Y: float32[N] for i in 0:N { Y[i] = X[i] } }")
	x := arrayOf(t, []float32{1, 2})
	for name, run := range map[string]func() error{
		"missing": func() error { _, err := Evaluate(f, nil, EvalOptions{Sizes: map[string]int64{"N": 2}}); return err },
		"shape": func() error {
			_, err := Evaluate(f, tensors{"X": x}, EvalOptions{Sizes: map[string]int64{"N": 3}})
			return err
		},
		"size": func() error { _, err := Evaluate(f, tensors{"X": x}, EvalOptions{}); return err },
		"type": func() error {
			_, err := Evaluate(f, tensors{"X": arrayOf(t, []int32{1, 2})}, EvalOptions{Sizes: map[string]int64{"N": 2}})
			return err
		},
	} {
		var internal *source.InternalError
		if err := run(); !errors.As(err, &internal) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestCancellation(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	f := parsed(t, "func f { out y: int64[] for i in 0:100000 reduce +, k in 0:100000 reduce + { y[] = i * k } }")
	if _, err := Evaluate(f, nil, EvalOptions{Context: ctx}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// Every element type passes through load and store unchanged.
func TestStorageOfEveryType(t *testing.T) {
	for _, d := range tensor.DTypes() {
		f := parsed(t, fmt.Sprintf("func f { in X: %s[4] out Y: %s[4] for i in 0:4 { Y[i] = %s } }", d, d, map[bool]string{true: "float32(X[i])", false: "X[i]"}[d.IsHalf()]))
		x, err := tensor.New(d, 4)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 4 {
			switch {
			case d.IsFloat():
				x.SetFloat([]float64{1.5, math.Inf(-1), -0.25, 0x1p-14}[i], i)
			case d.Kind() == tensor.KindUint:
				x.SetUint([]uint64{0, math.MaxUint64, 1 << 63, 200}[i], i)
			default:
				x.SetInt([]int64{0, math.MinInt64, -1, 100}[i], i)
			}
		}
		out, err := Evaluate(f, tensors{"X": x}, EvalOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 4 {
			if x.Bits(i) != out["Y"].Bits(i) {
				t.Errorf("%s: element %d is %x, want %x", d, i, out["Y"].Bits(i), x.Bits(i))
			}
		}
		if !slices.Equal(out["Y"].Shape(), []int{4}) {
			t.Errorf("shape %v", out["Y"].Shape())
		}
	}
}
