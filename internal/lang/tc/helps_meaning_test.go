package tc

import "testing"

// TestHelpsMean follows helps of warnings literally, and evaluates what the author meant: a help that silences a warning and
// leaves a wrong result is worse than none.
func TestHelpsMean(t *testing.T) {
	for _, c := range []struct {
		program      string
		pieces       []string // of the help and of the mended program
		mended       string
		inputs, want map[string]string
	}{
		// E0315
		{"def f(float(H,W) u) -> (t) { t +=! fabs(u(i+1,j)-u(i,j)) + fabs(u(i,j+1)-u(i,j)) }", []string{"pad(fabs(u(i,j+1)-u(i,j)), 0)"},
			"def f(float(H,W) u) -> (t) { t +=! pad(fabs(u(i+1,j)-u(i,j)), 0) + pad(fabs(u(i,j+1)-u(i,j)), 0) }",
			map[string]string{"u": "2,2: 1 5 2 9"}, map[string]string{"t": ": 16"}},
		{"def f(float(N) p, float(N) q) -> (H) { H +=! p(i)*p(i)/2 + d*d/2 where d = q(i+1) - q(i) }", []string{"pad(d*d, 0)"},
			"def f(float(N) p, float(N) q) -> (H) { H +=! p(i)*p(i)/2 + pad(d*d, 0)/2 where d = q(i+1) - q(i) }",
			map[string]string{"p": "3: 2 0 4", "q": "3: 5 7 3"}, map[string]string{"H": ": 20"}},
		{"def f(float(N) x) -> (s) { s +=! x(i) + x(i+1)*x(i) - 2*x(i+2) }", []string{"pad(x(i+1)*x(i), 0)", "pad(x(i+2), 0)"},
			"def f(float(N) x) -> (s) { s +=! x(i) + pad(x(i+1)*x(i), 0) - 2*pad(x(i+2), 0) }",
			map[string]string{"x": "3: 1 2 3"}, map[string]string{"s": ": 8"}},
		{"def f(int(N) p) -> (s) { s(i) = p(i) + (p(i) == 10 ? p(i+1) + p(i+2) : 0) }", []string{"pad(p(i+1), 0)", "pad(p(i+2), 0)"},
			"def f(int(N) p) -> (s) { s(i) = p(i) + (p(i) == 10 ? pad(p(i+1), 0) + pad(p(i+2), 0) : 0) }",
			map[string]string{"p": "4: 10 3 4 10"}, map[string]string{"s": "4: 17 3 4 10"}},
	} {
		follow(t, "", c.program, c.pieces, c.mended)
		got, err := evaluate(t, c.mended, c.inputs)
		if err != nil {
			t.Errorf("%s\n%v", c.mended, err)
			continue
		}
		for name, want := range c.want {
			if value := formatArray(got[name]); value != want {
				t.Errorf("%s\n%s = %s, want %s", c.mended, name, value, want)
			}
		}
	}
}
