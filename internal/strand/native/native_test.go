package native_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/device/devices"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/internal/strand/lower"
	"github.com/ricci-lang/ricci/internal/strand/native"
	"github.com/ricci-lang/ricci/internal/strand/strandtest"
	"github.com/ricci-lang/ricci/internal/sweep"
	"github.com/ricci-lang/ricci/internal/target/targets"
	"github.com/ricci-lang/ricci/tensor"
)

// on are the options of a world on a device.
func on(t testing.TB, name string, threads int, mode numerics.Mode) native.Options {
	t.Helper()
	d, found := devices.Named(name)
	if !found {
		t.Fatal("there is no device " + name)
	}
	opened, err := d.Open(context.Background(), device.Settings{Strict: mode == numerics.Strict, Threads: threads})
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = opened.Close() })
	printer, _ := targets.Named(d.Target)
	return native.Options{Device: opened, Target: printer, Machine: machine.Host(), Numerics: mode}
}

// A runner is a world of any kind.
type runner interface {
	Run(ctx context.Context, limit int) (int, error)
	Step(ctx context.Context) error
	Outputs() ([]*strand.Output, error)
	Count(strand.Set) int
}

// seen is all that can be seen of a run; single says that steps are run one by one.
func seen(w runner, err error, limit int, single bool) string {
	var out bytes.Buffer
	steps := 0
	if err == nil {
		if !single {
			steps, err = w.Run(context.Background(), limit)
		}
		for ; single && err == nil && w.Count(strand.Active) > 0 && (limit == 0 || steps < limit); steps++ {
			err = w.Step(context.Background())
		}
	}
	if err != nil {
		fmt.Fprintf(&out, "error: %v\n", err)
		return out.String()
	}
	fmt.Fprintf(&out, "%d steps, %d active, %d stable\n", steps, w.Count(strand.Active), w.Count(strand.Stable))
	list, err := w.Outputs()
	if err != nil {
		fmt.Fprintf(&out, "error: %v\n", err)
	}
	for _, o := range list {
		fmt.Fprintf(&out, "%s %s %v %v\n", o.Name, o.Data.DType(), o.Data.Shape(), o.Kinds)
		_ = tensor.Format(&out, o.Data, tensor.DefaultFormat())
		out.WriteString("\n")
	}
	return out.String()
}

// compare runs a program on a device and by strand.Evaluate. It returns what is seen, or nothing where the program has no
// native form.
func compare(t testing.TB, p *strand.Program, given strand.Given, limit int, o native.Options) string {
	t.Helper()
	var printed bytes.Buffer
	world, err := strand.NewWorld(context.Background(), p, given, strand.Options{Print: &printed})
	want := seen(world, err, limit, false) + printed.String()
	for _, single := range []bool{false, true} {
		var printed bytes.Buffer
		o.Print = &printed
		w, err := native.New(context.Background(), p, given, o)
		var refused *lower.Refused
		if errors.As(err, &refused) {
			return ""
		}
		if diff := cmp.Diff(want, seen(w, err, limit, single)+printed.String()); diff != "" {
			t.Errorf("step by step: %v: -evaluated +native:\n%s\n%s", single, diff, strand.Print(p))
		}
	}
	return want
}

// TestPrograms runs the programs of package strand that have a native form, evaluated and compiled.
func TestPrograms(t *testing.T) {
	files, err := filepath.Glob("../testdata/run/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs", err)
	}
	evaluator, host := on(t, "evaluator", 1, numerics.Strict), on(t, "host", 2, numerics.Strict)
	evaluator.Block, evaluator.Lanes, host.Block, host.Lanes = 3, 1, 16, 8
	ran := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, text, _ := strings.Cut(string(data), "-- program --\n")
		text, _, _ = strings.Cut(text, "-- out --")
		p := strandtest.Parse(t, text)
		for _, limit := range []int{0, 3} {
			if compare(t, p, strand.Given{}, limit, evaluator) != "" {
				if ran++; limit == 0 {
					compare(t, p, strand.Given{}, limit, host)
				}
			}
		}
	}
	if ran < 4 {
		t.Errorf("%d runs were native", ran)
	}
}

// TestPrint: what the blocks of the world print is printed, once.
func TestPrint(t *testing.T) {
	p := strandtest.Parse(t, `strand s real float32 int int32 {
  input n: int = 3i32
  const k: int
  output x: int
  temp i: int
  create array for i = 0i32 to 2i32 new ()
  initialize {
    k = n + 1i32
    print ("k is ", k, "\n")
  }
  begin {
    x = k
  }
  update {
    stabilize
  }
}
`)
	var out bytes.Buffer
	o := on(t, "evaluator", 1, numerics.Strict)
	o.Print = &out
	w, err := native.New(context.Background(), p, strand.Given{}, o)
	if text := seen(w, err, 0, false); out.String() != "k is 4\n" || !strings.Contains(text, "[4 4 4]") {
		t.Errorf("printed %q: %s", out.String(), text)
	}
}

// TestDrawn evaluates the loops of drawn programs, and compiles a few.
func TestDrawn(t *testing.T) {
	evaluator, host := on(t, "evaluator", 1, numerics.Strict), on(t, "host", 2, numerics.Strict)
	evaluator.Block, host.Block = 16, 16
	kinds := map[string]int{}
	for seed := range uint64(sweep.Draws(t, 32, 2000)) {
		p, given := strandtest.Program(rand.New(rand.NewPCG(seed, 30)))
		evaluator.Room, host.Room = int(seed%3), int(seed%3)
		if err := strand.Verify(p); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, strand.Print(p))
		}
		evaluator.Lanes = []int{1, 4, 2, 16}[seed%4]
		what := compare(t, p, given, 0, evaluator)
		for _, kind := range []string{"error", "is probed", "stable\nvalue", "no stable"} {
			if strings.Contains(what, kind) {
				kinds[kind]++
			}
		}
		if seed%30 == 27 {
			host.Lanes = []int{8, 1}[seed/30%2]
			compare(t, p, given, 0, host)
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	for kind, least := range map[string]int{"is probed": 3, "stable\nvalue": 10, "no stable": 1} {
		if kinds[kind] < least {
			t.Errorf("of drawn programs %v are of kinds; %q is too seldom", kinds, kind)
		}
	}
}

// TestSteps: the same of programs whose strands count each other and whose blocks of the world look at them.
func TestSteps(t *testing.T) {
	evaluator, host := on(t, "evaluator", 1, numerics.Strict), on(t, "host", 7, numerics.Strict)
	evaluator.Block, host.Block, host.Lanes = 16, 8, 4
	two := on(t, "host", 2, numerics.Strict)
	two.Block, two.Lanes = 4, 2
	kinds := map[string]int{}
	const mostSteps = 60 // strands of a drawn program (273) may never end
	for seed := range uint64(sweep.Draws(t, 32, 2000)) {
		p, given := strandtest.Steps(rand.New(rand.NewPCG(seed, 33)))
		evaluator.Room, host.Room = int(seed%3), int(seed%3)
		evaluator.Dead, host.Dead = int(seed%2)-1, -1
		if err := strand.Verify(p); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, strand.Print(p))
		}
		evaluator.Lanes = []int{1, 4, 2, 16}[seed%4]
		what := compare(t, p, given, mostSteps, evaluator)
		text := strand.Print(p)
		for kind, is := range map[string]bool{"native": what != "", "stable": strings.Contains(what, "stable\nvalue"), "fault": strings.Contains(what, "is probed"),
			"all end": strings.Contains(text, "all stabilize") || strings.Contains(text, "all die"), "counts": p.Uses().Counts, "sees": p.Uses().Queries, "sequences": strings.Contains(text, "build open"), "prints": strings.Contains(what, "\nat "),
			"bears": p.Uses().Creates, "grown": slices.ContainsFunc([]string{"\nat 25", "\nat 3", "\nat 4"}, func(n string) bool { return strings.Contains(what, n) }),
			"keeps": strings.Contains(what, "trail-data")} {
			if is {
				kinds[kind]++
			}
		}
		if seed%30 == 27 || seed%69 == 5 { // 5 has all there is
			compare(t, p, given, mostSteps, host)
		}
		if seed%69 == 5 {
			two.Room, two.Dead = 1, -1
			compare(t, p, given, mostSteps, two)
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	for kind, least := range map[string]int{"native": 32, "stable": 10, "fault": 1, "all end": 5, "counts": 10, "sees": 8, "sequences": 3, "keeps": 3, "prints": 8, "bears": 6, "grown": 2} {
		if kinds[kind] < least {
			t.Errorf("of drawn programs %v are of kinds; %q is too seldom", kinds, kind)
		}
	}
}

// TestProbes compares samples in the arithmetic of kernels, by rows and in packets, with those of strand.Evaluate, which are
// computed in float64 whatever reals are.
func TestProbes(t *testing.T) {
	evaluator, host := on(t, "evaluator", 1, numerics.Default), on(t, "host", 2, numerics.Default)
	for seed := range uint64(sweep.Draws(t, 32, 2000)) {
		real, tolerance := tensor.Float64, 1e-12
		if seed%2 == 1 {
			real, tolerance = tensor.Float32, 2e-4
		}
		p, given := strandtest.Probes(rand.New(rand.NewPCG(seed, 31)), real)
		if err := strand.Verify(p); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, strand.Print(p))
		}
		want, err := strand.Evaluate(context.Background(), p, given, 0, strand.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, strand.Print(p))
		}
		list := []native.Options{evaluator}
		if seed%30 == 5 {
			list = append(list, host)
		}
		for _, o := range list {
			o.Lanes, o.Taps = []int{1, 4, 8}[seed/2%3], seed%5 == 0
			w, err := native.New(context.Background(), p, given, o)
			if err == nil {
				_, err = w.Run(context.Background(), 0)
			}
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, strand.Print(p))
			}
			got, err := w.Outputs()
			if err != nil {
				t.Fatal(err)
			}
			for n := range want.Outputs[0].Data.Len() {
				a, b := at(want.Outputs[0].Data, n), at(got[0].Data, n)
				if !(math.Abs(a-b) <= tolerance*(64+math.Abs(a))) {
					t.Fatalf("seed %d: number %d is %v, expected %v\n%s", seed, n, b, a, strand.Print(p))
				}
			}
		}
	}
}

// at is element n of a dense array.
func at(t *tensor.Tensor, n int) float64 { return t.FloatAt(n) }

// TestPartitions: neither threads nor blocks change a bit, by the numerics of default, in which products and sums may be one
// operation.
func TestPartitions(t *testing.T) {
	p, given := strandtest.Probes(rand.New(rand.NewPCG(9, 32)), tensor.Float32)
	p.Create.Iterators[0].High = ein.IntConst(p.Int, 1000)
	want := ""
	for _, part := range []struct{ threads, block int }{{1, 64}, {7, 16}} {
		o := on(t, "host", part.threads, numerics.Default)
		o.Block, o.Lanes = part.block, 16
		w, err := native.New(context.Background(), p, given, o)
		got := seen(w, err, 0, false)
		if want == "" {
			want = got
		}
		if got != want || strings.Contains(got, "error") {
			t.Errorf("%d threads, blocks of %d: %s", part.threads, part.block, cmp.Diff(want, got))
		}
	}
}
