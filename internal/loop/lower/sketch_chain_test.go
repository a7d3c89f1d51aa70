package lower_test

import (
	"math/rand/v2"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/sketch"
	"github.com/ricci-lang/ricci/internal/sweep"
	"github.com/ricci-lang/ricci/tensor"
)

// chained are programs in which products follow each other: an attention, and layers whose weights lie along what is summed, in place.
var chained = []string{`func attention {
  size M = dim 0 of Q
  size N = dim 0 of K
  size D = dim 1 of Q
  size E = dim 1 of V
  in Q: float32[M, D]
  in K: float32[N, D]
  in V: float32[N, E]
  temp S: float32[M, N]
  temp m: float32[M]
  temp P: float32[M, N]
  temp s: float32[M]
  temp r: float32[M]
  temp T: float32[M, E]
  out O: float32[M, E]
  for i in 0:M, j in 0:N, d in 0:D reduce + { S[i, j] = Q[i, d] * K[j, d] }
  for i in 0:M, j in 0:N reduce max { m[i] = S[i, j] }
  for i in 0:M, j in 0:N { P[i, j] = exp(S[i, j] - m[i]) }
  for i in 0:M, j in 0:N reduce + { s[i] = P[i, j] }
  for i in 0:M { r[i] = 1f32 / s[i] }
  for i in 0:M, e in 0:E, j in 0:N reduce + { T[i, e] = P[i, j] * V[j, e] }
  for i in 0:M, e in 0:E { O[i, e] = T[i, e] * r[i] }
}`, `func layers {
  size M = dim 0 of X
  size N = dim 1 of X
  size D = dim 0 of W
  size E = dim 0 of U
  in X: float32[M, N]
  in W: float32[D, N]
  in b: float32[D]
  in U: float32[E, D]
  out Y: float32[M, D]
  out Z: float32[M, E]
  for i in 0:M, o in 0:D { Y[i, o] = b[o] }
  for i in 0:M, o in 0:D, n in 0:N reduce + { Y[i, o] = Y[i, o] + X[i, n] * W[o, n] }
  for i in 0:M, o in 0:D { Y[i, o] = max(Y[i, o], 0f32) }
  for i in 0:M, e in 0:E, o in 0:D reduce + { Z[i, e] = Y[i, o] * U[e, o] }
}`, `func tables {
  size M = dim 0 of I
  size N = dim 1 of I
  size D = dim 1 of T
  in T: float32[9, D]
  in I: int32[M, N]
  in b: float32[D]
  out Y: float32[M, D]
  out Z: float32[M, D]
  for i in 0:M, o in 0:D, n in 0:N reduce + { Y[i, o] = T[max(0i64, min(8i64, int64(I[i, n]))), o] }
  for i in 0:M, o in 0:D { Z[i, o] = b[o] }
}`}

// TestSketchChains runs launches of several statements, of drawn sizes.
func TestSketchChains(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	run := map[bool]int{}
	for k := range sweep.Draws(t, 6, 400) {
		f, err := ein.ParseFunc("chain", chained[k%len(chained)])
		if err != nil {
			t.Fatal(err)
		}
		sizes := map[string]int64{}
		for _, size := range f.Sizes {
			sizes[size.Name] = []int64{1, 2, 5, 7, 13, 37}[rng.IntN(6)]
		}
		g, err := f.Specialise(sizes, nil)
		if err != nil {
			t.Fatal(err)
		}
		processor, err := machine.Named([]string{"cuda+wrp", "opencl"}[rng.IntN(2)]).Scheduled()
		if err != nil {
			t.Fatal(err)
		}
		s, err := sketch.NewSpace(g, processor)
		if err != nil {
			t.Fatal(err)
		}
		lists := map[bool][]*sketch.Candidate{} // of the rule for them, and of others
		for _, c := range s.Launches() {
			if c.First < c.Last {
				lists[c.Rule == "chain"] = append(lists[c.Rule == "chain"], c)
			}
		}
		for _, isChain := range []bool{true, false} {
			list := lists[isChain]
			if len(list) == 0 {
				continue
			}
			tree, legal := s.Alone(list[rng.IntN(len(list))])
			if !legal && !isChain {
				continue // statements may need results of other groups
			}
			if !legal {
				t.Errorf("sizes %v: not legal: %v\n%s", sizes, schedule.Check(g, tree), schedule.Print(tree))
				continue
			}
			run[isChain]++
			verifyFor(t, newProgram(f, sizes), tree, nil, func(t testing.TB, p program, f *loop.Func, args map[string]*tensor.Tensor) (map[string]*tensor.Tensor, bool) {
				if err := loop.VerifyFor(f, roomOf(processor.Grid)); err != nil {
					t.Error(err)
				}
				return evaluate(t, p, f, args)
			}, processor)
		}
	}
	if run[true] == 0 || run[false] == 0 {
		t.Error("not all kinds are drawn")
	}
	t.Logf("%d chains, %d others", run[true], run[false])
}
