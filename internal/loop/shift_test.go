package loop

import (
	"math"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// TestScanLanes: a scan of a linear recurrence in a vector needs no product of an identity and an infinite prefix.
func TestScanLanes(t *testing.T) {
	const lanes = 8
	factors := [lanes]float64{1e200, 1e200, 0.5, 1, 0.25, 1, 2, 1}
	constant := func(v float64) Expr { return &Const{Elem: tensor.Float64, Bits: math.Float64bits(v)} }
	list := []Expr{&Broadcast{X: constant(1), Lanes: lanes}, &Broadcast{X: constant(1), Lanes: lanes}}
	for k, f := range factors { // lane k is f
		list[0] = &Select{Cond: &Binary{Op: ein.Eq, X: &Ramp{Base: Int(0), Stride: 1, Lanes: lanes}, Y: &Broadcast{X: Int(int64(k)), Lanes: lanes}},
			Then: &Broadcast{X: constant(f), Lanes: lanes}, Else: list[0]}
	}
	identity := []Expr{constant(1), constant(0)}
	compose := func(l, r []Expr) []Expr {
		multiply := func(x, y Expr) Expr { return &Binary{Op: ein.Mul, X: x, Y: y} }
		return []Expr{multiply(l[0], r[0]), &Binary{Op: ein.Add, X: multiply(r[0], l[1]), Y: r[1]}}
	}
	ev := &evaluator{vars: map[*Var][]uint64{}, memory: map[*Buffer]*memory{}}
	got := ev.expr(ScanLanes(list, identity, false, compose)[1])
	plain := ev.expr(ScanLanes(list, identity, true, compose)[1])
	want := 0.0
	for k, f := range factors {
		want = f*want + 1
		if v := math.Float64frombits(got[k]); math.IsNaN(v) || math.Abs(v-want) > 1e-12*want {
			t.Errorf("lane %d is %v, not %v", k, v, want)
		}
	}
	if !math.IsNaN(math.Float64frombits(plain[1])) {
		t.Error("the factors are no test")
	}
}
