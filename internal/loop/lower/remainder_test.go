package lower_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// TestWrappedLanes draws vectors along subscripts that are wrapped, at distances that are data of
// 32 or 64 bits of any size, numbers, or both, or the value of a scalar, with fewer and more points
// than a vector has; or along those that are mirrored.
func TestWrappedLanes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		below := func(n int, what string) int { return rapid.IntRange(0, n-1).Draw(t, what) }
		lanes := 2 << below(3, "lanes")
		n, m, number := 1+below(40, "n"), 1+below(4, "m"), below(100, "number")-50
		typ := []string{"int32", "int64"}[below(2, "type")]
		at := []string{"j - DATA", "j + DATA", "NUMBER - DATA + j", "DATA - j", "j + NUMBER", "j + ({s} + DATA)", "j - ({s} + DATA)", "({s} + DATA) - j"}[below(8, "subscript")]
		at = strings.NewReplacer("DATA", "int64(D[i])", "NUMBER", fmt.Sprintf("%di64", number)).Replace(at)
		if below(3, "mirror") == 0 {
			at = fmt.Sprintf("min((%[1]s) %% %[2]di64, %[3]di64 - (%[1]s) %% %[2]di64)", at, 2*n, 2*n-1)
		} else {
			at = fmt.Sprintf("(%s) %% %di64", at, n)
		}
		f, err := ein.ParseFunc("test", fmt.Sprintf("func f {\n  size s = value of S\n  in S: int64[]\n  in X: float32[%[1]d]\n  in D: %[2]s[%[3]d]\n  out O: float32[%[3]d, %[1]d]\n  for i in 0:%[3]d, j in 0:%[1]d { O[i, j] = X[%[4]s] }\n}", n, typ, m, at))
		if err != nil {
			t.Fatal(err)
		}
		tree, err := schedule.Parse(fmt.Sprintf("domain S0[i, j]\nband S0.i\n  band S0.j tile %[1]d\n    band S0.j vector %[1]d\n", lanes))
		if err != nil {
			t.Fatal(err)
		}
		if err := schedule.Check(f, tree); err != nil {
			t.Fatalf("%v\n%s", err, f)
		}
		kernel, err := lower.Lower(f, tree, lower.Options{})
		if err != nil {
			t.Fatalf("%v\n%s", err, f)
		}
		if err := loop.Verify(kernel); err != nil {
			t.Fatalf("verify: %v\n%s\n%s", err, f, loop.Print(kernel))
		}
		args, err := eintest.Arguments(rapid.Uint64().Draw(t, "seed"), f, map[string]int64{"s": 0})
		if err != nil {
			t.Fatal(err)
		}
		for at := range args["D"].Offsets() {
			distance := rapid.Int64()
			if typ == "int32" {
				distance = rapid.Int64Range(-1<<31, 1<<31-1)
			}
			args["D"].SetIntAt(at, distance.Draw(t, "distance"))
		}
		size := rapid.SampledFrom([]int64{7, math.MaxInt64, math.MaxInt64 - 3, math.MaxInt64 - 9, math.MinInt64, math.MinInt64 + 5}).Draw(t, "size")
		args["S"].SetIntAt(0, size)
		compare(t, f, f, tree, kernel, args, map[string]int64{"s": size})
	})
}

// TestMirrors: subscripts that are mirrored along several dimensions, of which one is at a distance that
// is data, are proved to be in bounds.
func TestMirrors(t *testing.T) {
	f, err := ein.ParseFunc("test", `func f {
  in J: int32[15]
  in C: float64[15, 4, 15]
  out O: float64[6]
  for k in 0:6 {
    O[k] = C[min((int64(J[0i64]) + k) % 30i64, 29i64 - (int64(J[0i64]) + k) % 30i64), min((2i64 * k - 2i64) % 8i64, 7i64 - (2i64 * k - 2i64) % 8i64), min(k * k % 30i64, 29i64 - k * k % 30i64)]
  }
}`)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := schedule.Parse("domain S0[k]\nband S0.k vector 16\n")
	if err != nil {
		t.Fatal(err)
	}
	kernel, err := lower.Lower(f, tree, lower.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := loop.Verify(kernel); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		args, err := eintest.Arguments(rapid.Uint64().Draw(t, "seed"), f, nil)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, f, f, tree, kernel, args, nil)
	})
}
