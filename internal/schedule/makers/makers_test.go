package makers

import (
	"errors"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/fetch"
	"github.com/ricci-lang/ricci/internal/schedule/mdh"
	"github.com/ricci-lang/ricci/internal/schedule/standard"
	"github.com/ricci-lang/ricci/internal/source"
)

const product = `
func product {
  in A: float32[100, 300]
  in B: float32[300, 200]
  temp C: float32[100, 200]
  out R: float32[100, 200]
  for i in 0:100, j in 0:200, k in 0:300 reduce + { C[i, j] = A[i, k] * B[k, j] }
  for i in 0:100, j in 0:200 { R[i, j] = max(C[i, j], 0f32) }
}`

var processor = &machine.Processor{VectorBytes: 64, VectorRegisters: 32, L1: 48 << 10, L2: 2 << 20, L3: 32 << 20, Cores: 2}

func parseFunc(t testing.TB, text string) *ein.Func {
	t.Helper()
	f, err := ein.ParseFunc("test", text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestForms makes the same function's schedule from all forms of text.
func TestForms(t *testing.T) {
	f := parseFunc(t, product)
	tree, err := standard.Default(f, processor)
	if err != nil {
		t.Fatal(err)
	}
	parameters, err := Describe(f, processor, tree)
	if err != nil {
		t.Fatal(err)
	}
	for form, text := range map[Form]string{
		Tree:       "# a comment\n" + schedule.Print(tree),
		Parameters: parameters,
		Script:     "# a comment\nc = build(C)\nvectorize(c, 2)\ncodegen(c, build(R))",
		Options:    "\n.tile(32, 64)\n  .unroll(24).fuse(max).useSharedMemory(true).matchLibraryCalls(true)",
	} {
		if got := FormOf(text); got != form {
			t.Errorf("recognised as %s, expected %s", got, form)
		}
		made, idle, err := FromText(f, processor, nil, "", text)
		if err != nil {
			t.Errorf("%s: %v\n%s", form, err, text)
			continue
		}
		if !strings.Contains(schedule.Print(made), "vector 16") {
			t.Errorf("%s: no vectors in\n%s", form, schedule.Print(made))
		}
		if (len(idle.Marks) > 0) != (form == Options) {
			t.Errorf("%s: notices %q", form, idle)
		}
	}
}

// TestExpressions takes the low-level expressions of a function with one group per
// statement as the schedule.
func TestExpressions(t *testing.T) {
	f := parseFunc(t, product)
	p, _, err := mdh.FromTree(f, processor, schedule.Canonical(f))
	if err != nil {
		t.Fatal(err)
	}
	plain := ""
	for _, g := range p.Groups {
		plain += g.Members[0].Configuration.Expression(mdh.ComputationOf(f, g.Members[0].Statement))
	}
	if FormOf(plain) != LowLevel {
		t.Errorf("%s is not recognised", plain)
	}
	made, _, err := FromText(f, processor, nil, "", plain)
	if err != nil {
		t.Fatal(err)
	}
	canonical := schedule.Canonical(f)
	fetch.Mark(f, canonical, processor, nil)
	if schedule.Print(made) != schedule.Print(canonical) {
		t.Errorf("made\n%s", schedule.Print(made))
	}
}

// TestRefusals checks what is said about texts that are no schedule.
func TestRefusals(t *testing.T) {
	f := parseFunc(t, product)
	for text, want := range map[string]string{
		"":                                 "the schedule is empty",
		"l = build(":                       "expected an expression",
		"l = build(Q)":                     "no statement of product assigns Q",
		"hello":                            "expected domain",
		"mdh S0 on mars":                   "a model: host, a100, artificial, cuda+wrp",
		"mdh S0 on host":                   "expected level #PRT",
		"group S0 shared one":              "group S0 S1 … shared NUMBER",
		"lowlevel S0 on host":              "expected de-composition",
		".tile(x)":                         "x is no number",
		"mdh S0 on host\nlevel #PRT D1 D2": "expected \"level #PRT D1 D2 S1 S2 R1 R2\"",
	} {
		_, _, err := FromText(f, processor, nil, "", text)
		var syntax *SyntaxError
		var diagnostics source.ErrorList
		if !errors.As(err, &syntax) && !errors.As(err, &diagnostics) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, expected %q", text, err, want)
		}
	}
	text, err := Describe(f, processor, schedule.Canonical(f))
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []struct{ from, to, want string }{
		{"mdh S1 on host", "mdh S0 on host", "S0"},
		{"(5,3)  300", "(5,3)  30", "parameter 0 at level (1,3): 1 parts of 30 do not cover the block of 300 of k: expected 10"},
		{"(5,1)  100", "(5,1)  *", "parameter 0 at level (5,1): the number of parts must be given"},
	} {
		_, _, err := FromText(f, processor, nil, "", strings.Replace(text, change.from, change.to, 1))
		if err == nil || !strings.Contains(err.Error(), change.want) {
			t.Errorf("%s: %v, expected %q", change.to, err, change.want)
		}
	}
}

func FuzzFromText(f *testing.F) {
	fn := parseFunc(f, product)
	tree, err := standard.Default(fn, processor)
	if err != nil {
		f.Fatal(err)
	}
	text, err := Describe(fn, processor, tree)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add(schedule.Print(tree))
	f.Add(".tile(8, 8)")
	f.Add("l = tile(build(C), 8)\nunroll(l, 6)\ncodegen(l, build(R))")
	f.Fuzz(func(t *testing.T, text string) {
		made, _, err := FromText(fn, processor, nil, "", text)
		if err != nil {
			return
		}
		if err := schedule.Check(fn, made); err != nil {
			t.Fatal(err)
		}
	})
}
