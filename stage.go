package ricci

import (
	"context"
	"fmt"

	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/source"
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
	options = options.toShow(stage)
	switch stage {
	case StageAST:
		return d.source.SyntaxText()
	case StageEquations:
		return d.source.EquationsText(sizes)
	case StageTrees:
		return compile.TreesText(ctx, d.source, sizes, options.internal())
	case StageSteps:
		return compile.ScriptSteps(ctx, d.source, sizes, options.internal())
	case StageRanges:
		return d.rangesText(sizes)
	case StageEin:
		return d.source.EinText(sizes)
	case StageSchedule, StageMDH, StageLoop, StageCode, StageC, StagePlan, StageAsm:
		return compile.Text(ctx, d.source, string(stage), sizes, options.internal())
	}
	return "", fmt.Errorf("there is no stage %q; the stages are %v", stage, Stages())
}

// StageFor is Stage for arguments of a signature: of those whose strides it gives the code is shown that addresses them so.
func (d *Def) StageFor(ctx context.Context, stage Stage, signature Signature, options Options) (text string, err error) {
	defer source.RecoverInternal("show", &err)
	switch stage {
	case StageSchedule, StageMDH, StageLoop, StageCode, StageC, StagePlan, StageAsm:
		options = options.toShow(stage)
		return compile.TextFor(ctx, d.source, string(stage), compile.Signature(signature), options.internal())
	}
	sizes, err := d.SizesFor(signature)
	if err != nil {
		return "", err
	}
	return d.Stage(ctx, stage, sizes, options)
}

// toShow are the options for a text that nothing runs, for which any machine will do; instructions are those of a machine that is here, where a compiler of the
// device does not make them without it.
func (o Options) toShow(stage Stage) Options {
	level, isLevel := machine.InstructionLevelNamed(o.Level)
	o.shown = stage != StageAsm || isLevel && level.IsHere() || o.internal().Assembler() != nil
	return o
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
