// Package ricci compiles tensor programs and runs them on arrays.
//
// A program is text in one of five notations: Tensor Comprehensions (docs/tc.md), MDH
// (docs/mdh.md), TeML (docs/teml.md), TeIL (docs/teil.md) or Diderot (docs/diderot.md). It has
// one or more defs, each a function from tensors to tensors; a program of Diderot has strands, of
// which Strands makes a World that runs step by step. Packages mdh and operator make programs of
// MDH and TeIL without text.
//
//	program, err := ricci.Parse("mm.tc", `
//	def mm(float(M,K) A, float(K,N) B) -> (C) {
//	    C(i,j) +=! A(i,k) * B(k,j)
//	}`)
//	def, err := program.Def("mm")
//	results, err := def.Run(ctx, map[string]*tensor.Tensor{"A": a, "B": b})
//	c := results["C"]
//
// Def.Run compiles for the shapes at hand, or finds the kernel compiled: in
// memory, or on disk from an earlier process. Beyond the computation a call costs what its
// results take to allocate and less than a microsecond (examples/go/calls measures it).
// Def.RunInto takes preallocated outputs and allocates nothing; a Typed does the same with the
// fields of a struct, whose types the Go compiler checks:
//
//	type Arguments struct{ A, B, C *[2][2]float32 }
//	mm := ricci.MustTyped[Arguments](ricci.MustParse("mm.tc", text).MustDef("mm"), ricci.Options{})
//	err := mm.Run(ctx, &Arguments{A: &a, B: &b, C: &c})
//
// Def.CompileFor returns the Kernel for some shapes, which knows no others.
//
// Ricci chooses the loops that compute a def. Who wants others transforms them:
// Def.Schedule returns the loops of a def as they are written, the methods of a
// Schedule are TeML's transformations, and Options.Schedule takes what comes out.
//
// A defect of a program or of the arguments of a call is a *Diagnostic, found in
// any returned error with errors.As; a defect of Ricci is an *InternalError.
// All methods may be called from many goroutines, with the exceptions that their
// documentation names.
package ricci

import "github.com/ricci-lang/ricci/internal/source"

// How it works
//
// Parse runs a front end, whose result is one ein.Func per def. A Kernel is an
// ein.Func made for given sizes, strides and a target; the way from one to the
// other is package internal/compile, which is the place to read how Ricci's parts fit
// together. Package internal/call finds the kernel for arguments and calls it; stage.go
// takes the same steps for people, package internal/build for other programs. What stands here is the
// face of these packages: types of its own, so that what users read does not move when they do.

// A Diagnostic is one thing that is wrong with a program or with the arguments
// of a call: a stable code, a place in the text, what was found, and the way out.
type Diagnostic = source.Diagnostic

// A Note is a secondary place of a Diagnostic.
type Note = source.Note

// A Code names a kind of diagnostic for ever, such as "E0301".
type Code = source.Code

// A Severity says whether a Diagnostic is an error or a warning.
type Severity = source.Severity

// A Span is a range of the text of a program.
type Span = source.Span

// A SourceFile is the text that a Span is of.
type SourceFile = source.File

// A Position is a place in a SourceFile.
type Position = source.Position

// An ErrorList is the error of everything that reads programs: it wraps one or
// more *Diagnostic.
type ErrorList = source.ErrorList

// An InternalError is a defect of Ricci itself, never of the user's program.
type InternalError = source.InternalError
