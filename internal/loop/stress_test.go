package loop_test

import (
	"errors"
	"flag"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/rewrite"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/standard"
	"github.com/ricci-lang/ricci/internal/sweep"
)

var first = flag.Int("first", 0, "the seed of the first random program")

// machineOf returns one of a few machines.
func machineOf(seed int) *machine.Processor {
	return &machine.Processor{VectorBytes: []int{8, 16, 32, 64}[seed%4], VectorRegisters: 16, L1: 1 << 10, L2: 1 << 12, L3: 1 << 14, Cores: 1 + seed/4%2*3}
}

// kernels lowers a function with the default and the canonical schedule.
func kernels(f *ein.Func, sizes map[string]int64, keep map[string]bool, m *machine.Processor) (map[string]*loop.Func, error) {
	g, err := f.Specialise(sizes, keep)
	if err != nil {
		return nil, err
	}
	if g, err = rewrite.Optimise(g, numerics.Default); err != nil {
		return nil, err
	}
	tree, err := standard.Default(g, m)
	if err != nil {
		return nil, err
	}
	result := map[string]*loop.Func{}
	for _, t := range []*schedule.Tree{tree, schedule.Canonical(g)} {
		kernel, err := lower.Lower(g, t, lower.Options{})
		if err != nil {
			return nil, fmt.Errorf("%w\n%s\n%s", err, g, schedule.Print(t))
		}
		result[schedule.Print(t)] = kernel
	}
	return result, nil
}

// drawn returns a random function with sizes.
func drawn(seed int) (*ein.Func, map[string]int64) {
	var sizes map[string]int64
	f := rapid.Custom(func(t *rapid.T) *ein.Func {
		sizes = eintest.Sizes(t)
		return eintest.FuncWith(t, eintest.Options{Statements: 1 + seed%3})
	}).Example(seed)
	if seed%3 == 0 {
		sizes["N"], sizes["M"] = int64(3+seed%17), int64(3+seed%23)
	}
	return f, sizes
}

// TestVerifyAcceptsLowered: what lowering makes of random functions verifies.
func TestVerifyAcceptsLowered(t *testing.T) {
	refused, tried := 0, 0
	for seed := *first; seed < *first+sweep.Draws(t, 20, 400); seed++ {
		f, sizes := drawn(seed)
		for _, dynamic := range []bool{false, true} {
			keep := map[string]bool{}
			for _, s := range f.Sizes {
				keep[s.Name] = dynamic
			}
			list, err := kernels(f, sizes, keep, machineOf(seed))
			if err != nil {
				t.Errorf("seed %d: %v", seed, err)
				continue
			}
			for tree, kernel := range list {
				tried++
				if err := loop.Verify(kernel); err != nil {
					refused++
					if dynamic && !errors.Is(err, loop.ErrUnproved) || !dynamic || testing.Verbose() {
						t.Errorf("seed %d, dynamic %t: %v\nsizes %v\n%s%s", seed, dynamic, err, sizes, f, tree)
					}
				}
			}
		}
	}
	t.Logf("%d of %d kernels refused", refused, tried)
}
