package mdh

import (
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/machine"
)

// TestExpressionErrors spoils the text of a low-level expression: nothing that it says is
// passed over, and the message says where.
func TestExpressionErrors(t *testing.T) {
	f := parseFunc(t, square)
	c := ComputationOf(f, 0)
	text := Plain(c, machine.Of(processor, 4)).BriefExpression(c)
	for _, test := range []struct{ old, replacement, want string }{
		{"", "", ""},
		{"  + k", "  max k", "parameter R1 at level (1,3): k is combined with +, found max"},
		{"  + k", "  ++ k", "parameter R1 at level (1,3): k is combined with +, found ++"},
		{" k ", " l ", "parameter D1 at level (1,3): dimension 3 of S0 is k, found l"},
		{"+ k", "+ i", "line 10: scalar: level (5,3) is of i, found k"},
		{"  ++ i", "  + i", `line 3: de-composition: found the operator "+", expected "++"`},
		{"  k ", "  + k ", `line 10: scalar: found the operator "+", expected ""`},
		{"on host", "on tpu", `line 1: found "lowlevel S0 on tpu", expected a model: host, a100`},
		{"on host", "on hots", `openmp+l3, openmp; did you mean host?`},
		{"(L1,0)", "(SHR,0)", "line 3: found \"++ i  (SHR,0)"},
		{"A:MM[1,2]", "A:DM[1,2]", `line 3: found "DM", expected a region of host`},
		{"p(5,1)", "p(9,1)", "line 3: found"},
		{"scalar", "scaler", "line 6: found"},
		{"B:MM", "X:MM", "line 3: de-composition: level (5,1) has the buffer X, expected [A B]"},
		{"p(5,2) in 1024  A", "p(5,2) in 12  A", "line 9: scalar: level (5,2) has 1024 parts, and 12 in the de-composition"},
		{"S0", "S4", "there is no statement S4"},
	} {
		spoilt := strings.Replace(text, test.old, test.replacement, 1)
		if test.old == " k " {
			spoilt = strings.ReplaceAll(text, test.old, test.replacement)
		}
		if test.old != "" && spoilt == text {
			t.Fatalf("there is no %q in\n%s", test.old, text)
		}
		p, err := ParsePlan(spoilt, hostModels)
		if err == nil {
			_, err = Make(f, p)
		}
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%q for %q: %v, expected %q\n%s", test.replacement, test.old, err, test.want, spoilt)
		}
	}
}
