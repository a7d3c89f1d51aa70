package passes

import (
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

// TestOccurrencesOfAll counts a vector that is read always, and not what a scalar condition may leave out.
func TestOccurrencesOfAll(t *testing.T) {
	x := &loop.Buffer{Name: "x", Type: loop.Scalar(tensor.Bool), Region: loop.Argument, ReadOnly: true}
	at := func(first int64) loop.Expr {
		return &loop.Load{Buffer: x, Index: &loop.Ramp{Base: loop.Int(first), Stride: 3, Lanes: 8}, Lanes: 8}
	}
	all := func(first int64) loop.Expr { return &loop.Fold{Op: ein.And, X: at(first)} }
	for _, op := range []ein.BinaryOp{ein.And, ein.Or} {
		v := &loop.Var{Name: "v", Type: loop.Scalar(tensor.Bool)}
		list := []loop.Stmt{&loop.Let{Var: v, Value: &loop.Binary{Op: op, X: all(1), Y: all(2)}}}
		counts, order := loop.Occurrences(list, isApart)
		if len(order) != 1 || counts[loop.ExprText(at(1))] != 1 {
			t.Errorf("%v: %v are read always", op, counts)
		}
	}
}
