package pipelinetest_test

import (
	"errors"
	"path"
	"testing"

	"github.com/ricci-lang/ricci/examples"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/notations"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/pipelinetest"
	"github.com/ricci-lang/ricci/internal/source"
)

// FuzzScript runs any text as a TeML script for one of the subjects, or, where there is no
// subject of that number, as a TeML program with loops of its own. The text is refused with a
// place, or it makes loops that compute what the evaluator does; those of unchecked ones stay in
// bounds.
func FuzzScript(f *testing.F) {
	list := subjects(f)
	for n, s := range list {
		one := s.sized(f, 0, fuzzedSize())
		if one == nil {
			continue // these sizes do not fit
		}
		if err := one.PrepareScript(); err != nil {
			f.Fatal(err)
		}
		script, err := pipelinetest.DrawScript(pipelinetest.Seeded(uint64(n)), one.Special, machine.Host())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(n), script.String())
	}
	err := examples.Each(func(file, text string) error {
		if path.Ext(file) == ".teml" {
			f.Add(uint8(255), text)
		}
		return nil
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, which uint8, text string) {
		if int(which) < len(list) {
			follow(t, list[which], text)
			return
		}
		const name = "fuzzed.teml"
		unit, _ := notations.Of(name).Compile(source.NewFile(name, text), lang.Options{}) // FuzzCompile of package teml looks at its errors
		for _, def := range unit.Defs {
			if def.Script != "" {
				follow(t, subject{name, text, def.Func}, def.Script)
			}
		}
	})
}

// fuzzedSize gives the sizes of a function small values, of which no two are alike.
func fuzzedSize() func(string) int {
	n := 2
	return func(string) int { n += 3; return n }
}

// follow judges a script for a subject.
func follow(t *testing.T, s subject, text string) {
	t.Helper()
	const most = 1 << 14 // points that the evaluators enumerate
	sizes, next := map[string]int64{}, fuzzedSize()
	for _, x := range s.f.Sizes {
		sizes[x.Name] = int64(next(x.Name))
	}
	if s.f.CheckSizes(sizes) != nil || points(s.f, sizes) > most || elements(t, s.f, sizes) > most {
		return
	}
	one := s.sized(t, 0, fuzzedSize())
	one.Machine = &machine.Processor{VectorBytes: 16, VectorRegisters: 16, L1: 1 << 10, L2: 1 << 12, L3: 1 << 14, Cores: 2}
	err := one.FollowText(text)
	var list source.ErrorList
	switch {
	case err == nil:
		interpret(t, one)
	case !errors.As(err, &list):
		t.Fatalf("%v\n%s", err, one)
	}
	for _, d := range list {
		if d.Code == "" || d.Message == "" || !d.Span.IsValid() {
			t.Fatalf("%q has no code, no message or no place", d.Error())
		}
	}
}

// elements is how many the arguments of a function have.
func elements(t *testing.T, f *ein.Func, sizes map[string]int64) (sum int64) {
	t.Helper()
	shapes, err := f.Shapes(sizes)
	if err != nil {
		t.Fatal(err)
	}
	for _, shape := range shapes {
		n := int64(1)
		for _, extent := range shape {
			n *= extent
		}
		sum += n
	}
	return sum
}
