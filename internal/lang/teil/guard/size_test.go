package guard_test

import (
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/teil"
	"github.com/ricci-lang/ricci/internal/lang/teil/guard"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// TestScalarSizes: a size that is the value of a scalar may be any integer; a program that
// uses it is safe where a call tests what it needs, and has the size under the scalar's name.
func TestScalarSizes(t *testing.T) {
	for _, c := range []struct{ head, body, want string }{
		{"", "y[i] = A[{s}, i]", "T-Shift|T-Proj"},
		{" require s >= 0 because \"\"\n require M - s - 1 >= 0 because \"\"\n", "y[i] = A[{s}, i]", "y = proj 1 (s + 1) A"},
		{" require s >= 0 because \"\"\n require M - s >= 0 because \"\"\n", "y[i] = A[{s}, i]", "T-Proj"},
		{" require s + 1 >= 0 because \"\"\n require M - s - 1 >= 0 because \"\"\n", "y[i] = A[{s}, i]", "T-Proj"},
	} {
		for _, name := range []string{"s", "shift"} { // an operation of TeIL is no name of a tensor
			head, body := strings.ReplaceAll(c.head, "s ", name+" "), strings.ReplaceAll(c.body, "{s}", "{"+name+"}")
			text := "func f {\n size M = dim 0 of A\n size N = dim 1 of A\n size " + name + " = value of " + name + "\n in A: float32[M, N]\n in " + name + ": int32[]\n out y: float32[N]\n" + head + " for i in 0:N { " + body + " }\n}"
			f, err := ein.ParseFunc("f", text)
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			r, err := guard.Check(f)
			if err != nil {
				t.Fatal(err)
			}
			want := c.want
			if r.Verdict != guard.Safe {
				if r.Verdict == guard.Refused && !strings.Contains(want, r.Refusal.Rule) || r.Verdict == guard.NotExpressible {
					t.Errorf("want %s, got %v %v\n%s", want, r.Verdict, r.Refusal, text)
				}
				continue
			}
			if name != "s" {
				want = strings.ReplaceAll(want, "(s ", "("+name+"_ ")
			}
			program := syntax.PrintProgram(r.Program)
			if !strings.Contains(program, want) {
				t.Errorf("want %s in\n%s", want, program)
			}
			if _, diagnostics := teil.Compile(source.NewFile("guard.teil", program), lang.Options{}); diagnostics.HasErrors() {
				t.Errorf("%v\n%s", diagnostics.Err(), program)
			}
		}
	}
}
