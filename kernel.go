package ricci

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// A Kernel is a def compiled for a Signature. Any number of goroutines may call
// it at the same time, with outputs of their own.
type Kernel struct {
	def       *Def
	target    Target
	options   Options          // that it was compiled with
	arguments []argument       // in the order of Run
	sizes     map[string]int64 // the sizes that are constants
	dynamic   bool             // some sizes are not
	native    *native          // nil when the reference evaluator runs the kernel
	schedule  ScheduleKind
	uses      atomic.Int64 // calls in progress, and one until Close
	closed    atomic.Bool
	bound     atomic.Pointer[binding] // of the last call of a kernel with dynamic sizes
}

// A binding is what sizes shapes and scalars stand for.
type binding struct {
	forms []form // without strides
	sizes map[string]int64
}

// argument is what a kernel expects of one argument.
type argument struct {
	tensor  *ein.Tensor // of the def
	name    string
	dtype   tensor.DType
	output  bool
	scalar  *int64 // the only value that a scalar that is a size may have
	shape   []int  // nil when it depends on dynamic sizes
	strides []int  // nil when any will do; unknown shapes are dense for native code
	dense   bool
	// low and high are the bytes before and behind the address of the first
	// element; for known shapes only.
	low, high uintptr
}

// ErrClosed is the error of a call of a closed kernel.
var ErrClosed = errors.New("the kernel is closed")

// newKernel describes the arguments; strides are those of the signature.
func newKernel(d *Def, target Target, sizes map[string]int64, keep map[string]bool, strides map[string][]int) (*Kernel, error) {
	k := &Kernel{def: d, target: target, sizes: map[string]int64{}, dynamic: len(keep) > 0}
	k.uses.Store(1)
	for name, value := range sizes {
		if !keep[name] {
			k.sizes[name] = value
		}
	}
	f := d.info.Func
	for _, t := range append(f.Inputs(), f.Outputs()...) {
		a := argument{tensor: t, name: t.Name, dtype: t.Type, output: t.Role != ein.Input}
		if err := a.describe(k.sizes); err != nil {
			return nil, err
		}
		if target != Eval {
			a.layout(strides[t.Name])
		}
		for _, s := range f.Sizes {
			if s.Tensor == t && s.Dim == ein.ScalarValue && !keep[s.Name] {
				value := sizes[s.Name]
				a.scalar = &value
			}
		}
		if a.output && a.strides != nil && !distinct(a.shape, a.strides) {
			return nil, unusable(d, t.Name, fmt.Sprintf("has elements that share memory: shape %v, strides %v", a.shape, a.strides))
		}
		k.arguments = append(k.arguments, a)
	}
	return k, nil
}

// describe finds the shape, if it is constant.
func (a *argument) describe(sizes map[string]int64) error {
	shape := make([]int, len(a.tensor.Dims))
	for i, d := range a.tensor.Dims {
		symbols := map[string]bool{}
		d.Extent.Symbols(symbols)
		for s := range symbols {
			if _, known := sizes[s]; !known {
				return nil
			}
		}
		n, err := d.Extent.Eval(sizes)
		if err != nil {
			return source.Internalf("kernel", a.tensor.Pos, "%s: %w", a.name, err)
		}
		shape[i] = int(n)
	}
	a.shape = shape
	return nil
}

// layout says where the elements must lie; nil strides mean row-major.
func (a *argument) layout(strides []int) {
	if a.shape == nil {
		a.dense = true
		return
	}
	if strides == nil {
		strides = tensor.RowMajor(a.shape)
	}
	a.strides = strides
	a.low, a.high = span(a.dtype, a.shape, strides)
}

// Def returns the def that the kernel computes.
func (k *Kernel) Def() *Def { return k.def }

// Target returns the target of the kernel's code; Eval where the reference evaluator runs it.
func (k *Kernel) Target() Target { return k.target }

// Schedule returns where the schedule of the kernel is from; it is empty when the
// evaluator runs the kernel.
func (k *Kernel) Schedule() ScheduleKind { return k.schedule }

// Run computes. The arguments are the inputs in the order of Def.Inputs, then the
// outputs, preallocated, in the order of Def.Outputs; an in-out argument holds the
// old value and receives the new one. Shapes, element types and strides must be
// those that the kernel was compiled for. An output may share memory with inputs:
// these are then copied first. Outputs that share memory with each other are
// written one after the other, the last one wins.
//
// The context is examined before the call; a kernel that runs is not interrupted.
func (k *Kernel) Run(ctx context.Context, args ...*tensor.Tensor) error {
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
	if k.overlap(args) {
		return k.runOnCopies(ctx, args, k.sharing(args), sizes)
	}
	return k.runNative(ctx, args, sizes)
}

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

// accepts reports whether the tensor is what the kernel was compiled for. It is
// on the path of every call; explain says in words what it refused.
func (a *argument) accepts(t *tensor.Tensor) bool {
	if t == nil || t.DType() != a.dtype || t.Rank() != len(a.tensor.Dims) || t.Memory() != nil {
		return false
	}
	if a.shape == nil {
		return !a.dense || t.IsContiguous()
	}
	empty := false
	for i, n := range a.shape {
		if t.Dim(i) != n {
			return false
		}
		empty = empty || n == 0
	}
	for i, stride := range a.strides {
		if t.Stride(i) != stride && a.shape[i] > 1 && !empty {
			return false
		}
	}
	return a.scalar == nil || t.Int() == *a.scalar
}

// lies reports whether elements of that form, which is of the right shape, lie as the kernel wants.
func (a *argument) lies(f *form) bool {
	strides := a.strides
	switch {
	case a.shape == nil && a.dense:
		strides = tensor.RowMajor(f.shape)
	case strides == nil || slices.Contains(f.shape, 0):
		return true
	}
	for i, stride := range strides {
		if f.strides[i] != stride && f.shape[i] > 1 {
			return false
		}
	}
	return true
}

// bind computes the sizes of a call of a kernel with dynamic sizes, and compares
// the others with those that are compiled in. A call like the last one has its sizes.
func (k *Kernel) bind(args []*tensor.Tensor) (map[string]int64, error) {
	if last := k.bound.Load(); last != nil && last.is(k, args) {
		return last.sizes, nil
	}
	signature := Signature{Shapes: map[string][]int{}, Sizes: map[string]int64{}}
	for name, value := range k.sizes {
		signature.Sizes[name] = value
	}
	now := &binding{forms: make([]form, len(args))}
	for i, a := range k.arguments {
		f := &now.forms[i]
		f.shape = args[i].Shape()
		signature.Shapes[a.name] = f.shape
		if k.def.arguments[i].size {
			f.value = args[i].Int()
			signature.Sizes[a.name] = f.value
		}
	}
	var err error
	if now.sizes, err = k.def.bind(signature); err == nil {
		k.bound.Store(now)
	}
	return now.sizes, err
}

// is reports whether arguments, whose types are right, have the shapes and values of the binding.
func (b *binding) is(k *Kernel, args []*tensor.Tensor) bool {
	for i := range b.forms {
		f := &b.forms[i]
		for dim, n := range f.shape {
			if args[i].Dim(dim) != n {
				return false
			}
		}
		if k.def.arguments[i].size && args[i].Int() != f.value {
			return false
		}
	}
	return true
}

// overlap reports whether an output shares bytes with another argument.
func (k *Kernel) overlap(args []*tensor.Tensor) bool {
	for i := range k.arguments {
		if !k.arguments[i].output {
			continue
		}
		for j := range k.arguments {
			if (j < i || !k.arguments[j].output) && k.sharesBytes(args, i, j) {
				return true
			}
		}
	}
	return false
}

func (k *Kernel) sharesBytes(args []*tensor.Tensor, i, j int) bool {
	lowI, highI := k.arguments[i].bytes(args[i])
	lowJ, highJ := k.arguments[j].bytes(args[j])
	return lowI < highJ && lowJ < highI
}

// bytes returns the range of addresses that the elements of t lie in.
func (a *argument) bytes(t *tensor.Tensor) (low, high uintptr) {
	base := uintptr(t.Pointer())
	if a.shape == nil { // dense
		return base, base + uintptr(t.Len()*a.dtype.Size())
	}
	return base - a.low, base + a.high
}

// sharing marks what must not be used in place: inputs that share memory with an
// output, and outputs that share memory with an earlier one.
func (k *Kernel) sharing(args []*tensor.Tensor) []bool {
	marks := make([]bool, len(args))
	for i, a := range k.arguments {
		for j, b := range k.arguments {
			if b.output && (j < i || !a.output) && k.sharesBytes(args, i, j) {
				marks[i] = true
			}
		}
	}
	return marks
}

// runOnCopies computes with copies of the marked arguments that lie in memory as
// the kernel wants; marked outputs are written after the call.
func (k *Kernel) runOnCopies(ctx context.Context, args []*tensor.Tensor, marks []bool, sizes map[string]int64) (err error) {
	actual := slices.Clone(args)
	var owners []*tensor.Tensor
	defer func() {
		for _, owner := range owners {
			err = errors.Join(err, owner.Close())
		}
	}()
	for i := range k.arguments {
		if !marks[i] {
			continue
		}
		same, owner, err := k.arguments[i].copyOf(args[i])
		if err != nil {
			return err
		}
		actual[i], owners = same, append(owners, owner)
	}
	err = k.runNative(ctx, actual, sizes)
	for i, a := range k.arguments {
		if err == nil && a.output && marks[i] {
			err = args[i].CopyFrom(actual[i])
		}
	}
	return err
}

// evaluate runs the reference evaluator, which copies what it reads first.
func (k *Kernel) evaluate(ctx context.Context, args []*tensor.Tensor, sizes map[string]int64) error {
	named := map[string]*tensor.Tensor{}
	for i, a := range k.arguments {
		named[a.name] = args[i]
	}
	results, err := ein.Evaluate(k.def.info.Func, named, ein.EvalOptions{Sizes: sizes, Context: ctx})
	if err != nil {
		return err
	}
	for i, a := range k.arguments {
		if a.output {
			if err := args[i].CopyFrom(results[a.name]); err != nil {
				return err
			}
		}
	}
	return nil
}

// RunNamed computes with new, dense outputs and returns them. The map holds the
// inputs and the old values of in-outs, none of which is modified. What does not
// lie in memory as the kernel was compiled for is copied.
func (k *Kernel) RunNamed(ctx context.Context, in map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	if !k.acquire() {
		return nil, ErrClosed
	}
	defer k.release()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	sizes, err := k.sizesFor(in)
	if err != nil {
		return nil, err
	}
	shapes, err := k.def.info.Func.Shapes(sizes)
	if err != nil {
		return nil, err
	}
	args := make([]*tensor.Tensor, len(k.arguments))
	marks := make([]bool, len(k.arguments))
	out := map[string]*tensor.Tensor{}
	for i := range k.arguments {
		a := &k.arguments[i]
		args[i] = in[a.name]
		if a.output {
			if args[i], err = newOutput(a.tensor, compile.Ints(shapes[a.name]), in[a.name]); err != nil {
				return nil, err
			}
			out[a.name] = args[i]
		}
		marks[i] = !a.accepts(args[i])
	}
	switch {
	case k.native == nil:
		err = k.evaluate(ctx, args, sizes)
	case slices.Contains(marks, true):
		err = k.runOnCopies(ctx, args, marks, sizes)
	default:
		err = k.runNative(ctx, args, sizes)
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// sizesFor binds the sizes to named arguments, so that all problems of a call are
// reported together, and compares them with those that are compiled in.
func (k *Kernel) sizesFor(in map[string]*tensor.Tensor) (map[string]int64, error) {
	for name := range in {
		if t := k.def.info.Func.Tensor(name); t != nil && t.Role == ein.Output {
			return nil, unusable(k.def, name, "is an output: RunNamed makes it, Run takes it")
		}
	}
	signature, err := k.def.SignatureOf(in)
	if err != nil {
		return nil, err
	}
	for _, s := range k.def.info.Func.Sizes {
		if s.Tensor == nil || s.Tensor.Role == ein.Output {
			if value, known := k.sizes[s.Name]; known {
				signature.Sizes[s.Name] = value
			}
		}
	}
	sizes, err := k.def.bind(signature)
	if err != nil {
		return nil, err
	}
	for name, compiled := range k.sizes {
		if sizes[name] != compiled {
			return nil, k.otherSize(name, sizes[name], compiled)
		}
	}
	return sizes, nil
}

// newOutput allocates an output, filled with the old value of an in-out.
func newOutput(declared *ein.Tensor, shape []int, old *tensor.Tensor) (*tensor.Tensor, error) {
	t, err := tensor.New(declared.Type, shape...)
	if err == nil && declared.Role == ein.InOut {
		err = t.CopyFrom(old)
	}
	return t, err
}

// acquire notes a call in progress, unless the kernel is closed.
func (k *Kernel) acquire() bool {
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
