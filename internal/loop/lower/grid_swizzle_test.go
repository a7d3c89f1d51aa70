package lower

import (
	"testing"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// TestSwizzled: what is side by side stays so where it is known to begin at a multiple of its length in one unit; else each lane has a
// place of its own. Blocks without elements are not swizzled.
func TestSwizzled(t *testing.T) {
	place := &schedule.Place{Swizzle: schedule.Swizzle{Unit: 4, Units: 8, Rows: 2}}
	if s := swizzleOf(place, 0); s != nil {
		t.Errorf("an empty row is swizzled: %v", s)
	}
	st := &storage{swizzle: swizzleOf(place, 64)}
	if st.swizzle.Every != 128 {
		t.Errorf("the order is the same for %d elements", st.swizzle.Every)
	}
	v := &loop.VarRef{Var: &loop.Var{Name: "v", Type: loop.Int(0).Type()}}
	l := &lowerer{vars: map[string]*loop.Var{"v": v.Var}}
	for _, test := range []struct {
		at     affine.Expr
		lanes  int
		vector bool
	}{
		{affine.Symbol("v"), 1, false},
		{affine.Symbol("v").Scale(4).AddConst(8), 4, false},
		{affine.Symbol("v").Scale(4).AddConst(6), 4, true},
		{affine.Symbol("v").Scale(2), 2, false},
		{affine.Symbol("v").Scale(8), 8, true}, // more than a unit
		{affine.Symbol("v"), 2, true},
	} {
		index := st.swizzled(l.toLoop(test.at, 1), test.lanes)
		if got := index.Type().Lanes > 1; got != test.vector {
			t.Errorf("%d lanes from %s on: %s", test.lanes, test.at, loop.ExprText(index))
		}
	}
}
