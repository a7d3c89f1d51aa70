// Package native runs programs of strands by compiled kernels.
package native

import (
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/ricci-lang/ricci/internal/cache"
	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/internal/strand/lower"
	"github.com/ricci-lang/ricci/internal/strand/ordering"
	"github.com/ricci-lang/ricci/internal/target"
	"github.com/ricci-lang/ricci/tensor"
)

// How it works
//
// A World has one kernel (package strand/lower), which it gets through the door of devices as any
// other kernel is, and arrays: one for each scalar of parameters and states, and what says how each
// strand has ended. What is the same for all strands comes from a strand.Outline, which evaluates
// the blocks of the world.
//
// A call of the kernel creates all strands, or takes them some super-steps on. Where nobody looks at
// steps they run to their end in calls of growing length, so that an end of the context is noticed.
// Where they notice steps (blocks of the world look at strands or change globals, strands see, count or create
// others), a call is one step: before it what strands see of others is copied (lists.go), behind it new strands
// begin and texts are written (left.go), blocks of the world run (steps.go), and dead strands make room (compact.go).
//
// When strands have failed, the first one, by step and number, is run again by strand.Evaluate, which
// says what was wrong.

// Options say how a world is run.
type Options struct {
	Device         device.Device
	Target         target.Target
	Machine        *machine.Processor
	Numerics       numerics.Mode
	Cache          *cache.Cache // nil: nothing is kept
	Compile        device.CompileOptions
	Notice         func(string) // nil discards
	Memory         int64        // the most bytes that strands may take; 0: any number
	Print          io.Writer    // of what the program prints; nil is nowhere
	Room           int          // of a slot of a list at first; 0: chosen
	Dead           int          // so many dead strands are left where they are; 0: chosen
	ordering.Order              // numbers that are 0 are chosen for the machine
}

// A World is a running program. It has the methods of strand.World.
type World struct {
	program *strand.Program
	outline *strand.Outline
	kernel  *lower.Kernel
	code    device.Code
	call    device.Call
	places  map[lower.Kind][]int // the arguments of a kind
	held    []held               // the arrays of arguments; numbers have none
	order   ordering.Order       // of the kernel
	items   bool                 // which is a grid: each strand is run by an item
	memory  device.Allocator     // of the device; nil: it works in that of the host
	lost    error                // of a copy between both memories

	capacity int         // for how many strands arrays have room
	rooms    []int       // of the slots of lists
	columns  [][]float64 // positions of strands, while they are sorted
	few      int         // dead strands that are left where they are
	names    []int       // the numbers of strands by their places; nil: these are their numbers
	created  int         // how many there ever were, where they have names

	step   int
	counts [lower.Waiting + 1]int // of strands by status
	ended  error
	steps  bool // strands notice super-steps: one is a call
	prints bool // strands print
}

// New makes a world and creates its strands. The error is a *lower.Refused where the program has no native form.
func New(ctx context.Context, p *strand.Program, given strand.Given, o Options) (_ *World, err error) {
	if err := lower.Check(p); err != nil {
		return nil, err
	}
	if runsItems(o.Machine, o.Target) {
		if err := separate(p, o.Device.Driver().Name); err != nil {
			return nil, err
		}
	}
	outline, err := strand.NewOutline(ctx, p, given, strand.Options{Print: o.Print, Memory: o.Memory})
	if err != nil {
		return nil, err
	}
	w := &World{program: p, outline: outline, places: map[lower.Kind][]int{}, memory: o.Device.Allocator(),
		steps: p.Uses().Communicates() || len(p.GlobalStart) > 0}
	if err := w.compile(ctx, o); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.Close())
		}
	}()
	w.prints = len(w.kernel.Messages) > 0
	if w.few = o.Dead; w.few == 0 {
		w.few = fewDead
	}
	if err := w.bind(o.Room); err != nil {
		return nil, err
	}
	if err := w.launch(ctx, true, 0); err != nil {
		return w, err
	}
	return w, w.blocks(ctx, true)
}

// sizes are those of the images.
func (w *World) sizes() map[string][]int {
	sizes := map[string][]int{}
	for _, i := range w.program.Images {
		sizes[i.Name] = w.outline.Image(i).Sizes
	}
	return sizes
}

// mostSteps is how many one call runs at most: lanes count them by int32.
const mostSteps = 1 << 30

// patience is how long a call may take before the context is looked at.
const patience = 200 * time.Millisecond

// Run runs super-steps until no strand is active, at most limit of them where it is not 0, and returns how many the world
// has run. Calls take as many steps as make them neither too many nor too long.
func (w *World) Run(ctx context.Context, limit int) (int, error) {
	if w.ended != nil {
		return w.step, w.Ended()
	}
	steps := 16
	for w.counts[lower.Running] > 0 && (limit == 0 || w.step < limit) {
		next := w.step + steps
		if limit > 0 {
			next = min(next, limit)
		}
		if w.steps {
			if err := w.advance(ctx); err != nil {
				return w.step, err
			}
			continue
		}
		start := time.Now()
		if err := w.launch(ctx, false, next); err != nil {
			return w.step, err
		}
		switch took := time.Since(start); {
		case w.prints: // which is kept for the steps of a call
		case took < patience/2:
			steps = min(2*steps, mostSteps)
		case took > patience:
			steps = max(1, steps/2)
		}
	}
	return w.step, nil
}

// Step runs one super-step.
func (w *World) Step(ctx context.Context) error {
	if w.ended != nil {
		return w.Ended()
	}
	if w.steps {
		return w.advance(ctx)
	}
	return w.launch(ctx, false, w.step+1)
}

// Steps returns how many super-steps were run.
func (w *World) Steps() int { return w.step }

// Count returns the number of strands of a set.
func (w *World) Count(set strand.Set) int {
	active, stable := w.counts[lower.Running], w.counts[lower.Stabilized]
	return map[strand.Set]int{strand.Active: active, strand.Stable: stable, strand.All: active + stable}[set]
}

// Ended returns why a world takes no more steps, or nil.
func (w *World) Ended() error {
	if w.ended == nil {
		return nil
	}
	return w.outline.Ended(w.step, w.ended)
}

// Close gives up the kernel.
func (w *World) Close() error { return errors.Join(w.code.Close(), w.release()) }

// arraysOf are the arrays of the parts of a variable.
func (w *World) arraysOf(v *strand.Variable) (list []*tensor.Tensor) {
	for k, a := range w.kernel.Arguments {
		if a.Kind != lower.Component {
			continue
		}
		if slices.Contains(v.Parts, a.Locals[0]) {
			list = append(list, w.array(k))
		}
	}
	return list
}
