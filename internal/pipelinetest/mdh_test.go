package pipelinetest_test

import (
	"errors"
	"fmt"
	"regexp"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/mdh"
	"github.com/ricci-lang/ricci/internal/lang/mdh/mdhtest"
	"github.com/ricci-lang/ricci/internal/pipelinetest"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/sweep"
	"github.com/ricci-lang/ricci/tensor"
)

// mdhCase draws a program in the MDH notation with a schedule: a point that a tuner would
// try, or the default one with random changes. Point says which, and whether it is legal.
func mdhCase(t testing.TB, seed uint64, points int64) (one *pipelinetest.Case, point, legal bool) {
	t.Helper()
	from := pipelinetest.Seeded(seed)
	one = mdhProgram(t, from, seed, points, "int64", "int32", "float32", "float64", "float32")
	var err error
	if point = from.OneIn(2); point {
		legal, err = one.PreparePoint(from)
	} else {
		err = one.Prepare(from)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, one)
		return nil, point, legal
	}
	return one, point, legal
}

// mdhProgram draws a program in the MDH notation with arguments and a setting.
func mdhProgram(t testing.TB, from *pipelinetest.Choices, seed uint64, points int64, types ...string) *pipelinetest.Case {
	t.Helper()
	drawn := rapid.Custom(func(t *rapid.T) *mdhtest.Program {
		return mdhtest.Draw(t, mdhtest.Options{
			Types:   types,
			Extents: []int{1, 2, 3, 5, 8, 17, 32, 33, 70}, Points: points, Ordered: true, Whole: seed%3 == 0,
		})
	}).Example(int(seed))
	unit, diagnostics := mdh.Compile(source.NewFile("random.mdh", drawn.Text), lang.Options{})
	if diagnostics.HasErrors() {
		t.Fatalf("seed %d: %v\n%s", seed, diagnostics.Err(), drawn.Text)
	}
	f := unit.Def("f")
	if drawn.Chained {
		f = unit.Def("h")
	}
	one := &pipelinetest.Case{Name: fmt.Sprintf("mdh%d", seed), Text: drawn.Text, Func: f.Func, Args: map[string]*tensor.Tensor{}, Sizes: map[string]int64{}}
	for n, extent := range drawn.Extents {
		if drawn.Symbols && !drawn.IsListed(n) {
			one.Sizes[drawn.Size(n)] = extent
		}
	}
	shapes, err := one.Func.Shapes(one.Sizes)
	if err != nil {
		t.Fatalf("%v\n%s", err, one)
	}
	for n, x := range one.Func.ByRole(ein.Input) {
		one.Args[x.Name] = argument(t, x, shapes[x.Name], seed+uint64(n))
	}
	if err := one.DrawSetting(from); err != nil {
		t.Fatalf("%v\n%s", err, one)
	}
	return one
}

// TestMDH takes random MDH programs with random schedules to native code.
func TestMDH(t *testing.T) {
	work := int64(30_000)
	if testing.Short() {
		work = 5_000
	}
	tried, legal := 0, 0
	runUnits(t, perUnit, func(seed uint64, _ int) *pipelinetest.Case {
		one, point, accepted := mdhCase(t, seed, work)
		if point {
			tried++
		}
		if accepted {
			legal++
		}
		return one
	})
	t.Logf("%d of %d points of spaces are legal", legal, tried)
}

// TestLowLevel takes random MDH programs with random low-level expressions to native code. What is
// refused has a message that names the parameter and the level, or the dependence.
func TestLowLevel(t *testing.T) {
	k := compiler(t)
	units, work := sweep.Draws(t, 4, 56), int64(30_000)
	if testing.Short() {
		units, work = 1, 5_000
	}
	seed, accepted, told := *first, 0, map[string]int{}
	for unit := range units {
		var cases []*pipelinetest.Case
		for ; len(cases) < perUnit; seed++ {
			from := pipelinetest.Seeded(seed)
			// No float32: prefixes of products leave its range sooner in one grouping than in another.
			one := mdhProgram(t, from, seed, work, "int32", "int64", "float64")
			refused, err := one.PrepareLowLevel(from)
			if err != nil {
				t.Errorf("seed %d: %v\n%s", seed, err, one)
				continue
			}
			if refused != nil {
				reason, ok := lowLevelReason(refused)
				if told[reason]++; !ok {
					t.Errorf("seed %d: refused without a parameter: %v\n%s", seed, refused, one)
				}
				continue
			}
			accepted++
			if len(one.Strides) == 0 {
				interpret(t, one)
			}
			cases = append(cases, one)
		}
		run(t, k, cases, unit)
	}
	t.Logf("%d accepted, refused for %v", accepted, told)
}

var parameterPattern = regexp.MustCompile(`parameter (0|[DSR][1-6])(?: at level \(\d+,\d+\))?: .`)

// lowLevelReason is the parameter that a refusal names, or the code of a broken dependence.
func lowLevelReason(err error) (string, bool) {
	var internal *source.InternalError
	if errors.As(err, &internal) {
		return "internal", false
	}
	if m := parameterPattern.FindStringSubmatch(err.Error()); m != nil {
		return m[1], true
	}
	code, ok := codeOf(err)
	return string(code), ok && code == source.ScheduleIllegal
}
