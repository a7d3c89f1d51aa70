package build

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/target/c"
)

// A NamedDef is one of several defs that are built together.
type NamedDef struct {
	Def       *compile.Def
	Signature string // for people
}

// texts are those of one library of several defs.
type texts struct {
	libraries    []*library
	text, header string
}

// together prints one library of all defs, each with its own function and its own sizes; options.Name names the header. onTensors leaves
// out all but the functions on tensors.
func together(ctx context.Context, defs []NamedDef, options Options, onTensors bool) (*texts, error) {
	t := &texts{}
	var functions []*c.LibraryFunction
	printing, taken := c.LibraryOptions{}, map[string]bool{}
	for _, d := range defs {
		own := Options{Sizes: map[string]int64{}, Emit: options.Emit, Name: functionName(d.Def.Name), Signature: d.Signature, Options: options.Options}
		for taken[own.Name] { // names of other notations may be the same in C
			own.Name += "_"
		}
		taken[own.Name] = true
		for _, name := range d.Def.SizeNames() {
			if value, given := options.Sizes[name]; given {
				own.Sizes[name] = value
			}
		}
		l, job, err := begin(ctx, d.Def, own)
		if err != nil {
			return nil, err
		}
		pooled := options.Emit == SO
		if err := l.prepare(ctx, job, l.levels(job), pooled); err != nil {
			return nil, fmt.Errorf("%s: %w", d.Def.Name, err)
		}
		printing = l.printing(job, pooled, onTensors)
		t.libraries, functions = append(t.libraries, l), append(functions, l.function)
	}
	printing.Header = options.Name + ".h"
	var err error
	if len(t.libraries) > 0 && t.libraries[0].card != nil {
		t.text, t.header, err = c.PrintCardLibrary(functions, printing.Comment)
		return t, err
	}
	t.text, t.header, err = c.PrintLibrary(functions, printing)
	return t, err
}

// WriteTogether builds one library, or its sources, of several defs under one name, and returns the paths of the files.
func WriteTogether(ctx context.Context, defs []NamedDef, options Options) ([]string, error) {
	if options.Emit == "" {
		options.Emit = C
	}
	if !slices.Contains(Emits(), options.Emit) || options.Emit == Go {
		return nil, fmt.Errorf("several defs together are emitted as %q, %q or %q, and not as %q", C, H, SO, options.Emit)
	}
	if len(defs) == 0 {
		return nil, errors.New("the program has no def to build")
	}
	options.Name = functionName(options.Name)
	t, err := together(ctx, defs, options, false)
	if err != nil {
		return nil, err
	}
	l := &library{file: options.Name, text: t.text, header: t.header, card: t.libraries[0].card}
	files, err := l.files(ctx, options)
	if err != nil {
		return nil, err
	}
	return writeFiles(options.Dir, files)
}
