package pipelinetest_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/mdh"
	"github.com/ricci-lang/ricci/internal/lang/mdh/mdhtest"
	"github.com/ricci-lang/ricci/internal/pipelinetest"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// mdhCase draws a program in the MDH notation with a schedule: a point that a tuner would
// try, or the default one with random changes. Point says which, and whether it is legal.
func mdhCase(t testing.TB, seed uint64, points int64) (one *pipelinetest.Case, point, legal bool) {
	t.Helper()
	from := pipelinetest.Seeded(seed)
	drawn := rapid.Custom(func(t *rapid.T) *mdhtest.Program {
		return mdhtest.Draw(t, mdhtest.Options{
			Types:   []string{"int64", "int32", "float32", "float64", "float32"},
			Extents: []int{1, 2, 3, 5, 8, 17, 32, 33, 70}, Points: points, Ordered: true,
		})
	}).Example(int(seed))
	unit, diagnostics := mdh.Compile(source.NewFile("random.mdh", drawn.Text), lang.Options{})
	if diagnostics.HasErrors() {
		t.Fatalf("seed %d: %v\n%s", seed, diagnostics.Err(), drawn.Text)
	}
	one = &pipelinetest.Case{Name: fmt.Sprintf("mdh%d", seed), Text: drawn.Text, Func: unit.Program.Funcs[0], Args: map[string]*tensor.Tensor{}, Sizes: map[string]int64{}}
	for n, extent := range drawn.Extents {
		if drawn.Symbols {
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

// TestMDH takes random MDH programs with random schedules to native code.
func TestMDH(t *testing.T) {
	k := compiler(t)
	units, work := 4**long, int64(30_000)
	if testing.Short() {
		units, work = 1, 5_000
	}
	seed, tried, legal := *first, 0, 0
	for unit := range units {
		var cases []*pipelinetest.Case
		for len(cases) < perUnit {
			one, point, accepted := mdhCase(t, seed, work)
			if one != nil {
				cases = append(cases, one)
			}
			if seed++; point {
				tried++
			}
			if accepted {
				legal++
			}
		}
		run(t, k, cases, unit)
	}
	t.Logf("%d programs, %d of %d points of spaces are legal", units*perUnit, legal, tried)
}
