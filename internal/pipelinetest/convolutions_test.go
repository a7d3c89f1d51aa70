package pipelinetest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/pipelinetest"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/sweep"
	"github.com/ricci-lang/ricci/tensor"
)

// TestConvolutions takes random convolutions with their default schedules to native
// code: groups, steps, dilations, padding, filters that stay packed, small caches.
func TestConvolutions(t *testing.T) {
	k := compiler(t)
	units, work := sweep.Draws(t, 2, 60), 40_000
	if testing.Short() {
		units, work = 1, 10_000
	}
	seed, packed, matrices := *first, 0, 0
	for unit := range units {
		var cases []*pipelinetest.Case
		for range perUnit {
			if one := convolutionCase(t, seed, work); one != nil {
				cases = append(cases, one)
				if strings.Contains(schedule.Print(one.Tree), "matrix") {
					matrices++
				}
				if strings.Contains(schedule.Print(one.Tree), "workspace") {
					packed++
				}
			}
			seed++
		}
		run(t, k, cases, unit)
	}
	t.Logf("%d pack filters, %d use a matrix unit", packed, matrices)
	if packed == 0 && !testing.Short() {
		t.Error("no schedule packs filters")
	}
}

// convolutionCase draws a convolution for a seed; nil after an error.
func convolutionCase(t *testing.T, seed uint64, work int) *pipelinetest.Case {
	t.Helper()
	from := pipelinetest.Seeded(seed)
	one := &pipelinetest.Case{Name: fmt.Sprintf("convolution%d", seed), Text: pipelinetest.DrawConvolution(from, work), Args: map[string]*tensor.Tensor{}}
	if one.Func = compile(t, pipelinetest.Program{Text: one.Text}); one.Func == nil {
		t.Errorf("not accepted: %s", one)
		return nil
	}
	shapes := bindSizes(t, one, nil)
	for n, x := range one.Func.Inputs() {
		one.Args[x.Name] = argument(t, x, shapes[x.Name], seed+uint64(n))
	}
	err := one.DrawSetting(from)
	if one.Constant = nil; from.OneIn(2) {
		one.Constant = []string{"V"}
	}
	if err == nil {
		err = one.PrepareDefault()
	}
	if err != nil {
		t.Errorf("%v\n%s", err, one)
		return nil
	}
	return one
}
