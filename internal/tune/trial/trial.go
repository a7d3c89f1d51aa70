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

	"github.com/ricci-lang/ricci/internal/device/host"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/scratch"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/target/c"
	"github.com/ricci-lang/ricci/tensor"
)

// How it works
//
// A candidate is a schedule tree. Build lowers, verifies, prints and compiles
// candidates in parallel, one compiler for each core; nothing of them runs in this
// process. Measure hands one after the other to a worker, a child process that
// loads the library and calls it (worker.go), so that a candidate that crashes,
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
	Compiler *host.Compiler
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
// goroutine at a time.
type Runner struct {
	kernel    Kernel
	options   Options
	work      *scratch.Dir // inputs, outputs and libraries, which may be large
	dir       string       // that of work
	layout    layout
	pool      string // path of the thread pool's library
	worker    *worker
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
	code code
}

// code is what a worker needs to call a candidate.
type code struct {
	Library   string `json:"library"`
	Symbol    string `json:"symbol"`
	Words     []word `json:"words"`
	Workspace int64  `json:"workspace"`
}

// A word of the argument block is the address of an argument or a size.
type word struct {
	Tensor string `json:"tensor,omitempty"`
	Value  int64  `json:"value,omitempty"`
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
	r := &Runner{kernel: k, options: o}
	var err error
	if o.Dir != "" {
		_, _ = scratch.Sweep(o.Dir) // what cannot be removed today the next run tries again
	}
	if r.work, err = scratch.NewDir(o.Dir, "tune"); err != nil {
		return nil, err
	}
	r.dir = r.work.Path
	if err := r.prepare(ctx); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// prepare makes what all candidates need.
func (r *Runner) prepare(ctx context.Context) (err error) {
	if r.layout, err = newLayout(r.kernel); err != nil {
		return err
	}
	if err := r.layout.writeInputs(r.inputPath(), r.kernel.Args); err != nil {
		return err
	}
	if r.pool, err = r.compile(ctx, host.PoolSource); err != nil {
		return fmt.Errorf("the thread pool: %w", err)
	}
	return nil
}

// Close ends the worker and removes the files.
func (r *Runner) Close() error {
	r.stop()
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
	text, words, workspace, err := r.text(tree)
	if err == nil {
		candidate.code = code{Symbol: symbol, Words: words, Workspace: workspace}
		candidate.code.Library, err = r.compile(ctx, text)
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

// Size returns the length of the C text of a schedule, which predicts how long a
// compiler takes for it. The error says that it cannot be lowered.
func (r *Runner) Size(tree *schedule.Tree) (int, error) {
	text, _, _, err := r.text(tree)
	return len(text), err
}

// symbol is the name of every candidate's function.
const symbol = "kernel"

// text lowers a tree to C. It runs in goroutines, whose panics nobody else catches.
func (r *Runner) text(tree *schedule.Tree) (text string, words []word, workspace int64, err error) {
	defer source.RecoverInternal("candidate", &err)
	f, err := lower.Lower(r.kernel.Func, tree, lower.Options{Strides: r.kernel.Strides, L1: r.kernel.Machine.L1})
	if err != nil {
		return "", nil, 0, err
	}
	if err := loop.Verify(f); err != nil {
		return "", nil, 0, err
	}
	if words, err = r.words(f); err != nil {
		return "", nil, 0, err
	}
	if workspace, err = f.WorkspaceBytes(r.kernel.Sizes, r.threads()); err != nil {
		return "", nil, 0, err
	}
	text, err = c.Print(f, c.Options{Name: symbol, VectorBytes: r.kernel.Machine.VectorBytes, Numerics: r.kernel.Numerics})
	return text, words, workspace, err
}

// compile makes a library of a C text and returns its path.
func (r *Runner) compile(ctx context.Context, text string) (string, error) {
	object, err := r.options.Compiler.Compile(ctx, text, host.CompileOptions{
		TempDir: r.dir, Timeout: r.options.CompileTimeout, ReproducerDir: r.options.ReproducerDir,
	})
	if err != nil {
		return "", err
	}
	file, err := os.CreateTemp(r.dir, "candidate-*.so") // the loader knows files by name
	if err != nil {
		return "", err
	}
	_, err = file.Write(object)
	return file.Name(), errors.Join(err, file.Close())
}

// Discard removes the library of a candidate that is not needed any more.
func (r *Runner) Discard(c *Candidate) {
	if c.code.Library != "" {
		_ = os.Remove(c.code.Library) // Close removes the directory
	}
}
