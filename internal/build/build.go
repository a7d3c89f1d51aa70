// Package build makes libraries, C sources and Go packages of defs, for programs that know nothing of Ricci.
package build

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/bounded"
	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/device/host"
	"github.com/ricci-lang/ricci/internal/scratch"
)

// How it works
//
// A library (library.go) is a function of C around one kernel for each level of instructions, which tests its sizes; package
// target/c prints it. A shared library is that text compiled by package device/host; it has functions on tensors beside the ordinary one
// (tensors.go), and the threads of package abi's code. A running program gets one with nothing but functions on
// tensors, for this machine alone (loadable.go). Several defs can be in one library (together.go), as those of a package for Python are (wheel.go). A Go package (gopackage.go) is the text with a wrapper which cgo compiles. So this package knows that target and that device by name: programs
// without Ricci have no other door. Libraries for a card (card.go) have C around its kernels.

// The kinds of files. None of them needs Ricci.
const (
	C  = "c"  // C source with one function, and its header
	H  = "h"  // the header alone
	SO = "so" // a shared library for this architecture and system, and its header
	Go = "go" // a Go package that wraps the C source by cgo
)

// Emits lists the kinds.
func Emits() []string { return []string{C, H, SO, Go} }

// Options say what is built; ricci.BuildOptions explains them.
type Options struct {
	Sizes     map[string]int64 // that are compiled in
	Emit      string           // one of Emits; C when empty
	Dir, Name string
	Signature string // of the def, for people
	Options   compile.Options
}

// Write builds files, and returns their paths. Each appears with all its contents or not at all.
func Write(ctx context.Context, d *compile.Def, options Options) ([]string, error) {
	files, err := filesOf(ctx, d, &options)
	if err != nil {
		return nil, err
	}
	return writeFiles(options.Dir, files)
}

func writeFiles(dir string, files []file) (paths []string, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	for _, f := range files {
		if err := mayReplace(filepath.Join(dir, f.name)); err != nil {
			return nil, err
		}
	}
	for _, f := range files {
		path := filepath.Join(dir, f.name)
		if err := scratch.Write(path, f.data); err != nil {
			return paths, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// WriteTo builds one file, C with its header in it.
func WriteTo(ctx context.Context, w io.Writer, d *compile.Def, options Options) error {
	if options.Emit == Go {
		return fmt.Errorf("a Go package is several files; build it into a directory")
	}
	files, err := filesOf(ctx, d, &options)
	if err != nil {
		return err
	}
	data := files[0].data
	if options.Emit == C {
		data = []byte(withHeader(string(data), string(files[1].data), files[1].name))
	}
	_, err = w.Write(data)
	return err
}

// withHeader puts a header into the C source that includes it.
func withHeader(text, header, name string) string {
	return strings.Replace(text, fmt.Sprintf("#include %q", name), header, 1)
}

// filesOf makes the files of a def, the one that was asked for first.
func filesOf(ctx context.Context, d *compile.Def, options *Options) ([]file, error) {
	if options.Emit == "" {
		options.Emit = C
	}
	if !slices.Contains(Emits(), options.Emit) {
		return nil, fmt.Errorf("cannot emit %q; what can be emitted is %v", options.Emit, Emits())
	}
	l, err := newLibrary(ctx, d, *options)
	if err != nil {
		return nil, err
	}
	return l.files(ctx, *options)
}

type file struct {
	name string
	data []byte
}

// files makes the contents of what is asked for.
func (l *library) files(ctx context.Context, options Options) ([]file, error) {
	header, text := file{l.file + ".h", []byte(l.header)}, file{l.file + ".c", []byte(l.text)}
	switch options.Emit {
	case H:
		return []file{header}, nil
	case C:
		return []file{text, header}, nil
	case Go:
		source, parallel := l.goSources()
		return []file{{l.file + ".go", source}, {"parallel.go", parallel}, text, header}, nil
	}
	object, err := l.object(ctx, options.Options)
	return []file{{l.file + ".so", object}, header}, err
}

// object compiles the source.
func (l *library) object(ctx context.Context, options compile.Options) ([]byte, error) {
	return portable(ctx, withHeader(l.text, l.header, l.file+".h"), l.card, options) // the compiler reads one text, not files
}

// portable compiles a library for all machines of the architecture, with the code that functions on tensors share.
func portable(ctx context.Context, text string, card *device.Driver, options compile.Options) ([]byte, error) {
	a, err := aroundKernels(card, options).Open(ctx, device.Proven)
	if err != nil {
		return nil, err
	}
	dir, err := scratch.NewDir(a.CompileOptions().TempDir, "shared")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	shared := filepath.Join(dir.Path, "shared.c")
	if err := os.WriteFile(shared, []byte(common(card, false)), 0o600); err != nil {
		return nil, err
	}
	return a.Device.(*host.Device).CompileFor(ctx, text, true, a.CompileOptions(), append([]string{"-DRICCI_WRAPV", "-x", "c", shared}, ofThreads("")...)...)
}

// ofThreads are the linker's flags for a library of that name with a pool in it: it is never unloaded where that can be said, since
// the threads of the pool sleep in it for ever.
func ofThreads(name string) []string {
	flags := []string{"-pthread", "-ldl"}
	switch {
	case runtime.GOOS != "darwin":
		if flags = append(flags, "-Wl,-z,nodelete"); name != "" {
			flags = append(flags, "-Wl,-soname,"+name)
		}
	case name != "":
		flags = append(flags, "-Wl,-install_name,"+name)
	}
	return flags
}

// using are the flags for a library that uses another one, also where none of its symbols is needed to link it.
func using(library string) []string {
	if runtime.GOOS == "darwin" {
		return []string{library}
	}
	return []string{"-Wl,--no-as-needed", library}
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
