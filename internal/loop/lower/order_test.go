package lower_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/scheduletest"
)

// TestLastTile runs trees that are legal because of the order inside of their tiles, at
// sizes that are unknown to the loops and that the tiles do not divide: the last tile
// keeps that order, and that of the reads and writes of a block.
func TestLastTile(t *testing.T) {
	const sizes = "# sizes n=11 m=7\n"
	for name, test := range map[string]struct{ program, tree string }{
		"blocks of two statements": {`func f {
  size n = dim 0 of X
  in X: float32[n]
  inout B: float32[n + 4]
  out C: float32[n]
  for i in 0:n { B[i] = X[i] }
  for i in 0:n { C[i] = B[4i64 * (i / 4i64) + 3i64 - i % 4i64] }
}`, `domain S0[i]; S1[i]
band S0.i S1.i tile 4
  sequence
    filter S0
      band S0.i
    filter S1
      band S1.i
`},
		"columns outside of the rows of a tile": {`func f {
  size n = dim 0 of X
  size m = dim 1 of X
  in X: float32[n, m]
  inout A: float32[n + 4, m + 1]
  for i in 0:n, j in 0:m { A[i, j] = A[4i64 * (i / 4i64) + 3i64 - i % 4i64, j + 1i64] + X[i, j] }
}`, `domain S0[i, j]
band S0.i tile 4 | S0.j | S0.i
`},
		"a factor that is overwritten": {`func f {
  in X: float32[6, 8]
  inout A: float32[7]
  for i in 0:6, j in 0:8 reduce + { A[i + 1i64] = A[i] * X[i, j] }
}`, `domain S0[i, j]
accumulate S0 register
  band S0.j | S0.i unroll
`},
		"reversed": {`func f {
  size n = dim 0 of X
  size m = dim 1 of X
  in X: float32[n, m]
  inout A: float32[n + 4, m]
  for i in 0:n, j in 0:m { A[i + 1i64, j] = A[i, j] + X[i, j] }
}`, `domain S0[i, j]
band S0.i tile 4 reverse | S0.j | S0.i reverse
`},
		"skewed": {`func f {
  size n = dim 0 of X
  size m = dim 1 of X
  in X: float32[n, m]
  inout A: float32[n + 4, m + 4]
  for i in 0:n, j in 0:m { A[i, j] = A[4i64 * (i / 4i64) + 3i64 - i % 4i64, j + 4i64] + X[i, j] }
}`, `domain S0[i, j]
band S0.i tile 4 | S0.j+1*i tile 3 | S0.j+1*i | S0.i
`},
		"transposed back to rows of unknown length": {`func f {
  size n = dim 0 of X
  size m = dim 1 of X
  in X: float32[n, m]
  inout A: float32[n, m]
  for i in 0:n, j in 0:m { A[i, j] = A[i, j] + X[i, j] }
}`, `domain S0[i, j]
band S0.i tile 2
  band S0.j vector 2
    place A register layout 2 1
      band S0.i
`},
	} {
		t.Run(name, func(t *testing.T) {
			p := readProgram(t, sizes+test.program)
			tree, err := schedule.Parse(test.tree)
			if err != nil {
				t.Fatal(err)
			}
			keep := map[string]bool{}
			for _, size := range p.f.Sizes {
				keep[size.Name] = true
			}
			if err := schedule.Check(p.f, tree); err != nil {
				t.Fatalf("%v\n%s", err, ein.Print(p.f))
			}
			verify(t, p, tree, keep, evaluate)
		})
	}
}

// drawOrdered draws statements over n by m points, in place and over tensors that they
// share, whose order matters: neighbours of both signs, and places in blocks of rows.
func drawOrdered(t *rapid.T) string {
	var text strings.Builder
	text.WriteString("func f {\n  size n = dim 0 of X\n  size m = dim 1 of X\n  in X: float32[n, m]\n  inout A: float32[n + 8, m + 8]\n  inout B: float32[n + 8, m + 8]\n")
	draw := func(list ...string) string { return rapid.SampledFrom(list).Draw(t, "subscript") }
	for range rapid.IntRange(1, 3).Draw(t, "statements") {
		target, from := draw("A", "B"), draw("A", "B")
		row := draw("i + 2i64", "i + 2i64", "i + 1i64", "i + 3i64", "2i64 + 3i64 * (i / 3i64) + 2i64 - i % 3i64", "2i64 + 4i64 * (i / 4i64)", "2i64")
		column := draw("j + 2i64", "j + 2i64", "j + 1i64", "j + 3i64", "2i64 + 2i64 * (j / 2i64)", "5i64")
		fmt.Fprintf(&text, "  for i in 0:n, j in 0:m { %s[i + 2i64, j + 2i64] = %s[%s, %s] + X[i, j] }\n", target, from, row, column)
	}
	return text.String() + "}"
}

// TestOrderOfUnknownSizes draws trees of statements whose order matters, legal for all
// sizes, and compares at some sizes.
func TestOrderOfUnknownSizes(t *testing.T) {
	accepted, refused, tiled, unproved := 0, 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		f, err := ein.ParseFunc("test", drawOrdered(t))
		if err != nil {
			t.Fatal(err)
		}
		tree := schedule.Canonical(f)
		tree.Root = scheduletest.NewTrees(t, f).Tree()
		if schedule.Check(f, tree) != nil {
			refused++
			return
		}
		accepted++
		if strings.Contains(schedule.Print(tree), "tile") {
			tiled++
		}
		kernel, err := lower.Lower(f, tree, lower.Options{})
		if err != nil {
			t.Fatalf("%v\n%s\n%s", err, f, schedule.Print(tree))
		}
		if err := loop.Verify(kernel); errors.Is(err, loop.ErrUnproved) { // the compiler refuses what is not proved
			unproved++
		} else if err != nil {
			t.Fatalf("verify: %v\n%s\n%s", err, f, schedule.Print(tree))
		}
		for range 2 {
			sizes := map[string]int64{"n": rapid.Int64Range(1, 11).Draw(t, "n"), "m": rapid.Int64Range(1, 9).Draw(t, "m")}
			args, err := eintest.Arguments(rapid.Uint64().Draw(t, "seed"), f, sizes)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, f, f, tree, kernel, args, sizes)
		}
	})
	t.Logf("%d trees accepted, %d of them with tiles, %d not proved, %d refused", accepted, tiled, unproved, refused)
}
