package ricci

import (
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"

	"github.com/ricci-lang/ricci/internal/build"
	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/source"
)

// Emit is a kind of file that Build writes.
type Emit string

// The products of Build. None of them needs Ricci.
const (
	EmitC  Emit = "c"  // C source with one function per def, and its header
	EmitH  Emit = "h"  // the header alone
	EmitSO Emit = "so" // a shared library for this architecture and system, and its header; also with functions on DLPack's tensors
	EmitGo Emit = "go" // a Go package that wraps the C source by cgo
)

// Emits lists the products.
func Emits() []Emit {
	var list []Emit
	for _, kind := range build.Emits() {
		list = append(list, Emit(kind))
	}
	return list
}

// BuildDevices lists the devices that Build and Wheel make libraries for, by the names that BuildOptions.Options.Device takes.
func BuildDevices() []string { return build.Devices() }

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
	// used. Where Device is a card, functions take tensors in its memory (EmitSO alone), and none is needed to build them:
	// Machine may describe one.
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
	return build.Write(ctx, d.source, d.building(&options))
}

// BuildTo makes what Build makes and writes it to w, without its header: that is part of the C
// source, or is there by EmitH. A Go package is more than one file, which is an error.
func (d *Def) BuildTo(ctx context.Context, w io.Writer, options BuildOptions) (err error) {
	defer source.RecoverInternal("build", &err)
	return build.WriteTo(ctx, w, d.source, d.building(&options))
}

// building are the options as package build takes them.
func (d *Def) building(o *BuildOptions) build.Options {
	return build.Options{Sizes: o.Sizes, Emit: string(o.Emit), Dir: o.Dir, Name: o.Name, Signature: d.String(), Options: o.Options.internal()}
}

// WheelOptions says what package for Python Program.Wheel makes.
type WheelOptions struct {
	// Sizes gives the values that are compiled in, of all defs that have them. The others follow from arrays when a function is called.
	Sizes   map[string]int64
	Defs    []string // the names of the defs; all of the program's own text when empty
	Dir     string   // where the file goes; made if need be
	Name    string   // of the package; that of the program's file when empty
	Version string   // of the package; 0.1.0 when empty
	Options Options  // as those of BuildOptions
}

// Wheel writes a package for Python, which needs NumPy and nothing of Ricci, and returns its path: it has a function for each def, compiled for
// several levels of instructions among which it chooses when it is called.
func (p *Program) Wheel(ctx context.Context, options WheelOptions) (path string, err error) {
	defer source.RecoverInternal("build", &err)
	o := build.WheelOptions{Sizes: options.Sizes, Dir: options.Dir, Name: options.Name, Version: options.Version, Options: options.Options.internal()}
	if o.Name == "" {
		o.Name = p.baseName()
	}
	if o.Version == "" {
		o.Version = "0.1.0"
	}
	defs, err := p.named(options.Defs)
	if err != nil {
		return "", err
	}
	return build.Wheel(ctx, defs, o)
}

// Build writes several defs as one library, or as its source, and returns the paths of the files: those that are named, or all of the
// program's own text. Each has its functions in it, as those of Def.Build are; sizes are compiled into all defs that have them.
// The name is that of the files, and the program's when empty. EmitGo makes a package of one def alone.
func (p *Program) Build(ctx context.Context, defs []string, options BuildOptions) (paths []string, err error) {
	defer source.RecoverInternal("build", &err)
	list, err := p.named(defs)
	if err != nil {
		return nil, err
	}
	o := build.Options{Sizes: options.Sizes, Emit: string(options.Emit), Dir: options.Dir, Name: options.Name, Options: options.Options.internal()}
	if o.Name == "" {
		o.Name = p.baseName()
	}
	return build.WriteTogether(ctx, list, o)
}

// baseName is the name of the program's file without its extension.
func (p *Program) baseName() string {
	return strings.TrimSuffix(filepath.Base(p.name), filepath.Ext(p.name))
}

// named finds defs by their names; without any, all of the program's own text.
func (p *Program) named(names []string) (defs []build.NamedDef, err error) {
	add := func(d *Def) { defs = append(defs, build.NamedDef{Def: d.source, Signature: d.String()}) }
	for _, name := range names {
		d, err := p.Def(name)
		if err != nil {
			return nil, err
		}
		add(d)
	}
	for _, d := range p.defs {
		if len(names) == 0 && (d.info.Pos.File == nil || d.info.Pos.File.Name == p.name) {
			add(d)
		}
	}
	return defs, nil
}

// A Library is a shared library for a program that runs, in any language: its function takes DLPack's tensors. docs/serve.md
// says how it is called.
type Library struct {
	Libraries  []string        `json:"libraries"` // files, to be loaded in this order
	Symbol     string          `json:"symbol"`    // the function, in the last of them
	Descriptor json.RawMessage `json:"descriptor"`
	Schedule   ScheduleKind    `json:"schedule"`
	Cached     bool            `json:"cached"` // nothing was compiled
}

// ErrNoCompiler is the error of Def.Library where there is no C compiler.
var ErrNoCompiler = build.ErrNoCompiler

// Library compiles a library for arguments of the signature, for this machine. The files are in the cache, or else in
// dir.
func (d *Def) Library(ctx context.Context, signature Signature, options Options, dir string) (*Library, error) {
	l, err := build.Load(ctx, d.source, compile.Signature(signature), d.String(), options.internal(), dir)
	if err != nil {
		return nil, err
	}
	return &Library{Libraries: l.Libraries, Symbol: l.Symbol, Descriptor: l.Descriptor, Schedule: ScheduleKind(l.Schedule), Cached: l.Kept}, nil
}
