package guard_test

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/teil"
	"github.com/ricci-lang/ricci/internal/lang/teil/guard"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// sameValues compares a function with the program that the guard made of it at the
// given sizes: printed, read, checked and lowered as any TeIL program. It returns false
// where the guard does not call the function safe.
func sameValues(t reporter, f *ein.Func, sizes map[string]int64, seed uint64) bool {
	bound, err := f.Specialise(sizes, nil)
	if err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	report, err := guard.Check(bound)
	if err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	if report.Verdict != guard.Safe {
		return false
	}
	text := syntax.PrintProgram(report.Program)
	unit, diagnostics := teil.Compile(source.NewFile("guard.teil", text), lang.Options{})
	if err := diagnostics.Err(); err != nil {
		t.Fatalf("%s at %v is no TeIL program: %v\n%s\nof\n%s", f.Name, sizes, err, text, bound)
	}
	g := unit.Program.Funcs[0]
	args, err := eintest.Arguments(seed, f, sizes)
	if err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	want, bounds, err := ein.EvaluateWithBounds(f, args, ein.EvalOptions{Sizes: sizes})
	if err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	renamed := map[string]*tensor.Tensor{}
	for n, x := range f.ByRole(ein.Input, ein.InOut) {
		renamed[g.ByRole(ein.Input, ein.InOut)[n].Name] = args[x.Name]
	}
	got, err := ein.Evaluate(g, renamed, ein.EvalOptions{Sizes: map[string]int64{}})
	if err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	for n, x := range f.Outputs() {
		c, err := ein.Compare(got[g.Outputs()[n].Name], want[x.Name], bounds[x.Name])
		if err != nil || !c.OK() {
			t.Errorf("%s at %v: %s differs, %v %v:\n%s\nof\n%s", f.Name, sizes, x.Name, c.Worst, err, text, bound)
		}
	}
	return true
}

func TestValuesOfExamples(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	compared, defs := 0, 0
	exampleDefs(t, func(_ string, def *lang.Def) {
		defs++
		sizes := smallSizes(def.Func, random)
		for _, sizes := range sizes[:min(3, len(sizes))] {
			if sameValues(t, def.Func, sizes, random.Uint64()) {
				compared++
			}
		}
	})
	t.Logf("%d comparisons for %d defs", compared, defs)
}

func TestValuesOfRandomFunctions(t *testing.T) {
	compared, drawn := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		f := withoutEmpty(eintest.FuncWith(t, eintest.Options{NoUserOperators: true, Statements: 2}))
		drawn++
		sizes := eintest.Sizes(t)
		sizes["Z"] = max(sizes["Z"], 1)
		if sameValues(t, f, sizes, rapid.Uint64().Draw(t, "seed")) {
			compared++
		}
	})
	t.Logf("%d of %d functions were compared", compared, drawn)
}
