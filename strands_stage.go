package ricci

import (
	"bytes"
	"context"
	"fmt"

	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/notations"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/internal/strand/native"
)

// The stages of a program of strands, which begin with StageAST.
const (
	StageField  Stage = "field"  // the operators that its probes become
	StageStrand Stage = "strand" // the program in the form in which it runs
)

// StrandStages lists the stages of programs of strands in their order. The last ones are those of kernels: StageSchedule is
// the order in which they run strands, a text that Options.Schedule takes; the others need the inputs of a World.
func StrandStages() []Stage {
	return []Stage{StageAST, StageField, StageStrand, StageSchedule, StageLoop, StageCode, StageC}
}

// StrandStageOptions say what StageField shows and how fields are brought into their form, and for what kernels are.
type StrandStageOptions struct {
	// Sizes shows how large operators are at the points of their way, and how large the program of strands and its kernel are.
	Sizes bool
	// Without leaves techniques out that keep operators small: those of StrandTechniques.
	Without []string
	// Inputs are those of the world. Kernels are made for the sizes of its images.
	Inputs WorldInputs
	// Options say for which machine, target and numerics kernels are, and in which order strands run.
	Options Options
}

// StrandTechniques lists the techniques that StrandStageOptions.Without can leave out.
func StrandTechniques() []string { return lang.Techniques() }

// Stage returns the text of a stage.
func (s *Strands) Stage(ctx context.Context, stage Stage, options StrandStageOptions) (text string, err error) {
	defer source.RecoverInternal("show", &err)
	notation, file := notations.Of(s.program.name), s.program.unit.Files[0]
	var out bytes.Buffer
	switch stage {
	case StageAST:
		err = notation.Dump(&out, file, s.Name())
	case StageField:
		err = s.fields(ctx, &out, options)
	case StageStrand:
		out.WriteString(strand.Print(s.lowered))
	case StageSchedule:
		return native.OrderText(ctx, s.lowered, options.Options.internal())
	case StageLoop, StageCode, StageC:
		return s.kernelText(ctx, stage, options)
	default:
		err = fmt.Errorf("there is no stage %q of strands; the stages are %v", stage, StrandStages())
	}
	return out.String(), err
}

// fields writes what becomes of the probes, and with sizes what the whole program does.
func (s *Strands) fields(ctx context.Context, out *bytes.Buffer, options StrandStageOptions) error {
	notation, file := notations.Of(s.program.name), s.program.unit.Files[0]
	lowered, err := notation.Fields(out, file, s.program.options(), lang.FieldOptions{Sizes: options.Sizes, Without: options.Without})
	if err != nil || !options.Sizes {
		return err
	}
	sizes, err := native.Sizes(ctx, lowered, options.Options.internal())
	if err == nil {
		fmt.Fprintf(out, "\n%s", sizes)
	}
	return err
}

// kernelText is a stage of the kernel of a world.
func (s *Strands) kernelText(ctx context.Context, stage Stage, options StrandStageOptions) (string, error) {
	inputs, err := s.inputs(ctx, options.Inputs)
	if err != nil {
		return "", err
	}
	given, err := inputs.Given()
	if err != nil {
		return "", err
	}
	how := options.Options.internal()
	switch stage {
	case StageLoop:
		return native.LoopText(ctx, s.lowered, given, how)
	case StageC:
		how.Target, how.Device = string(C), ""
	}
	return native.CodeText(ctx, s.lowered, given, how)
}
