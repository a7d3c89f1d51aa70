package ricci

import (
	"path/filepath"
	"slices"

	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/tensor"
)

// A Strands is a program of strands: many small computations, each of which changes its own state from
// one super-step to the next until it becomes stable. It is immutable; a World is a run of it.
type Strands struct {
	program *Program
	lowered *strand.Program
}

// Strands returns the strands of the program, or nil where there are none.
func (p *Program) Strands() *Strands {
	if len(p.unit.Strands) == 0 {
		return nil
	}
	return &Strands{p, p.unit.Strands[0]}
}

// Name returns the name of the kind of strand.
func (s *Strands) Name() string { return s.lowered.Name }

// Directory is where files that the program names are found, besides the current directory.
func (s *Strands) Directory() string { return filepath.Dir(s.program.name) }

// Warnings returns what is doubtful about the program.
func (s *Strands) Warnings() []*Diagnostic { return s.program.Warnings() }

// A StrandInput describes what a program of strands takes, or leaves.
type StrandInput struct {
	Name string
	// Type is that of the text form, such as real[3] or int{}; of an image its dimension and the shape of
	// its voxels, such as image(3)[].
	Type string
	Doc  string
	// Required inputs have no default.
	Required bool
	// Image says that it is set by WorldInputs.Images.
	Image bool
}

// Inputs describes the inputs, in the order of the program, images last.
func (s *Strands) Inputs() []StrandInput {
	var list []StrandInput
	for _, v := range s.lowered.ByRole(strand.Input) {
		list = append(list, StrandInput{Name: v.Name, Type: v.Type.String(), Doc: v.Doc, Required: v.Default == nil && v.File == ""})
	}
	for _, i := range s.lowered.Images {
		if i.Input {
			list = append(list, StrandInput{Name: i.Name, Type: i.String(), Doc: i.Doc, Required: i.File == "", Image: true})
		}
	}
	return list
}

// Outputs lists the names of the outputs of a World: a dynamic sequence has two, NAME-len with the
// place of its first element and their number for each strand, and NAME-data with all elements.
func (s *Strands) Outputs() []string {
	var names []string
	for _, v := range s.lowered.Outputs() {
		if v.Type.Dynamic {
			names = append(names, v.Name+"-len", v.Name+"-data")
		} else {
			names = append(names, v.Name)
		}
	}
	return names
}

// WorldInputs is what a World is given, by the names of inputs.
type WorldInputs struct {
	// Values has arrays of the shapes of types, such as (3) for a vec3, or (n, 3) for a sequence of them.
	Values map[string]*tensor.Tensor
	Texts  map[string]string
	Images map[string]*tensor.Image
}

// names are those of all that is given.
func (in *WorldInputs) names() []string {
	var names []string
	for name := range in.Values {
		names = append(names, name)
	}
	for name := range in.Texts {
		names = append(names, name)
	}
	for name := range in.Images {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
