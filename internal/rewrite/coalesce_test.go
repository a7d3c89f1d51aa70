package rewrite_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/rewrite"
)

const coalesceDeclared = `
  in X: float32[24, 12, 14]
  in V: float32[5, 24, 1]
  in B: float32[5, 12, 14]
  in S: float32[12, 14]
  temp T: float32[5, 12, 14]
  out Y: float32[5, 12, 14]
`

// Each program is one statement or more; joined says how many of its tensors lose a dimension.
var coalesceRows = []struct {
	name, declared, body string
	joined               int
}{
	{"a product", coalesceDeclared, `for f in 0:5, h in 0:12, w in 0:14, c in 0:24 reduce + { Y[f, h, w] = V[f, c, 0i64] * X[c, h, w] }`, 2},
	{"a window of one point", coalesceDeclared, `for f in 0:5, h in 0:12, w in 0:14, c in 0:24 reduce +, r in 0:1 reduce + { Y[f, h, w] = V[f, c, r] * X[c, h + r, w + r] }`, 2},
	{"what follows has the indices, too", coalesceDeclared, `for f in 0:5, h in 0:12, w in 0:14, c in 0:24 reduce + { T[f, h, w] = V[f, c, 0i64] * X[c, h, w] }
  for g in 0:5, i in 0:12, j in 0:14 { Y[g, i, j] = tanh(T[g, i, j] + B[g, i, j]) * S[i, j] }`, 5},
	{"ranges that start elsewhere", strings.NewReplacer("X: float32[24, 12, 14]", "X: float32[24, 3:15, -2:12]", "Y: float32[5, 12, 14]", "Y: float32[5, 3:15, -2:12]").Replace(coalesceDeclared),
		`for f in 0:5, h in 3:15, w in -2:12, c in 0:24 reduce + { Y[f, h, w] = V[f, c, 0i64] * X[c, h, w] }`, 2},
	{"a short sum", coalesceDeclared, `for f in 0:5, h in 0:12, w in 0:14, c in 0:23 reduce + { Y[f, h, w] = V[f, c, 0i64] * X[c, h, w] }`, 0},
	{"few points", coalesceDeclared, `for f in 0:5, h in 0:6, w in 0:14, c in 0:24 reduce + { Y[f, h, w] = V[f, c, 0i64] * X[c, h, w] }`, 0},
	{"rows that are not read in full", coalesceDeclared, `for f in 0:5, h in 0:12, w in 0:13, c in 0:24 reduce + { Y[f, h, w] = V[f, c, 0i64] * X[c, h, w] }`, 0},
	{"no product", coalesceDeclared, `for f in 0:5, h in 0:12, w in 0:14, c in 0:24 reduce + { Y[f, h, w] = X[c, h, w] }`, 0},
	{"transposed", strings.Replace(coalesceDeclared, "X: float32[24, 12, 14]", "X: float32[24, 14, 12]", 1),
		`for f in 0:5, h in 0:12, w in 0:14, c in 0:24 reduce + { Y[f, h, w] = V[f, c, 0i64] * X[c, w, h] }`, 0},
	{"an index as a value", coalesceDeclared, `for f in 0:5, h in 0:12, w in 0:14, c in 0:24 reduce + { Y[f, h, w] = V[f, c, 0i64] * X[c, h, w] * float32(h) }`, 0},
	{"an index alone", coalesceDeclared, `for f in 0:5, h in 0:12, w in 0:14, c in 0:24 reduce + { Y[f, h, w] = V[f, c, 0i64] * X[c, h, w] * V[0i64, w, 0i64] }`, 0},
	{"steps", coalesceDeclared, `for f in 0:5, h in 0:6, w in 0:7, c in 0:24 reduce + { Y[f, h, w] = V[f, c, 0i64] * X[c, 2i64 * h, 2i64 * w] }`, 0},
	{"another statement reads one row", coalesceDeclared, `for f in 0:5, h in 0:12, w in 0:14, c in 0:24 reduce + { T[f, h, w] = V[f, c, 0i64] * X[c, h, w] }
  for g in 0:5, i in 0:12, j in 0:14 { Y[g, i, j] = T[g, 11i64 - i, j] }`, 0},
	{"element by element", coalesceDeclared, `for f in 0:5, h in 0:12, w in 0:14 { Y[f, h, w] = B[f, h, w] * 2f32 }`, 2},
	{"element by element, with a factor for each image", coalesceDeclared, `for f in 0:5, h in 0:12, w in 0:14 { Y[f, h, w] = B[f, h, w] * V[f, 0i64, 0i64] }`, 2},
	{"element by element, with a factor for each row", coalesceDeclared, `for f in 0:5, h in 0:12, w in 0:14 { Y[f, h, w] = B[f, h, w] * X[h, 0i64, 0i64] }`, 0},
	{"long rows", strings.ReplaceAll(coalesceDeclared, "14]", "140]"), `for f in 0:5, h in 0:12, w in 0:140 { Y[f, h, w] = B[f, h, w] * 2f32 }`, 0},
	{"elements shifted along pixels", coalesceDeclared, `for f in 0:5, h in 0:10, w in 0:14 { Y[f, h, w] = B[f, h + 2i64, w] - B[f, h, w] * S[h + 1i64, w] }`, 3},
	{"elements shifted within pixels", coalesceDeclared, `for f in 0:5, h in 0:12, w in 0:13 { Y[f, h, w] = B[f, h, w + 1i64] }`, 0},
	{"elements of ranges that start elsewhere, shifted", strings.NewReplacer("B: float32[5, 12, 14]", "B: float32[5, 3:15, 14]", "S: float32[12, 14]", "S: float32[-4:8, 14]").Replace(coalesceDeclared),
		`for f in 0:5, h in 1:11, w in 0:14 { Y[f, h + 1i64, w] = B[f, h + 4i64, w] * S[h - 4i64, w] }`, 3},
	{"a window along pixels", coalesceDeclared, `for f in 0:5, h in 0:10, w in 0:14, r in 0:3 reduce + { Y[f, h, w] = B[f, h + r, w] * V[f, r, 0i64] }`, 2},
	{"a window with a filter for each channel", coalesceDeclared, `for f in 0:5, h in 0:10, w in 0:14, r in 0:3 reduce + { Y[f, h, w] = B[f, h + r, w] * S[r, w] }`, 0},
	{"a window with steps", coalesceDeclared, `for f in 0:5, h in 0:5, w in 0:14, r in 0:3 reduce + { Y[f, h, w] = B[f, 2i64 * h + r, w] }`, 0},
	{"a window along two indices", coalesceDeclared, `for f in 0:5, h in 0:8, w in 0:14, r in 0:3 reduce max, q in 0:3 reduce max { Y[f, h, w] = X[f + q, h + r + q, w] }`, 2},
	{"two statements of elements", coalesceDeclared, `for f in 0:5, h in 0:12, w in 0:14 { T[f, h, w] = exp(B[f, h, w]) }
  for f in 0:5, h in 0:12, w in 0:14 { Y[f, h, w] = T[f, h, w] * S[h, w] }`, 4},
	{"a sum of all elements", coalesceDeclared + "  out s: float32[]\n", `for f in 0:5, h in 0:12, w in 0:14 { Y[f, h, w] = B[f, h, w] * 2f32 }
  for f in 0:5 reduce max, h in 0:12 reduce max, w in 0:14 reduce max { s[] = fabs(Y[f, h, w]) }`, 2},
	{"a sum of some elements", coalesceDeclared + "  out s: float32[5]\n", `for f in 0:5, h in 0:12, w in 0:14 { Y[f, h, w] = 1f32 }
  for f in 0:5, h in 0:12 reduce max, w in 0:14 reduce max { s[f] = fabs(B[f, h, w]) }`, 1},
	{"tested elements of a table", coalesceDeclared, `for f in 0:5, h in 0:12, w in 0:14 { Y[f, h, w] = V![B[f, h, w] > 0f32 ? 1i64 : 0i64, 0i64, 0i64] }`, 2},
	{"tested subscripts", coalesceDeclared, `for f in 0:5, h in 0:12, w in 0:14, c in 0:24 reduce + { Y[f, h, w] = V[f, c, 0i64] * X![c, h, w] }`, 0},
}

func TestCoalesce(t *testing.T) {
	for _, row := range coalesceRows {
		t.Run(row.name, func(t *testing.T) {
			f, err := ein.ParseFunc("in", "func f {"+row.declared+row.body+"\n}\n")
			if err != nil {
				t.Fatal(err)
			}
			before := f.String()
			g := rewrite.Coalesce(f, func(*ein.Tensor) bool { return true })
			if err := ein.Verify(g); err != nil || f.String() != before {
				t.Fatalf("%v\n%s", err, g)
			}
			joined := 0
			for n, x := range g.Tensors {
				joined += len(f.Tensors[n].Dims) - len(x.Dims)
			}
			if joined != row.joined {
				t.Errorf("%d tensors lost a dimension, not %d\n%s", joined, row.joined, g)
			}
			sameElements(t, f, g)
			if h := rewrite.Coalesce(f, func(x *ein.Tensor) bool { return x.Name != "Y" }); h != f {
				t.Errorf("a tensor that is not dense lost a dimension\n%s", h)
			}
		})
	}
}

// sameElements compares what two functions compute from the same elements.
func sameElements(t *testing.T, f, g *ein.Func) {
	t.Helper()
	var results [2][]uint64
	for n, f := range []*ein.Func{f, g} {
		args, err := eintest.Arguments(7, f, nil)
		if err != nil {
			t.Fatal(err)
		}
		out, err := ein.Evaluate(f, args, ein.EvalOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for offset := range out["Y"].Offsets() {
			results[n] = append(results[n], out["Y"].BitsAt(offset))
		}
	}
	if !slices.Equal(results[0], results[1]) {
		t.Errorf("different results\n%s", g)
	}
}
