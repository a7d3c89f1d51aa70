package ein_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

var conditionIndices = []*ein.Index{{Name: "i"}, {Name: "j"}}

// drawCondition draws a condition over two indices, with its value at a point.
func drawCondition(t *rapid.T, depth int) (ein.Expr, func(at map[string]int64) bool) {
	if depth == 0 {
		op := rapid.SampledFrom([]ein.BinaryOp{ein.Lt, ein.Le, ein.Gt, ein.Ge, ein.Eq, ein.Ne}).Draw(t, "comparison")
		i := rapid.SampledFrom(conditionIndices).Draw(t, "index")
		n := rapid.Int64Range(-2, 4).Draw(t, "number")
		value := func(at map[string]int64) bool {
			x := at[i.Name]
			return map[ein.BinaryOp]bool{ein.Lt: x < n, ein.Le: x <= n, ein.Gt: x > n, ein.Ge: x >= n, ein.Eq: x == n, ein.Ne: x != n}[op]
		}
		return &ein.Binary{Op: op, X: &ein.IndexRef{Index: i}, Y: ein.IntConst(tensor.Int64, n)}, value
	}
	x, valueX := drawCondition(t, depth-1)
	y, valueY := drawCondition(t, depth-1)
	switch rapid.IntRange(0, 4).Draw(t, "connective") {
	case 0:
		return &ein.Binary{Op: ein.And, X: x, Y: y}, func(at map[string]int64) bool { return valueX(at) && valueY(at) }
	case 1:
		return &ein.Binary{Op: ein.Or, X: x, Y: y}, func(at map[string]int64) bool { return valueX(at) || valueY(at) }
	case 2:
		return &ein.Unary{Op: ein.Not, X: x}, func(at map[string]int64) bool { return !valueX(at) }
	case 3:
		return &ein.Select{Cond: x, Then: y, Else: ein.IntConst(tensor.Bool, 0)}, func(at map[string]int64) bool { return valueX(at) && valueY(at) }
	}
	z, valueZ := drawCondition(t, depth-1)
	return &ein.Select{Cond: x, Then: y, Else: z}, func(at map[string]int64) bool {
		if valueX(at) {
			return valueY(at)
		}
		return valueZ(at)
	}
}

// TestSaysIsTrue draws conditions: where one has a value, one of the alternatives holds. Of small conditions
// they hold nowhere else.
func TestSaysIsTrue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		depth := rapid.IntRange(0, 3).Draw(t, "depth")
		condition, value := drawCondition(t, depth)
		holds := rapid.Bool().Draw(t, "holds")
		said := ein.Says(condition, holds, ein.AffineOf, nil)
		for i := int64(-4); i < 7; i++ {
			for j := int64(-4); j < 7; j++ {
				at := map[string]int64{"i": i, "j": j}
				if has, says := value(at) == holds, isTrue(t, said, at); has && !says || says && !has && depth < 2 {
					t.Fatalf("%v is %t at %v: %v says %t", condition, value(at), at, said, says)
				}
			}
		}
	})
}

// TestAllOf: what is left out makes less known, and is told.
func TestAllOf(t *testing.T) {
	fact := func(n int64) []affine.Expr { return []affine.Expr{affine.Symbol("i").AddConst(n)} }
	two := ein.Alternatives{fact(0), fact(1)}
	one := ein.Alternatives{fact(7)}
	all, complete := ein.AllOf([]ein.Alternatives{two, two, two, two, two, one})
	if complete || len(all) != 16 || len(all[0]) != 5 || !all[0][0].Equal(fact(7)[0]) {
		t.Errorf("%v, complete %t", all, complete)
	}
	if all, complete = ein.AllOf([]ein.Alternatives{two, one}); !complete || len(all) != 2 {
		t.Errorf("%v, complete %t", all, complete)
	}
}

func isTrue(t *rapid.T, said ein.Alternatives, at map[string]int64) bool {
	for _, facts := range said {
		holds := true
		for _, f := range facts {
			v, err := f.Eval(at)
			if err != nil {
				t.Fatal(err)
			}
			holds = holds && v >= 0
		}
		if holds {
			return true
		}
	}
	return false
}
