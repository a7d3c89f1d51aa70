package ricci

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/notations"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/rewrite"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/standard"
	"github.com/ricci-lang/ricci/internal/scratch"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/target"
	"github.com/ricci-lang/ricci/internal/tune/tuned"
	"github.com/ricci-lang/ricci/tensor"
)

// How a def becomes a kernel
//
//	Bind         sizes from shapes; every assumption of the program is tested
//	Specialise   sizes become constants, except the dynamic ones
//	Optimise     the passes of package rewrite, verified after each
//	Coalesce     rows of images that follow each other become one, in products
//	Default      a schedule for this machine, unless one is given (given.go) or tuned (tuned.go)
//	Lower        loops; checks the schedule
//	Verify       every access of the loops is in bounds of its buffer; where the
//	             default schedule fails, the order of the program has to do
//	Print        code of a target (package target)
//	Compile      an object, by a device (package device)
//	Load         what a call launches
//
// Everything from Specialise on works on a function without the user's names, so
// that equal programs give equal code whatever they are called; `ricci show`
// gives the loops the names when they are done. The code, with the identity of the device, is the
// key of the object on disk. A second key, over the
// program's text and the signature, leads to the library without any of the
// steps between (planned.go).

// stages holds what the steps of a compilation made, for Compile and for Stage.
type stages struct {
	ein      *ein.Func
	schedule *schedule.Tree
	loop     *loop.Func
	module   *target.Module
	kind     ScheduleKind
	doubtful bool     // there were warnings or notices about the schedule
	says     []string // what the text of a given schedule means
}

// A compilation is the input of the steps.
type compilation struct {
	def      *Def
	f        *ein.Func // with all sizes symbolic
	sizes    map[string]int64
	keep     map[string]bool // sizes that stay symbolic
	constant []string        // inputs that keep their contents
	strides  map[string][]int
	machine  *machine.Processor
	numerics numerics.Mode
	name     string // of the code's function
	options  Options
	written  bool // schedule the statements as they are written, whatever options say
	// userNames has the names of a function without the user's; named is the
	// compilation with them.
	userNames map[string]string
	named     *compilation
	showNames bool            // give the loops the names of the program
	tuned     *tuned.Schedule // nil when there is none for this compilation
}

// job prepares the steps for arguments of a signature.
func (d *Def) job(signature Signature, options Options) (*compilation, error) {
	job := &compilation{def: d, f: d.info.Func, strides: signature.Strides, keep: map[string]bool{}, machine: options.machine(), options: options}
	var err error
	if job.numerics, err = options.numerics(); err != nil {
		return job, err
	}
	if err = errors.Join(options.checkLevel(), options.checkMachine()); err != nil {
		return job, err
	}
	if job.sizes, err = d.bind(signature); err != nil {
		return job, err
	}
	return job, errors.Join(job.keepDynamic(options.Dynamic), job.keepConstant(options.Constant))
}

// Compile makes a kernel for arguments of the signature.
func (d *Def) Compile(ctx context.Context, signature Signature, options Options) (*Kernel, error) {
	k, err := d.compile(ctx, signature, options, device.Soon)
	if errors.Is(err, device.ErrUnproven) && ctx.Err() == nil {
		return d.compile(ctx, signature, options, device.Proven)
	}
	return k, err
}

func (d *Def) compile(ctx context.Context, signature Signature, options Options, ready device.Readiness) (kernel *Kernel, err error) {
	job, err := d.job(signature, options)
	if err != nil {
		return nil, err
	}
	defer func() { err = saveReproducer(err, job, options) }()
	defer source.RecoverInternal("compile", &err)
	on, err := options.open(ctx, ready)
	if err != nil {
		return nil, err
	}
	target := Eval
	if on != nil {
		defer func() { err = errors.Join(err, on.device.Close()) }()
		target = Target(on.target.Name())
		job.findTuned(on)
	}
	k, err := newKernel(d, target, job.sizes, job.keep, job.strides)
	if err != nil {
		return nil, err
	}
	if k.options = options; on == nil {
		return k, nil
	}
	return k, k.load(ctx, job, on)
}

// CompileFor makes a kernel for arguments such as these: the inputs, and the
// outputs that will be preallocated as views.
func (d *Def) CompileFor(ctx context.Context, args map[string]*tensor.Tensor, options Options) (*Kernel, error) {
	signature, err := d.SignatureOf(args)
	if err != nil {
		return nil, err
	}
	return d.Compile(ctx, signature, options)
}

func (j *compilation) keepDynamic(names []string) error {
	known := j.def.sizeNames()
	for _, name := range names {
		if !slices.Contains(known, name) {
			return unknownSize(j.def, name, known)
		}
		j.keep[name] = true
	}
	return nil
}

func (j *compilation) keepConstant(names []string) error {
	inputs := j.def.Inputs()
	for _, name := range names {
		if !slices.ContainsFunc(inputs, func(p Param) bool { return p.Name == name }) {
			known := make([]string, len(inputs))
			for i, p := range inputs {
				known[i] = p.Name
			}
			return fmt.Errorf("%s has no input named %s that could be constant; its inputs are %s", j.def.Name(), name, strings.Join(known, ", "))
		}
	}
	j.constant = names
	return nil
}

// run takes the steps as far as the code of a target.
func (j *compilation) run(t target.Target) (*stages, error) {
	s, err := j.ordered()
	if err != nil {
		return nil, err
	}
	s.module, err = t.Print(s.loop, target.Options{Name: j.name, Machine: j.machine, Numerics: j.numerics})
	return s, err
}

// ordered takes the steps as far as the loops.
func (j *compilation) ordered() (*stages, error) {
	f, err := j.optimised()
	if err != nil {
		return nil, err
	}
	s := &stages{ein: f}
	return s, j.order(s)
}

// order chooses a schedule and makes the loops, which are verified: with the
// schedule that was given, or tuned; else with the default one, a plainer one, or in the order
// of the program. That the default failed is a defect for constant sizes; for dynamic ones it is what the prover can do.
func (j *compilation) order(s *stages) (err error) {
	switch {
	case j.script() != "":
		return j.orderAsGiven(s)
	case j.tuned != nil && j.orderAsTuned(s):
		return nil
	}
	s.kind = DefaultSchedule
	options := schedule.Options{Strides: j.loopStrides(), Constant: j.constant}
	if err = j.makeDefault(s, options); isUnproved(err) && len(j.keep) > 0 {
		options.Unblocked = true // blocks of dynamic sizes are hard to prove
		err = j.makeDefault(s, options)
	}
	if err != nil {
		return j.orderPlainly(s, options, err)
	}
	if s.schedule.Fallback != nil {
		s.kind = PlainSchedule
		j.defaultFailed(s.schedule.Fallback)
	}
	return nil
}

// makeDefault makes the loops of a default schedule.
func (j *compilation) makeDefault(s *stages, options schedule.Options) (err error) {
	if s.schedule, err = standard.DefaultFor(s.ein, j.machine, options); err != nil {
		return err
	}
	return j.makeLoops(s)
}

// orderPlainly makes the loops where the default schedule failed, which is a defect for constant
// sizes; for dynamic ones it is what the prover can do.
func (j *compilation) orderPlainly(s *stages, options schedule.Options, failure error) error {
	s.kind = PlainSchedule
	options.Plain, options.Unblocked = true, true
	err := j.makeDefault(s, options)
	if err != nil {
		s.schedule = schedule.Canonical(s.ein)
		err = j.makeLoops(s)
	}
	if isUnproved(err) && j.orderWithTests(s) == nil {
		return nil
	}
	switch {
	case err != nil && len(j.keep) > 0 && isUnproved(err):
		return j.unprovedSizes(err)
	case err != nil:
		return failure
	case len(j.keep) > 0 && isUnproved(failure):
		j.options.notice("%s has a plain schedule, which is slow: the faster order is not proved to stay in bounds for dynamic sizes; leave out --dynamic %s for a fast kernel", j.def.Name(), j.dynamicNames())
	default:
		j.defaultFailed(failure)
	}
	return nil
}

// orderWithTests makes loops that test subscripts which the program keeps in bounds in a way that is not
// proved of the loops: the tests never fail, and cost time.
func (j *compilation) orderWithTests(s *stages) error {
	tested := *s
	tested.ein = rewrite.AddTests(s.ein)
	tested.schedule = schedule.Canonical(tested.ein)
	if err := j.makeLoops(&tested); err != nil {
		return err
	}
	*s = tested
	j.options.notice("%s is slow: its loops are not proved to stay in bounds%s, and test subscripts while running", j.def.Name(), j.forDynamicSizes())
	return nil
}

func (j *compilation) forDynamicSizes() string {
	if len(j.keep) == 0 {
		return ""
	}
	return " for all values of " + j.dynamicNames()
}

func isUnproved(err error) bool { return errors.Is(err, loop.ErrUnproved) }

func (j *compilation) makeLoops(s *stages) (err error) {
	options := lower.Options{Strides: j.loopStrides(), Constant: j.constant}
	if j.showNames {
		if options.Names, err = j.named.optimised(); err != nil {
			return err
		}
	}
	if s.loop, err = lower.Lower(s.ein, s.schedule, options); err != nil {
		return err
	}
	return loop.Verify(s.loop)
}

// defaultFailed reports a defect that only makes the kernel slow.
func (j *compilation) defaultFailed(err error) {
	j.options.notice("%s has a plain schedule, which is slow: %v", j.def.Name(), saveReproducer(err, j, j.options))
}

// dynamicNames lists the dynamic sizes by the user's names.
func (j *compilation) dynamicNames() string {
	var names []string
	for _, s := range j.f.Sizes {
		if !j.keep[s.Name] {
			continue
		}
		if name, renamed := j.userNames[s.Name]; renamed {
			names = append(names, name)
		} else {
			names = append(names, s.Name)
		}
	}
	return strings.Join(names, ",")
}

func (j *compilation) unprovedSizes(err error) error {
	e := &Diagnostic{Code: source.DynamicBounds, Span: j.def.info.Pos,
		Message: fmt.Sprintf("%s is not proved to stay in bounds for all values of %s: %v", j.def.Name(), j.dynamicNames(), errors.Unwrap(err))}
	return ErrorList{e.WithHelp("give some of these sizes their values: -s with ricci build, or left out of --dynamic with ricci run")}
}

// loopStrides are the strides of arguments that are not dense.
func (j *compilation) loopStrides() map[string][]int64 {
	strides := map[string][]int64{}
	for name, list := range j.strides {
		strides[name] = int64s(list)
	}
	return strides
}

// withoutNames returns the compilation of the same function with canonical names
// instead of the user's, and the names of its arguments and sizes.
func (j *compilation) withoutNames() (*compilation, map[string]string) {
	g := ein.WithoutNames(j.f)
	names, canonical := map[string]string{}, map[string]string{}
	for i, t := range j.f.Tensors {
		names[g.Tensors[i].Name] = t.Name
		canonical[t.Name] = g.Tensors[i].Name
	}
	for i, s := range j.f.Sizes {
		names[g.Sizes[i].Name] = s.Name
		canonical[s.Name] = g.Sizes[i].Name
	}
	renamed := &compilation{def: j.def, f: g, machine: j.machine, numerics: j.numerics, name: "kernel", options: j.options, userNames: names, named: j, tuned: j.tuned, sizes: map[string]int64{}, keep: map[string]bool{}, strides: map[string][]int{}}
	for name, value := range j.sizes {
		renamed.sizes[canonical[name]] = value
	}
	for _, name := range j.constant {
		renamed.constant = append(renamed.constant, canonical[name])
	}
	for name := range j.keep {
		renamed.keep[canonical[name]] = true
	}
	for name, strides := range j.strides {
		renamed.strides[canonical[name]] = strides
	}
	return renamed, names
}

// saveReproducer adds to an internal error a file with what led to it.
func saveReproducer(err error, j *compilation, options Options) error {
	var internal *InternalError
	var refused *device.RefusedError
	if !errors.As(err, &internal) || errors.As(err, &refused) {
		return err
	}
	var text strings.Builder
	fmt.Fprintf(&text, "# %s\n# def %s, sizes %v, dynamic %v, strides %v, target %s\n\n",
		strings.ReplaceAll(err.Error(), "\n", "\n# "), j.def.Name(), j.sizes, options.Dynamic, j.strides, options.Target)
	for _, file := range j.def.program.unit.Files {
		fmt.Fprintf(&text, "# file %s\n%s\n", file.Name, file.Text)
	}
	path, saveErr := scratch.SaveReproducer(reproducerDir(options), text.String(), notations.Of(j.def.program.name).Extension)
	if saveErr != nil {
		return err
	}
	return fmt.Errorf("%w; the program is in %s", err, path)
}
