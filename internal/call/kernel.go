package call

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"

	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// A Kernel is a def compiled for a signature.
type Kernel struct {
	def       *Def
	target    string
	options   Options          // that it was compiled with
	arguments []argument       // in the order of Run
	sizes     map[string]int64 // the sizes that are constants
	dynamic   bool             // some sizes are not
	native    *native          // nil when the reference evaluator runs the kernel
	schedule  string
	shortened bool         // factors of float32 are rounded
	uses      atomic.Int64 // calls in progress, and one until Close
	copies    atomic.Int64 // of arguments
	closed    atomic.Bool
	bound     atomic.Pointer[binding] // of the last call of a kernel with dynamic sizes
}

// ErrClosed is the error of a call of a closed kernel.
var ErrClosed = errors.New("the kernel is closed")

// newKernel describes the arguments; strides are those of the signature.
func newKernel(d *Def, target string, sizes map[string]int64, keep map[string]bool, strides map[string][]int) (*Kernel, error) {
	k := &Kernel{def: d, target: target, sizes: map[string]int64{}, dynamic: len(keep) > 0}
	k.uses.Store(1)
	for name, value := range sizes {
		if !keep[name] {
			k.sizes[name] = value
		}
	}
	f := d.Func
	for i, t := range append(f.Inputs(), f.Outputs()...) {
		a := argument{tensor: t, name: t.Name, dtype: t.Type, output: t.Role != ein.Input, size: d.arguments[i].size}
		if err := a.describe(k.sizes); err != nil {
			return nil, err
		}
		if target != compile.Eval {
			a.layout(strides[t.Name])
		} else {
			a.owned = anywhere
		}
		for _, s := range f.Sizes {
			if s.Tensor == t && s.Dim == ein.ScalarValue && !keep[s.Name] {
				value := sizes[s.Name]
				a.scalar = &value
			}
		}
		if a.output && a.strides != nil && !distinct(a.shape, a.strides) {
			return nil, unusable(d.Def, t.Name, fmt.Sprintf("has elements that share memory: shape %v, strides %v", a.shape, a.strides))
		}
		k.arguments = append(k.arguments, a)
	}
	return k, nil
}

// Target returns the target of the kernel's code; Eval where the reference evaluator runs it.
func (k *Kernel) Target() string { return k.target }

// Schedule returns where the schedule of the kernel is from; it is empty when the
// evaluator runs the kernel.
func (k *Kernel) Schedule() string { return k.schedule }

// Run computes on arguments in the order of the def: ricci.Kernel.Run explains it.
func (k *Kernel) Run(ctx context.Context, args []*tensor.Tensor) error {
	if !k.acquire() {
		return ErrClosed
	}
	defer k.release()
	return k.call(ctx, args)
}

func (k *Kernel) call(ctx context.Context, args []*tensor.Tensor) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	sizes, err := k.check(args)
	if err != nil {
		return err
	}
	if k.native == nil {
		return k.evaluate(ctx, args, sizes)
	}
	if k.native.allocator != nil || k.overlap(args) {
		if marks := k.marks(args); marks != nil {
			return k.runOnCopies(ctx, args, marks, sizes, false)
		}
	}
	return k.runNative(ctx, args, sizes)
}

// anywhere says that the reference evaluator, which copies what it reads, takes tensors from any device.
func anywhere(tensor.Memory) bool { return true }

// check compares arguments with what the kernel was compiled for, and returns the
// sizes of the call.
func (k *Kernel) check(args []*tensor.Tensor) (map[string]int64, error) {
	if len(args) != len(k.arguments) {
		return nil, k.def.wrongCount(len(args))
	}
	for i, t := range args {
		if !k.arguments[i].accepts(t) {
			return nil, k.explain(i, t)
		}
	}
	if k.dynamic {
		return k.bind(args)
	}
	return k.sizes, nil
}

// acquire notes a call in progress, unless the kernel is closed, or none.
func (k *Kernel) acquire() bool {
	if k == nil {
		return false
	}
	for {
		n := k.uses.Load()
		if n == 0 || k.closed.Load() {
			return false
		}
		if k.uses.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// release ends a use; the last one unloads the code.
func (k *Kernel) release() {
	if k.uses.Add(-1) == 0 && k.native != nil {
		k.native.unload()
	}
	runtime.KeepAlive(k)
}

// Close gives up the code of the kernel when the calls in progress have ended.
// Later calls fail with ErrClosed; closing again does nothing. A kernel that is
// not closed is given up when the garbage collector finds it.
func (k *Kernel) Close() error {
	if k.closed.CompareAndSwap(false, true) {
		k.release()
	}
	return nil
}
