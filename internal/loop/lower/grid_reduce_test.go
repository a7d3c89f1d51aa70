package lower_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// inPlace reads what it writes, by other items.
const inPlace = `# sizes N=6 M=24
func inplace {
  size N = dim 0 of U
  size M = dim 1 of U
  inout U: float32[N, M]
  for i in 0:N, k in 0:M reduce + { U[i, 2i64] = U[i, k] * 2f32 }
}`

// prefixes scans rows, columns, and maps that are composed, which do not commute.
const prefixes = `# sizes N=5 M=43
func prefixes {
  size N = dim 0 of X
  size M = dim 1 of X
  in X: int32[N, M]
  in F: float64[N, M]
  out A: int32[N, M]
  out B: int32[M, N]
  out P: int32[N, M]
  out Q: int32[N, M]
  out G: float64[N, M]
  op after(a: int32, b: int32 | c: int32, d: int32) = (a * c, b * c + d) identity (1i32, 0i32) associative
  for i in 0:N, j in 0:M scan + { A[i, j] = X[i, j] }
  for j in 0:M, i in 0:N scan max { B[j, i] = X[i, j] }
  for i in 0:N, j in 0:M scan after { P[i, j] = X[i, j] % 3i32 Q[i, j] = X[i, j] }
  for i in 0:N, j in 0:M scan + { G[i, j] = F[i, j] }
}`

// histograms count and weigh what falls into bins, by way of index arrays.
const histograms = `# sizes N=301 B=13
func histograms {
  size N = dim 0 of X
  size B = dim 0 of K
  in X: int32[N]
  in W: float32[N]
  in K: int32[B]
  out H: int32[B]
  out S: float32[B, 3]
  for v in 0:B, i in 0:N reduce + { H[v] = X[i] % 16i32 == int32(v) ? 1i32 : 0i32 }
  for v in 0:B, c in 0:3, i in 0:N reduce max { S[v, c] = X[i] % 16i32 == int32(v) ? W[i] * float32(c + 1i64) : -inf_f32 }
}`

// layers normalises rows.
const layers = `# sizes N=7 M=53
func layers {
  size N = dim 0 of X
  size M = dim 1 of X
  in X: float32[N, M]
  in g: float32[M]
  temp s: float32[N]
  temp v: float32[N]
  out Y: float32[N, M]
  for i in 0:N, j in 0:M reduce + { s[i] = X[i, j] / 53f32 }
  for i in 0:N, j in 0:M reduce + { v[i] = let d = X[i, j] - s[i] in d * d / 53f32 }
  for i in 0:N, j in 0:M { Y[i, j] = (X[i, j] - s[i]) / sqrt(v[i] + 0.001f32) * g[j] }
}`

// scans are trees in which items of a group, or groups, scan together.
var scans = []struct{ name, program, tree string }{
	{"by items", prefixes, `domain S0[i, j]; S1[j, i]; S2[i, j]; S3[i, j]
sequence
  filter S0
    band S0.i groups
      accumulate S0 local
        band S0.j items 8
  filter S1
    band S1.j tile 16 groups
      accumulate S1 local
        band S1.i items 4 | S1.j items 16
  filter S2
    band S2.i tile 2 groups
      accumulate S2 local
        band S2.i items 2 | S2.j tile 3 items 5
          accumulate S2 register
            band S2.j
  filter S3
    band S3.i tile 4 groups pad
      accumulate S3 local
        band S3.i items 4 | S3.j tile 4 items 4
          band S3.j
`},
	{"by sub-groups", prefixes, `domain S0[i, j]; S1[j, i]; S2[i, j]; S3[i, j]
sequence
  filter S0
    band S0.i groups
      accumulate S0 local shuffle 8
        band S0.j items 8
  filter S1
    band S1.j groups
      accumulate S1 local shuffle 2
        band S1.i items 4
  filter S2
    band S2.i tile 2 groups
      accumulate S2 local shuffle 4
        band S2.i items 2 | S2.j tile 3 items 12
          accumulate S2 register
            band S2.j
  filter S3
    band S3.i tile 4 groups pad
      accumulate S3 local shuffle 8
        band S3.i items 4 | S3.j tile 4 items 4
          band S3.j
`},
	{"by groups", prefixes, `domain S0[i, j]; S1[j, i]; S2[i, j]; S3[i, j]
sequence
  filter S0
    accumulate S0 workspace items 2 tree 4
      band S0.i groups | S0.j tile 8 groups
        accumulate S0 local
          band S0.j items 4
  filter S1
    accumulate S1 workspace items 16
      band S1.i tile 2 groups | S1.j tile 16 groups pad
        band S1.j items 16
          accumulate S1 register
            band S1.i
  filter S2
    accumulate S2 workspace tree 2 shuffle 2
      band S2.j tile 6 groups pad | S2.i groups
        accumulate S2 local shuffle 4
          band S2.j items 4
  filter S3
    accumulate S3 workspace tree 4
      band S3.j tile 16 groups | S3.i tile 2 groups
        accumulate S3 local shuffle 2
          band S3.i items 2 | S3.j tile 2 items 4
            accumulate S3 register
              band S3.j vector 2
`},
}

// reductions are trees in which items of a group, or groups, reduce together.
var reductions = []struct{ name, program, tree string }{
	{"two passes", "gemv", `domain S0[i, k]; S1[k, i]
sequence
  filter S0
    accumulate S0 workspace items 2 tree 4
      band S0.i tile 4 groups pad | S0.k tile 20 groups
        band S0.i items 4
          accumulate S0 register
            band S0.k
  filter S1
    accumulate S1 workspace items 32
      band S1.i tile 3 groups | S1.k tile 32 groups pad
        band S1.k items 32
          accumulate S1 register
            band S1.i
`},
	{"rows by sub-groups", "softmax", `domain S0[i, j]; S1[i, j]; S2[i, j]; S3[i, j]
band S0.i S1.i S2.i S3.i tile 4 groups
  sequence
    filter S0
      accumulate S0 local shuffle 8
        band S0.i items 4 | S0.j items 8
    filter S1
      band S1.i items 4 | S1.j items 8
    filter S2
      accumulate S2 local shuffle 8
        band S2.i items 4 | S2.j tile 2 items 8
          accumulate S2 register
            band S2.j
    filter S3
      band S3.i items 4 | S3.j items 8
`},
	{"several sub-groups", "operators", `domain S0[i, j]; S1[i, j]; S2[i, j]; S3[i, j]; S4[j, i, k]
sequence
  filter S0
    band S0.i tile 2 groups
      accumulate S0 local shuffle 4
        band S0.i items 2 | S0.j items 12
  filter S1
    band S1.i groups
      accumulate S1 register
        band S1.j
  filter S2
    band S2.i
      accumulate S2 register
        band S2.j
  filter S3
    accumulate S3 workspace tree 8 shuffle 4
      band S3.i groups | S3.j tile 8 groups
        accumulate S3 local shuffle 8
          band S3.j items 8
  filter S4
    band S4.j groups
      accumulate S4 register
        band S4.i | S4.k
`},
	{"columns beside each other", "gemv", `domain S0[i, k]; S1[k, i]
sequence
  filter S0
    band S0.i tile 8 groups pad
      accumulate S0 local shuffle 8
        band S0.i items 8 | S0.k items 4
  filter S1
    accumulate S1 workspace tree 2
      band S1.i tile 6 groups | S1.k tile 8 groups
        accumulate S1 local
          band S1.i items 3 | S1.k items 8
`},
	{"a sum by all", "dot", `domain S0[i]; S1[i]; S2[]
sequence
  filter S0
    accumulate S0 workspace tree 16 shuffle 4
      band S0.i tile 100 groups pad
        accumulate S0 local shuffle 4
          band S0.i items 16
  filter S1
    accumulate S1 workspace
      band S1.i tile 300 groups
        accumulate S1 local shuffle 2
          band S1.i tile 4 items 4
            accumulate S1 register
              band S1.i vector 4
  filter S2
`},
	{"histograms", histograms, `domain S0[v, i]; S1[v, c, i]
sequence
  filter S0
    accumulate S0 workspace items 4 tree 2
      band S0.i tile 100 groups pad
        accumulate S0 local
          band S0.i items 8
            band S0.v determined
  filter S1
    band S1.c groups
      accumulate S1 local
        band S1.i items 4
          band S1.v determined
`},
	{"layers", layers, `domain S0[i, j]; S1[i, j]; S2[i, j]
band S0.i S1.i S2.i tile 2 groups pad
  sequence
    filter S0
      accumulate S0 local shuffle 16
        band S0.i items 2 | S0.j items 32
    filter S1
      accumulate S1 local shuffle 16
        band S1.i items 2 | S1.j items 32
    filter S2
      band S2.i items 2 | S2.j items 32
`},
	{"reads its results", inPlace, `domain S0[i, k]
band S0.i tile 2 groups
  accumulate S0 local shuffle 8
    band S0.i items 2 | S0.k items 8
`},
	{"reads its results in local memory", inPlace, `domain S0[i, k]
band S0.i groups
  accumulate S0 local
    band S0.k items 8
`},
}

// TestGridReductions runs trees in which items of a group, or groups, reduce together; without a barrier, or without a launch, they
// race, read what nobody has written, or are wrong.
func TestGridReductions(t *testing.T) {
	for _, test := range append(reductions, scans...) {
		t.Run(test.name, func(t *testing.T) {
			tree, err := schedule.Parse(test.tree)
			if err != nil {
				t.Fatal(err)
			}
			text := test.program
			if !strings.HasPrefix(text, "#") {
				bytes, err := os.ReadFile(filepath.Join("testdata", "programs", text+".ein"))
				if err != nil {
					t.Fatal(err)
				}
				text = string(bytes)
			}
			p := readProgram(t, text)
			if testing.Verbose() {
				g, _ := p.f.Specialise(p.sizes, nil)
				f, err := lower.Lower(g, tree, lower.Options{})
				if err != nil {
					t.Fatal(err)
				}
				t.Log("\n" + loop.Print(f))
			}
			verify(t, p, tree, nil, evaluate)
			withoutBarriers(t, p, tree)
			withoutLaunches(t, p, tree)
		})
	}
}

// withoutLaunches leaves out one grid after the other: results are wrong then.
func withoutLaunches(t *testing.T, p program, tree *schedule.Tree) {
	g, err := p.f.Specialise(p.sizes, nil)
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; ; n++ {
		f, err := lower.Lower(g, tree, lower.Options{})
		if err != nil {
			t.Fatal(err)
		}
		grids := loop.Grids(f)
		if n == len(grids) {
			return
		}
		grids[n].Body = nil
		if e := p.expect(t); sameAs(t, p, f, e) {
			t.Errorf("without launch %d all is right\n%s", n, loop.Print(f))
		}
	}
}

// sameAs reports whether a kernel comes to its end with what is expected.
func sameAs(t *testing.T, p program, f *loop.Func, e *expected) bool {
	got, ok := evaluate(t, p, f, e.args)
	for name := range e.want {
		compared, err := ein.Compare(got[name], e.want[name], e.bounds[name])
		ok = ok && err == nil && compared.OK()
	}
	return ok
}

// TestGridReductionSizes runs such trees for sizes 0, 1, primes and others.
func TestGridReductionSizes(t *testing.T) {
	const sums = `# sizes N=%d M=%d
func sums {
  size N = dim 0 of X or zero
  size M = dim 1 of X or zero
  in X: int32[N, M]
  out S: int32[N]
  out L: int64[N]
  out V: int32[N]
  for i in 0:N or empty, j in 0:M reduce + or empty { S[i] = X[i, j] }
  for i in 0:N or empty, j in 0:M reduce argmax or empty { V[i] = X[i, j] L[i] = j }
}`
	const running = `# sizes N=%d M=%d
func running {
  size N = dim 0 of X or zero
  size M = dim 1 of X or zero
  in X: int32[N, M]
  out A: int32[N, M]
  out B: int32[N, M]
  for i in 0:N or empty, j in 0:M scan + or empty { A[i, j] = X[i, j] }
  for i in 0:N or empty, j in 0:M scan max or empty { B[i, j] = X[i, j] }
}`
	for _, test := range []struct{ program, tree string }{
		{sums, `domain S0[i, j]; S1[i, j]
sequence
  filter S0
    accumulate S0 workspace items 2 tree 3
      band S0.j tile 8 groups | S0.i groups
        accumulate S0 register
          band S0.j
  filter S1
    accumulate S1 workspace tree 4
      band S1.i groups | S1.j tile 8 groups pad
        accumulate S1 register
          band S1.j
`},
		{sums, `domain S0[i, j]; S1[i, j]
sequence
  filter S0
    band S0.i tile 2 groups
      accumulate S0 local shuffle 4
        band S0.i items 2 | S0.j items 4
  filter S1
    accumulate S1 workspace tree 4 shuffle 4
      band S1.i tile 4 groups pad | S1.j tile 8 groups
        accumulate S1 local
          band S1.j items 7 | S1.i items 4
`},
		{running, `domain S0[i, j]; S1[i, j]
sequence
  filter S0
    accumulate S0 workspace items 2 tree 3
      band S0.j tile 8 groups | S0.i groups
        accumulate S0 local
          band S0.j items 3
  filter S1
    accumulate S1 workspace tree 2 shuffle 2
      band S1.i tile 2 groups pad | S1.j tile 12 groups pad
        accumulate S1 local shuffle 2
          band S1.i items 2 | S1.j tile 2 items 4
            accumulate S1 register
              band S1.j
`},
	} {
		for _, n := range []int{0, 1, 5} {
			for _, m := range []int{0, 1, 7, 8, 16, 31} {
				parsed, err := schedule.Parse(test.tree)
				if err != nil {
					t.Fatal(err)
				}
				verify(t, readProgram(t, fmt.Sprintf(test.program, n, m)), parsed, nil, evaluate)
				if t.Failed() {
					t.Fatal(n, m)
				}
			}
		}
	}
}
