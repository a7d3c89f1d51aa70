package ricci

import (
	"path/filepath"
	"slices"

	"github.com/ricci-lang/ricci/internal/call"
	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/notations"
	"github.com/ricci-lang/ricci/internal/source"
)

// A Program is a checked program: one or more defs. It is immutable but for the
// kernels that Def.Run keeps.
type Program struct {
	name     string
	unit     *lang.Unit
	options  func() lang.Options // with which it was compiled
	defs     []*Def
	warnings []*Diagnostic // of the whole program
	kernels  *call.Memory
}

// Parse checks a program. The extension of the name says in which notation it is
// written: .tc, .mdh, .teil, .teml or .diderot; a name without one stands for Tensor Comprehensions, and
// another extension is an error. The name is used in
// diagnostics, and imports are resolved relative to it on disk: they are files below its
// directory, or below one of ParseOptions.ImportPath. The error is an
// ErrorList when the program is wrong. Where only the loops of some defs are, which a
// TeML program composes, the others can be used: see Err.
func Parse(name, text string) (*Program, error) { return ParseOptions{}.Parse(name, text) }

// Parse is the function Parse with these options.
func (o ParseOptions) Parse(name, text string) (program *Program, err error) {
	return o.parse(name, text, nil)
}

// parse is Parse, with what reads the headers of image files.
func (o ParseOptions) parse(name, text string, header func(path string) (*lang.ImageHeader, error)) (program *Program, err error) {
	defer source.RecoverInternal("the front end", &err)
	notation := notations.Of(name)
	if filepath.Ext(name) != "" {
		if notation, err = notations.For(name); err != nil {
			return nil, err
		}
	}
	file := source.NewFile(name, text)
	if d := source.CheckText(file); d != nil {
		return nil, source.ErrorList{d}
	}
	imports := func() lang.Options {
		return lang.Options{Importer: o.importer(name), Double: o.Double, LongInt: o.LongInt, Constants: o.Constants, Header: header}
	}
	unit, diagnostics := notation.Compile(file, imports())
	if err := diagnostics.Err(); err != nil {
		return nil, err
	}
	p := &Program{name: name, unit: unit, options: imports, kernels: call.NewMemory()}
	for _, d := range diagnostics.List {
		// What concerns a single def stands there.
		if d.Severity == source.Warning && !d.IsAmong(unit.Warnings()) {
			p.warnings = append(p.warnings, d)
		}
	}
	for _, info := range unit.Defs {
		d := &Def{program: p, info: info, source: &compile.Def{Def: info, Files: unit.Files, Extension: notation.Extension, Imports: imports}}
		d.calls = call.NewDef(d.source, p.kernels)
		p.defs = append(p.defs, d)
	}
	return p, nil
}

// ParseFile checks the program in a file, whose name has the extension of a notation. The images that a Diderot program
// declares are compared with the headers of the NRRD files that it names, where these are below the directory of the
// program, the current one, or one of ParseOptions.ImportPath; Parse reads none.
func ParseFile(path string) (*Program, error) { return ParseOptions{}.ParseFile(path) }

// Warnings returns what is doubtful, but not wrong, about the program.
func (p *Program) Warnings() []*Diagnostic {
	return slices.Concat(p.warnings, p.unit.Warnings())
}

// Warnings returns what is doubtful, but not wrong, about the def and those that it calls, or about its program as
// a whole.
func (d *Def) Warnings() []*Diagnostic { return slices.Concat(d.program.warnings, d.info.Warnings) }

// Err returns the errors, an ErrorList, of defs whose loops are refused. They are not
// among Defs, and Def returns their errors.
func (p *Program) Err() error {
	if list := p.unit.Refusals(); len(list) > 0 {
		return list
	}
	return nil
}

// Defs returns the defs of the program in the order of the text, then those of
// imported files.
func (p *Program) Defs() []*Def { return p.defs }

// Def returns the def of that name; an instance of an MDH computation for its first
// types is also found under the name with types. An empty name means the last def of the
// program's own text, which usually uses the others.
func (p *Program) Def(name string) (*Def, error) {
	var own *Def
	names := make([]string, len(p.defs))
	for i, d := range p.defs {
		if d.Name() == name {
			return d, nil
		}
		if d.info.Pos.File == nil || d.info.Pos.File.Name == p.name {
			own = d
		}
		names[i] = d.Name()
	}
	for _, r := range p.unit.Refused {
		if r.Name == name || name == "" && own != nil && r.Pos.Start > own.info.Pos.Start {
			return nil, r.Errors
		}
		names = append(names, r.Name)
	}
	switch {
	case name == "" && own != nil:
		return own, nil
	case p.Strands() != nil && (len(p.defs) == 0 || name == p.Strands().Name()):
		d := &Diagnostic{Code: source.UnknownDef, Message: p.name + " has strands where a def is wanted"}
		return nil, ErrorList{d.WithHelp("strands have ricci run, check, test, fmt, and show with --stage ast, field or strand; each field and each function of values is a def")}
	case len(p.defs) == 0 || name == "":
		return nil, ErrorList{{Code: source.UnknownDef, Message: p.name + " has no def"}}
	}
	for _, d := range p.defs {
		if d.info.Alias == name {
			return d, nil
		}
	}
	d := &Diagnostic{Code: source.UnknownDef, Message: "there is no def " + name + " in " + p.name}
	return nil, ErrorList{d.WithHelp("%s", compile.HelpWithNames(name, "the defs are ", names))}
}

// Close gives up the kernels that Def.Run keeps. No call of them may be running.
func (p *Program) Close() error { return p.kernels.Close() }
