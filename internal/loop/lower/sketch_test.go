package lower_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/sketch"
	"github.com/ricci-lang/ricci/internal/schedule/standard"
	"github.com/ricci-lang/ricci/internal/sweep"
	"github.com/ricci-lang/ricci/tensor"
)

// sketched returns the default of a function on a machine, or another of its candidates: that of the number that choose returns, or
// the next one that is legal. It is nil for functions that have none.
func sketched(t interface {
	Helper()
	Fatal(...any)
}, f *ein.Func, name string, choose func(most int) int) (tree *schedule.Tree, p *machine.Processor) {
	t.Helper()
	p, err := machine.Named(name).Scheduled()
	if err != nil {
		t.Fatal(err)
	}
	s, err := sketch.NewSpace(f, p)
	if err != nil {
		return nil, p
	}
	list := s.Launches()
	for k := choose(len(list)); k < len(list); k++ {
		if tree, ok := s.Alone(list[k]); ok {
			return tree, p
		}
	}
	return s.Choice.Tree, p
}

// sketchedOpen returns the default of a function whose sizes are open, with loops that are proved for all of them.
func sketchedOpen(f *ein.Func, p *machine.Processor) *schedule.Tree {
	proved := func(tree *schedule.Tree) bool {
		kernel, err := lower.Lower(f, tree, lower.Options{})
		return err == nil && loop.VerifyFor(kernel, roomOf(p.Grid)) == nil
	}
	c, err := sketch.Choose(f, p, proved)
	if err != nil || len(c.Launches) == 0 && !proved(c.Tree) {
		return nil // there may be no order of its own for all sizes
	}
	return c.Tree
}

// TestSketches runs the default launches of all programs, and some of the other candidates.
func TestSketches(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("testdata", "programs", "*.ein"))
	if err != nil || len(paths) == 0 {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for _, path := range sweep.Some(t, paths, 5) {
		base := strings.TrimSuffix(filepath.Base(path), ".ein")
		t.Run(base, func(t *testing.T) {
			p := programOf(t, base)
			f, err := p.f.Specialise(p.sizes, nil)
			if err != nil {
				t.Fatal(err)
			}
			if operations, _ := f.Work(nil); operations > 50_000 && !sweep.Long(t) {
				return // more of the same, slowly
			}
			for n := range sweep.Draws(t, 2, 40) {
				tree, processor := sketched(t, f, []string{"opencl", "cuda", "cuda+wrp", "a100"}[rng.IntN(4)], func(most int) int {
					if n == 0 {
						return most // the default
					}
					return rng.IntN(most)
				})
				if tree == nil {
					return
				}
				verifyFor(t, p, tree, nil, func(t testing.TB, p program, f *loop.Func, args map[string]*tensor.Tensor) (map[string]*tensor.Tensor, bool) {
					if err := loop.VerifyFor(f, roomOf(processor.Grid)); err != nil {
						t.Error(err)
					}
					return evaluate(t, p, f, args)
				}, processor)
			}
		})
	}
}

// TestSketchFuzz draws functions and candidates of theirs: all are lowered, proved to stay in bounds and within what the machine has,
// have no races and no divergent barriers, and compute what the reference evaluator does.
func TestSketchFuzz(t *testing.T) {
	run := map[bool]int{}
	for n := range sweep.Draws(t, 1, 200) {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				f := eintest.FuncWith(t, eintest.Options{NoHalf: true})
				sizes := eintest.Sizes(t)
				args, err := eintest.Arguments(rapid.Uint64().Draw(t, "seed"), f, sizes)
				if err != nil {
					t.Fatal(err)
				}
				g, err := f.Specialise(sizes, nil)
				if err != nil {
					t.Fatal(err)
				}
				tree, p := sketched(t, g, "cuda+wrp", func(most int) int { return rapid.IntRange(0, most).Draw(t, "candidate") })
				if rapid.IntRange(0, 15).Draw(t, "open") == 0 {
					g, tree = f, sketchedOpen(f, p)
				}
				if tree == nil {
					return
				}
				kernel, err := lower.Lower(g, tree, lower.Options{})
				if err != nil {
					t.Fatalf("lower: %v\n%s\n%s", err, g, schedule.Print(tree))
				}
				if err := loop.VerifyFor(kernel, roomOf(p.Grid)); err != nil {
					t.Fatalf("verify: %v\n%s\n%s\n%s", err, g, schedule.Print(tree), loop.Print(kernel))
				}
				run[schedule.HasItems(tree.Root)]++
				compare(t, f, g, tree, kernel, args, sizes)
			})
		})
	}
	if run[true] == 0 {
		t.Error("no candidate with items")
	}
	t.Logf("%d candidates with items, %d without", run[true], run[false])
}

// roomOf is what a machine has for groups.
func roomOf(g *machine.Grid) loop.Capacity {
	return loop.Capacity{Local: g.Local, Items: g.Items, Along: g.Along, Groups: g.Groups}
}

// TestProcessorSchedulesSpread: schedules for processors are schedules for devices, whose groups and items share what threads do there.
func TestProcessorSchedulesSpread(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("testdata", "programs", "*.ein"))
	if err != nil || len(paths) == 0 {
		t.Fatal(err)
	}
	processor := &machine.Processor{VectorBytes: 16, VectorRegisters: 16, L1: 1 << 11, L2: 1 << 13, L3: 1 << 15, Cores: 4}
	device, err := machine.Named("cuda+wrp").Scheduled()
	if err != nil {
		t.Fatal(err)
	}
	spread := 0
	for _, path := range sweep.Some(t, paths, 8) {
		base := strings.TrimSuffix(filepath.Base(path), ".ein")
		t.Run(base, func(t *testing.T) {
			p := programOf(t, base)
			f, err := p.f.Specialise(p.sizes, nil)
			if err != nil {
				t.Fatal(err)
			}
			if operations, _ := f.Work(nil); operations > 50_000 && !sweep.Long(t) {
				return // more of the same, slowly
			}
			tree, err := standard.DefaultFor(f, processor, schedule.Options{})
			if err != nil {
				t.Fatal(err)
			}
			kernel := func(tree *schedule.Tree) bool {
				kernel, err := lower.Lower(f, tree, lower.Options{})
				return err == nil && loop.VerifyFor(kernel, roomOf(device.Grid)) == nil
			}
			if tree = sketch.Spread(f, device, tree, kernel); tree == nil {
				return
			}
			spread++
			verifyFor(t, p, tree, nil, func(t testing.TB, p program, f *loop.Func, args map[string]*tensor.Tensor) (map[string]*tensor.Tensor, bool) {
				return evaluate(t, p, f, args)
			}, device)
		})
	}
	if spread == 0 {
		t.Error("none has groups")
	}
	t.Logf("%d of %d", spread, len(paths))
}
