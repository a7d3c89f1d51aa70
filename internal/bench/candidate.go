package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/argument"
	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/device/host"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

// A kind says how a candidate computes a row.
type kind string

// The kinds of candidates.
const (
	ricciKind  kind = "ricci"  // the compiler under test
	naiveKind  kind = "naive"  // C in the order of the program, -O3
	openMPKind kind = "openmp" // the same with its outermost loops spread over threads
	shimKind   kind = "shim"   // C that calls a library
)

// A job is what a worker prepares: a program with sizes, and how to compute it.
type job struct {
	File     string           `json:"file"`
	Text     string           `json:"text"`
	Def      string           `json:"def"`
	Sizes    map[string]int64 `json:"sizes"`
	Seed     uint64           `json:"seed"`
	Threads  int              `json:"threads"`
	Kind     kind             `json:"kind"`
	Untuned  bool             `json:"untuned,omitempty"`
	Constant []string         `json:"constant,omitempty"` // inputs that Ricci may keep packed
	CacheDir string           `json:"cache_dir,omitempty"`
	Device   string           `json:"device,omitempty"`  // of Ricci
	Imports  []string         `json:"imports,omitempty"` // directories of ricci.ParseOptions

	// Of shims: the C text, what to load before it, and flags of the compiler.
	Shim      string     `json:"shim,omitempty"`
	Libraries [][]string `json:"libraries,omitempty"` // of each the names to try
	Flags     []string   `json:"flags,omitempty"`
}

// A candidate is a job that is ready to be called, with all its arguments.
type candidate struct {
	call    func() error
	finish  func() // brings results into the outputs; may be nil
	outputs []*tensor.Tensor
	saved   map[*tensor.Tensor]*tensor.Tensor // first values of in-outs
	closers []func() error
	started time.Time // when the arguments were there
}

func (c *candidate) close() {
	for i := len(c.closers) - 1; i >= 0; i-- {
		_ = c.closers[i]() // the process keeps nothing that matters
	}
	c.closers = nil
}

// candidate prepares the job. Inputs depend on the seed alone, so those of all
// workers are equal.
func (j *job) candidate(ctx context.Context) (_ *candidate, err error) {
	def, args, err := j.arguments()
	if err != nil {
		return nil, err
	}
	c := &candidate{saved: map[*tensor.Tensor]*tensor.Tensor{}}
	defer func() {
		if err != nil {
			c.close()
		}
	}()
	for i, t := range args {
		c.closers = append(c.closers, t.Close)
		if i < len(def.Inputs()) {
			continue
		}
		c.outputs = append(c.outputs, t)
		if def.Outputs()[i-len(def.Inputs())].InOut {
			if c.saved[t], err = t.Clone(); err != nil {
				return nil, err
			}
		}
	}
	c.started = time.Now()
	switch j.Kind {
	case ricciKind:
		err = c.useRicci(ctx, j, def, args)
	case naiveKind, openMPKind:
		err = c.useNaive(ctx, j, def, args)
	case shimKind:
		err = c.useShim(ctx, j, args)
	default:
		err = fmt.Errorf("unknown kind %q", j.Kind)
	}
	return c, err
}

// arguments makes the inputs and outputs in the order of Kernel.Run.
func (j *job) arguments() (*ricci.Def, []*tensor.Tensor, error) {
	program, err := ricci.ParseOptions{ImportPath: j.Imports}.Parse(j.File, j.Text)
	if err != nil {
		return nil, nil, err
	}
	def, err := program.Def(j.Def)
	if err != nil {
		return nil, nil, err
	}
	resolved, err := argument.Resolve(def, argument.Request{Sizes: j.Sizes, Seed: j.Seed})
	if err != nil {
		return nil, nil, err
	}
	signature, err := def.SignatureForSizes(j.Sizes)
	if err != nil {
		return nil, nil, err
	}
	outputs, err := def.OutputShapes(signature.Shapes, j.Sizes)
	if err != nil {
		return nil, nil, err
	}
	var args []*tensor.Tensor
	for _, p := range def.Inputs() {
		args = append(args, resolved.Args[p.Name])
	}
	for _, p := range def.Outputs() {
		t := resolved.Args[p.Name] // an in-out has a value
		if t == nil {
			if t, err = tensor.New(p.DType, outputs[p.Name]...); err != nil {
				return nil, nil, err
			}
		}
		args = append(args, t)
	}
	return def, args, nil
}

func (c *candidate) useRicci(ctx context.Context, j *job, def *ricci.Def, args []*tensor.Tensor) error {
	signature, err := def.SignatureForSizes(j.Sizes)
	if err != nil {
		return err
	}
	kernel, err := def.Compile(ctx, signature, ricci.Options{Device: cmp.Or(j.Device, hostDevice()), Threads: j.Threads, Untuned: j.Untuned, Constant: j.Constant, CacheDir: j.CacheDir})
	if err != nil {
		return err
	}
	call, err := kernel.Bind(args...)
	if err != nil {
		return errors.Join(err, kernel.Close())
	}
	c.closers = append(c.closers, kernel.Close, call.Close)
	c.call = call.Run
	return nil
}

// use loads compiled C whose function gets a header and the addresses of the
// arguments.
func (c *candidate) use(object []byte, symbol string, threads int, workspace int64, args []*tensor.Tensor) error {
	library, err := host.OpenBytes(object)
	if err != nil {
		return err
	}
	// Never closed: its OpenMP runtime may have threads that still spin.
	function, err := library.Function(symbol)
	if err != nil {
		return err
	}
	const faultBytes = 64 // in front of the workspace
	space, err := tensor.New(tensor.Uint8, faultBytes+int(workspace))
	if err != nil {
		return err
	}
	c.closers = append(c.closers, space.Close)
	block := make([]int64, loop.HeaderWords+len(args))
	block[loop.WordThreads] = int64(threads)
	block[loop.WordFault] = address(space)
	block[loop.WordWorkspace] = address(space) + faultBytes
	for i, t := range args {
		block[loop.HeaderWords+i] = address(t)
	}
	if finish, err := library.Function("finish"); err == nil {
		c.finish = func() { finish.Call(&block[0]) }
	}
	c.call = func() error {
		status := function.Call(&block[0])
		runtime.KeepAlive(args)
		runtime.KeepAlive(space)
		if status != 0 {
			return fmt.Errorf("the C function failed with status %d", status)
		}
		return nil
	}
	if setup, err := library.Function("setup"); err == nil {
		switch status := setup.Call(&block[0]); {
		case status == statusMissing:
			return fmt.Errorf("%w: the library does not do this", errMissing)
		case status != 0:
			return fmt.Errorf("the set-up of the library failed with status %d", status)
		}
	}
	return nil
}

func address(t *tensor.Tensor) int64 { return int64(uintptr(t.Pointer())) }

// statusMissing is what the set-up of a shim returns when its library does not do
// the row.
const statusMissing = 77

func (c *candidate) useShim(ctx context.Context, j *job, args []*tensor.Tensor) error {
	for _, names := range j.Libraries {
		if err := openAny(names); err != nil {
			return fmt.Errorf("%w: %w", errMissing, err)
		}
	}
	object, err := compileC(ctx, j.Shim, append([]string{"-fopenmp"}, j.Flags...))
	if refused := (*device.RefusedError)(nil); errors.As(err, &refused) {
		return fmt.Errorf("%w: %w", errMissing, err) // most often a header
	}
	if err != nil {
		return err
	}
	return c.use(object, "run", j.Threads, 0, args)
}

// openAny loads the first of the libraries that is there, for the process's life,
// with its symbols visible to what is loaded later.
func openAny(names []string) error {
	var failures []error
	for _, name := range names {
		err := host.OpenGlobal(name)
		if err == nil {
			return nil
		}
		failures = append(failures, err)
	}
	return errors.Join(failures...)
}

// compileC compiles as a careful person would.
func compileC(ctx context.Context, text string, flags []string) ([]byte, error) {
	compilers, err := host.Find(ctx)
	if err != nil {
		return nil, err
	}
	return compilers[0].Compile(ctx, text, host.CompileOptions{Flags: append([]string{"-O3"}, flags...)})
}

// restore gives in-outs their first values again.
func (c *candidate) restore() error {
	for t, first := range c.saved {
		if err := t.CopyFrom(first); err != nil {
			return err
		}
	}
	return nil
}

// warmTime is how long a process runs before its time counts. It has slept, so the
// caches hold what others left, the clock is low, and its threads may be on one core
// until the system moves one of them, which can take more than ten milliseconds.
const warmTime = 20 * time.Millisecond

// time returns the seconds of a call.
func (c *candidate) time(q *runRequest) (float64, error) {
	if err := c.restore(); err != nil {
		return 0, err
	}
	if q.Warm {
		for begun := time.Now(); ; {
			if err := c.call(); err != nil {
				return 0, err
			}
			if time.Since(begun) > warmTime {
				break
			}
		}
	}
	calls := max(q.Calls, 1)
	start := time.Now()
	for range calls {
		if err := c.call(); err != nil {
			return 0, err
		}
	}
	return time.Since(start).Seconds() / float64(calls), nil
}

// samples returns elements of the outputs at places that depend on their lengths
// only, after one call from the first values of in-outs.
func (c *candidate) samples(each int) ([]float64, error) {
	if len(c.saved) > 0 {
		if err := errors.Join(c.restore(), c.call()); err != nil {
			return nil, err
		}
	}
	if c.finish != nil {
		c.finish()
	}
	var list []float64
	for _, t := range c.outputs {
		n := t.Len()
		count := min(n, each)
		step := max(n/max(count, 1), 1) | 1 // odd: not always the same column
		for i := range count {
			list = append(list, elementAt(t, i*step%n))
		}
	}
	return list, nil
}

// elementAt reads an element of a dense tensor as a float64.
func elementAt(t *tensor.Tensor, offset int) float64 {
	switch t.DType().Kind() {
	case tensor.KindFloat:
		return t.FloatAt(offset)
	case tensor.KindUint:
		return float64(t.UintAt(offset))
	}
	return float64(t.IntAt(offset))
}
