package ricci

import (
	"context"
	"fmt"
	"strings"

	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/notations"
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
	level, isLevel := machine.InstructionLevelNamed(options.Level)
	options.shown = stage != StageAsm || isLevel && level.IsHere()
	switch stage {
	case StageAST:
		return d.syntaxText()
	case StageEquations:
		return d.equationsText(sizes)
	case StageTrees:
		return d.treesText(ctx, sizes, options)
	case StageSteps:
		return compile.ScriptSteps(ctx, d.source, sizes, options.internal())
	case StageRanges:
		return d.rangesText(sizes)
	case StageEin:
		return d.einText(sizes)
	case StageSchedule, StageMDH, StageLoop, StageCode, StageC, StagePlan, StageAsm:
		return compile.Text(ctx, d.source, string(stage), sizes, options.internal())
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
func (d *Def) treesText(ctx context.Context, sizes map[string]int64, options Options) (string, error) {
	if options.Schedule != "" {
		return compile.ScriptTrees(ctx, d.source, sizes, options.internal())
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
