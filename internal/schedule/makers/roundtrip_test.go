package makers_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/rewrite"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/makers"
	"github.com/ricci-lang/ricci/internal/schedule/mdh"
	"github.com/ricci-lang/ricci/internal/schedule/standard"
)

// TestExamples writes the default schedules of all examples, at sizes that no block
// divides, as parameters and as low-level expressions, and gives both back: they are the
// schedule, or the text says that they are not.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("../../../examples/*/*")
	if err != nil {
		t.Fatal(err)
	}
	same, other := 0, map[string]bool{}
	for _, file := range files {
		if ext := filepath.Ext(file); ext != ".mdh" && ext != ".tc" {
			continue
		}
		program, err := ricci.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, def := range program.Defs() {
			for round := range 2 {
				if round == 1 && strings.HasPrefix(filepath.Base(file), "convolution.") {
					break // their default schedules take long to make
				}
				f := oddSized(t, def, round)
				if f == nil {
					continue
				}
				name := fmt.Sprintf("%s %s", filepath.Base(file), f.Name)
				why, err := roundTrip(f)
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
				if why == "" {
					same++
				} else {
					other[name] = true
					t.Logf("%s: %s", name, why)
				}
			}
		}
		if err := program.Close(); err != nil {
			t.Error(err)
		}
	}
	t.Logf("%d are the same; not all is said of %d: %v", same, len(other), other)
	if same < 100*len(other) {
		t.Error("parameters say too little")
	}
}

// oddSized returns the function of a def with odd sizes, or nil if it has no such ones.
func oddSized(t *testing.T, def *ricci.Def, round int) *ein.Func {
	sizes := map[string]int64{}
	for k, s := range def.Sizes() {
		sizes[s.Name] = []int64{13, 7, 11, 5, 3, 9, 37}[(k+3*round)%7]
	}
	text, err := def.Stage(t.Context(), ricci.StageEin, sizes, ricci.Options{})
	if err != nil {
		return nil
	}
	f, err := ein.ParseFunc(def.Name(), text)
	if err == nil {
		f, err = rewrite.Optimise(f, numerics.Fast) // without guards, whose conditions parameters do not say
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// roundTrip returns "" where the text of the default schedule as parameters says that they
// are all of it, or else what it says; the error says that it is wrong.
func roundTrip(f *ein.Func) (why string, err error) {
	processor := &machine.Processor{VectorBytes: 64, VectorRegisters: 32, L1: 48 << 10, L2: 2 << 20, L3: 32 << 20, Cores: 2}
	tree, err := standard.Default(f, processor)
	if err != nil {
		return "", err
	}
	text, err := makers.Describe(f, processor, tree)
	if err != nil { // there are no parameters, and the error says so
		return err.Error(), nil
	}
	whole := strings.Contains(text, "# These parameters are the schedule.\n")
	if whole == strings.Contains(text, "# These parameters do not say all of the schedule") {
		return why, fmt.Errorf("it is not clear what the parameters are:\n%s", text)
	}
	for _, form := range []string{text, uncommented(text)} {
		made, _, err := makers.FromText(f, processor, nil, "", form)
		if whole && (err != nil || !mdh.Same(f, tree, made)) {
			return why, fmt.Errorf("%v: of\n%s\nmade\n%s\ninstead of\n%s", err, form, schedule.Print(made), schedule.Print(tree))
		}
		if !whole && err == nil && mdh.Same(f, tree, made) {
			return why, fmt.Errorf("all is said, but the text denies it:\n%s", form)
		}
	}
	if !whole {
		why = text + schedule.Print(tree)
	}
	return why, nil
}

// uncommented takes the low-level expressions out of the comments.
func uncommented(text string) string {
	var b strings.Builder
	inside := false
	for line := range strings.Lines(text) {
		line, isComment := strings.CutPrefix(line, "# ")
		if inside = isComment && (inside || strings.HasPrefix(line, "lowlevel ") || strings.HasPrefix(line, "group ")); inside {
			b.WriteString(line)
		}
	}
	return b.String()
}
