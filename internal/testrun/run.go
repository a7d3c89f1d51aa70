// Package testrun runs the test blocks of programs on every target against the
// reference evaluator.
package testrun

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/argument"
	"github.com/ricci-lang/ricci/internal/lang/notations"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/testblock"
	"github.com/ricci-lang/ricci/tensor"
)

// How it works
//
// A block becomes the arguments of one call (package argument). The call runs on
// every target; each output is compared with the written one, and with the
// reference evaluator, on these arguments and on whole numbers (package judge). A block that expects an error needs a
// matching diagnostic, from the checker or from the call. A property is evaluated
// by calling the defs in it on random arguments (property.go).

// Options says how tests run.
type Options struct {
	Targets  []ricci.Target     // which targets; Eval and C, where it works, when empty
	Programs ricci.ParseOptions // how the program is read
	Threads  int
	Seed     uint64
	Filter   func(*testblock.Block) bool // which blocks; nil for all
	Notice   func(string)
	// Level, Machine, MachineFile, Numerics, Schedule, ScheduleFile and Untuned are those of ricci.Options, for every kernel.
	Level        string
	Numerics     string
	Schedule     string
	ScheduleFile string
	Device       string // of all targets but Eval; empty: the best one
	Machine      string
	MachineFile  string
	Untuned      bool
	Dynamic      bool // all sizes that inputs determine stay variables of kernels
}

// place names what a test runs on.
func (o Options) place(target ricci.Target) string {
	if o.Device != "" && target != ricci.Eval {
		return "device " + o.Device
	}
	return "target " + string(target)
}

// compile returns how a kernel is made: of a def, or of strands, whose def is nil.
func (o Options) compile(def *ricci.Def, target ricci.Target) ricci.Options {
	if target == ricci.Eval {
		o.Device = ""
	}
	var dynamic []string
	if o.Dynamic && def != nil {
		for _, s := range def.Sizes() {
			if s.Origin != "" { // else arrays could not say what it is
				dynamic = append(dynamic, s.Name)
			}
		}
	}
	return ricci.Options{Dynamic: dynamic, Target: target, Device: o.Device, Threads: o.Threads, Notice: o.Notice, Level: o.Level, Machine: o.Machine, MachineFile: o.MachineFile, Numerics: o.Numerics, Schedule: o.Schedule, ScheduleFile: o.ScheduleFile, Untuned: o.Untuned,
		OwnKernels: -1} // tests are of the kernels that a caller with one shape gets
}

// A Result is the outcome of one block.
type Result struct {
	File     string
	Name     string
	Def      string
	Place    source.Span
	Targets  []ricci.Target
	Duration time.Duration
	Err      error // nil when the test passed, or was refused
	// Refused says why the program cannot run in a place, though nothing is wrong with it: its strands notice each other, and a
	// device runs each for itself. Nil where it ran.
	Refused error
}

// File runs the blocks of a program and reports each. The error says that the
// file could not be tested at all.
func File(ctx context.Context, file *source.File, options Options, report func(Result)) error {
	path := file.Name
	outline, diagnostics := notations.Of(path).Outline(file)
	blocks, blockDiagnostics := testblock.Parse(outline)
	if err := blockDiagnostics.Err(); err != nil {
		return err
	}
	program, err := options.Programs.Parse(path, file.Text)
	if err != nil && !expected(blocks, err) {
		if e := diagnostics.Err(); e != nil {
			return e
		}
		return err
	}
	if program != nil {
		defer program.Close()
		if refused := program.Err(); refused != nil && !expected(blocks, refused) {
			return refused
		}
	}
	r := &runner{ctx: ctx, path: path, text: file.Text, program: program, compileErr: err, options: options}
	ran := false
	for _, b := range blocks {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if options.Filter != nil && !options.Filter(b) {
			continue
		}
		ran = true
		start := time.Now()
		err := r.block(b)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		result := Result{File: path, Name: b.Name, Def: b.Def, Place: b.Pos, Targets: r.targets(), Duration: time.Since(start)}
		if b.Error == nil && refuses(err) {
			result.Refused = err
		} else {
			result.Err = err
		}
		report(result)
	}
	if !ran && options.Schedule != "" && program != nil {
		return r.readSchedule()
	}
	return nil
}

// readSchedule reads a schedule that no test has read: it must fit a def of the program
// for some sizes. The error is that of the first def.
func (r *runner) readSchedule() (failure error) {
	options := ricci.Options{Schedule: r.options.Schedule, ScheduleFile: r.options.ScheduleFile}
	for _, d := range r.program.Defs() {
		for _, value := range []func(k int) int64{func(int) int64 { return 64 }, func(k int) int64 { return 96 * int64(k+1) }} {
			sizes := map[string]int64{}
			for k, s := range d.Sizes() {
				sizes[s.Name] = value(k)
			}
			_, err := d.Stage(r.ctx, ricci.StageSchedule, sizes, options)
			if err == nil {
				return nil
			}
			failure = cmp.Or(failure, err)
		}
	}
	return failure
}

// refuses reports whether an error says of nothing but the place that a program cannot run there.
func refuses(err error) bool {
	list := diagnosticsOf(err)
	return len(list) > 0 && !slices.ContainsFunc(list, func(d *source.Diagnostic) bool { return d.Code != source.StrandDevice })
}

// expected reports whether every diagnostic of a program that does not compile
// is expected by some block.
func expected(blocks []*testblock.Block, err error) bool {
	for _, d := range diagnosticsOf(err) {
		wanted := false
		for _, b := range blocks {
			wanted = wanted || b.Error != nil && b.Error.Matches(d)
		}
		if !wanted {
			return false
		}
	}
	return len(diagnosticsOf(err)) > 0
}

func diagnosticsOf(err error) []*source.Diagnostic {
	var list source.ErrorList
	var one *source.Diagnostic
	switch {
	case errors.As(err, &list):
		return list
	case errors.As(err, &one):
		return []*source.Diagnostic{one}
	}
	return nil
}

type runner struct {
	ctx        context.Context
	path, text string
	program    *ricci.Program // nil when the program does not compile
	compileErr error
	options    Options
}

func (r *runner) targets() []ricci.Target {
	if len(r.options.Targets) > 0 {
		return r.options.Targets
	}
	return []ricci.Target{ricci.Eval, ricci.C}
}

func (r *runner) block(b *testblock.Block) (err error) {
	defer source.RecoverInternal("test", &err)
	if r.compileErr != nil {
		if b.Error == nil {
			return errors.New("not run: the program has errors that another test expects; move that test to a file of its own")
		}
		return matchError(b, r.compileErr)
	}
	if len(b.Properties) > 0 {
		return r.properties(b)
	}
	if s := r.program.Strands(); s != nil && s.Name() == b.Def {
		return r.strands(b)
	}
	def, err := r.program.Def(b.Def)
	if err != nil && b.Error != nil {
		return matchError(b, err)
	}
	if err != nil {
		return err
	}
	for _, target := range r.targets() {
		err := r.call(def, b, target)
		if b.Error != nil {
			err = matchError(b, err)
		}
		if err != nil {
			return fmt.Errorf("on %s: %w", r.options.place(target), err)
		}
	}
	return nil
}

func matchError(b *testblock.Block, err error) error {
	want := string(b.Error.Code)
	if b.Error.Pattern != nil {
		want = fmt.Sprintf("matching %q", b.Error.Pattern)
	}
	if err == nil {
		return fmt.Errorf("expected the error %s, but the def ran", want)
	}
	for _, d := range diagnosticsOf(err) {
		if b.Error.Matches(d) {
			return nil
		}
	}
	if b.Error.Pattern != nil && b.Error.Pattern.MatchString(err.Error()) {
		return nil
	}
	return fmt.Errorf("expected the error %s, got: %w", want, err)
}

// call runs the def on one target and compares the outputs.
func (r *runner) call(def *ricci.Def, b *testblock.Block, target ricci.Target) error {
	request, err := r.request(def, b)
	if err != nil {
		return err
	}
	arguments, err := argument.Resolve(def, request)
	var sizes *argument.SizesError
	switch {
	case errors.As(err, &sizes):
		return fmt.Errorf("%w; add a line with sizes: size N = 4, M = 3", err)
	case err != nil:
		return err
	}
	options := r.options.compile(def, target)
	results, err := def.RunWith(r.ctx, arguments.Args, arguments.Sizes, options)
	if err != nil {
		return err
	}
	written := map[string]bool{}
	for _, out := range b.Outputs {
		written[out.Name] = true
		if err := r.compare(b, out, results[out.Name]); err != nil {
			return err
		}
	}
	_, err = def.CheckRun(r.ctx, arguments.Args, results, arguments.Sizes, options, ricci.CheckOptions{Seed: r.options.Seed})
	if len(written) == len(def.Outputs()) && unjudged(err) {
		return nil // by the evaluator; the block has said what is right
	}
	return err
}

// unjudged reports whether an error only says that nothing could be compared.
func unjudged(err error) bool {
	list := diagnosticsOf(err)
	return len(list) > 0 && !slices.ContainsFunc(list, func(d *source.Diagnostic) bool { return d.Code != source.NothingCompared })
}

// request turns the lines of the block into a request for arguments.
func (r *runner) request(def *ricci.Def, b *testblock.Block) (argument.Request, error) {
	request := argument.Request{
		Specs: map[string]argument.Spec{}, Values: map[string]*tensor.Tensor{}, Sizes: map[string]int64{}, Seed: r.options.Seed,
	}
	for _, s := range b.Sizes {
		request.Sizes[s.Name] = s.Value
	}
	types := map[string]tensor.DType{}
	for _, p := range argument.Needed(def) {
		types[p.Name] = p.DType
	}
	for _, in := range b.Inputs {
		dtype, known := types[in.Name]
		if !known {
			return request, fmt.Errorf("%s has no input named %s", def.Name(), in.Name)
		}
		if in.Type != nil {
			dtype = in.Type.DType
		}
		value, spec, err := r.value(in.Value, dtype)
		if err != nil {
			return request, fmt.Errorf("input %s: %w", in.Name, err)
		}
		if value != nil {
			request.Values[in.Name] = value
			continue
		}
		request.Specs[in.Name] = spec
	}
	return request, nil
}

// value makes the tensor of a value that has a shape, or the spec of one that
// takes the declared shape.
func (r *runner) value(v testblock.Value, dtype tensor.DType) (*tensor.Tensor, argument.Spec, error) {
	switch v := v.(type) {
	case *testblock.Literal:
		t, err := v.Tensor(dtype)
		return t, argument.Spec{}, err
	case *testblock.File:
		t, err := tensor.Load(filepath.Join(filepath.Dir(r.path), v.Path))
		return t, argument.Spec{}, err
	case *testblock.Iota:
		return nil, argument.Spec{Kind: argument.Iota}, nil
	case *testblock.Const:
		spec, err := argument.ParseSpec("const:" + v.Number.Text)
		return nil, spec, err
	case *testblock.Random:
		return nil, argument.Spec{Kind: argument.Random, Seed: v.Seed, Own: v.HasSeed}, nil
	}
	return nil, argument.Spec{}, fmt.Errorf("unknown kind of value %T", v)
}
