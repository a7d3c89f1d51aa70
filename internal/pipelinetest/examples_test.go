package pipelinetest_test

import (
	"fmt"
	"path"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/examples"
	request "github.com/ricci-lang/ricci/internal/argument"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/notations"
	"github.com/ricci-lang/ricci/internal/pipelinetest"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/sweep"
)

// TestExamples takes every def of the examples to native code, with random sizes; a
// few of them unless this is a sweep.
func TestExamples(t *testing.T) {
	k := compiler(t)
	rounds, oneIn := sweep.Draws(t, 1, 5), 1
	if !sweep.Long(t) {
		oneIn = 18
	}
	if testing.Short() {
		oneIn = 30
	}
	var cases []*pipelinetest.Case
	seed, unit, ran := *first, 0, 0
	flush := func(least int) {
		if len(cases) >= least {
			run(t, k, cases, unit)
			ran += len(cases)
			cases, unit = nil, unit+1
		}
	}
	err := examples.Each(func(file, text string) error {
		program, err := ricci.Parse(file, text)
		if err != nil {
			return err
		}
		defer program.Close()
		unit, _ := notations.Of(file).Compile(source.NewFile(file, text), lang.Options{})
		for _, def := range program.Defs() {
			for range rounds {
				if seed++; seed%uint64(oneIn) != 0 {
					continue
				}
				from := pipelinetest.Seeded(seed)
				one := exampleCase(t, from, def, unit.Program.Func(def.Name()), seed)
				if one == nil {
					continue
				}
				one.Name = fmt.Sprintf("%s_%s_%d", strings.TrimSuffix(path.Base(file), path.Ext(file)), def.Name(), seed)
				if err := one.Prepare(from); err != nil {
					t.Errorf("%v\n%s", err, one)
					continue
				}
				cases = append(cases, one)
				flush(perUnit)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	flush(1)
	t.Logf("%d cases", ran)
	if ran == 0 {
		t.Error("no example was drawn")
	}
}

// exampleCase draws sizes and arguments that fit a def and keep the evaluator busy
// for a moment only; nil when that fails.
func exampleCase(t *testing.T, from *pipelinetest.Choices, def *ricci.Def, f *ein.Func, seed uint64) *pipelinetest.Case {
	t.Helper()
	const most = 100_000 // operations
	for limit := 70; limit > 0; limit = limit * 3 / 4 {
		sizes := map[string]int64{}
		for _, s := range def.Sizes() {
			sizes[s.Name] = int64(from.Between(1, limit))
			if strings.HasPrefix(s.Origin, "the value of") {
				sizes[s.Name] = int64(from.Between(1, 3))
			}
		}
		signature, err := def.SignatureForSizes(sizes)
		if err != nil {
			continue
		}
		if operations, bytes, err := def.Work(signature); err != nil || operations > most || bytes > 8*most {
			continue
		}
		resolved, err := request.Resolve(def, request.Request{Sizes: sizes, Seed: seed})
		if err != nil {
			continue
		}
		if signature, err = def.SignatureOf(resolved.Args); err != nil {
			t.Fatal(err)
		}
		shapes := map[string][]int64{}
		for name, shape := range signature.Shapes {
			shapes[name] = []int64{}
			for _, n := range shape {
				shapes[name] = append(shapes[name], int64(n))
			}
		}
		one := &pipelinetest.Case{Func: f, Args: resolved.Args}
		if one.Sizes, err = f.Bind(shapes, signature.Sizes); err != nil {
			continue
		}
		if err := one.DrawSetting(from); err != nil {
			t.Fatalf("%v\n%s", err, one)
		}
		return one
	}
	return nil
}
