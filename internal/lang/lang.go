// Package lang is what all notations have in common: the result of compiling a
// file, and the description of a notation by which the rest of Ricci uses it.
package lang

import (
	"io"
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/token"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/tensor"
)

// How it works
//
// A notation is a value of type Notation that its package returns; the table of
// all of them is in package notations. Whoever compiles, formats or tests a file
// asks that table by the file's extension and knows no notation by name. What a
// front end makes is a Unit: functions of ein, with what people want to know about
// them.

// A Notation is a language that Ricci reads.
type Notation struct {
	Name      string   // for people, such as "Tensor Comprehensions"
	Extension string   // of its files, with the dot
	Also      []string // other extensions that files have
	// Compile checks a file and lowers it. The Unit is never nil and holds the defs
	// that have no errors; warnings are among the diagnostics.
	Compile func(file *source.File, options Options) (*Unit, *source.Diagnostics)
	// Format returns the file in the standard layout. With errors there is no text.
	Format func(file *source.File) (string, *source.Diagnostics)
	// Outline reads the file as far as its comments and the names of its defs.
	Outline func(file *source.File) (*Outline, *source.Diagnostics)
	// Dump writes the syntax tree of a def.
	Dump func(w io.Writer, file *source.File, def string) error
	// Trees writes the states of a meta-program; nil where a file is none.
	Trees func(file *source.File, options Options) (string, error)
	// Equations writes how a def is rewritten before it is lowered, with the numbers of
	// operations, also for given sizes. It is nil in notations that have no equations.
	Equations func(w io.Writer, file *source.File, options Options, def string, sizes map[string]int64) error
	// Fields writes what becomes of the probes of fields, and returns the program of strands that it lowers, with the same
	// techniques left out. It is nil in notations that have none.
	Fields func(w io.Writer, file *source.File, options Options, how FieldOptions) (*strand.Program, error)
}

// FieldOptions say what is shown of fields.
type FieldOptions struct {
	Sizes bool // how large operators are at the points of their way
	// Without has the techniques that are left out: sharing, epsilon, binding.
	Without []string
}

// Techniques are the words for FieldOptions.Without.
func Techniques() []string { return []string{"sharing", "epsilon", "binding"} }

// Formatter makes a notation's Format of its parser and its printer.
func Formatter[F any](parse func(*source.File) (F, *source.Diagnostics), print func(F) string) func(*source.File) (string, *source.Diagnostics) {
	return func(file *source.File) (string, *source.Diagnostics) {
		parsed, diagnostics := parse(file)
		if diagnostics.HasErrors() {
			return "", diagnostics
		}
		return print(parsed), diagnostics
	}
}

// Options says how a file is compiled.
type Options struct {
	// Importer reads what the file imports; nil makes imports errors.
	Importer *Importer
	// Of Diderot: reals of 64 bits, integers of 64 bits, and values of constants by their names.
	Double, LongInt bool
	Constants       map[string]string
	// Header reads what an image file says of its samples. Where it is nil, or has an error, that is known only when the
	// program runs.
	Header func(path string) (*ImageHeader, error)
}

// An ImageHeader is the sizes of the axes of an image file, the fastest first, and which of them are those of the space;
// nil if the file does not say.
type ImageHeader struct {
	Sizes   []int
	Spatial []bool
}

// ImageHeaderOf is the header of an image in a file of NRRD.
func ImageHeaderOf(header *tensor.NRRDHeader) *ImageHeader {
	h := &ImageHeader{Sizes: slices.Clone(header.Shape)}
	slices.Reverse(h.Sizes)
	if !header.Image.Derived {
		for _, axis := range header.Image.Axes {
			h.Spatial = append(h.Spatial, axis.Spatial)
		}
	}
	return h
}

// A Unit is a compiled file with everything that it imports.
type Unit struct {
	Program *ein.Program // one function per def without errors
	Defs    []*Def       // the defs of the file, then those of its imports
	Files   []*source.File
	Refused []*Refused
	Strands []*strand.Program // of a program of strands: one
	// Declared is what a program of strands declares.
	Declared []Declared
}

// A Declared is a declaration of a program of strands, in the words of its notation.
type Declared struct {
	Pos source.Span
	// Kind says what it is: an input, a field, a parameter of the strand, an output, ….
	Kind, Type, Name string
	Value            string // what it begins with
	Doc              string
}

// Refused is a def of the file whose own loops have errors, where other defs have none.
type Refused struct {
	Name   string
	Pos    source.Span
	Errors source.ErrorList
}

// Def returns the def of that name, or nil.
func (u *Unit) Def(name string) *Def {
	for _, d := range u.Defs {
		if d.Name == name {
			return d
		}
	}
	return nil
}

// Refusals lists the errors of refused defs, each once.
func (u *Unit) Refusals() source.ErrorList {
	var list source.ErrorList
	for _, r := range u.Refused {
		for _, d := range r.Errors {
			if !slices.ContainsFunc(list, func(e *source.Diagnostic) bool { return e.Error() == d.Error() }) {
				list = append(list, d)
			}
		}
	}
	return list
}

// Warnings lists the warnings that concern single defs, each once: those of a def that others call
// are theirs, too.
func (u *Unit) Warnings() []*source.Diagnostic {
	var list []*source.Diagnostic
	seen := map[*source.Diagnostic]bool{}
	for _, d := range u.Defs {
		for _, w := range d.Warnings {
			if !seen[w] {
				seen[w] = true
				list = append(list, w)
			}
		}
	}
	return list
}

// A Def describes a def for people and tools; its conditions are those of
// Func.Requires.
type Def struct {
	Name       string
	Alias      string // a second name, which gives way to a def that has it; or empty
	Generic    string // the name by which callers mean the instance that fits, of a def with several; or empty
	Pos        source.Span
	Func       *ein.Func
	Tensors    []*ein.Tensor // inputs, outputs and the temporaries that the def names
	Statements []*Statement
	// Script is the text from which package makers makes the def's schedule; empty for
	// the default one. The statements of such a def are scheduled as they are.
	Script string
	// Images are the inputs that are images, each with the inputs that say where its samples are.
	Images []Image
	// Scalar is the def as a function of numbers, of one that computes each element of its results from one of its arguments;
	// else nil.
	Scalar *Scalar
	// Warnings are those that concern this def alone; they are not among the diagnostics.
	Warnings []*source.Diagnostic
}

// An Image is an input whose last dimensions are those of a value, and the others those of a space of so many dimensions. The
// rows of Directions are the steps from sample to sample, those along the last of its dimensions first, and Origin is the place
// of the first sample.
type Image struct {
	Samples, Directions, Origin *ein.Tensor
	Dim                         int
}

// A Scalar is an expression over numbers.
type Scalar struct {
	Params []*ein.Local
	Value  ein.Expr
}

// Of is the value for arguments of the types of the parameters, each of which is computed once.
func (s *Scalar) Of(args []ein.Expr, pos source.Span) ein.Expr {
	own := map[*ein.Local]*ein.Local{} // so that no two bindings are of one local
	local := func(l *ein.Local) *ein.Local {
		if own[l] == nil {
			own[l] = &ein.Local{Name: l.Name, DType: l.DType}
		}
		return own[l]
	}
	value := ein.Map(s.Value, func(e ein.Expr) ein.Expr {
		switch e := e.(type) {
		case *ein.LocalRef:
			return &ein.LocalRef{Pos: pos, Local: local(e.Local)}
		case *ein.Let:
			return &ein.Let{Pos: pos, Var: local(e.Var), Value: e.Value, Body: e.Body}
		}
		return e
	})
	for n := len(args) - 1; n >= 0; n-- {
		value = &ein.Let{Pos: pos, Var: local(s.Params[n]), Value: args[n], Body: value}
	}
	return value
}

// A Statement is the ranges of one statement; calls have none.
type Statement struct {
	Pos     source.Span
	Text    string // what it writes and how, such as "s(i) +=!"; empty where a notation has no such text
	Indices []Index
}

// An Index is an index with its range [Min, Min+Extent).
type Index struct {
	Pos         source.Span
	Name        string
	Min, Extent affine.Expr
	Combine     ein.CombineKind
	// Part is set where a reduced index has an inferred range that is not that of a dimension it reads.
	Part bool
}

// An Outline is what tools want to know about a file before it is compiled.
type Outline struct {
	Source   *source.File
	Comments []token.Comment
	Defs     []DefName
	Imports  bool // defs may come from other files
	// Strands is the name of the kind of strand, of a program of strands: what its tests are about that name no def.
	Strands string
}

// A DefName is a name under which a def can be called, and the place of the def.
type DefName struct {
	Pos   source.Span
	Name  string
	Alias string // as in Def
}
