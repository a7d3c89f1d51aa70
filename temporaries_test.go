package ricci_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci"
)

// TestMemoryLimit: temporaries that take more than the limit are an error before a call, with sizes that are known and not;
// the schedule names them.
func TestMemoryLimit(t *testing.T) {
	program := ricci.MustParse("steps.tc", `def step(float(N,N) A) -> (B) { B(i,j) = clamp(A(i-1,j)) + clamp(A(i+1,j)) where i in 0:N, j in 0:N }
def steps(float(N,N) A) -> (D) { B = step(A)  C = step(B)  D = step(C) }`)
	defer program.Close()
	def, err := program.Def("steps")
	if err != nil {
		t.Fatal(err)
	}
	const n = 200 // 160 kB for each of B and C
	signature := ricci.Signature{Shapes: map[string][]int{"A": {n, n}}}
	text, err := def.Stage(t.Context(), ricci.StageSchedule, map[string]int64{"N": n}, ricci.Options{})
	if err != nil || !strings.Contains(text, "# memory: temporaries take 320 kB: B 160 kB, C 160 kB") {
		t.Errorf("%v: the schedule does not say what temporaries take:\n%s", err, text)
	}
	for _, c := range []struct {
		limit int64
		fits  bool
	}{{0, true}, {-1, true}, {320000, true}, {319999, false}} {
		for _, dynamic := range [][]string{nil, {"N"}} {
			kernel, err := def.Compile(t.Context(), signature, ricci.Options{Memory: c.limit, Dynamic: dynamic, NoCache: true})
			if err == nil && kernel.Target() != ricci.C {
				t.Skip("no C compiler: the evaluator has its own memory")
			}
			if err == nil {
				a := filled(t, 1, n, n)
				err = kernel.Run(t.Context(), a, filled(t, 0, n, n))
				_ = kernel.Close()
			}
			var list ricci.ErrorList
			if refused := errors.As(err, &list) && list[0].Code == "E0632"; c.fits && err != nil || !c.fits && !refused {
				t.Errorf("limit %d, dynamic %v: %v", c.limit, dynamic, err)
			}
		}
	}
}
