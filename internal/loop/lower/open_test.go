package lower_test

import (
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/schedule"
)

// TestOpenBlocks runs loops inside of a skewed one over blocks, of which the number follows from
// one further in only: they have no more iterations than a block has points.
func TestOpenBlocks(t *testing.T) {
	for _, order := range []string{
		"S0.k tile 2 skew 1*j/2 | S0.k reverse | S0.j tile 2 | S0.i | S0.j",
		"S0.k tile 2 skew 1*j/2 | S0.k | S0.i | S0.j tile 2 | S0.j",
		"S0.k tile 4 skew 1*j/2 | S0.k tile 2 | S0.k | S0.j tile 2 | S0.i | S0.j",
		"S0.k tile 2 skew 1*j/2 skew 2*k/2 | S0.k reverse | S0.j tile 2 skew 5*k/2 skew 1*j/2 | S0.i reverse | S0.j",
	} {
		runTree(t, `
func f {
  in A: int32[2, 3, 7]
  out C: int32[2, 3, 7]
  out s: int32[]
  for i in 0:2, j in 0:3, k in 0:7 { C[i, j, k] = A[i, j, k] * 2i32 }
  for i in 0:2 reduce +, j in 0:3 reduce +, k in 0:7 reduce + { s[] = A[i, j, k] }
}`, "domain S0[i, j, k]; S1[i, j, k]\nsequence\n  filter S0\n    band "+order+
			"\n  filter S1\n    accumulate S1 output\n      band "+strings.ReplaceAll(order, "S0", "S1"))
	}
}

// TestPartialResultsOfSkewed starts partial results in a block of a coordinate from which, with its
// factor of 3, no index of the results follows alone: each is given its first value once.
func TestPartialResultsOfSkewed(t *testing.T) {
	for _, order := range []string{
		"S0.j+2*i-4*j tile 2\n  accumulate S0 output\n    band S0.k-2*j tile 2 | S0.i-2*j tile 2 | S0.i-2*j | S0.k-2*j | S0.j+2*i-4*j",
		"S0.j-2*i+4*j | S0.j-2*i+4*j tile 2 reverse\n  accumulate S0 output\n    band S0.k+1*i-2*j tile 2 | S0.i-2*j | S0.k+1*i-2*j | S0.i-2*j tile 2",
	} {
		runTree(t, `
func f {
  in A: int32[5, 7]
  in B: int32[7, 6]
  out C: int32[5, 6]
  for i in 0:5, j in 0:6, k in 0:7 reduce + { C[i, j] = A[i, k] * B[k, j] }
}`, "domain S0[i, j, k]\nband "+order)
	}
}

// TestPartialResultsByReduced gives results their first values where their index is skewed by a
// reduced one, which does not begin at 0, or has a factor of its own.
func TestPartialResultsByReduced(t *testing.T) {
	for _, order := range []string{
		"S0.k | S0.j+1*k | S0.i",
		"S0.k | S0.j-1*k-2*j | S0.i",
		"S0.k+2*j | S0.j-1*k-2*j | S0.i",
		"S0.k+1*j | S0.j-1*k-1*j tile 2 | S0.i | S0.j-1*k-1*j",
		"S0.k | S0.j+2*k | S0.i-1*j",
		"S0.i-1*j | S0.j+1*k tile 3 | S0.k | S0.j+1*k",
	} {
		runTree(t, `
func f {
  in A: int32[5, 9]
  in B: int32[9, 6]
  out C: int32[5, 6]
  for i in 0:5, j in 0:6, k in 3:9 reduce * { C[i, j] = A[i, k] * B[k, j] + 1i32 }
}`, "domain S0[i, j, k]\naccumulate S0 output\n  band "+order)
	}
}

// runTree compares the loops of a function by a schedule with the evaluator.
func runTree(t *testing.T, program, text string) {
	t.Helper()
	p := readProgram(t, program)
	tree, err := schedule.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	verify(t, p, tree, nil, execute)
}

// TestPiecesOfScatters gives each piece of what a scatter visits all results, in the workspace.
func TestPiecesOfScatters(t *testing.T) {
	for _, tree := range []string{
		"accumulate S0 workspace\n  band S0.n tile 5 parallel\n    band S0.n | S0.s determined | S0.d vector 4",
		"accumulate S0 workspace\n  band S0.n tile 16 parallel\n    band S0.n | S0.d | S0.s determined",
		"accumulate S0 workspace\n  band S0.n tile 7 parallel\n    accumulate S0 private\n      band S0.n | S0.s determined | S0.d vector 8",
	} {
		for _, op := range []string{"+", "max"} {
			runTree(t, `
func f {
  in X: int32[37, 6]
  in seg: int32[37]
  out Y: int32[11, 6]
  for s in 0:11, d in 0:6, n in 0:37 reduce `+op+` { Y[s, d] = seg[n] % 11i32 == int32(s) ? X[n, d] : `+map[string]string{"+": "0i32", "max": "-2147483648i32"}[op]+` }
}`, "domain S0[s, d, n]\n"+tree)
		}
	}
}
