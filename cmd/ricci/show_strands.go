package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/ricci-lang/ricci"
)

// strandStageFlags are the flags of show that concern strands.
type strandStageFlags struct {
	sizes   bool
	without []string
}

func (f *strandStageFlags) register(flags *pflag.FlagSet) {
	flags.BoolVar(&f.sizes, "sizes", false, "of field: how large operators are on their way")
	flags.StringSliceVar(&f.without, "without", nil, "of field: leave out techniques that keep operators small: "+strings.Join(ricci.StrandTechniques(), ", "))
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
func (f *strandStageFlags) show(t *terminal, s *ricci.Strands, stage string) error {
	if stage == string(ricci.StageEin) {
		stage = string(ricci.StageStrand) // their form that comes from the front end
	}
	for _, name := range f.without {
		if err := oneOf("--without", name, ricci.StrandTechniques()); err != nil {
			return err
		}
	}
	t.warn(s.Warnings()...)
	text, err := s.Stage(ricci.Stage(stage), ricci.StrandStageOptions{Sizes: f.sizes, Without: f.without})
	if err != nil {
		return err
	}
	if t.json {
		return t.writeResult(true, map[string]any{"strands": s.Name(), "stage": stage, "text": text})
	}
	fmt.Fprintln(t.out, strings.TrimRight(text, "\n"))
	return nil
}
