// Package diderot is the notation Diderot: programs of strands that compute with continuous tensor
// fields. Package syntax reads them, package check makes typed trees, and this package lowers those to
// programs of package strand.
package diderot

import (
	"errors"
	"io"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/diderot/check"
	"github.com/ricci-lang/ricci/internal/lang/diderot/syntax"
	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
)

// How it works
//
// Lower walks over a typed tree once. An expression writes the statements that it needs into the
// current block and returns a value (value.go): scalars, a list, or what exists while lowering only.
//
// Tensors and sequences of fixed length are scalars, one for each component; operators of tensors
// are those of package field, expanded in place (tensor.go), and what a component is read from twice
// gets a name. Lists (list.go) are sequences of any length that need not be in memory: a loop over a
// range or a comprehension is a loop. Reductions (reduce.go) are loops, or statements over sets of
// strands. Functions are inlined (call.go). Fields, images and kernels are operators (symbol.go) until
// they are probed (probe.go).
//
// No expression changes a variable, so a value may be computed later than where it stands in the
// text, in the same statement; && and || and conditional expressions become choices where an operand
// needs statements, so that a probe in the branch that is not taken is none. Integers wrap, and divide
// as those of C do. Numbers that are known are computed by the evaluator of ein, so that they have the
// bits that they would have when running; only as factors of fields they stay exact (exact.go).
//
// Package strand/passes then joins probes and what is computed twice. strand.Verify judges the result.

const extension = ".diderot"

// Notation describes Diderot.
func Notation() *lang.Notation {
	return &lang.Notation{
		Name: "Diderot", Extension: extension, Also: []string{".ddro"},
		Compile: Compile, Format: lang.Formatter(syntax.Parse, syntax.Format), Outline: outline, Dump: dump, Fields: fields,
	}
}

// Compile checks a program and lowers it to strands, and its fields and functions to defs.
func Compile(file *source.File, options lang.Options) (*lang.Unit, *source.Diagnostics) {
	unit := &lang.Unit{Program: &ein.Program{}, Files: []*source.File{file}}
	program, imports, diagnostics := checked(file, options)
	if diagnostics.HasErrors() {
		return unit, diagnostics
	}
	defer imports.Join(unit)
	numbers := Numbers{Double: options.Double, LongInt: options.LongInt}
	p, err := Lower(program, numbers)
	if err == nil {
		unit.Strands, unit.Declared = []*strand.Program{p}, declared(program)
		unit.Defs, err = Defs(program, numbers)
	}
	var list source.ErrorList
	if errors.As(err, &list) {
		diagnostics.List = append(diagnostics.List, list...)
		return &lang.Unit{Program: unit.Program, Files: unit.Files}, diagnostics
	}
	if err != nil {
		panic(err) // a defect, which who compiles recovers from
	}
	for _, d := range unit.Defs {
		unit.Program.Funcs = append(unit.Program.Funcs, d.Func)
	}
	return unit, diagnostics
}

// checked reads and checks a program, behind the files that it imports.
func checked(file *source.File, options lang.Options) (*typed.Program, *lang.Imports, *source.Diagnostics) {
	parsed, diagnostics := syntax.Parse(file)
	imports := options.Imports(file, extension, diagnostics)
	for _, i := range parsed.Program.Imports {
		imports.Load(file, i.Path.Value(), i.Pos, nil)
	}
	if diagnostics.HasErrors() {
		imports.Finish(diagnostics)
		return nil, imports, diagnostics
	}
	program, found := check.Program(parsed, check.Options{Constants: options.Constants, LongInt: options.LongInt, Header: options.Header, Defs: imports.Defs})
	found.List = append(diagnostics.List, found.List...)
	found.Sort()
	imports.Finish(found)
	return program, imports, found
}

func outline(file *source.File) (*lang.Outline, *source.Diagnostics) {
	parsed, diagnostics := syntax.Parse(file)
	outline := &lang.Outline{Source: file, Comments: parsed.Comments}
	if parsed.Program != nil && parsed.Program.Strand != nil {
		outline.Strands = parsed.Program.Strand.Name.Name
	}
	return outline, diagnostics
}

// dump writes the tree of the whole program.
func dump(w io.Writer, file *source.File, _ string) error {
	parsed, diagnostics := syntax.Parse(file)
	if err := diagnostics.Err(); err != nil {
		return err
	}
	return syntax.Dump(w, parsed)
}
