// Package trial compiles candidates, runs them in a child process, checks what
// they compute and measures how long they take.
package trial

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/ricci-lang/ricci/internal/cache"
	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/plan"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/scratch"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/target"
	"github.com/ricci-lang/ricci/tensor"
)

// How it works
//
// A candidate is a schedule tree. Build lowers, verifies, prints and compiles
// candidates in parallel, one for each core (builder.go); nothing of them runs in this
// process. Measure hands one after the other to a worker, a child process that
// loads the object and calls it (worker.go), so that a candidate that crashes,
// hangs or writes where it must not does no harm: the child is killed and the next
// one started. Both sides exchange a line of JSON for every request and files for
// the arrays (arrays.go); they share no memory.
//
// The first call of a candidate works on fresh copies of the inputs and on outputs
// that are filled with garbage. What it computes is compared with the reference
// (reference.go), unless its digest is that of an earlier right result, and only then is it timed. A candidate with a wrong result, or one
// that crashes, gets a second chance in a fresh child, since an earlier one may have
// spoilt the old, or the system may have ended it for want of memory; if it fails again,
// that is a defect of Ricci, and is reported as one. A disk that is full is no
// candidate's fault, and an error of its own.
//
// Time is the minimum over samples; a sample is one call, or as many as take
// long enough to be read from the clock. Samples are taken until their sum is
// sufficient, or the candidate is clearly slower than the best so far. Race compares
// finalists by samples that take turns, because the clock of a machine drifts.

// A Kernel is what candidates compute, and on what.
type Kernel struct {
	Func    *ein.Func // specialised and optimised: what schedules are for
	Sizes   map[string]int64
	Strides map[string][]int64 // of arguments that are not dense
	Machine *machine.Processor
	// Numerics is the contract that the code keeps.
	Numerics numerics.Mode
	Args     map[string]*tensor.Tensor // the inputs, and old values of in-outs
}

// Options say how candidates are built and run.
type Options struct {
	Device device.Device // that compiles, and of which a worker opens another one
	Target target.Target // its
	Cache  *cache.Cache  // for what a device keeps; nil: a worker makes it anew
	// Worker is the command line of a process that calls Serve.
	Worker         []string
	Dir            string        // where a directory for temporary files is made; empty: the system's
	ReproducerDir  string        // where programs that the compiler refused are saved
	CompileTimeout time.Duration // of one candidate; 0 means 15 seconds
	// RunTimeout is the most time that the first call of a candidate gets. 0 means
	// 60 seconds; Runner.Expect shortens it.
	RunTimeout time.Duration
	// Turn, when set, is held during a measurement: other processes that measure
	// wait.
	Turn func(context.Context) (release func(), err error)
	Now  func() time.Time // nil means time.Now
}

// A Runner builds and measures candidates of a kernel. Its methods are for one
// goroutine at a time, but that Build may run beside the others.
type Runner struct {
	kernel    Kernel
	options   Options
	work      *scratch.Dir // inputs, outputs and objects, which may be large
	dir       string       // that of work
	layout    layout
	worker    *worker
	builders  chan *worker // that compile, and wait
	reference *Reference
	repeated  bool          // the last candidate computed the bits of an earlier one
	expected  time.Duration // what a call of the default takes
}

// A Failure says why a candidate has no time.
type Failure string

// The failures.
const (
	Refused Failure = "not compiled" // lowering, verification or the compiler refused it
	Crashed Failure = "crashed"
	Hung    Failure = "timed out"
	Wrong   Failure = "wrong result"
	Faulted Failure = "failed"
)

// An Error is a candidate's failure with its cause.
type Error struct {
	Failure Failure
	Err     error
}

// Error names the failure and the cause.
func (e *Error) Error() string { return fmt.Sprintf("%s: %v", e.Failure, e.Err) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// FailureOf returns the failure in an error, or "" when it is none.
func FailureOf(err error) Failure {
	var e *Error
	if errors.As(err, &e) {
		return e.Failure
	}
	return ""
}

// A Candidate is a built schedule.
type Candidate struct {
	Tree *schedule.Tree
	Err  error // why it could not be built
	// Takes is what it takes of the device, where that says it before it is measured.
	Takes *device.Footprint
	code  code
}

// code is what a worker needs to call a candidate.
type code struct {
	Object    string           `json:"object"` // file
	Plan      *plan.Plan       `json:"plan"`
	Sizes     map[string]int64 `json:"sizes,omitempty"`
	Workspace int64            `json:"workspace"`
}

// New prepares the trials of a kernel. Close removes what it made.
func New(ctx context.Context, k Kernel, o Options) (*Runner, error) {
	if o.CompileTimeout == 0 {
		o.CompileTimeout = 15 * time.Second
	}
	if o.RunTimeout == 0 {
		o.RunTimeout = time.Minute
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	r := &Runner{kernel: k, options: o, builders: make(chan *worker, runtime.GOMAXPROCS(0))}
	var err error
	if o.Dir != "" {
		_, _ = scratch.Sweep(o.Dir) // what cannot be removed today the next run tries again
	}
	if r.work, err = scratch.NewDir(o.Dir, "tune"); err != nil {
		return nil, err
	}
	r.dir = r.work.Path
	if err := r.prepare(); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// prepare makes what all candidates need.
func (r *Runner) prepare() (err error) {
	if r.layout, err = newLayout(r.kernel); err != nil {
		return err
	}
	return r.layout.writeInputs(r.inputPath(), r.kernel.Args)
}

// Close ends the worker and removes the files.
func (r *Runner) Close() error {
	r.stop()
	r.stopBuilders()
	return r.work.Close()
}

func (r *Runner) inputPath() string { return filepath.Join(r.dir, "inputs") }

// Expect says how long a call of the default takes: what takes much longer is
// killed.
func (r *Runner) Expect(seconds float64) {
	r.expected = time.Duration(seconds * float64(time.Second))
}

// callTimeout is how long one call may take.
func (r *Runner) callTimeout() time.Duration {
	const patience, least = 10, 2 * time.Second
	if r.expected == 0 {
		return r.options.RunTimeout
	}
	return min(r.options.RunTimeout, max(least, patience*r.expected))
}

// Build compiles candidates in parallel, in the order of the trees.
func (r *Runner) Build(ctx context.Context, trees []*schedule.Tree) []*Candidate {
	list := make([]*Candidate, len(trees))
	next := make(chan int)
	var builders sync.WaitGroup
	for range min(len(trees), runtime.GOMAXPROCS(0)) {
		builders.Go(func() {
			for i := range next {
				list[i] = r.build(ctx, trees[i])
			}
		})
	}
	for i := range trees {
		next <- i
	}
	close(next)
	builders.Wait()
	return list
}

// build makes one candidate.
func (r *Runner) build(ctx context.Context, tree *schedule.Tree) *Candidate {
	candidate := &Candidate{Tree: tree}
	module, c, err := r.module(tree)
	if err == nil {
		candidate.code = c
		candidate.code.Object, candidate.Takes, err = r.compile(ctx, module, c.Plan)
	}
	switch full := r.full(err); {
	case err == nil || ctx.Err() != nil:
		candidate.Err = err
	case full != nil:
		candidate.Err = fmt.Errorf("candidates cannot be compiled: %w", full)
	default:
		candidate.Err = &Error{Refused, err}
	}
	return candidate
}

// full says why nothing can be written any more, which is no candidate's fault; nil if
// it can be, or err is nil.
func (r *Runner) full(err error) error {
	if err == nil {
		return nil
	}
	file, err := os.CreateTemp(r.dir, "probe-*")
	if err != nil {
		return err
	}
	_, err = file.Write(make([]byte, probeBytes))
	return errors.Join(err, file.Close(), os.Remove(file.Name()))
}

// probeBytes is more than a candidate's library has.
const probeBytes = 256 << 10

// Size returns the length of the code of a schedule, which predicts how long a
// compiler takes for it. The error says that it cannot be lowered.
func (r *Runner) Size(tree *schedule.Tree) (int, error) {
	module, _, err := r.module(tree)
	if err != nil {
		return 0, err
	}
	return len(module.Code), nil
}

// symbol is the name of every candidate's function, before what a target makes of it.
const symbol = "kernel"

// module lowers a tree to code. It runs in goroutines, whose panics nobody else catches.
func (r *Runner) module(tree *schedule.Tree) (m *target.Module, c code, err error) {
	defer source.RecoverInternal("candidate", &err)
	f, err := lower.Lower(r.kernel.Func, tree, lower.Options{Strides: r.kernel.Strides, Machine: r.kernel.Machine})
	if err != nil {
		return nil, c, err
	}
	if err := loop.VerifyFor(f, lower.Capacity(r.kernel.Machine)); err != nil {
		return nil, c, err
	}
	if m, err = r.options.Target.Print(f, target.Options{Name: symbol, Machine: r.kernel.Machine, Numerics: r.kernel.Numerics}); err != nil {
		return nil, c, err
	}
	c, err = r.code(f, m.Symbol)
	return m, c, err
}

// code says how loops are called.
func (r *Runner) code(f *loop.Func, symbol string) (c code, err error) {
	words, err := plan.Words(f, func(name string) string { return name })
	if err != nil {
		return c, err
	}
	p := &plan.Plan{Version: plan.Version, Name: f.Name, Target: r.options.Target.Name(), Faults: make([]plan.Fault, len(f.Sites))}
	p.AddLaunches(f, symbol, words)
	for _, a := range r.layout {
		p.Arguments = append(p.Arguments, plan.Argument{Name: a.Name, Type: a.DType})
	}
	c = code{Plan: p, Sizes: r.kernel.Sizes}
	c.Workspace, err = f.WorkspaceBytes(r.kernel.Sizes, r.threads())
	return c, err
}

// Discard removes the object of a candidate that is not needed any more.
func (r *Runner) Discard(c *Candidate) {
	if c.code.Object != "" {
		_ = os.Remove(c.code.Object) // Close removes the directory
	}
}
