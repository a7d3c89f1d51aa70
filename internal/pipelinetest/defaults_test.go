package pipelinetest_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/pipelinetest"
	"github.com/ricci-lang/ricci/internal/sweep"
	"github.com/ricci-lang/ricci/tensor"
)

// A generator draws programs with sizes of which the evaluator computes about work points.
type generator struct {
	name string
	draw func(c *pipelinetest.Choices, work int64) (text string, sizes map[string]int64)
}

// generators lists those of programs for which there are makers of schedules.
func generators() []generator {
	list := []generator{
		{"contraction", pipelinetest.DrawContraction},
		{"layers", pipelinetest.DrawLayers},
		{"sums", pipelinetest.DrawSums},
		{"family", pipelinetest.DrawFamily},
		{"convolution", func(c *pipelinetest.Choices, work int64) (string, map[string]int64) {
			return pipelinetest.DrawConvolution(c, int(min(work, 1<<27))), map[string]int64{}
		}},
	}
	for n, name := range pipelinetest.Themes() {
		list = append(list, generator{name, func(c *pipelinetest.Choices, _ int64) (string, map[string]int64) { return pipelinetest.DrawTheme(c, n) }})
	}
	return list
}

// drawnDefault draws a program of a generator with a setting; nil when there is nothing to schedule.
func drawnDefault(t testing.TB, g generator, from *pipelinetest.Choices, seed uint64, work int64, arguments bool) *pipelinetest.Case {
	t.Helper()
	text, sizes := g.draw(from, work)
	defer reportPanic(t, text)
	one := &pipelinetest.Case{Text: text, Args: map[string]*tensor.Tensor{}}
	if arguments {
		if one = templateCase(t, from, seed, text, sizes); one == nil {
			return nil
		}
	} else {
		for _, name := range slices.Sorted(maps.Keys(sizes)) {
			if from.OneIn(5) {
				sizes[name] = pipelinetest.Pick(from, int64(1), 1, 2, 64, 100, 256, 500, 1000, 1024, 4096, 20000, 100003, 1<<20)
			}
		}
		if one.Func = compile(t, pipelinetest.Program{Text: text}); one.Func == nil || bindSizes(t, one, sizes) == nil {
			return nil
		}
	}
	one.Name = fmt.Sprintf("%s%d", g.name, seed)
	if one.DrawSetting(from) != nil { // sizes whose product no array has
		return nil
	}
	if from.OneIn(2) {
		one.Strides = nil
	}
	if from.OneIn(2) {
		one.Keep = map[string]bool{}
	}
	one.Machine, one.Threads = drawnMachine(from), pipelinetest.Pick(from, 1, 2, 3, 7)
	return one
}

// drawnMachine draws a machine, mostly one whose caches are so small that small sizes are large.
func drawnMachine(from *pipelinetest.Choices) *machine.Processor {
	m := *machine.Host()
	if caches := pipelinetest.Pick(from, []int64{}, []int64{}, []int64{12, 14, 16}, []int64{13, 16, 18}, []int64{14, 15, 20}); len(caches) > 0 {
		m.L1, m.L2, m.L3, m.Peaks = 1<<caches[0], 1<<caches[1], 1<<caches[2], nil
	}
	m.Cores = pipelinetest.Pick(from, 1, 2, 2, 3, 7, 8, 64)
	if from.OneIn(2) { // what the host does not have is written in C for it
		l := pipelinetest.Pick(from, machine.InstructionLevels()...)
		return m.With(l.VectorBytes, l.VectorRegisters, l.Features)
	}
	return &m
}

// TestDefaultSchedules makes the default schedules of drawn programs, most with sizes that could not be run:
// all are legal. Some are lowered.
func TestDefaultSchedules(t *testing.T) {
	programs, list, made := uint64(sweep.Draws(t, 240, 10_000)), generators(), 0
	if testing.Short() {
		programs = 200
	}
	for seed := *first; seed < *first+programs; seed++ {
		from := pipelinetest.Seeded(seed)
		one := drawnDefault(t, list[seed%uint64(len(list))], from, seed, 1<<from.Between(8, 34), false)
		if one == nil {
			continue
		}
		prepare := one.Default
		if seed%5 == 0 {
			prepare = one.PrepareDefault
		}
		made++
		if err := prepare(); err != nil {
			t.Errorf("%v\n%s", err, one)
		}
	}
	t.Logf("%d programs drawn, %d scheduled", programs, made)
}

// TestDefaultsRun takes drawn programs with their default schedules to native code.
func TestDefaultsRun(t *testing.T) {
	k, list := compiler(t), generators()[:3] // the others have tests of their own
	units, work := sweep.Draws(t, 4, 56), int64(200_000)
	if testing.Short() {
		units, work = 1, 20_000
	}
	seed := *first
	for unit := range units {
		var cases []*pipelinetest.Case
		for len(cases) < perUnit {
			from := pipelinetest.Seeded(seed)
			one := drawnDefault(t, list[seed%uint64(len(list))], from, seed, work, true)
			if seed++; one == nil {
				continue
			}
			if err := one.PrepareDefault(); err != nil {
				t.Errorf("%v\n%s", err, one)
				continue
			}
			cases = append(cases, one)
		}
		run(t, k, cases, unit)
	}
}
