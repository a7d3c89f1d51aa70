package teil

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
	"github.com/ricci-lang/ricci/internal/lang/teil/teiltest"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// checkRandom parses the text of a program and checks it.
func checkRandom(t *testing.T, p *syntax.Program) (*Typing, *source.Diagnostics) {
	t.Helper()
	parsed, diagnostics := syntax.Parse(source.NewFile("random.teil", syntax.PrintProgram(p)))
	if diagnostics.HasErrors() {
		t.Fatalf("%v\n%s", diagnostics.Err(), syntax.PrintProgram(p))
	}
	return CheckProgram(parsed.Programs[0])
}

// TestRandomVerdicts compares the checker with Figure 8, on programs of both kinds,
// and executes what is accepted (type safety: it is never stuck).
func TestRandomVerdicts(t *testing.T) {
	count := uint64(3000)
	if testing.Short() {
		count = 300
	}
	refused := 0
	for seed := range count {
		p := teiltest.Program(seed, teiltest.Options{})
		if seed%2 == 1 {
			p = teiltest.Spoil(seed, p)
		}
		typing, diagnostics := checkRandom(t, p)
		if want := teiltest.WellTyped(p); (typing != nil) != want {
			t.Fatalf("seed %d: the figure says %v, the checker %v\n%s", seed, want, diagnostics.List, syntax.PrintProgram(p))
		}
		if typing == nil {
			refused++
			continue
		}
		if len(typing.Context.Conditions) > 0 {
			t.Errorf("seed %d: conditions %v on literal sizes", seed, typing.Context.Conditions)
		}
	}
	if refused < int(count)/5 || refused > int(count)/2 {
		t.Errorf("%d of %d programs are ill-typed", refused, count)
	}
}

// TestRandomPrograms compares the reference evaluator on lowered programs, and the
// rewritten programs, with Figures 6 and 9. Integers must be equal.
func TestRandomPrograms(t *testing.T) {
	count := uint64(1200)
	if testing.Short() {
		count = 150
	}
	for seed := range count {
		p := teiltest.Program(seed, teiltest.Options{})
		if seed%3 == 0 {
			p.Direct = &syntax.Name{Name: "direct"}
		}
		memory := teiltest.InitialMemory(p, seed)
		want, err := teiltest.Run(teiltest.Integers{}, p, memory)
		if err != nil {
			t.Fatalf("seed %d: a well-typed program is stuck: %v\n%s", seed, err, syntax.PrintProgram(p))
		}
		typing, diagnostics := CheckProgram(p)
		if typing == nil {
			t.Fatalf("seed %d: %v\n%s", seed, diagnostics.Err(), syntax.PrintProgram(p))
		}
		compareRun(t, seed, typing, memory, want)
	}
}

func compareRun(t *testing.T, seed uint64, typing *Typing, memory, want teiltest.Memory[int64]) {
	t.Helper()
	f := typing.lower().Func
	if err := ein.Verify(f); err != nil {
		t.Fatalf("seed %d: %v\n%s\n%s", seed, err, syntax.PrintProgram(typing.Source), ein.Print(f))
	}
	args, err := teiltest.Arguments(typing.Program, memory, tensor.Int64)
	if err != nil {
		t.Fatal(err)
	}
	got, err := ein.Evaluate(f, args, ein.EvalOptions{})
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, ein.Print(f))
	}
	for name, x := range got {
		var values []int64
		for offset := range x.Offsets() {
			values = append(values, x.IntAt(offset))
		}
		if diff := cmp.Diff(want[name].Values, values); diff != "" {
			t.Fatalf("seed %d: %s differs:\n%s\n%s\n%s", seed, name, diff, syntax.PrintProgram(typing.Source), ein.Print(f))
		}
	}
}

// TestRandomFloats compares programs of floats as they are written with what the
// equations and lifting make of them: each may be as far from the exact value as its
// bounds say.
func TestRandomFloats(t *testing.T) {
	count := uint64(900)
	if testing.Short() {
		count = 100
	}
	changed, compared, steps := 0, 0, map[string]int{}
	for seed := range count {
		element := []string{"float64", "float32"}[seed%2]
		p := teiltest.Program(seed, teiltest.Options{Element: element, Depth: 6, Without: []string{"mod", "select", "bool", "convert"}})
		if seed%3 == 0 {
			p = teiltest.Contraction(seed)
			for _, a := range p.Allocs {
				a.Type = &syntax.Name{Name: element}
			}
		}
		optimised, diagnostics := CheckProgram(p)
		direct := *p
		direct.Direct = &syntax.Name{Name: "direct"}
		written, more := CheckProgram(&direct)
		if optimised == nil || written == nil {
			t.Fatalf("seed %d: %v %v\n%s", seed, diagnostics.Err(), more.Err(), syntax.PrintProgram(p))
		}
		for _, s := range optimised.Optimise().Steps {
			steps[s.Equation.Theorem]++
		}
		f, g := written.lower().Func, optimised.lower().Func
		if ein.Print(f) != ein.Print(g) {
			changed++
		}
		compared += compareFloats(t, seed, f, g)
	}
	if changed < int(count)/4 || compared < int(count)*2 {
		t.Errorf("%d of %d programs were rewritten, and %d elements compared", changed, count, compared)
	}
	t.Log(changed, compared, steps)
}

// compareFloats evaluates two functions that must agree as far as the bounds of both
// allow, and returns how many elements have a bound.
func compareFloats(t *testing.T, seed uint64, f, g *ein.Func) (compared int) {
	t.Helper()
	args := map[string]*tensor.Tensor{}
	shapes, err := f.Shapes(nil)
	if err != nil {
		t.Fatal(err)
	}
	for n, x := range f.ByRole(ein.Input, ein.InOut) {
		var shape []int
		for _, extent := range shapes[x.Name] {
			shape = append(shape, int(extent))
		}
		if args[x.Name], err = tensor.New(x.Type, shape...); err != nil {
			t.Fatal(err)
		}
		tensor.FillRandom(args[x.Name], seed+uint64(n))
	}
	want, bounds, err := ein.EvaluateWithBounds(f, args, ein.EvalOptions{})
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	_, others, err := ein.EvaluateWithBounds(g, args, ein.EvalOptions{})
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	got, err := ein.Evaluate(g, args, ein.EvalOptions{})
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	for _, x := range f.Outputs() {
		both := bounds[x.Name]
		for offset := range both.Offsets() {
			both.SetFloatAt(offset, both.FloatAt(offset)+others[x.Name].FloatAt(offset))
		}
		c, err := ein.Compare(got[x.Name], want[x.Name], both)
		if err != nil || !c.OK() {
			t.Fatalf("seed %d: %s differs, %v %v:\n%s\n%s", seed, x.Name, c.Worst, err, f, g)
		}
		compared += c.Elements - c.Ambiguous
	}
	return compared
}
