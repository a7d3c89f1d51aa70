package tc

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
)

func verifyUnit(t *testing.T, unit *Unit) {
	t.Helper()
	for _, f := range unit.Program.Funcs {
		if err := ein.Verify(f); err != nil {
			t.Errorf("%v\n%s", err, ein.Print(f))
		}
	}
}

// describe lists the dimensions of the outputs, the indices and the conditions.
func describe(d *DefInfo) string {
	var lines []string
	for _, t := range d.Func.Outputs() {
		dims := make([]string, len(t.Dims))
		for i, dim := range t.Dims {
			dims[i] = fmt.Sprintf("(%s, %s)", dim.Min, dim.Extent)
		}
		lines = append(lines, strings.TrimSpace(t.Name+" "+strings.Join(dims, " ")))
	}
	for _, r := range d.Func.Requires {
		lines = append(lines, "if "+r.Expr.String()+" >= 0")
	}
	return strings.Join(lines, "; ")
}

// TestRanges holds the inference examples of the public suite, of the paper and
// of the users' complaints: the (min, extent) of each output dimension, and the
// conditions on the sizes.
func TestRanges(t *testing.T) {
	for _, test := range []struct{ name, program, want string }{
		{"copy", "float(P) I) -> (O) { O(i) = I(i) }", "O (0, P)"},
		{"transpose", "float(P,Q) I) -> (O) { O(i,j) = I(j,i) }", "O (0, Q) (0, P)"},
		{"matmul", "float(M,K) A, float(K,N) B) -> (C) { C(i,j) +=! A(i,k) * B(k,j) }", "C (0, M) (0, N)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			unit, diags := compileText(t, "def f("+test.program)
			if diags.HasErrors() {
				var b strings.Builder
				source.RenderAll(&b, diags.List, source.RenderOptions{})
				t.Fatal(b.String())
			}
			if got := describe(unit.Def("f")); got != test.want {
				t.Errorf("\n got %s\nwant %s", got, test.want)
			}
		})
	}
}
