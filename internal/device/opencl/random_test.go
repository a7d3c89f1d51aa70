package opencl

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/device/devicetest"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/looptest"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/sweep"
	"github.com/ricci-lang/ricci/internal/target"
	"github.com/ricci-lang/ricci/internal/target/items"
	target_opencl "github.com/ricci-lang/ricci/internal/target/opencl"
)

// opened opens the first device; without one the test is skipped.
func opened(t testing.TB) *Device {
	t.Helper()
	d, err := Driver().Open(t.Context(), device.Settings{Strict: true})
	if err != nil {
		t.Skip("no device of OpenCL: ", err)
	}
	return d.(*Device)
}

// run runs a text of a program on words, which it changes, and returns the fault.
func run(ctx context.Context, d *Device, f *loop.Func, text string, words []loop.Word) (*loop.Fault, error) {
	return devicetest.Run(ctx, d, f, &target.Module{Code: text, Symbol: items.Symbol(f.Name)}, words)
}

// TestRandomPrograms compares random programs of loops and of grids with the evaluator, bit for bit.
func TestRandomPrograms(t *testing.T) {
	d := opened(t)
	for _, kind := range []struct {
		name         string
		draw         func(looptest.Source, string) *loop.Func
		quick, sweep int
	}{{"loops", looptest.WithWhile, 6, 300}, {"grids", looptest.Grids, 8, 300}} {
		for n := range sweep.Draws(t, kind.quick, kind.sweep) {
			r := rand.New(rand.NewPCG(uint64(n), 11))
			f := kind.draw(r, fmt.Sprintf("%s%d", kind.name, n))
			text, err := (target_opencl.Target{}).Print(f, target.Options{Numerics: numerics.Strict})
			if err != nil {
				if lacks(f) {
					continue
				}
				t.Fatalf("%v\n%s", err, loop.Print(f))
			}
			compare(t, d, r, f, text.Code)
		}
	}
}

// lacks reports whether a program has what OpenCL C cannot say.
func lacks(f *loop.Func) bool { return devicetest.Lacks(target_opencl.Target{}, f) }

func compare(t *testing.T, d *Device, r *rand.Rand, f *loop.Func, text string) {
	t.Helper()
	compareWith(t, d, looptest.Arguments(r, f), f, text)
}

func compareWith(t *testing.T, d *Device, words []loop.Word, f *loop.Func, text string) {
	t.Helper()
	if err := devicetest.Compare(t.Context(), d, f, &target.Module{Code: text, Symbol: items.Symbol(f.Name)}, words); err != nil {
		t.Fatalf("%s: %v\n%s\n%s", f.Name, err, loop.Print(f), text)
	}
}
