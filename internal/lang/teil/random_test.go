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
