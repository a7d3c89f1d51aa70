package ricci_test

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/argument"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/sweep"
)

// TestExamplesOfOpenSizesOnDevices: a kernel of the rules for a card, made once for all sizes, has no races and computes what the reference
// evaluator does for sizes that fit nothing: fewer points than a block has, primes, one. A quick run judges two.
func TestExamplesOfOpenSizesOnDevices(t *testing.T) {
	few, dir := map[string]bool{"matmul": true, "softmax": true}, t.TempDir()
	var files []string
	for _, pattern := range []string{"examples/tc/*.tc", "examples/mdh/*.mdh", "examples/teil/*.teil"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("no examples: %v", err)
		}
		files = append(files, found...)
	}
	judged, refused := 0, 0
	for _, file := range files {
		program, err := ricci.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, def := range program.Defs() {
			if !sweep.Long(t) && !few[def.Name()] {
				continue
			}
			t.Run(def.Name(), func(t *testing.T) {
				r := rand.New(rand.NewPCG(uint64(len(def.Name())), 31))
				for range sweep.Draws(t, 1, 6) {
					if judgeOpen(t, dir, def, drawnOpenSizes(r, def)) {
						judged++
					} else {
						refused++
					}
				}
			})
		}
	}
	t.Logf("%d calls judged, %d not for such sizes", judged, refused)
	if judged < 3 {
		t.Errorf("%d calls judged", judged)
	}
}

// drawnOpenSizes draws sizes, of which one is a larger prime; small ones where there are many.
func drawnOpenSizes(r *rand.Rand, def *ricci.Def) map[string]int64 {
	sizes, names := map[string]int64{}, def.Sizes()
	small, large := []int64{1, 2, 3, 5, 6}, []int64{7, 11, 13, 17, 37}
	if len(names) > 4 {
		small, large = small[:3], large[:2]
	}
	for _, s := range names {
		sizes[s.Name] = small[r.IntN(len(small))]
		if s.MayBeZero && r.IntN(4) == 0 {
			sizes[s.Name] = 0
		}
	}
	if len(names) > 0 {
		sizes[names[r.IntN(len(names))].Name] = large[r.IntN(len(large))]
	}
	return sizes
}

// judgeOpen calls a def whose sizes are open; false: it is not for these sizes, or much work.
func judgeOpen(t *testing.T, dir string, def *ricci.Def, sizes map[string]int64) bool {
	t.Helper()
	a, err := argument.Resolve(def, argument.Request{Sizes: sizes, Seed: 1})
	if err != nil {
		return false
	}
	short, cancel := context.WithTimeout(t.Context(), 5*time.Second) // tiles that are larger than tensors may take minutes
	defer cancel()
	if _, err := def.Evaluate(short, a.Args, a.Sizes); err != nil {
		return false
	}
	options := ricci.Options{Target: "loop", Machine: machine.Named("a100").Text(), CacheDir: dir, Untuned: true}
	for _, s := range def.Sizes() {
		if s.Origin != "" {
			options.Dynamic = append(options.Dynamic, s.Name)
		}
	}
	results, err := def.RunWith(short, a.Args, a.Sizes, options)
	if err == nil {
		_, err = def.CheckRun(short, a.Args, results, a.Sizes, options, ricci.CheckOptions{Seed: 1})
	}
	if short.Err() != nil {
		return false
	}
	if err != nil {
		t.Errorf("%s, %v: %v", def.Name(), sizes, err)
	}
	return true
}
