package coqtest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/teil"
	"github.com/ricci-lang/ricci/internal/lang/teil/coqtest"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
	"github.com/ricci-lang/ricci/internal/lang/teil/teiltest"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// TestValuesOfProofs compares the values of all well-typed programs: by the extracted
// evaluator, by the interpreter of Figures 6 and 9 in Go, by the reference evaluator
// on the lowered program, and for a part of them by native code.
func TestValuesOfProofs(t *testing.T) {
	oracle := coqtest.Build(t)
	count, native := 4000, 24
	if testing.Short() {
		count, native = 600, 4
	}
	if _, err := exec.LookPath("cc"); err != nil {
		t.Log("no C compiler: native code is not compared")
		native = 0
	}
	programs, memories := coqtest.Draw(count)
	verdicts, err := oracle.Judge(programs, memories)
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for n, p := range programs {
		if !verdicts[n].OK {
			continue
		}
		compared++
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			memory, err := teiltest.Run(teiltest.Integers{}, p, memories[n])
			if err != nil {
				t.Fatal(err)
			}
			for name, x := range memory {
				if diff := cmp.Diff(verdicts[n].Values[name], x.Values); diff != "" {
					t.Errorf("the interpreter, %s (-proofs):\n%s\n%s", name, diff, syntax.PrintProgram(p))
				}
			}
			args, err := teiltest.Arguments(p, memories[n], tensor.Int64)
			if err != nil {
				t.Fatal(err)
			}
			if teiltest.Stops(p, memories[n]) && stopped(p, args) {
				return
			}
			compare(t, "the reference evaluator", p, verdicts[n], reference(t, p, args))
			if compared <= native {
				compare(t, "native code", p, verdicts[n], compiled(t, p, args))
			}
		})
	}
	if compared < count/2 {
		t.Errorf("only %d of %d programs have values", compared, count)
	}
}

func compare(t *testing.T, who string, p *syntax.Program, want coqtest.Verdict, got map[string]*tensor.Tensor) {
	t.Helper()
	for name, x := range got {
		var values []int64
		for offset := range x.Offsets() {
			values = append(values, x.IntAt(offset))
		}
		if diff := cmp.Diff(want.Values[name], values); diff != "" {
			t.Errorf("%s, %s (-proofs):\n%s\n%s", who, name, diff, syntax.PrintProgram(p))
		}
	}
}

func reference(t *testing.T, p *syntax.Program, args map[string]*tensor.Tensor) map[string]*tensor.Tensor {
	t.Helper()
	unit, diagnostics := teil.Compile(source.NewFile("random.teil", syntax.PrintProgram(p)), lang.Options{})
	if diagnostics.HasErrors() {
		t.Fatalf("%v\n%s", diagnostics.Err(), syntax.PrintProgram(p))
	}
	got, err := ein.Evaluate(unit.Program.Funcs[0], args, ein.EvalOptions{})
	if err != nil {
		t.Fatalf("%v\n%s", err, syntax.PrintProgram(p))
	}
	return got
}

// stopped reports whether a call of the program stops at a subscript.
func stopped(p *syntax.Program, args map[string]*tensor.Tensor) bool {
	unit, _ := teil.Compile(source.NewFile("random.teil", syntax.PrintProgram(p)), lang.Options{})
	_, err := ein.Evaluate(unit.Program.Funcs[0], args, ein.EvalOptions{})
	return err != nil && strings.Contains(err.Error(), string(source.OutOfBounds))
}

func compiled(t *testing.T, p *syntax.Program, args map[string]*tensor.Tensor) map[string]*tensor.Tensor {
	t.Helper()
	program, err := ricci.Parse("random.teil", syntax.PrintProgram(p))
	if err != nil {
		t.Fatalf("%v\n%s", err, syntax.PrintProgram(p))
	}
	defer program.Close()
	got, err := program.Defs()[0].RunWith(context.Background(), args, nil, ricci.Options{Target: ricci.C, CacheDir: t.TempDir()})
	if err != nil {
		t.Fatalf("%v\n%s", err, syntax.PrintProgram(p))
	}
	return got
}

// TestWrite shows the text that the oracle reads, and what it refuses to write.
func TestWrite(t *testing.T) {
	parsed, diagnostics := syntax.Parse(source.NewFile("x.teil", "alloc A : [2, 2] inout\nalloc s : [] out\ns = red+ 1 (diag 1 2 A)\nA = mul 3 B\n"))
	if diagnostics.HasErrors() {
		t.Fatal(diagnostics.Err())
	}
	p := parsed.Programs[0]
	memory := teiltest.Memory[int64]{"A": {Shape: []int{2, 2}, Values: []int64{1, 2, 3, -4}}, "s": {Values: []int64{0}}}
	var text bytes.Buffer
	if err := coqtest.Write(&text, p, memory); err != nil {
		t.Fatal(err)
	}
	want := "(program (alloc 0 2 2) (fill 0 1 2 3 -4) (alloc 1) (fill 1 0)\n (assign 1 (red+ 1 (diag 1 2 0)))\n (assign 0 (mul (const 3) 2)))\n"
	if diff := cmp.Diff(want, text.String()); diff != "" {
		t.Error(diff)
	}
	oracle := coqtest.Build(t)
	verdicts, err := oracle.Judge([]*syntax.Program{p}, []teiltest.Memory[int64]{memory})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]coqtest.Verdict{{Types: [][]int{{}, nil}}}, verdicts); diff != "" {
		t.Errorf("B is not allocated:\n%s", diff)
	}
	p.Statements[1].Value = syntax.Operate("sqrt", nil, &syntax.Var{Name: "A"})
	if _, err := oracle.Judge([]*syntax.Program{p}, []teiltest.Memory[int64]{memory}); err == nil || !strings.Contains(err.Error(), "the operation sqrt") {
		t.Errorf("a function that the proofs do not name: %v", err)
	}
	var exit *exec.ExitError
	if _, err := oracle.Judge([]*syntax.Program{p}, []teiltest.Memory[int64]{memory}); !errors.As(err, &exit) {
		t.Errorf("the oracle's failure is not reported: %v", err)
	}
}
