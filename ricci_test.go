package ricci_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/tensor"
)

// TestMain keeps the kernels that tests compile out of the user's cache.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "ricci-test-*")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Setenv("RICCI_CACHE", dir)
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

const matmul = `
def mm(float(M,K) A, float(K,N) B) -> (C) {
  C(i,j) +=! A(i,k) * B(k,j)
}`

func parse(t testing.TB, text string) *ricci.Def {
	t.Helper()
	p, err := ricci.Parse("test.tc", text)
	if err != nil {
		t.Fatal(err)
	}
	d, err := p.Def("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// random returns a filled tensor.
func random(t testing.TB, d tensor.DType, seed uint64, shape ...int) *tensor.Tensor {
	t.Helper()
	x, err := tensor.New(d, shape...)
	if err != nil {
		t.Fatal(err)
	}
	tensor.FillRandom(x, seed)
	return x
}

// diagnostic returns the code of the diagnostic in an error.
func diagnostic(err error) ricci.Code {
	var d *ricci.Diagnostic
	if errors.As(err, &d) {
		return d.Code
	}
	return ""
}

// targets runs a test on the evaluator and, where there is a compiler, on C.
func targets(t *testing.T, test func(t *testing.T, options ricci.Options)) {
	for _, target := range []ricci.Target{ricci.Eval, ricci.C} {
		t.Run(string(target), func(t *testing.T) { test(t, ricci.Options{Target: target}) })
	}
}

// skipWithoutCompiler ends a test of native code on machines without it.
func skipWithoutCompiler(t testing.TB, err error) {
	t.Helper()
	if diagnostic(err) == "E0627" {
		t.Skip(err)
	}
}

type tensors = map[string]*tensor.Tensor

func TestRun(t *testing.T) {
	targets(t, func(t *testing.T, options ricci.Options) {
		d := parse(t, matmul)
		args := tensors{"A": random(t, tensor.Float32, 1, 5, 7), "B": random(t, tensor.Float32, 2, 7, 9)}
		out, err := d.RunWith(context.Background(), args, nil, options)
		skipWithoutCompiler(t, err)
		if err != nil {
			t.Fatal(err)
		}
		if comparisons, err := d.Check(context.Background(), args, out, nil); err != nil || comparisons["C"].Elements != 45 {
			t.Errorf("%+v %v", comparisons, err)
		}
		out["C"].SetFloat(100, 1, 1)
		if _, err := d.Check(context.Background(), args, out, nil); diagnostic(err) != "E0628" || !strings.Contains(err.Error(), "[1 1]") {
			t.Errorf("a wrong element: %v", err)
		}
	})
}
