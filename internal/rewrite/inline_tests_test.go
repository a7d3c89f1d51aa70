package rewrite_test

import (
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/rewrite"
)

// TestInlineGathers: what is gathered is read where it is summed, unless a test of a subscript would be left out.
func TestInlineGathers(t *testing.T) {
	for sum, statements := range map[string]int{
		"for b in 0:6, l in 0:7 reduce + { P[b] = R[b, l] }":                    1,
		"for b in 0:6, l in 0:7 reduce + { P[b] = R[b, l] * 2f32 }":             1,
		"for b in 0:6, l in 0:6 reduce + { P[b] = R[b, l] }":                    2,
		"for b in 0:6, l in 0:7 reduce + { P[b] = l > 3i64 ? R[b, l] : 0f32 }":  2,
		"for b in 0:6, l in 0:7 reduce + { P[b] = R[b, l] + R[b, 0i64] }":       2,
		"for b in 0:6, l in 0:7 reduce +, k in 0:2 reduce + { P[b] = R[b, l] }": 2,
	} {
		f, err := ein.ParseFunc("test", "func f {\n  in T: float32[9]\n  in I: int32[6, 7]\n  temp R: float32[6, 7]\n  out P: float32[6]\n  for b in 0:6, l in 0:7 { R[b, l] = T![int64(I[b, l])] }\n  "+sum+"\n}")
		if err != nil {
			t.Fatal(err)
		}
		if g := rewrite.Fuse(f); len(g.Body) != statements {
			t.Errorf("%s: %d statements\n%s", sum, len(g.Body), ein.Print(g))
		}
	}
}
