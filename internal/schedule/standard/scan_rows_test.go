package standard

import (
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/tensor"
)

// TestChains: a maximum waits as long as the machine says of choices, a sum does not, and a scan is computed row by row only
// where that is shorter than to gather it.
func TestChains(t *testing.T) {
	for kind, want := range map[ein.OperatorKind][2]float64{ein.SumOp: {1, 1}, ein.MaxOp: {1, 5}} {
		op := ein.BuiltinOperator(kind, tensor.Float32)
		for n, choice := range []float64{1, 5} {
			if got := chain(op, choice); got != want[n] {
				t.Errorf("%v waits %g additions where a choice takes %g, expected %g", op.Name, got, choice, want[n])
			}
		}
	}
	f := parseFunc(t, `func f { in X: float32[300, 1000] out Y: float32[300, 1000] for i in 0:300, j in 0:1000 scan max { Y[i, j] = X[i, j] } }`)
	waits := func(choice float64) bool {
		m := differentMachines[0].WithValue(machine.Choice, choice).WithValue(machine.LaneIn, 8).WithValue(machine.LaneOut, 8)
		return newMaker(f, m, schedule.Options{}).waitsLess(f.Body[0], f.Body[0].Indices[0])
	}
	if !waits(1) || waits(100) {
		t.Errorf("row by row: %v where choices are quick, %v where they are slow", waits(1), waits(100))
	}
}
