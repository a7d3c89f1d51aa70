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
// Where they notice steps (blocks of the world look at strands or change globals, strands count each other), a call is one
// step, and blocks of the world run behind it (steps.go).
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
	ordering.Order              // numbers that are 0 are chosen for the machine
}

// A World is a running program. It has the methods of strand.World.
type World struct {
	program *strand.Program
	outline *strand.Outline
	kernel  *lower.Kernel
	code    device.Code
	call    device.Call
	arrays  map[lower.Kind][]*tensor.Tensor // by the order of arguments
	places  map[lower.Kind]int              // the arguments that are numbers
	at      []slot                          // of the arrays of arguments
	order   ordering.Order                  // of the kernel

	capacity int         // for how many strands arrays have room
	rooms    []int       // of the slots of lists
	columns  [][]float64 // positions of strands, while they are sorted

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
	outline, err := strand.NewOutline(ctx, p, given, strand.Options{Print: o.Print, Memory: o.Memory})
	if err != nil {
		return nil, err
	}
	w := &World{program: p, outline: outline, arrays: map[lower.Kind][]*tensor.Tensor{}, places: map[lower.Kind]int{},
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

// A call says which strands the kernel runs, and how.
type call struct{ wanted, fresh, from, limit int }

// launch creates strands, or runs those that are active up to a step. It creates those that these create, writes what they have
// printed, counts strands, and finds the first that has failed.
func (w *World) launch(ctx context.Context, fresh bool, limit int) error {
	if w.steps {
		w.renew()
	}
	c := call{wanted: lower.Running, from: w.step, limit: limit}
	if fresh {
		c.wanted, c.fresh = lower.Waiting, 1
	}
	if err := w.runAll(ctx, c); err != nil {
		w.ended = err // in the middle of a step
		return err
	}
	failed := w.failed(0)
	creators, err := w.bear(ctx, failed, limit)
	if err != nil {
		w.ended = err
		return err
	}
	who := failed
	if n := w.failed(w.outline.Count - len(creators)); n >= 0 { // which is the fault of its creator
		failed, who = n, creators[n-(w.outline.Count-len(creators))]
	}
	if failed < 0 {
		w.step = max(w.step, w.last(limit))
		w.print(w.step, creators)
		return nil
	}
	step := int(data[int64](w.arrays[lower.Ended][0])[failed])
	w.print(step-1, creators)
	w.step = max(0, step-1)
	w.ended = w.fault(ctx, failed, who, step)
	return w.ended
}

// runAll calls the kernel for the strands of a status, and again for those that want more room.
func (w *World) runAll(ctx context.Context, c call) error {
	for kind, value := range map[lower.Kind]int{lower.Count: w.outline.Count, lower.Fresh: c.fresh, lower.From: c.from, lower.Limit: c.limit} {
		w.number(w.places[kind], value)
	}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		w.number(w.places[lower.Wanted], c.wanted)
		if _, err := w.code.Launch(ctx, nil, &w.call); err != nil {
			return err
		}
		w.count()
		if w.counts[lower.Full] == 0 {
			return nil
		}
		if err := w.widen(); err != nil {
			return err
		}
		c.wanted = lower.Full
	}
}

// failed finds the first strand that has failed, by step and number, from one on; -1 is none.
func (w *World) failed(from int) int {
	status, ended, failed := data[uint8](w.arrays[lower.Status][0]), data[int64](w.arrays[lower.Ended][0]), -1
	if w.counts[lower.Failed] == 0 {
		return failed
	}
	for n, s := range status[from:w.outline.Count] {
		if n += from; s == lower.Failed && (failed < 0 || ended[n] < ended[failed]) {
			failed = n
		}
	}
	return failed
}

// count counts the strands.
func (w *World) count() {
	clear(w.counts[:])
	for _, s := range data[uint8](w.arrays[lower.Status][0])[:w.outline.Count] {
		w.counts[s]++
	}
}

// last is the last step that a strand has run in a call.
func (w *World) last(limit int) (last int) {
	if w.counts[lower.Running] > 0 || w.steps {
		return limit
	}
	for _, at := range data[int64](w.arrays[lower.Ended][0])[:w.outline.Count] {
		last = max(last, int(at))
	}
	return last
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
func (w *World) Close() error { return w.code.Close() }

// arraysOf are the arrays of the parts of a variable.
func (w *World) arraysOf(v *strand.Variable) (list []*tensor.Tensor) {
	at := 0
	for _, a := range w.kernel.Arguments {
		if a.Kind != lower.Component {
			continue
		}
		if slices.Contains(v.Parts, a.Locals[0]) {
			list = append(list, w.arrays[lower.Component][at])
		}
		at++
	}
	return list
}
