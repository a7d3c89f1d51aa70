package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/inside"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/internal/strand/session"
	"github.com/ricci-lang/ricci/tensor"
)

// strandStageFlags are the flags of show that concern strands.
type strandStageFlags struct {
	sizes   bool
	without []string
	inputs  []string
}

func (f *strandStageFlags) register(flags *pflag.FlagSet) {
	flags.BoolVar(&f.sizes, "sizes", false, "of field: how large operators are on their way")
	flags.StringSliceVar(&f.without, "without", nil, "of field: leave out techniques that keep operators small: "+strings.Join(ricci.StrandTechniques(), ", "))
	flags.StringArrayVarP(&f.inputs, "input", "i", nil, "strands: an input, on whose size loop and code depend, `NAME=SPEC` (repeatable)")
}

// strandsMeant returns the strands of a program if they are what is to be shown: by their name, or where no
// def is named and the stage is one of theirs, or not said.
func strandsMeant(program *ricci.Program, args []string, stage string, isSaid bool) *ricci.Strands {
	s := program.Strands()
	if s == nil || len(args) > 1 && args[1] != s.Name() {
		return nil
	}
	if len(args) == 1 && isSaid && !slices.Contains(ricci.StrandStages(), ricci.Stage(stage)) && len(program.Defs()) > 0 {
		return nil
	}
	return s
}

// show prints a stage of strands.
func (f *strandStageFlags) show(ctx context.Context, t *terminal, s *ricci.Strands, stage string, options ricci.Options) error {
	if stage == string(ricci.StageEin) {
		stage = string(ricci.StageStrand) // their form that comes from the front end
	}
	for _, name := range f.without {
		if err := oneOf("--without", name, ricci.StrandTechniques()); err != nil {
			return err
		}
	}
	t.warn(s.Warnings()...)
	inputs, err := f.given(t, s)
	if err != nil {
		return err
	}
	text, err := s.Stage(ctx, ricci.Stage(stage), ricci.StrandStageOptions{Sizes: f.sizes, Without: f.without, Inputs: inputs, Options: options})
	if err != nil {
		return err
	}
	if t.json {
		return t.writeResult(true, map[string]any{"strands": s.Name(), "stage": stage, "text": text})
	}
	fmt.Fprintln(t.out, strings.TrimRight(text, "\n"))
	return nil
}

// given collects the inputs.
func (f *strandStageFlags) given(t *terminal, s *ricci.Strands) (ricci.WorldInputs, error) {
	in := ricci.WorldInputs{Values: map[string]*tensor.Tensor{}, Texts: map[string]string{}, Images: map[string]*tensor.Image{}}
	r := &strandRun{t: t, strands: s, program: inside.Of(s).Program}
	known := session.NewInputs(r.program, s.Directory(), t.openImage)
	for _, text := range f.inputs {
		name, spec, err := assignment(text, "-i", "NAME=SPEC")
		if err != nil {
			return in, err
		}
		v, isValue := known.Variable(name)
		_, isImage := known.Image(name)
		switch {
		case isImage:
			in.Images[name], err = t.openImage(spec)
		case !isValue:
			return in, known.Unknown(name)
		case v.Type.Elem == strand.String && v.Type.IsScalar():
			in.Texts[name] = spec
		default:
			in.Values[name], err = r.elements(v, spec)
		}
		if err != nil {
			return in, fmt.Errorf("input %s: %w", name, err)
		}
	}
	return in, nil
}

// elements are those of a spec, or of a file.
func (r *strandRun) elements(v *strand.Variable, spec string) (*tensor.Tensor, error) {
	made, err := r.array(v, spec)
	if err != nil || made != nil {
		return made, err
	}
	m, err := r.t.openImage(spec)
	if err != nil {
		return nil, err
	}
	return m.Tensor, nil
}
