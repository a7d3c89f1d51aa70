package ricci

import (
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/affine"
)

// TestGuard: a front end's mistake is refused, at the place in the program.
func TestGuard(t *testing.T) {
	program, err := Parse("conv.tc", "def conv(float(N) I, float(K) w) -> (O) { O(x) +=! I(x + k) * w(k) }")
	if err != nil {
		t.Fatal(err)
	}
	def := program.Defs()[0]
	g, err := def.Guard()
	if err != nil || g.Verdict != GuardSafe || len(g.Conditions) != 1 || g.Conditions[0].Text != "N >= K" || !strings.Contains(g.Program, "window 1 K I") {
		t.Errorf("%+v, %v", g, err)
	}
	x := def.info.Func.Body[0].Indices[0]
	x.Extent = affine.Symbol("N") // as if the inference had forgotten the K places at the end
	def.info.Func.Outputs()[0].Dims[0].Extent = x.Extent
	g, err = def.Guard()
	if err != nil || g.Verdict != GuardRefused || g.Rule != "T-Shift" || g.Problem == nil || g.Problem.Span.Text() != "x + k" {
		t.Errorf("%+v, %v", g, err)
	}
}
