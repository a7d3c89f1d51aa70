package ricci

import (
	"bytes"
	"fmt"

	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/notations"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
)

// The stages of a program of strands, which begin with StageAST.
const (
	StageField  Stage = "field"  // the operators that its probes become
	StageStrand Stage = "strand" // the program in the form in which it runs
)

// StrandStages lists the stages of programs of strands in their order.
func StrandStages() []Stage { return []Stage{StageAST, StageField, StageStrand} }

// StrandStageOptions say what StageField shows, and how fields are brought into their form.
type StrandStageOptions struct {
	// Sizes shows how large operators are at the points of their way.
	Sizes bool
	// Without leaves techniques out that keep operators small: those of StrandTechniques.
	Without []string
}

// StrandTechniques lists the techniques that StrandStageOptions.Without can leave out.
func StrandTechniques() []string { return lang.Techniques() }

// Stage returns the text of a stage.
func (s *Strands) Stage(stage Stage, options StrandStageOptions) (text string, err error) {
	defer source.RecoverInternal("show", &err)
	notation, file := notations.Of(s.program.name), s.program.unit.Files[0]
	var out bytes.Buffer
	switch stage {
	case StageAST:
		err = notation.Dump(&out, file, s.Name())
	case StageField:
		err = notation.Fields(&out, file, s.program.options(), lang.FieldOptions{Sizes: options.Sizes, Without: options.Without})
	case StageStrand:
		out.WriteString(strand.Print(s.lowered))
	default:
		err = fmt.Errorf("there is no stage %q of strands; the stages are %v", stage, StrandStages())
	}
	return out.String(), err
}
