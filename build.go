package ricci

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/bounded"
	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/device/host"
	"github.com/ricci-lang/ricci/internal/scratch"
	"github.com/ricci-lang/ricci/internal/source"
)

// Emit is a kind of file that Build writes.
type Emit string

// The products of Build. None of them needs Ricci.
const (
	EmitC  Emit = "c"  // C source with one function per def, and its header
	EmitH  Emit = "h"  // the header alone
	EmitSO Emit = "so" // a shared library for this architecture and system, and its header
	EmitGo Emit = "go" // a Go package that wraps the C source by cgo
)

// Emits lists the products.
func Emits() []Emit { return []Emit{EmitC, EmitH, EmitSO, EmitGo} }

// BuildOptions says what Build makes.
type BuildOptions struct {
	// Sizes gives the values that are compiled in. All other sizes are parameters
	// of the function, which costs speed.
	Sizes map[string]int64
	Emit  Emit   // EmitC when empty
	Dir   string // where the files go; made if need be
	Name  string // of the function, the files and the Go package; the def's when empty
	// Options choose the machine's threads to schedule for, and the compiler's
	// time and cache. Dynamic names sizes that must be parameters; Target is not
	// used.
	Options Options
}

// Build writes the def as source or library for other programs, and returns the
// paths of the files. Each file appears with all its contents or not at all.
//
// The C function takes the inputs (scalars by value), then the outputs, all dense
// and row-major, then the sizes that Sizes does not give. It tests its arguments
// and returns the code of an error or 0; the header says the rest. It is parallel
// where it is compiled with OpenMP.
func (d *Def) Build(ctx context.Context, options BuildOptions) (paths []string, err error) {
	defer source.RecoverInternal("build", &err)
	files, err := d.buildFiles(ctx, &options)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(options.Dir, 0o755); err != nil {
		return nil, err
	}
	for _, file := range files {
		if err := mayReplace(filepath.Join(options.Dir, file.name)); err != nil {
			return nil, err
		}
	}
	for _, file := range files {
		path := filepath.Join(options.Dir, file.name)
		if err := scratch.Write(path, file.data); err != nil {
			return paths, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// BuildTo makes what Build makes and writes it to w, without its header: that is part of the C
// source, or is there by EmitH. A Go package is more than one file, which is an error.
func (d *Def) BuildTo(ctx context.Context, w io.Writer, options BuildOptions) (err error) {
	defer source.RecoverInternal("build", &err)
	if options.Emit == EmitGo {
		return fmt.Errorf("a Go package is several files; build it into a directory")
	}
	files, err := d.buildFiles(ctx, &options)
	if err != nil {
		return err
	}
	data := files[0].data
	if options.Emit == EmitC {
		data = []byte(withHeader(string(data), string(files[1].data), files[1].name))
	}
	_, err = w.Write(data)
	return err
}

// withHeader puts a header into the C source that includes it.
func withHeader(text, header, name string) string {
	return strings.Replace(text, fmt.Sprintf("#include %q", name), header, 1)
}

// buildFiles makes the files of a def, the one that was asked for first.
func (d *Def) buildFiles(ctx context.Context, options *BuildOptions) ([]builtFile, error) {
	if options.Emit == "" {
		options.Emit = EmitC
	}
	if !slices.Contains(Emits(), options.Emit) {
		return nil, fmt.Errorf("cannot emit %q; what can be emitted is %v", options.Emit, Emits())
	}
	l, err := d.library(ctx, *options)
	if err != nil {
		return nil, err
	}
	return l.files(ctx, *options)
}

type builtFile struct {
	name string
	data []byte
}

// files makes the contents of what is asked for.
func (l *library) files(ctx context.Context, options BuildOptions) ([]builtFile, error) {
	header, text := builtFile{l.file + ".h", []byte(l.header)}, builtFile{l.file + ".c", []byte(l.text)}
	switch options.Emit {
	case EmitH:
		return []builtFile{header}, nil
	case EmitC:
		return []builtFile{text, header}, nil
	case EmitGo:
		source, parallel := l.goSources()
		return []builtFile{{l.file + ".go", source}, {"parallel.go", parallel}, text, header}, nil
	}
	object, err := l.object(ctx, options.Options)
	return []builtFile{{l.file + ".so", object}, header}, err
}

// object compiles the source, with OpenMP where the compiler has it.
func (l *library) object(ctx context.Context, options Options) ([]byte, error) {
	options.Target, options.Device = C, host.Driver().Name
	a, err := options.internal().Open(ctx, device.Proven)
	if err != nil {
		return nil, err
	}
	// The compiler reads one text, not files.
	text := withHeader(l.text, l.header, l.file+".h")
	return a.Device.(*host.Device).CompilePortable(ctx, text, a.CompileOptions(), "-DRICCI_WRAPV")
}

// marks are what Ricci's own products have in them: comments of sources, symbols of libraries.
var marks = []string{"ade by Ricci", "ricci_"}

// mayReplace refuses to replace a file that Ricci has not made.
func mayReplace(path string) error {
	content, err := bounded.ReadFile(path, bounded.Object)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, mark := range marks {
		if len(content) == 0 || bytes.Contains(content, []byte(mark)) {
			return nil
		}
	}
	return fmt.Errorf("%s exists and was not made by Ricci, which does not replace it: remove it, or name another directory or another name for the code", path)
}
