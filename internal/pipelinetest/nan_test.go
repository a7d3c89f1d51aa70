package pipelinetest_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/pipelinetest"
	"github.com/ricci-lang/ricci/tensor"
)

// Reductions and scans by min and max, in all the ways in which they meet memory.
var extremes = []struct{ name, text string }{
	{"all", "out y: %[1]s[] for i in 0:M reduce max, j in 0:N reduce max { y[] = X[i, j] }"},
	{"rows", "out y: %[1]s[M] for i in 0:M, j in 0:N reduce min { y[i] = X[i, j] }"},
	{"columns", "out y: %[1]s[N] for j in 0:N, i in 0:M reduce max { y[j] = X[i, j] }"},
	{"one", "out y: %[1]s[M] for i in 0:M, j in 0:1 reduce min { y[i] = X[i, j] }"},
	{"difference", "out y: %[1]s[M] for i in 0:M, j in 0:N reduce max { y[i] = X[i, j] - X[i, {0}] }"},
	{"old", "inout Y: %[1]s[M] for i in 0:M, j in 0:N reduce max accumulate max { Y[i] = X[i, j] }"},
	{"one old", "inout Z: %[1]s[] for i in 0:M reduce min, j in 0:N reduce min accumulate min { Z[] = X[i, j] }"},
	{"scan", "out y: %[1]s[M, N] for i in 0:M, j in 0:N scan max { y[i, j] = X[i, j] }"},
	{"scan across", "out y: %[1]s[M, N] for i in 0:M scan min, j in 0:N { y[i, j] = X[i, j] }"},
	{"scan below", "out y: %[1]s[M] for j in 0:N reduce max, i in 0:M scan max { y[i] = X[i, j] }"},
	{"pair", "op both(a: %[1]s, b: %[1]s | c: %[1]s, d: %[1]s) = (max(a, c), b > d ? d : b) identity (-inf_%[2]s, inf_%[2]s) associative commutative " +
		"out y: %[1]s[M] out z: %[1]s[M] for i in 0:M, j in 0:N reduce both { y[i] = X[i, j] z[i] = X[i, j] }"},
	{"scan of pairs", "op both(a: %[1]s, b: %[1]s | c: %[1]s, d: %[1]s) = (max(a, c), min(b, d)) identity (-inf_%[2]s, inf_%[2]s) associative " +
		"out y: %[1]s[N] out z: %[1]s[N] for j in 0:N scan both { y[j] = X[{0}, j] z[j] = X[{1}, j] }"},
	{"own scans", "op own(a: %[1]s | c: %[1]s) = (max(a, c)) identity (-inf_%[2]s) associative commutative out y: %[1]s[M, N] for i in 0:M scan own, j in 0:N scan own { y[i, j] = X[i, j] }"},
	{"stages", "temp m: %[1]s[M] out y: %[1]s[M, N] for i in 0:M, j in 0:N reduce max { m[i] = X[i, j] } for i in 0:M, j in 0:N { y[i, j] = X[i, j] - m[i] }"},
}

// TestNotANumber: minima and maxima ignore NaNs, also those of user-defined operators, wherever these are and however the values
// are divided among vectors, tiles and threads; an old value stays when it is one.
func TestNotANumber(t *testing.T) {
	k := compiler(t)
	var cases []*pipelinetest.Case
	for dtype, suffix := range map[string]string{"float32": "f32", "float64": "f64"} {
		for n, e := range extremes {
			text := fmt.Sprintf("func f { size M = dim 0 of X size N = dim 1 of X in X: %[1]s[M, N] "+e.text+" }", dtype, suffix)
			f := read(t, "nan.ein", text)
			for seed := range uint64(3) {
				name := fmt.Sprintf("nan_%s_%d_%d", dtype, n, seed)
				one := &pipelinetest.Case{Name: name, Text: e.name + ": " + text, Func: f, Sizes: map[string]int64{"M": 3 + 8*int64(seed), "N": 67 - 11*int64(seed)}, Args: map[string]*tensor.Tensor{}}
				withNaNs(t, one, seed)
				if err := one.DrawSetting(pipelinetest.Seeded(seed)); err != nil {
					t.Fatal(err)
				}
				if err := one.Prepare(pipelinetest.Seeded(seed)); err != nil {
					t.Errorf("%v\n%s", err, one)
					continue
				}
				cases = append(cases, one)
			}
		}
	}
	runFixed(t, k, cases)
}

// withNaNs fills the arguments: some rows and columns are nothing but NaN, most others
// have some. No bound of a result is open then.
func withNaNs(t *testing.T, one *pipelinetest.Case, seed uint64) {
	t.Helper()
	shapes, err := one.Func.Shapes(one.Sizes)
	if err != nil {
		t.Fatal(err)
	}
	for n, x := range one.Func.ByRole(ein.Input, ein.InOut) {
		a := argument(t, x, shapes[x.Name], seed+uint64(n))
		columns := 1
		if len(a.Shape()) > 0 {
			columns = a.Shape()[len(a.Shape())-1]
		}
		at := uint64(0)
		for o := range a.Offsets() {
			row, column := at/uint64(columns), at%uint64(columns)
			if row%4 == seed%4 || column%5 == 1 || (at*2654435761+seed)%7 < 3 {
				a.SetFloatAt(o, math.NaN())
			}
			at++
		}
		one.Args[x.Name] = a
	}
	_, bounds, err := ein.EvaluateWithBounds(one.Func, one.Args, ein.EvalOptions{Sizes: one.Sizes})
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range bounds {
		for o := range b.Offsets() {
			if math.IsInf(b.FloatAt(o), 1) {
				t.Fatalf("%s: an element of %s hangs on the order", one.Text, name)
			}
		}
	}
}
