package ricci

import (
	"context"
	"errors"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/device/host"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
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
// The C function takes a pointer to each input, then to each output, all dense
// and row-major; the header says the rest. It is parallel where it is compiled
// with OpenMP.
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
	if err := l.print(job); err != nil {
		return nil, err
	}
	files, err := l.files(ctx, options)
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

// libraryText holds the texts that the files are made of.
type libraryText struct {
	def          *Def
	name         string
	sizes        map[string]int64
	arguments    []*ein.Tensor // in the order of the C function
	shapes       map[string][]int64
	text, header string
}

// print takes the steps to C.
func (l *libraryText) print(job *compilation) error {
	job.parallel = c.OpenMP
	s, err := job.run()
	if err != nil {
		return err
	}
	if l.shapes, err = l.def.info.Func.Shapes(l.sizes); err != nil {
		return err
	}
	for _, p := range s.loop.Params {
		l.arguments = append(l.arguments, l.def.info.Func.Tensor(p.Buffer.Name))
	}
	options := c.LibraryOptions{Header: l.name + ".h"}
	options.Parallel, options.VectorBytes, options.Comment = c.OpenMP, job.machine.VectorBytes, l.describe("")
	s.loop.Name = l.name
	l.text, l.header, err = c.PrintLibrary([]*loop.Func{s.loop}, options)
	if err == nil && (token.IsKeyword(l.name) || !strings.Contains(l.header, "int "+l.name+"(")) {
		// The name means something in Go or C: another one serves both.
		l.name += "_def"
		options.Header, s.loop.Name = l.name+".h", l.name
		l.text, l.header, err = c.PrintLibrary([]*loop.Func{s.loop}, options)
	}
	l.text = libraryPragmas + l.text
	return err
}

// libraryPragmas state in the text what Ricci itself states by flags: that
// integers wrap, and that no result depends on errno or traps. cgo does not allow
// all of these flags.
const libraryPragmas = `#if defined(__clang__)
#if !defined(RICCI_WRAPV)
#error "clang needs the flags -fwrapv -fno-strict-aliasing -DRICCI_WRAPV (for cgo: in CGO_CFLAGS)"
#endif
#elif defined(__GNUC__)
#pragma GCC optimize("wrapv", "no-strict-aliasing", "no-math-errno", "no-trapping-math")
#endif
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
`

// describe says what the function computes, one fact per line with the prefix.
func (l *libraryText) describe(prefix string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%sMade by Ricci from %s\n", prefix, l.def)
	for _, t := range l.arguments {
		what := map[ein.Role]string{ein.Input: "input", ein.Output: "output", ein.InOut: "input and output"}[t.Role]
		fmt.Fprintf(&b, "%s%s: %s, %s, shape %v", prefix, t.Name, what, t.Type, l.shapes[t.Name])
		if value, fixed := l.fixed(t); fixed {
			fmt.Fprintf(&b, ", must be %d", value)
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "%sOutputs must not share memory with other arguments.\n", prefix)
	return b.String()
}

// fixed returns the value of a scalar that the code was made for.
func (l *libraryText) fixed(t *ein.Tensor) (int64, bool) {
	for _, s := range l.def.info.Func.Sizes {
		if s.Tensor == t && s.Dim == ein.ScalarValue {
			return l.sizes[s.Name], true
		}
	}
	return 0, false
}

// files makes the contents of what is asked for.
func (l *libraryText) files(ctx context.Context, options BuildOptions) ([]builtFile, error) {
	header, text := builtFile{l.name + ".h", []byte(l.header)}, builtFile{l.name + ".c", []byte(l.text)}
	switch options.Emit {
	case EmitH:
		return []builtFile{header}, nil
	case EmitC:
		return []builtFile{text, header}, nil
	case EmitGo:
		return []builtFile{{l.name + ".go", l.goSource()}, text, header}, nil
	}
	object, err := l.object(ctx, options.Options)
	return []builtFile{{l.name + ".so", object}, header}, err
}

// object compiles the source, with OpenMP where the compiler has it.
func (l *libraryText) object(ctx context.Context, options Options) ([]byte, error) {
	options.Target = C
	t, err := chooseToolchain(ctx, options)
	if err != nil {
		return nil, err
	}
	// The compiler reads one text, not files.
	text := strings.Replace(l.text, fmt.Sprintf("#include \"%s.h\"", l.name), l.header, 1)
	object, err := t.compile(ctx, text, host.SharedLibrary, "-fopenmp", "-DRICCI_WRAPV")
	var refused *host.RefusedError
	if errors.As(err, &refused) {
		return t.compile(ctx, text, host.SharedLibrary, "-DRICCI_WRAPV")
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
