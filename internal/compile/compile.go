// Package compile takes a def to a kernel: the steps stand one below the other in this file.
package compile

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/plan"
	"github.com/ricci-lang/ricci/internal/rewrite"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/grids"
	"github.com/ricci-lang/ricci/internal/schedule/sketch"
	"github.com/ricci-lang/ricci/internal/schedule/standard"
	"github.com/ricci-lang/ricci/internal/scratch"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/target"
	"github.com/ricci-lang/ricci/internal/tune/tuned"
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
// steps between (load.go).

// Steps holds what the steps have made.
type Steps struct {
	Func     *ein.Func
	Tree     *schedule.Tree
	Loop     *loop.Func
	Module   *target.Module
	Kind     string   // of plan.DefaultSchedule and its like
	Doubtful bool     // there were warnings or notices about the schedule
	Says     []string // what the text of a given schedule means, or how one was chosen
}

// A Job is the input of the steps.
type Job struct {
	Def      *Def
	Func     *ein.Func // with all sizes symbolic
	Sizes    map[string]int64
	Keep     map[string]bool // sizes that stay symbolic
	Constant []string        // inputs that keep their contents
	Strides  map[string][]int
	Machine  *machine.Processor
	Numerics numerics.Mode
	Options  Options
	Tuned    *tuned.Schedule // nil when there is none for this job

	site    *site
	name    string // of the code's function
	written bool   // schedule the statements as they are written, whatever options say
	// userNames has the names of a function without the user's; named is the
	// job with them.
	userNames map[string]string
	named     *Job
	showNames bool   // give the loops the names of the program
	afterPass string // the last pass on loops; empty: all
}

// New prepares the steps for arguments of a signature.
func New(ctx context.Context, d *Def, signature Signature, options Options) (*Job, error) {
	job, err := newJob(ctx, d, options)
	if err != nil {
		return job, err
	}
	job.Strides = signature.Strides
	if job.Sizes, err = d.Bind(signature); err != nil {
		return job, err
	}
	return job, errors.Join(job.keepDynamic(options.Dynamic), job.keepConstant(options.Constant))
}

// NewForSizes prepares the steps for dense arguments of given sizes; the dynamic ones need no value.
func NewForSizes(ctx context.Context, d *Def, sizes map[string]int64, options Options) (*Job, error) {
	job, err := newJob(ctx, d, options)
	if err != nil {
		return nil, err
	}
	job.Sizes = maps.Clone(sizes)
	if err := errors.Join(job.keepDynamic(options.Dynamic), job.keepConstant(options.Constant)); err != nil {
		return nil, err
	}
	if err := d.requireSizes(sizes, job.Keep); err != nil || len(job.Keep) > 0 {
		return job, err
	}
	signature, err := d.SignatureForSizes(sizes)
	if err != nil {
		return nil, err
	}
	job.Sizes, err = d.Bind(signature)
	return job, err
}

// newJob looks at the options alone.
func newJob(ctx context.Context, d *Def, options Options) (*Job, error) {
	job := &Job{Def: d, Func: d.Func, Keep: map[string]bool{}, Options: options}
	var err error
	if job.Numerics, err = options.numerics(); err != nil {
		return job, err
	}
	return job, job.moveTo(ctx, options)
}

func (j *Job) keepDynamic(names []string) error {
	known := j.Def.SizeNames()
	for _, name := range names {
		if !slices.Contains(known, name) {
			return j.Def.unknownSize(name)
		}
		j.Keep[name] = true
	}
	return nil
}

func (j *Job) keepConstant(names []string) error {
	var inputs []string
	for _, t := range j.Def.Func.Inputs() {
		inputs = append(inputs, t.Name)
	}
	for _, name := range names {
		if !slices.Contains(inputs, name) {
			return fmt.Errorf("%s has no input named %s that could be constant; its inputs are %s", j.Def.Name, name, strings.Join(inputs, ", "))
		}
	}
	j.Constant = names
	return nil
}

// Run takes the steps as far as the code of a target.
func (j *Job) Run(t target.Target) (*Steps, error) {
	s, err := j.Ordered()
	if err != nil {
		return nil, err
	}
	s.Module, err = t.Print(s.Loop, target.Options{Name: j.name, Machine: j.Machine, Numerics: j.Numerics})
	return s, err
}

// Ordered takes the steps as far as the loops.
func (j *Job) Ordered() (*Steps, error) {
	f, err := j.optimised()
	if err != nil {
		return nil, err
	}
	s := &Steps{Func: f}
	return s, j.order(s)
}

// order chooses a schedule and makes the loops, which are verified: with the
// schedule that was given, or tuned; else with the default one, a plainer one, or in the order
// of the program. That the default failed is a defect for constant sizes; for dynamic ones it is what the prover can do.
func (j *Job) order(s *Steps) (err error) {
	switch {
	case j.script() != "":
		return j.orderAsGiven(s)
	case j.Tuned != nil && j.orderAsTuned(s):
		return nil
	}
	s.Kind = plan.DefaultSchedule
	options := schedule.Options{Strides: j.LoopStrides(), Constant: j.Constant}
	if err = j.makeDefault(s, options); isUnproved(err) && len(j.Keep) > 0 {
		options.Unblocked = true // blocks of dynamic sizes are hard to prove
		err = j.makeDefault(s, options)
	}
	if err != nil {
		return j.orderPlainly(s, options, err)
	}
	if s.Tree.Fallback != nil {
		s.Kind = plan.PlainSchedule
		j.defaultFailed(s.Tree.Fallback)
	}
	return nil
}

// makeDefault makes the loops of a default schedule.
func (j *Job) makeDefault(s *Steps, options schedule.Options) (err error) {
	if j.Machine.Grid != nil {
		s.Tree, s.Says, err = j.gridDefault(s.Func, options)
	} else {
		s.Tree, err = standard.DefaultFor(s.Func, j.Machine, options)
	}
	if err != nil {
		return err
	}
	return j.makeLoops(s)
}

// gridDefault makes the default schedule for a machine with groups of items, and says how it was chosen.
func (j *Job) gridDefault(f *ein.Func, options schedule.Options) (*schedule.Tree, []string, error) {
	if options.Plain || options.Unblocked {
		t, err := grids.Default(f, *j.Machine.Grid)
		return t, nil, err
	}
	c, err := sketch.Choose(f, j.Machine, j.proved(f))
	if err != nil {
		return nil, nil, err
	}
	return c.Tree, c.Why(), nil
}

// proved reports of trees for a function whether their loops are proved to be in bounds.
func (j *Job) proved(f *ein.Func) func(*schedule.Tree) bool {
	trial := &Job{Machine: j.Machine, Strides: j.Strides, Constant: j.Constant}
	return func(t *schedule.Tree) bool { return trial.makeLoops(&Steps{Func: f, Tree: t}) == nil }
}

// orderPlainly makes the loops where the default schedule failed, which is a defect for constant
// sizes; for dynamic ones it is what the prover can do.
func (j *Job) orderPlainly(s *Steps, options schedule.Options, failure error) error {
	s.Kind = plan.PlainSchedule
	options.Plain, options.Unblocked = true, true
	err := j.makeDefault(s, options)
	if err != nil {
		s.Tree = schedule.Canonical(s.Func)
		err = j.makeLoops(s)
	}
	if isUnproved(err) && j.orderWithTests(s) == nil {
		return nil
	}
	switch {
	case err != nil && len(j.Keep) > 0 && isUnproved(err):
		return j.unprovedSizes(err)
	case err != nil:
		return failure
	case len(j.Keep) > 0 && isUnproved(failure):
		j.Options.notice("%s has a plain schedule, which is slow: the faster order is not proved to stay in bounds for dynamic sizes; leave out --dynamic %s for a fast kernel", j.Def.Name, j.dynamicNames())
	default:
		j.defaultFailed(failure)
	}
	return nil
}

// orderWithTests makes loops that test subscripts which the program keeps in bounds in a way that is not
// proved of the loops: the tests never fail, and cost time.
func (j *Job) orderWithTests(s *Steps) error {
	tested := *s
	tested.Func = rewrite.AddTests(s.Func)
	tested.Tree = schedule.Canonical(tested.Func)
	if err := j.makeLoops(&tested); err != nil {
		return err
	}
	*s = tested
	j.Options.notice("%s is slow: its loops are not proved to stay in bounds%s, and test subscripts while running", j.Def.Name, j.forDynamicSizes())
	return nil
}

func (j *Job) forDynamicSizes() string {
	if len(j.Keep) == 0 {
		return ""
	}
	return " for all values of " + j.dynamicNames()
}

func isUnproved(err error) bool { return errors.Is(err, loop.ErrUnproved) }

func (j *Job) makeLoops(s *Steps) (err error) {
	options := lower.Options{Strides: j.LoopStrides(), Constant: j.Constant, Machine: j.Machine, After: j.afterPass}
	if j.showNames {
		if options.Names, err = j.named.optimised(); err != nil {
			return err
		}
	}
	if s.Loop, err = lower.Lower(s.Func, s.Tree, options); err != nil {
		return err
	}
	return loop.VerifyFor(s.Loop, lower.Capacity(j.Machine))
}

// defaultFailed reports a defect that only makes the kernel slow.
func (j *Job) defaultFailed(err error) {
	j.Options.notice("%s has a plain schedule, which is slow: %v", j.Def.Name, SaveReproducer(err, j))
}

// dynamicNames lists the dynamic sizes by the user's names.
func (j *Job) dynamicNames() string {
	var names []string
	for _, s := range j.Func.Sizes {
		if !j.Keep[s.Name] {
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

func (j *Job) unprovedSizes(err error) error {
	e := &source.Diagnostic{Code: source.DynamicBounds, Span: j.Def.Pos,
		Message: fmt.Sprintf("%s is not proved to stay in bounds for all values of %s: %v", j.Def.Name, j.dynamicNames(), errors.Unwrap(err))}
	return source.ErrorList{e.WithHelp("give some of these sizes their values: -s with ricci build, or left out of --dynamic with ricci run")}
}

// LoopStrides are the strides of arguments that are not dense.
func (j *Job) LoopStrides() map[string][]int64 {
	strides := map[string][]int64{}
	for name, list := range j.Strides {
		strides[name] = Int64s(list)
	}
	return strides
}

// withoutNames returns the compilation of the same function with canonical names
// instead of the user's, and the names of its arguments and sizes.
func (j *Job) withoutNames() (*Job, map[string]string) {
	g := ein.WithoutNames(j.Func)
	names, canonical := map[string]string{}, map[string]string{}
	for i, t := range j.Func.Tensors {
		names[g.Tensors[i].Name] = t.Name
		canonical[t.Name] = g.Tensors[i].Name
	}
	for i, s := range j.Func.Sizes {
		names[g.Sizes[i].Name] = s.Name
		canonical[s.Name] = g.Sizes[i].Name
	}
	renamed := &Job{Def: j.Def, Func: g, site: j.site, Machine: j.Machine, Numerics: j.Numerics, name: "kernel", Options: j.Options, userNames: names, named: j, Tuned: j.Tuned, Sizes: map[string]int64{}, Keep: map[string]bool{}, Strides: map[string][]int{}}
	for name, value := range j.Sizes {
		renamed.Sizes[canonical[name]] = value
	}
	for _, name := range j.Constant {
		renamed.Constant = append(renamed.Constant, canonical[name])
	}
	for name := range j.Keep {
		renamed.Keep[canonical[name]] = true
	}
	for name, strides := range j.Strides {
		renamed.Strides[canonical[name]] = strides
	}
	return renamed, names
}

// SaveReproducer adds to an internal error a file with what led to it.
func SaveReproducer(err error, j *Job) error {
	var internal *source.InternalError
	var refused *device.RefusedError
	if !errors.As(err, &internal) || errors.As(err, &refused) {
		return err
	}
	var text strings.Builder
	fmt.Fprintf(&text, "# %s\n# def %s, sizes %v, dynamic %v, strides %v, target %s\n\n",
		strings.ReplaceAll(err.Error(), "\n", "\n# "), j.Def.Name, j.Sizes, j.Options.Dynamic, j.Strides, j.Options.Target)
	for _, file := range j.Def.Files {
		fmt.Fprintf(&text, "# file %s\n%s\n", file.Name, file.Text)
	}
	path, saveErr := scratch.SaveReproducer(ReproducerDir(j.Options), text.String(), j.Def.Extension)
	if saveErr != nil {
		return err
	}
	return fmt.Errorf("%w; the program is in %s", err, path)
}
