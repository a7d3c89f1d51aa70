package lower_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/grids"
	"github.com/ricci-lang/ricci/internal/sweep"
	"github.com/ricci-lang/ricci/tensor"
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
		{"together", "softmax", `domain S0[i, j]; S1[i, j]; S2[i, j]; S3[i, j]
band S0.i S1.i S2.i S3.i groups
  sequence
    filter S0
      accumulate S0 local
        band S0.j items 8
    filter S1
      band S1.j items 8
    filter S2
      accumulate S2 local
        band S2.j tile 4 items 8
          accumulate S2 register
            band S2.j
    filter S3
      band S3.j items 8
`},
		{"several results", "matmul", `domain S0[i, j, k]
band S0.i groups | S0.j tile 3 groups
  accumulate S0 local
    band S0.k items 4
      band S0.j
`},
		{"positions", "operators", `domain S0[i, j]; S1[i, j]; S2[i, j]; S3[i, j]; S4[j, i, k]
sequence
  filter S0
    band S0.i groups
      accumulate S0 local
        band S0.j items 8
  filter S1
    band S1.i groups
      accumulate S1 register
        band S1.j
  filter S2
    band S2.i
      accumulate S2 register
        band S2.j
  filter S3
    accumulate S3 register
      band S3.i | S3.j
  filter S4
    band S4.j
      accumulate S4 register
        band S4.i | S4.k
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
		{"staged", "matmul", `domain S0[i, j, k]
band S0.i tile 4 groups | S0.j tile 8 groups
  band S0.i items 4 | S0.j tile 2 items 4
    accumulate S0 register
      band S0.k tile 8
        place A local
          place B local layout 2 1
            band S0.k | S0.j unroll
`},
		{"halo", "jacobi", `domain S0[i, j, k]
band S0.i groups | S0.j tile 8 groups | S0.k tile 16 groups
  band S0.j items 8 | S0.k items 16
    place A local
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
			withoutBarriers(t, p, tree)
			if testing.Verbose() {
				g, _ := p.f.Specialise(p.sizes, nil)
				f, _ := lower.Lower(g, tree, lower.Options{})
				t.Log("\n" + loop.Print(f))
			}
		})
	}
}

// TestResultsOutsideOfItems lowers trees whose accumulators stand outside of items, or of groups.
func TestResultsOutsideOfItems(t *testing.T) {
	small := readProgram(t, `# sizes N=9 M=30 K=11
func matmul {
  size N = dim 0 of A
  size K = dim 1 of A
  size M = dim 1 of B
  in A: float32[N, K]
  in B: float32[K, M]
  out C: float32[N, M]
  for i in 0:N, j in 0:M, k in 0:K reduce + { C[i, j] = A[i, k] * B[k, j] }
}`)
	operators := programOf(t, "operators")
	for _, test := range []struct {
		name string
		p    program
		tree string
	}{
		{"output around items", small, `domain S0[i, j, k]
band S0.i tile 8 groups | S0.j tile 16 groups
  accumulate S0 output
    band S0.k tile 8
      band S0.i items 8 | S0.j items 4
        accumulate S0 register
          band S0.k
`},
		{"pieces of an end", small, `domain S0[i, j, k]
band S0.i groups | S0.j tile 16 groups pad | S0.j tile 8 items 2
  accumulate S0 register
    band S0.k | S0.j unroll
`},
		{"output around groups", small, `domain S0[i, j, k]
accumulate S0 output
  band S0.k tile 8
    band S0.i tile 8 groups | S0.j tile 16 groups
      band S0.k tile 4
        band S0.i items 8 | S0.j items 4
          band S0.k
`},
		{"arrays around groups", operators, `domain S0[i, j]; S1[i, j]; S2[i, j]; S3[i, j]; S4[j, i, k]
sequence
  filter S0
    accumulate S0 shared
      band S0.j tile 4
        band S0.i tile 2 groups | S0.j | S0.i items 2
  filter S1
    accumulate S1 shared
      band S1.j
        band S1.i groups
  filter S2
    band S2.i tile 3 groups
      accumulate S2 shared
        band S2.j tile 2
          band S2.i items 3
            band S2.j
  filter S3
    accumulate S3 register
      band S3.i | S3.j
  filter S4
    band S4.j groups
      accumulate S4 shared
        band S4.i | S4.k
`},
	} {
		t.Run(test.name, func(t *testing.T) {
			tree, err := schedule.Parse(test.tree)
			if err != nil {
				t.Fatal(err)
			}
			verify(t, test.p, tree, nil, evaluate)
		})
	}
}

// TestDefaultGrids runs the default launches of all programs, for what the models of the paper have and for a small device.
func TestDefaultGrids(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("testdata", "programs", "*.ein"))
	if err != nil || len(paths) == 0 {
		t.Fatal(err)
	}
	devices := map[string]machine.Grid{"small": {Items: 6, Along: [3]int64{4, 2, 1}}}
	for _, name := range []string{"opencl", "cuda"} {
		devices[name], _ = machine.Named(name).Grid()
	}
	for name, g := range devices {
		some := paths
		if name != "small" {
			some = sweep.Some(t, paths, 5)
		}
		for _, path := range some {
			base := strings.TrimSuffix(filepath.Base(path), ".ein")
			t.Run(name+"/"+base, func(t *testing.T) {
				p := programOf(t, base)
				f, err := p.f.Specialise(p.sizes, nil)
				if err != nil {
					t.Fatal(err)
				}
				tree, err := grids.Default(f, g)
				if err != nil {
					t.Fatal(err)
				}
				if !schedule.HasGrids(tree.Root) {
					t.Log("nothing to share out")
				}
				verify(t, p, tree, nil, func(t testing.TB, p program, f *loop.Func, args map[string]*tensor.Tensor) (map[string]*tensor.Tensor, bool) {
					if err := loop.VerifyFor(f, loop.Capacity{Local: g.Local, Items: g.Items, Along: g.Along, Groups: g.Groups}); err != nil {
						t.Error(err)
					}
					return evaluate(t, p, f, args)
				})
			})
		}
	}
}

// withoutBarriers leaves out one barrier after the other: the evaluator says what races then, or reads what nobody has written.
func withoutBarriers(t *testing.T, p program, tree *schedule.Tree) {
	g, err := p.f.Specialise(p.sizes, nil)
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; ; n++ {
		f, err := lower.Lower(g, tree, lower.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !leftOut(f.Body, n) {
			return
		}
		args := p.expect(t).args
		_, err = loop.Evaluate(f, words(p, f, args, p.outputs(t, args)))
		if !errors.Is(err, loop.ErrRace) && !errors.Is(err, loop.ErrUndefined) {
			t.Errorf("without barrier %d the evaluator says: %v\n%s", n, err, loop.Print(f))
		}
	}
}

// leftOut replaces the barrier of a number, if there is one.
func leftOut(body []loop.Stmt, left int) bool {
	done := false
	var walk func(body []loop.Stmt)
	walk = func(body []loop.Stmt) {
		for i, s := range body {
			if _, ok := s.(*loop.Barrier); ok && !done {
				if done = left == 0; done {
					body[i] = &loop.Comment{Text: "no barrier"}
				}
				left--
			}
			for _, inner := range loop.StmtBodies(s) {
				walk(inner)
			}
		}
	}
	walk(body)
	return done
}
