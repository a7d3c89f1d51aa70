package pipelinetest_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/tc"
	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/pipelinetest"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// compile checks a drawn program; nil when it is not accepted.
func compile(t testing.TB, p pipelinetest.Program) *ein.Func {
	t.Helper()
	unit, diags := tc.Compile(source.NewFile("random.tc", p.Text), tc.Options{})
	for _, d := range diags.List {
		if d.Message == "" || d.Code == "" {
			t.Fatalf("a diagnostic without message or code: %+v\n%s", d, p.Text)
		}
	}
	if diags.HasErrors() {
		return nil
	}
	f := unit.Program.Func("f")
	if err := ein.Verify(f); err != nil {
		t.Fatalf("%v\n%s", err, p.Text)
	}
	return f
}

// bind draws sizes and arguments until they fit, a few times.
func bind(t testing.TB, from *pipelinetest.Choices, p pipelinetest.Program, f *ein.Func) *pipelinetest.Case {
	t.Helper()
	for range 4 {
		s := int64(from.Between(-1, 3))
		env := map[string]int64{}
		for _, name := range []string{"N", "M", "K"} {
			env[name] = int64(pipelinetest.Pick(from, from.Between(1, 7), from.Between(1, 20), from.Between(0, 3)))
		}
		shapes, scalars := map[string][]int64{}, map[string]int64{"s": s}
		usable := true
		for _, x := range f.ByRole(ein.Input, ein.InOut) {
			shapes[x.Name] = []int64{}
			for _, d := range x.Dims {
				n, err := d.Extent.Eval(withScalar(env, s))
				usable = usable && err == nil && n >= 0
				shapes[x.Name] = append(shapes[x.Name], n)
			}
		}
		if !usable {
			continue
		}
		if !takesSize(f, "s") {
			delete(scalars, "s")
		}
		sizes, err := f.Bind(shapes, scalars)
		if err != nil {
			var list source.ErrorList
			if !errors.As(err, &list) {
				t.Fatalf("%v is no diagnostic\n%s", err, p.Text)
			}
			continue
		}
		one := &pipelinetest.Case{Text: p.Text, Func: f, Sizes: sizes, Args: map[string]*tensor.Tensor{}}
		for n, x := range f.ByRole(ein.Input, ein.InOut) {
			one.Args[x.Name] = argument(t, x, shapes[x.Name], uint64(n)+uint64(env["N"]))
		}
		if x := one.Args["s"]; x != nil {
			x.SetInt(s)
		}
		return one
	}
	return nil
}

func takesSize(f *ein.Func, name string) bool {
	for _, s := range f.Sizes {
		if s.Tensor != nil && s.Tensor.Name == name {
			return true
		}
	}
	return false
}

func withScalar(env map[string]int64, s int64) map[string]int64 {
	env["s"] = s
	return env
}

func argument(t testing.TB, x *ein.Tensor, shape []int64, seed uint64) *tensor.Tensor {
	t.Helper()
	list := make([]int, len(shape))
	for i, n := range shape {
		list[i] = int(n)
	}
	a, err := tensor.New(x.Type, list...)
	if err != nil {
		t.Fatal(err)
	}
	tensor.FillRandom(a, seed)
	if x.Name == "J" { // mostly in range
		for o := range a.Offsets() {
			a.SetIntAt(o, a.IntAt(o)%3)
		}
	}
	return a
}

// tcCase draws a program and the rest for choices; nil when nothing can be run.
func tcCase(t testing.TB, name string, from *pipelinetest.Choices) *pipelinetest.Case {
	t.Helper()
	p := pipelinetest.DrawProgram(from)
	defer func() {
		if r := recover(); r != nil {
			t.Fatalf("%v\n%s", r, p.Text)
		}
	}()
	f := compile(t, p)
	formats(t, p, f)
	if f == nil {
		return nil
	}
	one := bind(t, from, p, f)
	if one == nil {
		return nil
	}
	one.Name = name
	if err := one.DrawSetting(from); err != nil {
		t.Fatalf("%v\n%s", err, one)
	}
	_, err := ein.Evaluate(f, one.Args, ein.EvalOptions{Sizes: one.Sizes})
	var internal *source.InternalError
	if errors.As(err, &internal) {
		t.Fatalf("%v\n%s", err, one)
	}
	if err := one.Prepare(from); err != nil {
		t.Errorf("%v\n%s", err, one)
		return nil
	}
	return one
}

// formats checks that a formatted program means the same.
func formats(t testing.TB, p pipelinetest.Program, f *ein.Func) {
	t.Helper()
	tree, diags := syntax.Parse(source.NewFile("random.tc", p.Text))
	if diags.HasErrors() {
		t.Fatalf("the generator writes what is no program: %v\n%s", diags.Err(), p.Text)
	}
	text := syntax.Format(tree)
	again := compile(t, pipelinetest.Program{Text: text})
	switch {
	case (again == nil) != (f == nil):
		t.Fatalf("formatting changes what is accepted:\n%s\n%s", p.Text, text)
	case f != nil && ein.Canonical(f) != ein.Canonical(again):
		t.Fatalf("formatting changes the program:\n%s\n%s", p.Text, text)
	}
}

// TestPrograms takes random TC programs to native code.
func TestPrograms(t *testing.T) {
	runUnits(t, perUnit, func(seed uint64, _ int) *pipelinetest.Case {
		return tcCase(t, fmt.Sprintf("seed%d", seed), pipelinetest.Seeded(seed))
	})
}

// TestProgramsAreAccepted keeps an eye on the generator.
func TestProgramsAreAccepted(t *testing.T) {
	accepted := 0
	codes := map[source.Code]int{}
	var sample []string
	for seed := range uint64(300) {
		p := pipelinetest.DrawProgram(pipelinetest.Seeded(seed))
		_, diags := tc.Compile(source.NewFile("random.tc", p.Text), tc.Options{})
		if !diags.HasErrors() {
			accepted++
			continue
		}
		code := diags.List[0].Code
		if codes[code]++; codes[code] == 1 {
			sample = append(sample, p.Text+diags.Err().Error())
		}
	}
	t.Logf("%d of 300 accepted; %v\n%s", accepted, codes, strings.Join(sample, "\n"))
	if accepted < 60 {
		t.Error("the generator writes too many wrong programs")
	}
}
