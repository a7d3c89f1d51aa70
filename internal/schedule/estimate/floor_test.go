package estimate_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/examples"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/rewrite"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/estimate"
	"github.com/ricci-lang/ricci/internal/schedule/standard"
	"github.com/ricci-lang/ricci/internal/sweep"
)

// TestFloor estimates the defs of the examples, in a quick run some of each file, with its default schedule at several
// sizes: no estimate is below the floor of its own report, and no work is forgotten, but for
// factors that are taken out of a sum, which the floor counts with every term.
func TestFloor(t *testing.T) {
	tried := 0
	err := examples.Each(func(file, text string) error {
		program, err := ricci.Parse(file, text)
		if err != nil {
			return err
		}
		defer program.Close()
		for _, def := range sweep.Some(t, program.Defs(), 3) {
			for _, n := range []int64{5, 40, 2048} {
				tried += below(t, file, def, n)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if tried < sweep.Draws(t, 200, 500) {
		t.Errorf("%d estimates", tried)
	}
}

// below reports estimates of a def, all of whose sizes are n, that are below their floors.
func below(t *testing.T, file string, def *ricci.Def, n int64) (tried int) {
	sizes := map[string]int64{}
	for _, s := range def.Sizes() {
		sizes[s.Name] = n
	}
	text, err := def.Stage(context.Background(), ricci.StageEin, sizes, ricci.Options{Target: ricci.C, Untuned: true})
	if err != nil {
		return 0
	}
	f, err := rewrite.Optimise(function(t, text), numerics.Default)
	if err != nil {
		t.Fatal(err)
	}
	for name, m := range map[string]*machine.Processor{"guessed": processor(1), "measured": measured(t, 2)} {
		tree, err := standard.DefaultFor(f, m, schedule.Options{})
		if err != nil {
			t.Fatalf("%s %s %d: %v\n%s", file, def.Name(), n, err, text)
		}
		r, err := estimate.Estimate(f, tree, m)
		if err != nil {
			t.Fatal(err)
		}
		parts := 0.0
		for _, p := range r.Parts {
			parts += p.Seconds
		}
		if tried++; r.Seconds < r.Floor.Seconds || parts < 0.8*r.Floor.Compute || parts < r.Floor.Memory/4 {
			t.Errorf("%s %s %d, %s: %.2f\n%s", file, def.Name(), n, name, parts/r.Floor.Seconds, r)
		}
	}
	return tried
}

// measured is a machine with the peaks that one had.
func measured(t *testing.T, cores int) *machine.Processor {
	data, err := os.ReadFile(filepath.Join("testdata", "peaks.json"))
	if err != nil {
		t.Fatal(err)
	}
	m := &machine.Processor{VectorBytes: 64, VectorRegisters: 32, L1: 48 << 10, L2: 2 << 20, L3: 480 << 20, Cores: cores, Peaks: &machine.Peaks{}}
	if err := json.Unmarshal(data, m.Peaks); err != nil {
		t.Fatal(err)
	}
	return m
}
