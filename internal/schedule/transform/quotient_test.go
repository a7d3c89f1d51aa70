package transform

import (
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// TestQuotientsInSkewedTiles proves the bounds of a subscript with a quotient, whose number is a
// point by a test only: the sum of a quotient and a test says more of whole numbers than both.
func TestQuotientsInSkewedTiles(t *testing.T) {
	f, err := ein.ParseFunc("test", `func f {
  in U: float64[-2:4, 2]
  out T: float64[6, -2:4]
  for i1 in 0:6, i2 in -2:4 {
    T[i1, i2] = i1 + -1i64 >= 0i64 && i1 + -1i64 <= 1i64 ? U[(i2 + 2i64) / 2i64 + -2i64, i1 + -1i64] : 2f64
  }
}`)
	if err != nil {
		t.Fatal(err)
	}
	n := Build(f, 0)
	for _, step := range []struct {
		name string
		args []int64
	}{{"skew", []int64{1, 2, 1}}, {"stripmine", []int64{1, 4}}, {"stripmine", []int64{3, 2}}, {"interchange", []int64{2, 3}}, {"interchange", []int64{1, 2}}, {"parallelize", []int64{2}}} {
		tr, _ := Lookup(step.name)
		if n, err = tr.Apply([]*Nest{n}, Ints(step.args...), Call{}); err != nil {
			t.Fatal(err)
		}
	}
	tree, _, err := Tree(f, []*Nest{n}, Options{Machine: small})
	if err != nil {
		t.Fatal(err)
	}
	l, err := lower.Lower(f, tree, lower.Options{})
	if err == nil {
		err = loop.Verify(l)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, schedule.Print(tree))
	}
	checkMeaning(t, f, tree)
}
