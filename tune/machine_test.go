package tune

import (
	"math/big"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/estimate"
	"github.com/ricci-lang/ricci/internal/tune/tuned"
)

// tiny is a machine that every host can be.
const tiny = `machine tiny
programs trees
memory MM
  read 12 40 GB/s
memory L2
  copied yes
  private-to COR
  capacity 64 KiB
memory L1
  copied yes
  private-to COR
  capacity 8 KiB
memory REG
  region RM
  copied yes
  private-to COR
  capacity 256 B
core COR
  count 1
core SIMD
  width 16 B
  registers 16
`

// TestDescribedMachine: a search for a machine that is described begins with schedules for it, ranks by its speeds, and
// what it finds is for that description alone.
func TestDescribedMachine(t *testing.T) {
	needsCompiler(t)
	dir := t.TempDir()
	def, signature, err := matmul()
	if err != nil {
		t.Fatal(err)
	}
	options := func(text string) ricci.Options { return ricci.Options{CacheDir: dir, Threads: 1, Machine: text} }
	prepare := func(text string) *compile.Tuning {
		t.Helper()
		tuning, err := tuningOf(t.Context(), def, signature, options(text))
		if err != nil {
			t.Fatal(err)
		}
		return tuning
	}
	here, there := prepare(""), prepare(tiny)
	if there.Machine.L1 != 8<<10 || there.Machine.VectorBytes != 16 || !strings.Contains(schedule.Print(there.Default), "vector 4") {
		t.Errorf("the search is for %+v, and begins with %s", there.Machine, schedule.Print(there.Default))
	}
	slow := prepare(strings.Replace(tiny, "12 40 GB/s", "0.1 0.1 GB/s", 1))
	keys := map[string]bool{}
	for _, one := range []*compile.Tuning{here, there, slow, prepare(strings.Replace(tiny, "8 KiB", "16 KiB", 1)), prepare(strings.Replace(tiny, "count 1", "count 1\n  clock 3 GHz", 1))} {
		keys[one.Configuration.Key()] = true
	}
	if len(keys) != 5 || prepare(tiny).Configuration.Key() != there.Configuration.Key() {
		t.Errorf("five machines have %d keys", len(keys))
	}
	var seconds [2]float64
	for n, one := range []*compile.Tuning{there, slow} {
		model, err := estimate.New(one.Func, one.Machine, schedule.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if seconds[n], err = model.Seconds(there.Default); err != nil {
			t.Fatal(err)
		}
	}
	if seconds[0] >= seconds[1] {
		t.Errorf("with a slow memory the estimate is %g s instead of %g", seconds[1], seconds[0])
	}

	points := func(text string) *big.Int {
		t.Helper()
		s, err := newSpace("mdh", "", prepare(text))
		if err != nil {
			t.Fatal(err)
		}
		return s.points.Count()
	}
	whole := points(tiny)
	for what, text := range map[string]string{
		"fewer registers": strings.Replace(tiny, "registers 16", "registers 4", 1),
		"no L2":           strings.Replace(tiny, "memory L2\n  copied yes\n  private-to COR\n  capacity 64 KiB\n", "", 1),
	} {
		if fewer := points(text); fewer.Cmp(whole) >= 0 {
			t.Errorf("with %s the space has %s points instead of %s", what, fewer, whole)
		}
	}

	text, err := there.Canonical(there.Default)
	if err != nil {
		t.Fatal(err)
	}
	stored := &tuned.Schedule{Name: "mm", Configuration: *there.Configuration, Tree: text, Seconds: 1, Default: 2}
	if err := tuned.In(there.Cache).Put(stored); err != nil {
		t.Fatal(err)
	}
	if !stored.SameHost() {
		t.Errorf("%s is another host", stored.Machine)
	}
	for text, want := range map[string]ricci.ScheduleKind{tiny: ricci.TunedSchedule, "": ricci.DefaultSchedule, strings.Replace(tiny, "8 KiB", "16 KiB", 1): ricci.DefaultSchedule} {
		kernel, err := def.Compile(t.Context(), signature, options(text))
		if err != nil {
			t.Fatal(err)
		}
		if kernel.Schedule() != want {
			t.Errorf("the schedule is %s instead of %s for the machine %q", kernel.Schedule(), want, text)
		}
		if err := kernel.Close(); err != nil {
			t.Error(err)
		}
	}

	o := testOptions(dir, 2)
	o.Compile.Machine = tiny
	if outcome := runTest(t, t.Context(), o); outcome.Evaluated != 2 {
		t.Errorf("the outcome is %+v", outcome)
	}
	_, err = tuningOf(t.Context(), def, signature, options(strings.Replace(tiny, "width 16 B", "width 4096 B", 1)))
	if err == nil || !strings.Contains(err.Error(), "E0731") || !strings.Contains(err.Error(), "vectors of 4096 bytes") {
		t.Errorf("a machine that this one cannot be: %v", err)
	}
}
