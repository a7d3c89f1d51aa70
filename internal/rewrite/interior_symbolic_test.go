package rewrite_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/rewrite"
	"github.com/ricci-lang/ricci/tensor"
)

// TestInsideOfOpenSizes: where sizes are not known the inside of a statement is its value at all points at which nothing that
// it needs is negative, for all sizes; and these are most points of large ones.
func TestInsideOfOpenSizes(t *testing.T) {
	for value, sides := range map[string]int{
		"A[max(0i64, min(i - 1i64, {M - 1})), j] + A[max(0i64, min(i + 1i64, {M - 1})), max(0i64, min(j, {N - 1}))]": 2,
		"A[i, max(0i64, min(j - 3i64, {N - 1}))]":                                 1,
		"A[(i - 1i64) % {M}, (j + 2i64) % {N}]":                                   2,
		"A[min(i % {2*M}, {2*M - 1} - i % {2*M}), (j + 1i64) % {N}]":              1,
		"(i - 1i64 >= 0i64 && j + 1i64 < {N} ? A[i - 1i64, j + 1i64] : 0f32)":     2,
		"(i < 1i64 || j > {N - 2} ? 1f32 : A[i - 1i64, j + 1i64])":                0,
		"(i >= 0i64 ? A[i, j] : 0f32) + A[i, min(j + 1i64, {N - 1})]":             1,
		"(i >= 100i64 ? A[i - 100i64, j] : 0f32)":                                 0,
		"(i < j ? A[i, j] : 0f32)":                                                0,
		"A[max(min(i, {M - 2}), 0i64), j]":                                        1,
		"(2i64 * i >= 3i64 ? A[i - 1i64, j] : 1f32)":                              1,
		"A[max(0i64, min(i - 1i64, {M - 1})), max(0i64, min(i - 1i64, {N - 1}))]": 1,
	} {
		const text = "func f {\n  size M = dim 0 of A\n  size N = dim 1 of A\n  in A: float32[M, N]\n  out B: float32[M, N]\n  for i in 0:M, j in 0:N { B[i, j] = %s }\n}"
		f, err := ein.ParseFunc("test", fmt.Sprintf(text, value))
		if err != nil {
			t.Fatal(err)
		}
		inside, found := rewrite.Interior(f.Body[0])
		if len(found) != sides {
			t.Errorf("%s has %d sides: %v", value, len(found), found)
		}
		if inside == nil {
			continue
		}
		if printed := ein.PrintExpr(inside.Values[0]); strings.Contains(printed, "%") || strings.Contains(printed, "?") {
			t.Errorf("%s is %s inside", value, printed)
		}
		c, g := *f.Body[0], *f
		c.Values = []ein.Expr{where(&c, inside.Values[0], found)}
		g.Body = []*ein.Comprehension{&c}
		for m := int64(1); m < 7; m++ {
			for n := int64(1); n < 7; n++ {
				sizes := map[string]int64{"M": m, "N": n}
				whole, err := f.Specialise(sizes, nil)
				if err != nil {
					t.Fatal(err)
				}
				chosen, err := g.Specialise(sizes, nil)
				if err != nil {
					t.Fatal(err)
				}
				args, err := eintest.Arguments(uint64(m*7+n), whole, nil)
				if err != nil {
					t.Fatal(err)
				}
				nearResults(t, whole, chosen, args)
			}
		}
	}
}

// where is the value of a statement that is another one inside.
func where(c *ein.Comprehension, inside ein.Expr, sides []rewrite.InteriorSide) ein.Expr {
	value := c.Values[0]
	for _, side := range sides {
		var sum ein.Expr = number(0)
		for _, term := range side.Need.Terms() {
			var factor ein.Expr = number(1)
			for _, a := range term.Atoms {
				factor = &ein.SizeRef{Size: affine.Symbol(a.Symbol)}
				for _, i := range c.Indices {
					if i.Name == a.Symbol {
						factor = &ein.IndexRef{Index: i}
					}
				}
			}
			sum = &ein.Binary{Op: ein.Add, X: sum, Y: &ein.Binary{Op: ein.Mul, X: number(term.Coefficient), Y: factor}}
		}
		inside = &ein.Select{Cond: &ein.Binary{Op: ein.Ge, X: sum, Y: number(0)}, Then: inside, Else: value}
	}
	return inside
}

func number(n int64) ein.Expr { return &ein.Const{DType: tensor.Int64, Bits: uint64(n)} }
