package guard_test

import (
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/teil/guard"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
)

// TestFolds: reductions of tuples, and with operators of the user, become folds, which are
// judged like other reductions.
func TestFolds(t *testing.T) {
	const declared = " size N = dim 0 of A\n size K = dim 1 of A\n in A: float32[N, K]\n in I: int32[N]\n"
	const pair = " op f(v: float32, i: int64 | w: float32, j: int64) = (w > v ? w : v, w > v ? j : i)\n"
	const linear = " op g(a: float32, b: float32 | c: float32, d: float32) = (a * c, c * b + d) associative\n"
	for _, c := range []struct{ body, want string }{
		{" out V: float32[N]\n out P: int64[N]\n" + pair + " for i in 0:N, k in 0:K reduce f {\n V[i] = A[i, k]\n P[i] = k }",
			"V = f_v 2 A (expa 1 N (iota K)); P = f_i 2 A (expa 1 N (iota K))"},
		{" out V: float32[N]\n out P: int64[N]\n" + pair + " for i in 0:N, k in 0:K + 1 reduce f {\n V[i] = A[i, k]\n P[i] = k }",
			"T-Fold"},
		{" out V: float32[N]\n out P: int64[N]\n" + pair + " for i in 0:N, k in 0:K reduce f {\n V[i] = A[i, k + 1i64]\n P[i] = k }",
			"T-Shift"},
		{" out V: float32[N + 1]\n out P: int64[N]\n" + pair + " for i in 0:N, k in 0:K reduce f {\n V[i] = A[i, k]\n P[i] = k }",
			"V = replace 1 0 1 V (f_v 2 A (expa 1 N (iota K))); P = f_i 2 A (expa 1 N (iota K))"},
		{" out V: float32[K]\n out P: int64[K]\n" + pair + " for i in 0:N, k in 0:K reduce f {\n V[i] = A[i, k]\n P[i] = k }",
			"OK-Stmt"},
		{" out V: float32[]\n out P: int64[]\n" + pair + " for i in 0:N reduce f, k in 0:K reduce f {\n V[] = A[i, k]\n P[] = i * {K} + k }",
			"f_v_2 = f_v 2 A (add (expa 2 K (mul (size K) (iota N))) (expa 1 N (iota K))); f_i_2 = f_i 2 A (add (expa 2 K (mul (size K) (iota N))) (expa 1 N (iota K))); V = f_v 1 f_v_2 f_i_2; P = f_i 1 f_v_2 f_i_2"},
		{" out V: float32[N]\n out P: float32[N]\n" + linear + " for i in 0:N scan g {\n V[i] = A[i, 0i64]\n P[i] = 2f32 }", ""},
		{" inout V: float32[N]\n inout P: int64[N]\n" + pair + " for i in 0:N, k in 0:K reduce f accumulate f {\n V[i] = A[i, k]\n P[i] = k }", ""},
		{" out V: int32[]\n op h(a: int32 | b: int32) = (a * 2i32 + b)\n for i in 0:N reduce h { V[] = I[i] }", "V = h 1 I"},
		{" out V: int32[K]\n for k in 0:K, i in 0:N reduce ^ { V[k] = I[i] }", "V = expa 1 K (fold_by 1 I)"},
	} {
		f, err := ein.ParseFunc("f", "func f {\n"+declared+c.body+"\n}")
		if err != nil {
			t.Fatalf("%v\n%s", err, c.body)
		}
		r, err := guard.Check(f)
		if err != nil {
			t.Fatal(err)
		}
		var got string
		switch r.Verdict {
		case guard.Safe:
			var statements []string
			for _, s := range r.Program.Statements {
				statements = append(statements, syntax.PrintStatement(s))
			}
			got = strings.Join(statements, "; ")
			for _, sizes := range []map[string]int64{{"N": 3, "K": 2}, {"N": 1, "K": 5}} {
				if !sameValues(t, f, sizes, 3) {
					t.Errorf("not compared: %s", f)
				}
			}
		case guard.Refused:
			got = r.Refusal.Rule
		default:
			got = r.Obstacle.Construct
		}
		if c.want == "" && r.Verdict != guard.Safe || c.want != "" && got != c.want {
			t.Errorf("got  %s\nwant %s\n%s", got, c.want, f)
		}
	}
}
