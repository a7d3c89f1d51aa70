package teil

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/goldentest"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
	"github.com/ricci-lang/ricci/internal/lang/teil/teiltest"
	"github.com/ricci-lang/ricci/internal/source"
)

// TestEquations compares how programs are rewritten with what was recorded.
func TestEquations(t *testing.T) {
	goldentest.Run(t, "testdata/equations/*.txtar", "equations", 1, func(t *testing.T, inputs []string) string {
		file := source.NewFile("test.teil", inputs[0])
		parsed, _ := syntax.Parse(file)
		var b strings.Builder
		for _, p := range parsed.Programs {
			if err := equations(&b, file, lang.Options{}, p.Name.Name, map[string]int64{"m": 8, "n": 8}); err != nil {
				t.Fatal(err)
			}
			b.WriteByte('\n')
		}
		return b.String()
	})
}

// TestStepsAreEquations takes random programs and compares both sides of every step of
// their rewriting: they have one shape, and one value at every index by Figure 6.
func TestStepsAreEquations(t *testing.T) {
	count := uint64(1500)
	if testing.Short() {
		count = 200
	}
	used := map[string]int{}
	for seed := range count {
		p := teiltest.Contraction(seed)
		if seed%3 == 0 {
			p = teiltest.Program(seed, teiltest.Options{Depth: 7})
		}
		typing, diagnostics := CheckProgram(p)
		if typing == nil {
			t.Fatalf("seed %d: %v\n%s", seed, diagnostics.Err(), syntax.PrintProgram(p))
		}
		r := typing.Optimise()
		memory := teiltest.InitialMemory(p, seed)
		for _, s := range r.Steps {
			used[s.Equation.Theorem]++
			if s.Equation != liftingLaw {
				compareSides(t, seed, p, memory, s)
			}
		}
		want, err := teiltest.Run(teiltest.Integers{}, p, memory)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if seed%3 != 0 {
			compareRun(t, seed, typing, memory, want)
			if before, after := estimate(typing.Count()), estimate(r.Result.Count()); after > before {
				t.Errorf("seed %d: %g operations become %g\n%s", seed, before, after, r.text(nil))
			}
		}
	}
	for _, q := range Equations() {
		if used[q.Theorem] == 0 && !testing.Short() {
			t.Errorf("%s was never used", q.Theorem)
		}
	}
	t.Log(used)
}

// TestRewrittenPrograms reads programs that are printed after rewriting: they have types
// again, also of elements, where lifting computes 16-bit floats in float32.
func TestRewrittenPrograms(t *testing.T) {
	texts, err := filepath.Glob("../../../examples/teil/*.teil")
	if err != nil || len(texts) == 0 {
		t.Fatal(err, len(texts))
	}
	for n, path := range texts {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts[n] = string(text)
	}
	for _, element := range []string{"float16", "bfloat16", "float32", "int8"} {
		texts = append(texts, strings.ReplaceAll(`
alloc A : T [n, n] in
alloc u : T [n, n] in
alloc k : int32 [n, n] in
alloc v : T [n, n] out
v = add u (contr 2 3 (prod A (contr 2 3 (prod (T k) (neg u)))))
v = select (lt v (contr 2 3 (prod A u))) (mul v (expa 1 n (T (float64 (red+ 1 u))))) (T (contr 2 3 (prod k k)))
`, "T", element))
	}
	for _, text := range texts {
		typings, diagnostics := checkText(text)
		if err := diagnostics.Err(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		for _, typing := range typings {
			printed := syntax.PrintProgram(typing.Optimise().Result.Program)
			if _, diagnostics := checkText(printed); diagnostics.HasErrors() {
				t.Errorf("%v\n%s", diagnostics.Err(), printed)
			}
		}
	}
}

func checkText(text string) ([]*Typing, *source.Diagnostics) {
	parsed, diagnostics := syntax.Parse(source.NewFile("test.teil", text))
	if diagnostics.HasErrors() {
		return nil, diagnostics
	}
	return Check(parsed)
}

func compareSides(t *testing.T, seed uint64, p *syntax.Program, memory teiltest.Memory[int64], s Step) {
	t.Helper()
	g := teiltest.ContextOf(p)
	before, ok0 := teiltest.Shape(g, s.Before)
	after, ok1 := teiltest.Shape(g, s.After)
	if !ok0 || !ok1 || !slices.Equal(before, after) {
		t.Fatalf("seed %d: %s changes the shape %v to %v: %s = %s", seed, s.Equation.Theorem, before, after, syntax.PrintExpr(s.Before), syntax.PrintExpr(s.After))
	}
	for k := range teiltest.Indices(before) {
		x, _ := teiltest.Value(teiltest.Integers{}, g, memory, s.Before, k)
		y, defined := teiltest.Value(teiltest.Integers{}, g, memory, s.After, k)
		if !defined || x != y {
			t.Fatalf("seed %d: %s is wrong at %v: %d and %d in %s = %s", seed, s.Equation.Theorem, k, x, y, syntax.PrintExpr(s.Before), syntax.PrintExpr(s.After))
		}
	}
}

// TestEquationsAreTheorems looks for the theorem of every equation in the list of
// what Coq has checked.
func TestEquationsAreTheorems(t *testing.T) {
	text, err := os.ReadFile("../../../proofs/Theorems.v")
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range Equations() {
		proved := regexp.MustCompile(`(?m)^\s*@` + q.Theorem + `,?$`).Match(text)
		if !proved {
			t.Errorf("%s: there is no theorem %s", q.Law, q.Theorem)
		}
	}
}
