package loop

import (
	"math"
	"testing"

	"github.com/ricci-lang/ricci/tensor"
)

// TestDimensions: groups are launched along the axes that they have, or along x alone where another axis may have more than devices do.
func TestDimensions(t *testing.T) {
	open := &VarRef{Var: &Var{Name: "N", Type: Scalar(tensor.Int64)}}
	for _, test := range []struct {
		counts []Expr
		groups []int64
		line   bool
		want   [MostAxes]int64
	}{
		{[]Expr{Int(5)}, []int64{5}, false, [3]int64{5, 1, 1}},
		{[]Expr{Int(2), Int(65535), Int(1 << 20)}, []int64{2, 65535, 1 << 20}, false, [3]int64{1 << 20, 65535, 2}},
		{[]Expr{Int(3), Int(65536), Int(7)}, []int64{3, 65536, 7}, true, [3]int64{3 * 65536 * 7, 1, 1}},
		{[]Expr{Int(3), open}, []int64{3, 100}, false, [3]int64{100, 3, 1}},
		{[]Expr{open, Int(3)}, []int64{100, 3}, true, [3]int64{300, 1, 1}},
		{[]Expr{open, open, open}, []int64{1 << 30, 1 << 30, 1 << 30}, true, [3]int64{math.MaxInt64, 1, 1}},
	} {
		g := &Grid{}
		for _, c := range test.counts {
			g.Groups = append(g.Groups, GroupAxis{Count: c})
		}
		if got := (Launch{Groups: test.groups}).Dimensions(g); g.InLine() != test.line || got != test.want {
			t.Errorf("%v: %v, in line %t; expected %v, %t", test.groups, got, g.InLine(), test.want, test.line)
		}
	}
}
