package guard_test

import (
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/teil/guard"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
)

// TestGathered: an access whose subscripts are data is safe where each of them is tested, or is
// a place of its dimension whatever the data are; one that is off by one is not.
func TestGathered(t *testing.T) {
	const declared = "size N = dim 0 of A\n size K = dim 1 of A\n size M = dim 0 of I\n in A: float32[N, K]\n in I: int32[M]\n in B: uint8[M]\n in T: float32[256]\n"
	const three = "out y: float32[M, 3]\n require N - 3 >= 0 because \"three rows\"\n "
	for body, want := range map[string]string{
		"out y: float32[M, K]\n for i in 0:M, k in 0:K { y[i, k] = A![int64(I[i]), k] }":                   "y = gather 1 (int64 I) A",
		"out y: float32[M, K]\n for i in 0:M, k in 0:K { y[i, k] = A[int64(I[i]), k] }":                    "a subscript that depends on data and is not tested",
		"out y: float32[K, M]\n for k in 0:K, i in 0:M { y[k, i] = A![int64(I[i]), k] }":                   "y = transp 1 2 (gather 1 (int64 I) A)",
		"out y: float32[N, M]\n for n in 0:N, i in 0:M { y[n, i] = A![n, int64(I[i])] }":                   "y = transp 1 2 (gather 2 (int64 I) A)",
		"out y: float32[M]\n for i in 0:M { y[i] = A![int64(I[i]), int64(B[i])] }":                         "y = diag 1 2 (gather 2 (int64 B) (gather 1 (int64 I) A))",
		"out y: float32[M]\n for i in 0:M { y[i] = A[max(0i64, min(int64(I[i]), {N - 1})), 0i64] }":        "y = proj 2 1 (gather 1 (max (expa 1 M 0) (min (int64 I) (expa 1 M (size (N - 1))))) A)",
		"out y: float32[M]\n for i in 0:M { y[i] = A[max(0i64, min(int64(I[i]), {N})), 0i64] }":            "a subscript that depends on data and is not tested",
		"out y: float32[M]\n for i in 0:M { y[i] = A[max(-1i64, min(int64(I[i]), {N - 1})), 0i64] }":       "a subscript that depends on data and is not tested",
		"out y: float32[M]\n for i in 0:M { y[i] = A[int64(I[i]) % {N}, 0i64] }":                           "y = proj 2 1 (gather 1 (mod (int64 I) (expa 1 M (size N))) A)",
		"out y: float32[M]\n for i in 0:M { y[i] = A[int64(I[i]) % {N + 1}, 0i64] }":                       "a subscript that depends on data and is not tested",
		"out y: float32[M]\n for i in 0:M { y[i] = A[int64(I[i]) % {N - M}, 0i64] }":                       "a subscript that depends on data and is not tested",
		"out y: float32[M]\n for i in 0:M { y[i] = T[int64(100i8 + 100i8)] }":                              "a subscript that is no sum of indices and of maps of them",
		"out y: float32[M]\n for i in 0:M { y[i] = T[int64(int8(B[i]) % (100i8 + 100i8))] }":               "a subscript that depends on data and is not tested",
		"out y: float32[M]\n for i in 0:M { y[i] = T[int64(int16(B[i]) % 256i16)] }":                       "y = gather 1 (int64 (mod (int16 B) (expa 1 M 256))) T",
		"out y: float32[M]\n for i in 0:M { y[i] = T[int64(B[i])] }":                                       "y = gather 1 (int64 B) T",
		"out y: float32[M]\n for i in 0:M { y[i] = T[int64(B[i]) + 1i64] }":                                "a subscript that depends on data and is not tested",
		"out y: float32[M]\n for i in 0:M { y[i] = T[int64(int8(B[i]))] }":                                 "a subscript that depends on data and is not tested",
		"out y: float32[M]\n for i in 0:M { y[i] = I[i] > 2i32 ? T[int64(B[i])] : A![int64(I[i]), 0i64] }": "y = select (gt I (expa 1 M 2)) (gather 1 (int64 B) T) (proj 2 1 (gather 1 (int64 I) A))",
		"out y: float32[M]\n for i in 0:M { y[i] = A![i * i, 0i64] }":                                      "y = proj 2 1 (gather 1 (mul (iota M) (iota M)) A)",
		"out y: float32[M]\n for i in 0:M { y[i] = A[i * i, 0i64] }":                                       "a subscript that is no sum of indices and of maps of them",
		"out y: float32[M]\n for i in 0:M { y[i] = A![i + 1i64, 0i64] }":                                   "y = proj 2 1 (gather 1 (add (iota M) (expa 1 M 1)) A)",
		"out y: float32[M]\n for i in 0:M, k in 0:K reduce + { y[i] = A![int64(I[i]), k] }":                "y = red+ 2 (gather 1 (int64 I) A)",
		"out y: float32[]\n for k in 0:K reduce + { y[] = A![k + {M}, k] }":                                "y = red+ 1 (diag 1 2 (gather 1 (add (iota K) (expa 1 K (size M))) A))",
		"out y: float32[M]\n for i in 0:M { y[i] = let j = int64(I[i]) % {N} in A[j, 0i64] }":              "y = proj 2 1 (gather 1 j A)",
		"out y: float32[M]\n for i in 0:M { y[i] = A[I[i] > 0i32 ? int64(B[i]) % {N} : {N - 1}, 0i64] }":   "y = proj 2 1 (gather 1 (select (gt I (expa 1 M 0)) (mod (int64 B) (expa 1 M (size N))) (expa 1 M (size (N - 1)))) A)",
		"out y: float32[M]\n for i in 0:M { y[i] = A[I[i] > 0i32 ? int64(B[i]) % {N} : {N}, 0i64] }":       "a subscript that depends on data and is not tested",
		"out y: float32[M, M]\n for i in 0:M, j in 0:M { y[i, j] = A![int64(I[i]), int64(I[j])] }":         "y = transp 1 2 (gather 2 (int64 I) (gather 1 (int64 I) A))",
		"out y: float32[M]\n for i in 0:M { y[i] = A![int64(I![int64(I[i])]), 0i64] }":                     "y = proj 2 1 (gather 1 (int64 (gather 1 (int64 I) I)) A)",
		// windows about places that are held, as long as there are so many rows
		three + "for i in 0:M, k in 0:3 { y[i, k] = A[max(1i64, min(int64(I[i]), {N - 2})) + (k - 1i64), 0i64] }":                "y = proj 3 1 (gather 1 (add (expa 2 3 (max (expa 1 M 1) (min (int64 I) (expa 1 M (size (N - 2)))))) (expa 1 M (sub (iota 3) (expa 1 3 1)))) A)",
		three + "for i in 0:M, k in 0:3 { y[i, k] = A[k + max(0i64, min(int64(I[i]), {N - 3})), 0i64] }":                         "y = proj 3 1 (gather 1 (add (expa 1 M (iota 3)) (expa 2 3 (max (expa 1 M 0) (min (int64 I) (expa 1 M (size (N - 3))))))) A)",
		three + "for i in 0:M, k in 0:3 { y[i, k] = A[max(2i64, min(int64(I[i]), {N - 1})) - k, 0i64] }":                         "y = proj 3 1 (gather 1 (sub (expa 2 3 (max (expa 1 M 2) (min (int64 I) (expa 1 M (size (N - 1)))))) (expa 1 M (iota 3))) A)",
		three + "for i in 0:M, k in 0:3 { y[i, k] = A[max(0i64, min(int64(I[i]), {N - 2})) + k, 0i64] }":                         "a subscript that depends on data and is not tested",
		three + "for i in 0:M, k in 0:3 { y[i, k] = A[max(0i64, int64(I[i]) % {N}) + (k - 1i64), 0i64] }":                        "a subscript that depends on data and is not tested",
		"out y: float32[M, 3]\n for i in 0:M, k in 0:3 { y[i, k] = A[max(1i64, min(int64(I[i]), {N - 2})) + (k - 1i64), 0i64] }": "a subscript that depends on data and is not tested",
		// indices that a condition brings back
		"out y: float32[N]\n for i in 0:N { y[i] = A[i + 1i64 >= {N} ? i + 1i64 - {N} : i + 1i64, 0i64] }": "y = proj 2 1 (gather 1 (select (ge (add (iota N) (expa 1 N 1)) (expa 1 N (size N))) (sub (add (iota N) (expa 1 N 1)) (expa 1 N (size N))) (add (iota N) (expa 1 N 1))) A)",
		"out y: float32[N]\n for i in 0:N { y[i] = A[i + 1i64 >= {N} ? i + 2i64 - {N} : i + 1i64, 0i64] }": "a subscript that is no sum of indices and of maps of them",
		"out y: float32[M + 1]\n for i in 0:M { y[i] = A![int64(I[i]), 0i64] }":                            "y = replace 1 0 1 y (proj 2 1 (gather 1 (int64 I) A))",
		"out y: float32[M]\n for i in 0:M, n in 0:N + 1 reduce + { y[i] = A![n, int64(I[i])] }":            "y = red+ 2 (gather 2 (int64 I) (gather 1 (iota (N + 1)) A))",
	} {
		f, err := ein.ParseFunc("f", "func f {\n "+declared+" "+body+"\n}")
		if err != nil {
			t.Fatalf("%v\n%s", err, body)
		}
		r, err := guard.Check(f)
		if err != nil {
			t.Fatal(err)
		}
		var got string
		switch r.Verdict {
		case guard.Safe:
			if rests := len(r.Conditions) == 1; rests != strings.HasPrefix(body, three) {
				t.Errorf("the verdict rests on %v\n%s", r.Conditions, f)
			}
			got = syntax.PrintStatement(r.Program.Statements[len(r.Program.Statements)-1])
		case guard.Refused:
			got = r.Refusal.Rule
		default:
			got = r.Obstacle.Construct
		}
		if got != want {
			t.Errorf("got  %s\nwant %s\n%s", got, want, f)
		}
		sizes := map[string]int64{"N": 3, "K": 3, "M": 2}
		if problem := leaves(f, sizes); r.Verdict == guard.Safe && problem != nil {
			t.Errorf("%v\n%s", problem, f)
		} else if r.Verdict == guard.Safe {
			sameValues(t, f, sizes, 7)
			sameValues(t, f, map[string]int64{"N": 5, "K": 4, "M": 2}, 8)
		}
	}
}
