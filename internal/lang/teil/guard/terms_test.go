package guard_test

import (
	"math/rand/v2"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/teil/guard"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
)

// TestSigns: factors that may be 0, or of either sign, by the values and by planted mistakes.
func TestSigns(t *testing.T) {
	for text, want := range map[string]string{
		"out y: float32[T]\n for t in 0:T, k in 0:K reduce + { y[t] = t - {D} * k >= 0i64 ? x[t - {D} * k] : 0f32 }"://
		"y = red+ 2 (select (ge (sub (expa 2 K (iota T)) (expa 1 T (mul (size D) (iota K)))) (expa 2 K (expa 1 T 0))) (flip 2 (step 2 D K (window 1 (D*K - D + 1) (pad 1 (D*K - D) 0 x)))) (expa 2 K (expa 1 T 0)))",
		"out y: float32[D*K - D + 1, K]\n for t in 0:D*K - D + 1, k in 0:K { y[t, k] = x[t % {T} + {D} * k - {D} * k] }"://
		"y = expa 2 K (shift 1 0 (D*K - D + 1) (wrap 1 0 (max(0, D*K - D - T + 1)) x))",
		"out y: float32[K]\n for k in 0:K { y[k] = x[{D} * k % {T}] }"://
		"y = step 1 D K (shift 1 0 (D*K - D + 1) (wrap 1 0 (max(0, D*K - D - T + 1)) x))",
		"out y: float32[T, K]\n for t in 0:T, k in 0:K { y[t, k] = x[(t + {D - K} * k) % {T}] }"://
		"y = diag 2 3 (step 2 (max(0, D - K)) K (window 1 (K*max(0, D - K) - max(0, D - K) + 1) (flip 2 (step 2 (max(0, K - D)) K (window 1 (K*max(0, K - D) - max(0, K - D) + 1) (wrap 1 (K*max(0, K - D) - max(0, K - D)) (K*max(0, D - K) - max(0, D - K)) x))))))",
	} {
		f, err := ein.ParseFunc("f", "func f {\n size T = dim 0 of x\n size K = dim 0 of w\n size D = dim 0 of d or zero\n in x: float32[T]\n in w: float32[K]\n in d: float32[D + 1]\n "+text+"\n}")
		if err != nil {
			t.Fatal(err)
		}
		r, err := guard.Check(f)
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != guard.Safe {
			t.Errorf("%s: %s %+v %+v", text, r.Verdict, r.Refusal, r.Obstacle)
			continue
		}
		if got := syntax.PrintStatement(r.Program.Statements[0]); got != want {
			t.Errorf("%s: got\n%s, want\n%s", text, got, want)
		}
		random := rand.New(rand.NewPCG(5, 6))
		for range 20 {
			for _, sizes := range smallSizes(f, random) {
				if !sameValues(t, f, sizes, random.Uint64()) {
					t.Errorf("%s: not safe at %v", text, sizes)
				}
			}
			var j judged
			j.mutate(t, f, random)
		}
	}
}
