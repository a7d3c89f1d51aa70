// Package inside opens, for Ricci's own packages, what stands behind the types of package ricci: the lowered
// program of its Strands, the def that it compiles, the options that compilations take.
//
// # How it works
//
// The command, the tuner and the runner of test blocks need more than users of package ricci should see or could name. A
// method of a public type would show it to all, so package ricci leaves functions here instead, once, while it is
// initialised. Whoever holds a value of its types imports it, so they are there when they are asked for.
package inside

import (
	"context"

	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/internal/strand/session"
	"github.com/ricci-lang/ricci/tensor"
)

// Strands is what a *ricci.Strands holds.
type Strands struct {
	Program   *strand.Program // in the form in which Ricci runs it
	Directory string          // where files that the program names are found, besides the current directory
	// Call runs a def of the program, or one that it imports.
	Call func(ctx context.Context, def string, args map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error)
}

// Inputs begins with what a world is given; images that defs make are computed by these, while the context lasts.
func (s *Strands) Inputs(ctx context.Context, open func(path string) (*tensor.Image, error)) *session.Inputs {
	inputs := session.NewInputs(s.Program, s.Directory, open)
	inputs.Compute = func(f *ein.Func, args map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
		return s.Call(ctx, f.Name, args)
	}
	return inputs
}

// Faces are the functions that package ricci leaves here. Each takes a value of one of its types, which no package above it
// in the list of rooms can name, and reports whether it is one.
type Faces struct {
	Strands func(strands any) (*Strands, bool)        // of a *ricci.Strands
	Def     func(def any) (*compile.Def, bool)        // of a *ricci.Def
	Options func(options any) (compile.Options, bool) // of a ricci.Options
}

// faces is written by package ricci's initialisation, and never again.
var faces *Faces

// Leave is for package ricci.
func Leave(f Faces) struct{} {
	if faces != nil {
		panic(source.Internalf("inside", source.Span{}, "the faces of package ricci were left twice"))
	}
	faces = &f
	return struct{}{}
}

// Of returns what a *ricci.Strands holds.
func Of(strands any) *Strands { return open(faces.Strands, strands) }

// Def returns what a *ricci.Def compiles.
func Def(def any) *compile.Def { return open(faces.Def, def) }

// Options returns ricci.Options as compilations take them.
func Options(options any) compile.Options { return open(faces.Options, options) }

func open[T any](face func(any) (T, bool), value any) T {
	opened, is := face(value)
	if !is {
		panic(source.Internalf("inside", source.Span{}, "a %T has no %T inside", value, opened))
	}
	return opened
}
