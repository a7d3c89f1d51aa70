package ricci_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/tensor"
)

// filled is an array of one value.
func filled(t *testing.T, v float64, shape ...int) *tensor.Tensor {
	t.Helper()
	a, err := tensor.New(tensor.Float32, shape...)
	if err != nil {
		t.Fatal(err)
	}
	tensor.FillConst(a, v)
	return a
}

// TestNumericsModes: what regroups products differs between the modes, and an unknown mode is an error.
func TestNumericsModes(t *testing.T) {
	const text = `def norm4(float(N) x, float s) -> (y) { y +=! (x(i)*s)*(x(i)*s)*(x(i)*s)*(x(i)*s) }
def mask(float(M) m, float(M,K) A) -> (y) { y(i) +=! m(i) * A(i,k) }
def parted(float(M,J) A, float(J,K) B, float(K) x) -> (y) { y(i) +=! A(i,j) * B(j,k) * x(k) }
`
	program, err := ricci.Parse("modes.tc", text)
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	cases := []struct {
		def  string
		args map[string]*tensor.Tensor
		want float64
	}{
		{"norm4", map[string]*tensor.Tensor{"x": filled(t, 1e20, 16), "s": filled(t, 1e-20)}, 16},
		{"mask", map[string]*tensor.Tensor{"m": filled(t, 0, 3), "A": filled(t, 3e38, 3, 50)}, 0},
		{"parted", map[string]*tensor.Tensor{"A": filled(t, 1e-30, 30, 40), "B": filled(t, 1e10, 40, 30), "x": filled(t, 1e30, 30)}, 1200 * 1e10},
		{"parted", map[string]*tensor.Tensor{"A": filled(t, 0, 30, 40), "B": filled(t, 3e38, 40, 30), "x": filled(t, 1, 30)}, 0},
	}
	for _, mode := range []string{"", "strict", "default"} {
		for _, c := range cases {
			def, err := program.Def(c.def)
			if err != nil {
				t.Fatal(err)
			}
			kernel, err := def.CompileFor(context.Background(), c.args, ricci.Options{Numerics: mode, Target: ricci.Auto, NoCache: true})
			if err != nil {
				t.Fatal(err)
			}
			results, err := kernel.RunNamed(context.Background(), c.args)
			if err != nil {
				t.Fatal(err)
			}
			y := results["y"]
			for o := range y.Offsets() {
				if got := y.FloatAt(o); !(math.Abs(got-c.want) <= 1e-5*c.want) {
					t.Errorf("%q: %s is %v, want %v", mode, c.def, got, c.want)
					break
				}
			}
		}
	}
	def, err := program.Def("mask")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := def.CompileFor(context.Background(), cases[1].args, ricci.Options{Numerics: "strong"}); err == nil || !strings.Contains(fmt.Sprint(err), "strict, default, fast") {
		t.Errorf("an unknown mode: %v", err)
	}
}

// TestGuardTripped: where regrouped products overflow the user is told once, and calls are counted; no other
// call of the same kernel counts.
func TestGuardTripped(t *testing.T) {
	program, err := ricci.Parse("parted.tc", "def parted(float(M,J) A, float(J,K) B, float(K) x) -> (y) { y(i) +=! A(i,j) * B(j,k) * x(k) }")
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	def, err := program.Def("parted")
	if err != nil {
		t.Fatal(err)
	}
	const n = 40
	tame, wild := filled(t, 1, n), filled(t, 1e30, n) // B·x is infinite, A·B·x is not
	a, b, y := filled(t, 1e-30, n, n), filled(t, 1e10, n, n), filled(t, 0, n)
	var warnings []string
	options := ricci.Options{NoCache: true, Warning: func(d *ricci.Diagnostic) { warnings = append(warnings, d.Error()) }}
	kernel, err := def.Compile(t.Context(), ricci.Signature{Shapes: map[string][]int{"A": {n, n}, "B": {n, n}, "x": {n}}}, options)
	if err != nil {
		t.Fatal(err)
	}
	if kernel.Target() != ricci.C {
		t.Skip("no C compiler: the evaluator has no guards")
	}
	calls := []struct {
		x       *tensor.Tensor
		want    float64
		tripped int64
	}{{tame, n * n * 1e-20, 0}, {wild, n * n * 1e10, 1}, {tame, n * n * 1e-20, 1}, {wild, n * n * 1e10, 2}}
	for k, call := range calls {
		if err := kernel.Run(t.Context(), a, b, call.x, y); err != nil {
			t.Fatal(err)
		}
		if got := y.FloatAt(0); !(math.Abs(got-call.want) <= 1e-5*call.want) || kernel.GuardsTripped() != call.tripped {
			t.Errorf("call %d: %v and %d tripped guards, want %v and %d", k, got, kernel.GuardsTripped(), call.want, call.tripped)
		}
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0], "E0631") {
		t.Errorf("warned of a tripped guard: %q", warnings)
	}
	if err := kernel.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestNumericsShown: the schedule says which mode it is for, and what is regrouped without a guard.
func TestNumericsShown(t *testing.T) {
	program, err := ricci.Parse("shown.tc", "def hyper(float(E,N,N,N) u, float(M,N) A) -> (v) { v(e,i,j,k) +=! A(i,a) * A(j,b) * A(k,c) * u(e,a,b,c) }")
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	def, err := program.Def("hyper")
	if err != nil {
		t.Fatal(err)
	}
	show := func(mode string, elements int64) string {
		text, err := def.Stage(t.Context(), ricci.StageSchedule, map[string]int64{"E": elements, "N": 8, "M": 8}, ricci.Options{Numerics: mode})
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	if text := show("default", 10000); !strings.Contains(text, "# numerics: the sum v is regrouped without a guard (minimise)") {
		t.Errorf("nothing is said of a sum without a guard:\n%s", text)
	}
	if text := show("default", 4); strings.Contains(text, "# numerics") {
		t.Errorf("a guarded sum needs no remark:\n%s", text)
	}
	if text := show("strict", 4); !strings.HasPrefix(text, "# numerics: strict\n") || strings.Count(text, "filter") > 0 {
		t.Errorf("in strict mode there is one statement:\n%s", text)
	}
}
