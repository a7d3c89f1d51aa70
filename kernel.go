package ricci

import (
	"context"

	"github.com/ricci-lang/ricci/internal/call"
	"github.com/ricci-lang/ricci/tensor"
)

// A Kernel is a def compiled for a Signature. Any number of goroutines may call
// it at the same time, with outputs of their own.
type Kernel struct {
	def    *Def
	kernel *call.Kernel
}

// ErrClosed is the error of a call of a closed kernel.
var ErrClosed = call.ErrClosed

// Def returns the def that the kernel computes.
func (k *Kernel) Def() *Def { return k.def }

// Target returns the target of the kernel's code; Eval where the reference evaluator runs it.
func (k *Kernel) Target() Target { return Target(k.kernel.Target()) }

// Schedule returns where the schedule of the kernel is from; it is empty when the
// evaluator runs the kernel.
func (k *Kernel) Schedule() ScheduleKind { return ScheduleKind(k.kernel.Schedule()) }

// Run computes. The arguments are the inputs in the order of Def.Inputs, then the
// outputs, preallocated, in the order of Def.Outputs; an in-out argument holds the
// old value and receives the new one. Shapes, element types and strides must be
// those that the kernel was compiled for. An output may share memory with inputs:
// these are then copied first. Outputs that share memory with each other are
// written one after the other, the last one wins.
//
// Where all arguments are in the memory of a device, Run may return before the results are there: who reads them waits, and is told what went
// wrong; so does Device.Wait. Kernels that test subscripts, or count guards, are waited for.
//
// The context is examined before the call; a kernel that runs is not interrupted.
func (k *Kernel) Run(ctx context.Context, args ...*tensor.Tensor) error {
	return k.kernel.Run(ctx, args)
}

// RunNamed computes with new, dense outputs and returns them. The map holds the
// inputs and the old values of in-outs, none of which is modified. What does not
// lie in memory as the kernel was compiled for is copied.
func (k *Kernel) RunNamed(ctx context.Context, in map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	return k.kernel.RunNamed(ctx, in)
}

// GuardsTripped returns how often a sum was computed as it is written, since with its products
// regrouped it was infinite or NaN: for each call of the kernel, the number of its guarded sums of
// which that is true. Options.Warning tells of the first time. See docs/numerics.md.
func (k *Kernel) GuardsTripped() int64 { return k.kernel.GuardsTripped() }

// Copies returns how many arguments calls of the kernel have copied: since they were on the host and the code works on the memory
// of a device, shared memory with an output, or lay in it otherwise than the kernel was compiled for.
func (k *Kernel) Copies() int64 { return k.kernel.Copies() }

// Close gives up the code of the kernel when the calls in progress have ended.
// Later calls fail with ErrClosed; closing again does nothing. A kernel that is
// not closed is given up when the garbage collector finds it.
func (k *Kernel) Close() error { return k.kernel.Close() }

// A Call is a kernel with arguments: what Kernel.Run checks at every call has been
// checked once, so that Run costs little more than a call of C. It is for one
// goroutine at a time; several Calls of one kernel run side by side.
type Call struct{ bound call.Bound }

// Bind checks arguments such as those of Run and keeps them for calls. They must not
// be closed before the Call is.
func (k *Kernel) Bind(args ...*tensor.Tensor) (*Call, error) {
	bound, err := k.kernel.Bind(args)
	if err != nil {
		return nil, err
	}
	return &Call{bound}, nil
}

// Run computes, as Kernel.Run does.
func (c *Call) Run() error { return c.bound.Run() }

// Close lets the kernel go; a second one does nothing.
func (c *Call) Close() error { return c.bound.Close() }
