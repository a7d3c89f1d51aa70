package ricci

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/notations"
	"github.com/ricci-lang/ricci/internal/lang/teml"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule/makers"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/target"
)

// A Stage is a form that a def takes on its way to code.
type Stage string

// The stages in the order of compilation. The later ones need the sizes.
const (
	StageAST       Stage = "ast"
	StageEquations Stage = "equations" // of TeIL: how a program is rewritten
	StageTrees     Stage = "trees"     // of TeML: what each statement does to the state
	StageEin       Stage = "ein"
	StageRanges    Stage = "ranges"
	StageSteps     Stage = "steps" // of a TeML script: the loops after each transformation
	StageSchedule  Stage = "schedule"
	StageMDH       Stage = "mdh"
	StageLoop      Stage = "loop"
	StageCode      Stage = "code" // of the target
	StageC         Stage = "c"    // code of the target c
	StagePlan      Stage = "plan" // what a host needs to call the code, as JSON
	StageAsm       Stage = "asm"
)

// Stages lists the stages in order.
func Stages() []Stage {
	return []Stage{StageAST, StageEquations, StageTrees, StageEin, StageRanges, StageSteps, StageSchedule, StageMDH, StageLoop, StageCode, StageC, StagePlan, StageAsm}
}

// Stage returns the text of a stage. With sizes, those are constants: the stages
// from schedule on need every size that Options.Dynamic does not name. The steps of a script
// come with the error where its loops are refused.
func (d *Def) Stage(ctx context.Context, stage Stage, sizes map[string]int64, options Options) (text string, err error) {
	defer source.RecoverInternal("show", &err)
	level, isLevel := machine.InstructionLevelNamed(options.Level)
	options.shown = stage != StageAsm || isLevel && level.IsHere()
	switch stage {
	case StageAST:
		return d.syntaxText()
	case StageEquations:
		return d.equationsText(sizes)
	case StageTrees:
		return d.treesText(sizes, options)
	case StageSteps:
		return d.stepsText(sizes, options)
	case StageRanges:
		return d.rangesText(sizes)
	case StageEin:
		return d.einText(sizes)
	case StageSchedule, StageMDH, StageLoop, StageCode, StageC, StagePlan, StageAsm:
		return d.codeText(ctx, stage, sizes, options)
	}
	return "", fmt.Errorf("there is no stage %q; the stages are %v", stage, Stages())
}

func (d *Def) syntaxText() (string, error) {
	file := d.info.Pos.File // the def may be imported
	var b strings.Builder
	err := notations.Of(file.Name).Dump(&b, file, d.Name())
	return b.String(), err
}

// treesText writes the trees of a TeML file, or of the script that is given.
func (d *Def) treesText(sizes map[string]int64, options Options) (string, error) {
	if options.Schedule != "" {
		return d.scriptText(sizes, options, func(f *ein.Func, j *compilation) (string, error) {
			return teml.Trees(f, j.machine, options.ScheduleFile, j.script())
		})
	}
	if err := d.CheckSizes(sizes); err != nil {
		return "", err
	}
	file := d.info.Pos.File
	trees := notations.Of(file.Name).Trees
	if trees == nil {
		return "", fmt.Errorf("%s is no meta-program, so it has no trees: give it a TeML script with --schedule; --stage ast is its syntax", file.Name)
	}
	return trees(file)
}

// stepsText writes the steps of the def's script, or of one that is given.
func (d *Def) stepsText(sizes map[string]int64, options Options) (string, error) {
	return d.scriptText(sizes, options, func(f *ein.Func, j *compilation) (string, error) {
		return makers.Steps(f, j.machine, options.ScheduleFile, j.script(), options.InnerSteps)
	})
}

// scriptText writes something about the def's script, or one that is given; without sizes, for
// symbolic ones.
func (d *Def) scriptText(sizes map[string]int64, options Options, write func(f *ein.Func, j *compilation) (string, error)) (string, error) {
	mode, err := options.numerics()
	if err != nil {
		return "", err
	}
	job := &compilation{def: d, f: d.info.Func, sizes: sizes, keep: map[string]bool{}, machine: options.machine(), numerics: mode, options: options}
	if err := d.CheckSizes(sizes); err != nil {
		return "", err
	}
	for _, s := range d.info.Func.Sizes {
		if _, given := sizes[s.Name]; !given {
			job.keep[s.Name] = true
		}
	}
	if job.script() == "" {
		return "", fmt.Errorf("%s has no loops of its own: give it a TeML script with --schedule, or a codegen with loops", d.Name())
	}
	if err := makers.NotAScript(options.ScheduleFile, job.script()); err != nil {
		return "", err
	}
	f, err := job.optimised()
	if err != nil {
		return "", err
	}
	text, err := write(f, job)
	if err != nil {
		return text, givenError(f, makers.File(options.ScheduleFile, job.script()), err)
	}
	return text, nil
}

func (d *Def) equationsText(sizes map[string]int64) (string, error) {
	if err := d.CheckSizes(sizes); err != nil {
		return "", err
	}
	file := d.info.Pos.File
	notation := notations.Of(file.Name)
	if notation.Equations == nil {
		return "", fmt.Errorf("programs of %s are not rewritten by equations; the stage is there for TeIL", notation.Name)
	}
	var b strings.Builder
	err := notation.Equations(&b, file, d.Name(), sizes)
	return b.String(), err
}

func (d *Def) rangesText(sizes map[string]int64) (string, error) {
	r := d.Ranges()
	if len(sizes) > 0 {
		var err error
		if r, err = d.RangesFor(sizes); err != nil {
			return "", err
		}
	}
	return r.String(), nil
}

func (d *Def) einText(sizes map[string]int64) (string, error) {
	if len(sizes) == 0 {
		return ein.Print(d.info.Func), nil
	}
	if err := d.CheckSizes(sizes); err != nil {
		return "", err
	}
	keep := map[string]bool{}
	for _, s := range d.info.Func.Sizes {
		if _, given := sizes[s.Name]; !given {
			keep[s.Name] = true
		}
	}
	f, err := d.info.Func.Specialise(sizes, keep)
	if err != nil {
		return "", err
	}
	return ein.Print(f), nil
}

func (d *Def) codeText(ctx context.Context, stage Stage, sizes map[string]int64, options Options) (string, error) {
	job, err := d.compilation(sizes, options)
	if err != nil {
		return "", err
	}
	job.findTunedAnywhere(ctx)
	switch stage {
	case StageSchedule, StageMDH:
		s, err := job.ordered()
		if err != nil {
			return "", err
		}
		if stage == StageMDH {
			return makers.Describe(s.ein, job.machine, s.schedule)
		}
		return job.scheduleText(s), nil
	}
	if stage == StageC {
		options.Target, options.Device = C, ""
	}
	t, err := options.target()
	if err != nil {
		return "", err
	}
	s, err := job.shown(t)
	if err != nil {
		return "", err
	}
	switch stage {
	case StageLoop:
		return loop.Print(s.loop), nil
	case StagePlan:
		return job.planText(s, t)
	case StageC, StageCode:
		return s.module.Code, nil
	}
	a, err := options.open(ctx, device.Proven)
	if err != nil {
		return "", err
	}
	if a == nil {
		return "", refuse(source.NoSuchDevice, "the reference evaluator has no assembly text", "'ricci devices' says what another device lacks")
	}
	compile := a.compileOptions()
	compile.Assembly = true
	text, err := a.device.Compile(ctx, s.module, compile)
	return string(text), err
}

// planText writes the plan of a kernel.
func (j *compilation) planText(s *stages, t target.Target) (string, error) {
	p, err := j.plan(s, nil, t.Name())
	if err != nil {
		return "", err
	}
	text, err := json.MarshalIndent(p, "", "  ")
	return string(text) + "\n", err
}

// shown takes the steps of a kernel and gives the loops and the code the names of the
// program: another order of terms would be other code than what runs.
func (j *compilation) shown(t target.Target) (*stages, error) {
	job, _ := j.withoutNames()
	job.showNames, job.name = true, ""
	return job.run(t)
}

// compilation prepares the steps for given sizes; the dynamic ones need no value.
func (d *Def) compilation(sizes map[string]int64, options Options) (*compilation, error) {
	mode, err := options.numerics()
	if err != nil {
		return nil, err
	}
	if err := errors.Join(options.checkLevel(), options.checkMachine()); err != nil {
		return nil, err
	}
	job := &compilation{def: d, f: d.info.Func, sizes: maps.Clone(sizes), keep: map[string]bool{}, machine: options.machine(), numerics: mode, options: options}
	if err := errors.Join(job.keepDynamic(options.Dynamic), job.keepConstant(options.Constant)); err != nil {
		return nil, err
	}
	if err := d.requireSizes(sizes, job.keep); err != nil || len(job.keep) > 0 {
		return job, err
	}
	signature, err := d.SignatureForSizes(sizes)
	if err != nil {
		return nil, err
	}
	job.sizes, err = d.bind(signature)
	return job, err
}

// SignatureForSizes returns the signature of dense arguments for given sizes,
// which are all those of Def.Sizes.
func (d *Def) SignatureForSizes(sizes map[string]int64) (Signature, error) {
	s := Signature{Shapes: map[string][]int{}, Sizes: sizes}
	if err := d.requireSizes(sizes, nil); err != nil {
		return s, err
	}
	shapes, err := d.info.Func.Shapes(sizes)
	if err != nil {
		return s, err
	}
	for _, t := range d.info.Func.ByRole(ein.Input, ein.InOut) {
		s.Shapes[t.Name] = ints(shapes[t.Name])
	}
	return s, nil
}

// CheckSizes checks what the def assumes about its sizes as far as the given ones
// decide it: the errors are those of a call.
func (d *Def) CheckSizes(sizes map[string]int64) error {
	known := d.sizeNames()
	for name := range sizes {
		if !slices.Contains(known, name) {
			return unknownSize(d, name, known)
		}
	}
	return d.info.Func.CheckSizes(sizes)
}

// requireSizes reports unknown, missing and impossible sizes.
func (d *Def) requireSizes(sizes map[string]int64, dynamic map[string]bool) error {
	if err := d.CheckSizes(sizes); err != nil {
		return err
	}
	var problems ErrorList
	for _, s := range d.info.Func.Sizes {
		if _, given := sizes[s.Name]; !given && !dynamic[s.Name] {
			e := &Diagnostic{Code: source.UnknownSize, Span: s.Pos, Message: "the size " + s.Name + " of " + d.Name() + " was not given"}
			problems = append(problems, e.WithHelp("give its value: -s %s=…", s.Name))
		}
	}
	if problems != nil {
		return problems
	}
	return nil
}

func (d *Def) sizeNames() []string {
	names := make([]string, len(d.info.Func.Sizes))
	for i, s := range d.info.Func.Sizes {
		names[i] = s.Name
	}
	return names
}
