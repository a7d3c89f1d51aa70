package rewrite_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/rewrite"
)

// TestSplitLong compares statements that are cut along what they reduce, and in halves, with what
// they were: neighbours that are wrapped or padded, of every operator and type.
func TestSplitLong(t *testing.T) {
	pieces := 0
	rapid.Check(t, func(t *rapid.T) {
		below := func(n int, what string) int { return rapid.IntRange(0, n-1).Draw(t, what) }
		n, m, shift := 64+below(30, "n"), 1+below(80, "m"), 1+below(6, "shift")
		typ := []string{"int32", "float32", "float64"}[below(3, "type")]
		zero := map[string]string{"int32": "0i32", "float32": "0f32", "float64": "0f64"}[typ]
		read := []string{
			fmt.Sprintf("X[(i + %di64) %% %di64, j]", shift, n),
			fmt.Sprintf("X[(i + %di64) %% %di64, j]", (below(7, "turns")-3)*n-shift, n),
			fmt.Sprintf("X[(i + %di64) %% %di64, j]", n/2, n),
			fmt.Sprintf("(i + %[1]di64 < %[2]di64 ? X[i + %[1]di64, j] : %[3]s)", shift, n, zero),
			fmt.Sprintf("(i >= %[1]di64 ? X[i - %[1]di64, j] : X[i + %[1]di64, j])", n/2),
			fmt.Sprintf("X[i, max(min(j + %di64, %di64), 0i64)]", shift-3, m-1),
		}[below(6, "read")]
		combine := []string{"reduce +", "reduce min", "reduce max", ""}[below(4, "operator")]
		along, target := []string{"", combine}[below(2, "rows")], "O[j]"
		shape := fmt.Sprint(m)
		switch {
		case combine == "":
			target, shape = "O[i, j]", fmt.Sprintf("%d, %d", n, m)
		case along != "":
			target, shape = "O[]", ""
		}
		f, err := ein.ParseFunc("test", fmt.Sprintf("func f {\n  in X: %[1]s[%[2]d, %[3]d]\n  out O: %[1]s[%[4]s]\n  for i in 0:%[2]d %[5]s, j in 0:%[3]d %[6]s { %[7]s = X[i, j] + %[8]s }\n}",
			typ, n, m, shape, combine, along, target, read))
		if err != nil {
			t.Fatal(err)
		}
		args, err := eintest.Arguments(rapid.Uint64().Draw(t, "seed"), f, nil)
		if err != nil {
			t.Fatal(err)
		}
		g, err := rewrite.Optimise(f, numerics.Default)
		if err != nil {
			t.Fatalf("%v\n%s", err, f)
		}
		pieces += len(g.Body) - 1
		nearResults(t, f, g, args)
	})
	if pieces == 0 {
		t.Fatal("nothing was cut")
	}
}

// TestRemaindersThatWrap has conditions that would always hold if the remainders of negative numbers,
// which are nearly as large as the divisor, were small.
func TestRemaindersThatWrap(t *testing.T) {
	for _, value := range []string{
		"(int32(i) - 5i32) % 2147483647i32 + 20i32 >= 0i32 ? X[i + k] : 0f32",
		"((int32(i) - 5i32) % 2147483647i32 + 20i32) % 3i32 == 1i32 ? X[i + k] : 0f32",
	} {
		f, err := ein.ParseFunc("test", "func f {\n  in X: float32[16]\n  out O: float32[13]\n  for i in 0:13, k in 0:3 reduce + { O[i] = "+value+" }\n}")
		if err != nil {
			t.Fatal(err)
		}
		args, err := eintest.Arguments(1, f, nil)
		if err != nil {
			t.Fatal(err)
		}
		g, err := rewrite.Optimise(f, numerics.Default)
		if err != nil {
			t.Fatal(err)
		}
		nearResults(t, f, g, args)
	}
}

// TestSplitChains: stencils that read others are cut where these lie in a cache and they have no loops to share.
func TestSplitChains(t *testing.T) {
	const clamped = "T[max(0i64, min(i - 1i64, %[2]di64)), j] + T[i, max(0i64, min(j + 1i64, %[2]di64))]"
	for _, c := range []struct {
		name  string
		n     int
		value string
		cut   bool
	}{
		{"neighbours in all directions", 64, clamped, true},
		{"the same of more than a cache has", 513, clamped, false},
		{"few points", 32, clamped, false},
		{"neighbours in one direction", 64, "T[max(0i64, min(i - 1i64, %[2]di64)), j] + T[i, j]", false},
		{"the same moved along the other one", 64, "T[max(0i64, min(i - 1i64, %[2]di64)), j] + T[i, max(0i64, j - 1i64)]", true},
		{"the element in other places, too", 64, clamped + " + T[i, j]", true},
	} {
		text := fmt.Sprintf("func f {\n  in A: float32[%[1]d, %[1]d]\n  temp T: float32[%[1]d, %[1]d]\n  out O: float32[%[1]d, %[1]d]\n"+
			"  for i in 0:%[1]d, j in 0:%[1]d { T[i, j] = A[max(0i64, i - 1i64), j] + A[i, max(0i64, j - 1i64)] }\n  for i in 0:%[1]d, j in 0:%[1]d { O[i, j] = "+c.value+" }\n}", c.n, c.n-1)
		f, err := ein.ParseFunc("test", text)
		if err != nil {
			t.Fatal(err)
		}
		if g := rewrite.SplitBoundaries(f); len(g.Body) > 2 != c.cut {
			t.Errorf("%s: %d statements", c.name, len(g.Body))
		}
	}
}
