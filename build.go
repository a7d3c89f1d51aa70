package ricci

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/ricci-lang/ricci/internal/device/host"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/target/c"
)

// Emit is a kind of file that Build writes.
type Emit string

// The products of Build. None of them needs Ricci.
const (
	EmitC  Emit = "c"  // C source with one function per def, and its header
	EmitH  Emit = "h"  // the header alone
	EmitSO Emit = "so" // a shared library for this machine, and its header
	EmitGo Emit = "go" // a Go package that wraps the C source by cgo
)

// Emits lists the products.
func Emits() []Emit { return []Emit{EmitC, EmitH, EmitSO, EmitGo} }

// BuildOptions says what Build makes.
type BuildOptions struct {
	Sizes map[string]int64 // the value of every size
	Emit  Emit             // EmitC when empty
	Dir   string           // where the files go; made if need be
	Name  string           // of the function, the files and the Go package; the def's when empty
	// Options choose the machine's threads to schedule for, and the compiler's
	// time and cache; Target and Dynamic are not used.
	Options Options
}

// Build writes the def for fixed sizes as source or library for other programs,
// and returns the paths of the files. Each file appears with all its contents or
// not at all.
//
// The C function takes a pointer to each input, scalars by value, then a pointer
// to each output, all dense and row-major; the header says the rest. It is
// parallel where it is compiled with OpenMP.
func (d *Def) Build(ctx context.Context, options BuildOptions) (paths []string, err error) {
	defer source.RecoverInternal("build", &err)
	if options.Emit == "" {
		options.Emit = EmitC
	}
	if !slices.Contains(Emits(), options.Emit) {
		return nil, fmt.Errorf("cannot emit %q; what can be emitted is %v", options.Emit, Emits())
	}
	options.Options.Dynamic = nil
	job, err := d.compilation(options.Sizes, options.Options)
	if err != nil {
		return nil, err
	}
	l := &libraryText{def: d, sizes: job.sizes, name: identifier(options.Name, d.Name())}
	if l.shapes, err = d.info.Func.Shapes(job.sizes); err != nil {
		return nil, err
	}
	files, err := l.files(ctx, job, options)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(options.Dir, 0o755); err != nil {
		return nil, err
	}
	for _, file := range files {
		path := filepath.Join(options.Dir, file.name)
		if err := writeFile(path, file.data); err != nil {
			return paths, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

type builtFile struct {
	name string
	data []byte
}

// files makes the contents of what is asked for.
func (l *libraryText) files(ctx context.Context, job *compilation, options BuildOptions) ([]builtFile, error) {
	header := builtFile{l.name + ".h", []byte(l.header())}
	if options.Emit == EmitH {
		return []builtFile{header}, nil
	}
	job.name, job.parallel = "ricci_"+l.name+"_kernel", c.OpenMP
	s, err := job.run()
	if err != nil {
		return nil, err
	}
	text := l.source(s)
	switch options.Emit {
	case EmitC:
		return []builtFile{{l.name + ".c", []byte(text)}, header}, nil
	case EmitGo:
		return []builtFile{{l.name + ".go", l.goSource()}, {l.name + ".c", []byte(text)}, header}, nil
	}
	object, err := l.object(ctx, text, options.Options)
	if err != nil {
		return nil, err
	}
	return []builtFile{{l.name + ".so", object}, header}, nil
}

// object compiles the source, with OpenMP where the compiler has it.
func (l *libraryText) object(ctx context.Context, text string, options Options) ([]byte, error) {
	options.Target = C
	t, err := chooseToolchain(ctx, options)
	if err != nil {
		return nil, err
	}
	// The header is part of the compiled text, so that it needs no file.
	text = "#define RICCI_HEADER_INCLUDED\n" + l.header() + text
	object, err := t.compile(ctx, text, host.SharedLibrary, "-fopenmp")
	var refused *host.RefusedError
	if errors.As(err, &refused) {
		return t.compile(ctx, text, host.SharedLibrary)
	}
	return object, err
}

// identifier makes a name that C and Go accept.
func identifier(names ...string) string {
	for _, name := range names {
		if name == "" {
			continue
		}
		name = regexp.MustCompile(`[^A-Za-z0-9_]`).ReplaceAllString(name, "_")
		if name[0] >= '0' && name[0] <= '9' {
			name = "f" + name
		}
		return name
	}
	return "f"
}

// writeFile writes by way of a temporary file and a rename.
func writeFile(path string, data []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), ".ricci-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) // fails after the rename, as it should
	_, err = file.Write(data)
	if err := errors.Join(err, file.Chmod(0o644), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// arguments returns the tensors in the order of the C function.
func (l *libraryText) arguments() []*ein.Tensor {
	f := l.def.info.Func
	return append(f.Inputs(), f.Outputs()...)
}
