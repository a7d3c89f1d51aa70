package compile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/teml"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/passes"
	"github.com/ricci-lang/ricci/internal/schedule/makers"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/target"
)

// The stages of a compilation that have a text; StageC and its like are the names of targets.
const (
	StageSchedule = "schedule"
	StageMDH      = "mdh"
	StageLoop     = "loop"
	StageCode     = "code"
	StageC        = "c"
	StagePlan     = "plan"
	StageAsm      = "asm"
)

// scriptTrees writes the trees of a TeML script that is given as a schedule.
func scriptTrees(ctx context.Context, d *Def, sizes map[string]int64, options Options) (string, error) {
	return scriptText(ctx, d, sizes, options, func(f *ein.Func, j *Job) (string, error) {
		return teml.Trees(f, j.Machine, options.ScheduleFile, j.script())
	})
}

// ScriptSteps writes the steps of the def's script, or of one that is given.
func ScriptSteps(ctx context.Context, d *Def, sizes map[string]int64, options Options) (string, error) {
	return scriptText(ctx, d, sizes, options, func(f *ein.Func, j *Job) (string, error) {
		return makers.Steps(f, j.Machine, options.ScheduleFile, j.script(), options.InnerSteps)
	})
}

// scriptText writes something about the def's script, or one that is given; without sizes, for
// symbolic ones.
func scriptText(ctx context.Context, d *Def, sizes map[string]int64, options Options, write func(f *ein.Func, j *Job) (string, error)) (string, error) {
	mode, err := options.numerics()
	if err != nil {
		return "", err
	}
	job := &Job{Def: d, Func: d.Func, Sizes: sizes, Keep: map[string]bool{}, Numerics: mode, Options: options}
	if err := job.moveTo(ctx, options); err != nil {
		return "", err
	}
	if err := d.CheckSizes(sizes); err != nil {
		return "", err
	}
	for _, s := range d.Func.Sizes {
		if _, given := sizes[s.Name]; !given {
			job.Keep[s.Name] = true
		}
	}
	if job.script() == "" {
		return "", fmt.Errorf("%s has no loops of its own: give it a TeML script with --schedule, or a codegen with loops", d.Name)
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

// Text is the text of a stage of TextStages for given sizes.
func Text(ctx context.Context, d *Def, stage string, sizes map[string]int64, options Options) (string, error) {
	job, err := NewForSizes(ctx, d, sizes, options)
	if err != nil {
		return "", err
	}
	return job.text(ctx, stage)
}

// TextFor is the text of a stage of TextStages for arguments of a signature, strides included.
func TextFor(ctx context.Context, d *Def, stage string, signature Signature, options Options) (string, error) {
	job, err := New(ctx, d, signature, options)
	if err != nil {
		return "", err
	}
	return job.text(ctx, stage)
}

func (j *Job) text(ctx context.Context, stage string) (string, error) {
	job, options := j, j.Options
	job.FindTunedAnywhere(ctx)
	switch stage {
	case StageSchedule, StageMDH:
		s, err := job.Ordered()
		if err != nil {
			return "", err
		}
		if stage == StageMDH {
			return makers.Describe(s.Func, job.Machine, s.Tree)
		}
		return job.ScheduleText(s), nil
	}
	if stage == StageC {
		options.Target, options.Device = stage, ""
	}
	t, err := options.ShownTarget()
	if err != nil {
		return "", err
	}
	last := ""
	if stage == StageLoop {
		if last = options.AfterPass; last != "" && !passes.Known(last) {
			return "", fmt.Errorf("there is no pass %s on loops; the passes are %s", last, strings.Join(passes.Names(), ", "))
		}
	}
	s, err := job.shown(t, last)
	if err != nil {
		return "", err
	}
	switch stage {
	case StageLoop:
		return loop.Print(s.Loop), nil
	case StagePlan:
		return job.planText(s, t)
	case StageC, StageCode:
		return s.Module.Code, nil
	}
	return job.instructions(ctx, s)
}

// Assembler is the device of the options if its compiler makes instructions of machines that are not here, or nil.
func (o Options) Assembler() *device.Driver {
	if drivers, err := o.choice(); err == nil && len(drivers) == 1 && drivers[0].Assemble != nil {
		return drivers[0]
	}
	return nil
}

// instructions is the text of what the device's compiler makes of a kernel.
func (j *Job) instructions(ctx context.Context, s *Steps) (string, error) {
	if d := j.Options.Assembler(); d != nil {
		_, settings, err := j.Options.settings(d, device.Asked)
		if err != nil {
			return "", err
		}
		text, err := d.Assemble(ctx, settings, s.Module, j.Machine)
		if refused := (*source.InternalError)(nil); err != nil && !errors.As(err, &refused) {
			err = refuse(source.NoSuchDevice, fmt.Sprintf("what the device %s would run is not known: %v", d.Name, err), "--stage code is the text that is compiled")
		}
		return text, err
	}
	a, err := j.Options.Open(ctx, device.Proven)
	if err != nil {
		return "", err
	}
	if a == nil {
		return "", refuse(source.NoSuchDevice, "the reference evaluator has no assembly text", "'ricci devices' says what another device lacks")
	}
	compile := a.CompileOptions()
	compile.Assembly = true
	text, err := a.Device.Compile(ctx, s.Module, compile)
	return string(text), err
}

// planText writes the plan of a kernel.
func (j *Job) planText(s *Steps, t target.Target) (string, error) {
	p, err := j.plan(s, nil, t.Name())
	if err != nil {
		return "", err
	}
	text, err := json.MarshalIndent(p, "", "  ")
	return string(text) + "\n", err
}

// shown takes the steps of a kernel, as far as a pass on loops or all of them, and gives the loops and the code the
// names of the program: another order of terms would be other code than what runs.
func (j *Job) shown(t target.Target, lastPass string) (*Steps, error) {
	job, _ := j.withoutNames()
	job.showNames, job.name, job.afterPass = true, "", lastPass
	return job.Run(t)
}
