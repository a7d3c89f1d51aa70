// Package evaluator is the device that evaluates loop programs: slow, and the judge of what other devices run.
package evaluator

import (
	"context"
	"errors"
	"slices"
	"unsafe"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/plan"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/target"
)

// How it works
//
// Its code is the text form of loops, which is read when the kernel is loaded. A call makes byte slices of the arguments, and
// package loop evaluates the program over them: every access is tested against its buffer, and private memory begins as
// garbage. So it finds what a compiled kernel would get wrong in silence, with the very schedule and loops of that kernel.

// Driver is the row of this device.
func Driver() *device.Driver {
	return &device.Driver{Name: "evaluator", Target: "loop", About: "the evaluator of loop programs: slow, tests every access", Open: open, Inspect: inspect}
}

func open(_ context.Context, s device.Settings) (device.Device, error) {
	return evaluator{strict: s.Strict}, nil
}

func inspect(context.Context, device.Settings) device.Report {
	row := Driver()
	return device.Report{Name: row.Name, Target: row.Target, About: row.About, Usable: true}
}

type evaluator struct{ strict bool } // numerics

// Driver returns the row.
func (evaluator) Driver() *device.Driver { return Driver() }

// Identity is always the same: no code is made.
func (evaluator) Identity() string { return "evaluator of loops" }

// Maker names the evaluator.
func (evaluator) Maker() string { return "the evaluator of loops" }

// Works reports that it does.
func (evaluator) Works(context.Context) error { return nil }

// Compile returns the text as it is.
func (evaluator) Compile(_ context.Context, m *target.Module, o device.CompileOptions) ([]byte, error) {
	if o.Assembly {
		return nil, errors.New("the evaluator runs the loops as they are, and has no assembly text: --stage loop shows them")
	}
	return []byte(m.Code), nil
}

// Load reads the program.
func (e evaluator) Load(_ context.Context, object []byte, p *plan.Plan) (device.Code, error) {
	f, err := loop.Parse(source.NewFile("kernel", string(object)))
	if err != nil {
		return nil, source.Internalf("evaluator", source.Span{}, "the loops of %s: %w", p.Name, err)
	}
	if len(p.Launches) == 0 || len(p.Launches[0].Words) != len(f.Params) { // all launches of a program with grids have the same
		return nil, source.Internalf("evaluator", source.Span{}, "the plan of %s does not fit its loops", p.Name)
	}
	return &code{f: f, plan: p, strict: e.strict}, nil
}

// Allocator says that loops are evaluated in the memory of the host.
func (evaluator) Allocator() device.Allocator { return nil }

// NewStream makes a queue.
func (evaluator) NewStream() device.Stream { return device.NewQueue() }

// Close does nothing.
func (evaluator) Close() error { return nil }

// code is a program with its plan.
type code struct {
	f      *loop.Func
	plan   *plan.Plan
	strict bool
}

// TakesArguments says that accesses are tested against the arrays.
func (c *code) TakesArguments() bool { return true }

// Prepare does nothing: the header is for machine code.
func (c *code) Prepare(*device.Call) {}

// Launch evaluates the program.
func (c *code) Launch(ctx context.Context, s device.Stream, call *device.Call) (device.Completion, error) {
	if s != nil {
		return s.(*device.Queue).Add(func() error { return c.run(ctx, call) }), nil
	}
	return nil, c.run(ctx, call)
}

func (c *code) run(ctx context.Context, call *device.Call) error {
	words, err := c.words(call)
	if err != nil {
		return err
	}
	var workspace []byte
	if w := call.Workspace; w != nil {
		workspace = unsafe.Slice((*byte)(w.Pointer()), w.Len())
	}
	fault, err := loop.EvaluateBy(ctx, c.f, words, loop.Evaluation{Workspace: workspace, LeftZeros: !c.strict})
	if err != nil {
		return err
	}
	if fault != nil {
		call.Fault = [2]int64{int64(fault.Site) + 1, fault.Value}
		return device.ErrFault
	}
	return nil
}

// words gives each parameter its number, or the memory of its argument.
func (c *code) words(call *device.Call) ([]loop.Word, error) {
	words := make([]loop.Word, len(c.f.Params))
	for i, p := range c.f.Params {
		words[i].Value = call.Block[loop.HeaderWords+i]
		if p.Buffer == nil {
			continue
		}
		at := slices.IndexFunc(c.plan.Arguments, func(a plan.Argument) bool { return a.Name == c.plan.Launches[0].Words[i].Tensor })
		if at < 0 {
			return nil, source.Internalf("evaluator", source.Span{}, "there is no argument for the buffer %s", p.Buffer.Name)
		}
		bytes, first := device.HostBytes(call.Arguments[at])
		if low := p.Buffer.Low * int64(p.Buffer.Type.Elem.Size()); len(bytes) > 0 && low != -int64(first) {
			return nil, source.Internalf("evaluator", source.Span{}, "the elements of %s begin %d bytes before the first one, and those of its buffer %d", c.plan.Arguments[at].Name, first, -low)
		}
		words[i].Bytes = bytes
	}
	return words, nil
}

// Close does nothing.
func (c *code) Close() error { return nil }
