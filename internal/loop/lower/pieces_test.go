package lower_test

import (
	"testing"

	"github.com/ricci-lang/ricci/internal/schedule"
)

// TestPiecesWithoutBlocks runs parallel sums whose loop enters blocks of which some do not
// exist: the partial results of their pieces are the identity.
func TestPiecesWithoutBlocks(t *testing.T) {
	p := readProgram(t, `
func f {
  in A: float32[5, 9]
  out B: float32[5]
  for i in 0:5, k in 0:9 reduce + { B[i] = A[i, k] }
}`)
	for name, text := range map[string]string{
		"the last block has one point": `band S0.i
  accumulate S0 output
    band S0.k
      accumulate S0 workspace
        band S0.k tile 4 parallel
`,
		"of rows": `accumulate S0 output
  band S0.k
    accumulate S0 workspace
      band S0.k tile 4 parallel | S0.i tile 2 | S0.i
`,
		"below larger blocks": `band S0.i
  accumulate S0 output
    band S0.k tile 6 | S0.k
      accumulate S0 workspace
        band S0.k tile 4 parallel
`,
		"a piece for each point": `band S0.i
  accumulate S0 workspace
    band S0.k parallel
      accumulate S0 register
        band S0.k tile 4
`,
	} {
		t.Run(name, func(t *testing.T) {
			tree, err := schedule.Parse("domain S0[i, k]\n" + text)
			if err != nil {
				t.Fatal(err)
			}
			verify(t, p, tree, nil, evaluate)
		})
	}
}

// TestPackedBelowPoints packs an input below a loop over blocks that stands inside of that
// over their points: blocks are numbered by the inner loop.
func TestPackedBelowPoints(t *testing.T) {
	p := readProgram(t, `
func f {
  in A: float32[19, 4]
  in B: float32[4, 5]
  out C: float32[19, 5]
  for i in 0:19, j in 0:5, k in 0:4 reduce + { C[i, j] = A[i, k] * B[k, j] }
}`)
	for _, place := range []string{"workspace layout 2 1", "workspace", "private layout 2 1"} {
		tree, err := schedule.Parse("domain S0[i, j, k]\nband S0.i | S0.i tile 6\n  place A " + place + "\n    band S0.j\n      accumulate S0 register\n        band S0.k\n")
		if err != nil {
			t.Fatal(err)
		}
		verify(t, p, tree, nil, evaluate)
	}
}

// TestPiecesOfCountedScans runs a parallel scan below blocks that are counted: how many
// pieces it has depends on the loops around.
func TestPiecesOfCountedScans(t *testing.T) {
	tree, err := schedule.Parse(`domain S0[i]
accumulate S0 private
  band S0.i tile 9 | S0.i tile 12 | S0.i tile 3
    accumulate S0 workspace
      band S0.i parallel
`)
	if err != nil {
		t.Fatal(err)
	}
	verify(t, readProgram(t, `
func f {
  in A: int32[7]
  out S: int32[7]
  for i in 0:7 scan + { S[i] = A[i] }
}`), tree, nil, evaluate)
}
