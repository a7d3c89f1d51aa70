package guard_test

import (
	"math/rand/v2"
	"strings"
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
	for _, kind := range []inputs{anyInputs, smallInputs, zeroInputs} {
		args := kind.arguments(t, f, sizes, seed)
		if sameRun(t, f, g, sizes, args, text) {
			break // the call did not stop
		}
	}
	return true
}

// inputs say which numbers the integers of inputs are, which may be subscripts.
type inputs int

const (
	anyInputs   inputs = iota
	smallInputs        // 0 and 1
	zeroInputs
)

func (k inputs) arguments(t reporter, f *ein.Func, sizes map[string]int64, seed uint64) map[string]*tensor.Tensor {
	args, err := eintest.Arguments(seed, f, sizes)
	if err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	for _, x := range args {
		if k == anyInputs || !x.DType().IsInteger() || len(x.Shape()) == 0 {
			continue
		}
		for offset := range x.Offsets() {
			x.SetIntAt(offset, x.IntAt(offset)&int64(zeroInputs-k))
		}
	}
	return args
}

// sameRun compares one call of a function with the one of its program. Where one stops at a
// subscript both do, and it returns false.
func sameRun(t reporter, f, g *ein.Func, sizes map[string]int64, args map[string]*tensor.Tensor, text string) bool {
	stops := func(err error) bool { return err != nil && strings.Contains(err.Error(), string(source.OutOfBounds)) }
	want, bounds, err := ein.EvaluateWithBounds(f, args, ein.EvalOptions{Sizes: sizes})
	if err != nil && !stops(err) {
		t.Fatalf("%s: %v", f.Name, err)
	}
	stopped := err
	renamed := map[string]*tensor.Tensor{}
	for n, x := range f.ByRole(ein.Input, ein.InOut) {
		renamed[g.ByRole(ein.Input, ein.InOut)[n].Name] = args[x.Name]
	}
	got, err := ein.Evaluate(g, renamed, ein.EvalOptions{Sizes: map[string]int64{}})
	if err != nil && !stops(err) || (err == nil) != (stopped == nil) {
		t.Fatalf("%s at %v: %v, and by the program %v:\n%s\nof\n%s", f.Name, sizes, stopped, err, text, f)
	}
	if stopped != nil {
		return false
	}
	for n, x := range f.Outputs() {
		c, err := ein.Compare(got[g.Outputs()[n].Name], want[x.Name], bounds[x.Name])
		if err != nil || !c.OK() {
			t.Errorf("%s at %v: %s differs, %v %v:\n%s\nof\n%s", f.Name, sizes, x.Name, c.Worst, err, text, f)
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
		f := withoutEmpty(eintest.FuncWith(t, eintest.Options{Statements: 2}))
		drawn++
		sizes := eintest.Sizes(t)
		sizes["Z"] = max(sizes["Z"], 1)
		if sameValues(t, f, sizes, rapid.Uint64().Draw(t, "seed")) {
			compared++
		}
	})
	t.Logf("%d of %d functions were compared", compared, drawn)
}
