// Package teil is the front end of TeIL, the type-safe tensor language of Rink and
// Castrillon: it checks programs of collective operations by the rules of the paper,
// rewrites them by its equations, and lowers them to ein.
package teil

import (
	"io"
	"path/filepath"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/advice"
	"github.com/ricci-lang/ricci/internal/lang/callee"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// How it works
//
// A program goes through these steps, each a function from syntax trees to syntax
// trees until the last:
//
//	declare    params are put in, names and shapes are noted (declare.go)
//	elaborate  operators become contractions (operator.go), calls the statements of
//	           the callee (call.go)
//	check      one function for each rule of Figure 8 (rules.go); the shape of a
//	           statement and its element types (check.go, element.go); what is read
//	           first begins with zeros (assign.go)
//	rewrite    the equations of Section 3.6 and further laws, then lifting: sums
//	           inside of products get statements of their own (equations.go,
//	           nest.go, lift.go), with the number of operations (count.go)
//	lower      Figure 6, read as index rewriting (lower.go)
//
// Every tree but the first is again a TeIL program, which is checked by the same
// rules and can be printed. docs/teil.md has the rules and the equations; code and
// page must agree.

// extension is that of files in TeIL.
const extension = ".teil"

// Notation describes TeIL.
func Notation() *lang.Notation {
	return &lang.Notation{Name: "TeIL", Extension: extension, Compile: Compile, Format: lang.Formatter(syntax.Parse, syntax.Format), Outline: outline, Dump: dump, Equations: equations}
}

func outline(file *source.File) (*lang.Outline, *source.Diagnostics) {
	parsed, diagnostics := syntax.Parse(file)
	o := &lang.Outline{Source: file, Comments: parsed.Comments, Imports: len(parsed.Imports) > 0}
	for _, p := range parsed.Programs {
		o.Defs = append(o.Defs, lang.DefName{Pos: p.Pos, Name: programName(p, file)})
	}
	return o, diagnostics
}

func dump(w io.Writer, file *source.File, def string) error {
	parsed, _ := syntax.Parse(file)
	for _, p := range parsed.Programs {
		if programName(p, file) == def {
			return syntax.Dump(w, p)
		}
	}
	return source.Internalf("show", source.Span{}, "the program %s is not in its file", def)
}

// programName returns the name of a program: a file without def is called by its own
// name, as far as that can be one; a program that was made without a file has none.
func programName(p *syntax.Program, file *source.File) string {
	if p.Name.Name != "" {
		return p.Name.Name
	}
	if file == nil {
		return "program"
	}
	base := strings.TrimSuffix(filepath.Base(file.Name), filepath.Ext(file.Name))
	name := strings.Map(func(r rune) rune {
		if r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' {
			return r
		}
		return '_'
	}, base)
	if name == "" || '0' <= name[0] && name[0] <= '9' || syntax.IsReserved(name) {
		name = "teil_" + name
	}
	return name
}

// Compile checks a file and lowers it. The Unit is never nil and holds the programs
// that have no errors; warnings are among the diagnostics.
func Compile(file *source.File, options lang.Options) (*lang.Unit, *source.Diagnostics) {
	unit := &lang.Unit{Program: &ein.Program{}}
	typings, diagnostics, imports := checkImports(file, options, unit)
	words := &advice.Notation{
		Wide:  "convert what it is made of: TYPE x",
		Wraps: "where wrapping is meant, say so by converting back: TYPE (add (WIDE x) (WIDE y))",
	}
	for _, t := range typings {
		def := t.lower()
		for _, c := range def.Func.Body {
			if !imports.IsForeign(c.Pos.File) { // its own notation has warned of that
				words.Of(c, diagnostics)
			}
		}
		unit.Defs = append(unit.Defs, def)
		unit.Program.Funcs = append(unit.Program.Funcs, def.Func)
	}
	imports.Join(unit)
	imports.Finish(diagnostics)
	return unit, diagnostics
}

// checkImports checks the programs of a file and of those of TeIL that it imports.
func checkImports(file *source.File, options lang.Options, unit *lang.Unit) ([]*Typing, *source.Diagnostics, *lang.Imports) {
	diagnostics := &source.Diagnostics{}
	imports := options.Imports(file, extension, diagnostics)
	var files []*syntax.File
	names := map[string]source.Span{}
	var load func(*source.File)
	load = func(file *source.File) {
		unit.Files = append(unit.Files, file)
		parsed, found := syntax.Parse(file)
		diagnostics.List = append(diagnostics.List, found.List...)
		files = append(files, parsed)
		for _, p := range parsed.Programs {
			names[programName(p, file)] = p.Pos
		}
		for _, i := range parsed.Imports {
			imports.Load(file, i.Path, i.Pos, load)
		}
	}
	load(file)
	table := callee.NewTable(imports, func(name string) (source.Span, bool) {
		at, ok := names[name]
		return at, ok
	}, diagnostics)
	if diagnostics.HasErrors() {
		return nil, diagnostics, imports
	}
	typings, checked := check(files, table)
	diagnostics.List = append(diagnostics.List, checked.List...)
	return typings, diagnostics, imports
}
