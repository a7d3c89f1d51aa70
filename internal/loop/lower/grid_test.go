package lower_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// programOf reads a program of testdata.
func programOf(t testing.TB, name string) program {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "programs", name+".ein"))
	if err != nil {
		t.Fatal(err)
	}
	return readProgram(t, string(text))
}

// TestGridTrees lowers trees with groups and items, and compares what the evaluator of loops says, who looks for races, with the
// function's own.
func TestGridTrees(t *testing.T) {
	for _, test := range []struct{ name, program, tree string }{
		{"points", "matmul", `domain S0[i, j, k]
band S0.i tile 16 groups | S0.j tile 16 groups
  band S0.i items 16 | S0.j items 16
    accumulate S0 register
      band S0.k
`},
		{"registers", "matmul", `domain S0[i, j, k]
band S0.i tile 8 groups | S0.j tile 32 groups
  band S0.i tile 2 items 4 | S0.j tile 4 items 8
    accumulate S0 register
      band S0.k
        band S0.i unroll | S0.j unroll
`},
		{"turns", "matmul", `domain S0[i, j, k]
band S0.i tile 8 groups
  band S0.j items 5 | S0.i items 3
    accumulate S0 register
      band S0.k tile 4
        band S0.k unroll
`},
		{"padded", "matmul", `domain S0[i, j, k]
band S0.i tile 8 pad groups | S0.j tile 16 pad groups
  band S0.i items 8 | S0.j items 16
    accumulate S0 register
      band S0.k
`},
		{"vectors", "jacobi", `domain S0[i, j, k]
band S0.i groups | S0.j tile 8 groups
  band S0.j items 8 | S0.k tile 4 items 2
    band S0.k vector 4
`},
		{"four axes", "mttkrp", `domain S0[i, j, k, l]
band S0.i tile 4 groups | S0.j tile 4 groups
  band S0.i items 4 | S0.j items 4
    accumulate S0 register
      band S0.k | S0.l
`},
		{"launches", "softmax", `domain S0[i, j]; S1[i, j]; S2[i, j]; S3[i, j]
sequence
  filter S0
    band S0.i tile 4 groups
      band S0.i items 4
        accumulate S0 register
          band S0.j
  filter S1
    band S1.i groups | S1.j tile 32 groups
      band S1.j items 32
  filter S2
    band S2.i
      accumulate S2 register
        band S2.j
  filter S3
    band S3.i groups | S3.j tile 32 groups
      band S3.j items 32
`},
		{"one launch", "softmax", `domain S0[i, j]; S1[i, j]; S2[i, j]; S3[i, j]
band S0.i S1.i S2.i S3.i groups
  sequence
    filter S0
      accumulate S0 register
        band S0.j
    filter S1
      band S1.j items 32
    filter S2
      accumulate S2 register
        band S2.j
    filter S3
      band S3.j items 32
`},
		{"on the host", "softmax", `domain S0[i, j]; S1[i, j]; S2[i, j]; S3[i, j]
band S0.i S1.i S2.i S3.i
  sequence
    filter S0
      accumulate S0 register
        band S0.j
    filter S1
      band S1.j tile 16 groups
        band S1.j items 16
    filter S2
      accumulate S2 output
        band S2.j
    filter S3
      band S3.j groups
`},
		{"scans", "scans", `domain S0[n, i]; S1[n, i]; S2[n, i]; S3[n, i]
sequence
  filter S0
    band S0.n tile 2 groups
      band S0.n items 2
        accumulate S0 register
          band S0.i
  filter S1
    accumulate S1 register
      band S1.n | S1.i
  filter S2
    band S2.i tile 8 groups
      band S2.i items 8
        accumulate S2 register
          band S2.n
  filter S3
    accumulate S3 register
      band S3.n | S3.i
`},
		{"faults", "gather_fault", `domain S0[i]
band S0.i tile 8 groups
  band S0.i items 8
`},
	} {
		t.Run(test.name, func(t *testing.T) {
			tree, err := schedule.Parse(test.tree)
			if err != nil {
				t.Fatal(err)
			}
			p := programOf(t, test.program)
			verify(t, p, tree, nil, evaluate)
			if testing.Verbose() {
				g, _ := p.f.Specialise(p.sizes, nil)
				f, _ := lower.Lower(g, tree, lower.Options{})
				t.Log("\n" + loop.Print(f))
			}
		})
	}
}
