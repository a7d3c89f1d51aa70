// Package check checks Diderot programs of both versions and makes their typed trees.
package check

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/field"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/diderot/syntax"
	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
	"github.com/ricci-lang/ricci/internal/source"
)

// How it works
//
// One walk over the tree resolves names, gives every expression its type and makes the typed tree: program.go and
// strand.go for declarations, statement.go for statements, expression.go and the files named after constructs for
// expressions. What surrounds an expression may say which type it wants; only load_image, load_sequence and {} use that.
// Operators and builtins are rows of the table in package typed: signature.go reads their signatures, match.go matches
// arguments with them, overload.go chooses. fold.go evaluates constants.
//
// What may stand where is a table (region.go). Along the walk a flow holds which variables have a value and whether the
// end of the statement is reached (flow.go).
//
// An expression that was not understood has the type Nothing, which fits everywhere, so that one mistake is one error.

// Options are what a program is checked for.
type Options struct {
	// Constants are values of consts, as text, that replace those of the program.
	Constants map[string]string
	// LongInt says that ints have 64 bits, not 32.
	LongInt bool
	// Header is that of lang.Options.
	Header func(path string) (*lang.ImageHeader, error)
	// Defs are those of files that the program imports.
	Defs []*lang.Def
}

type checker struct {
	options     Options
	diagnostics *source.Diagnostics
	file        *syntax.File
	program     *typed.Program
	scope       *scope
	region      *region
	flow        flow
	continued   []flow // what is known where a method ends by continue
	folder      *folder
	function    *typed.Function // whose body this is
	body        *scope          // around it
	iterating   int             // how many loops and comprehensions are around
	folding     bool            // inside of a reduction over a set of strands
	used        map[*typed.Variable]bool
	read        map[*typed.Function][]*typed.Variable // the globals without initial value that it reads
	locals      []*typed.Variable                     // all variables, in their order, for warnings
}

// Program checks a program that has no syntax errors. The tree is whole if the diagnostics have no errors.
func Program(f *syntax.File, options Options) (*typed.Program, *source.Diagnostics) {
	p := f.Program
	c := &checker{
		options: options, diagnostics: &source.Diagnostics{}, file: f, scope: &scope{}, region: &regions[inGlobals],
		used: map[*typed.Variable]bool{}, read: map[*typed.Function][]*typed.Variable{},
		program: &typed.Program{Pos: p.Pos, Version: p.Version}, flow: newFlow(),
		folder: &folder{longInt: options.LongInt, store: field.NewStore(), known: map[typed.Expr]*typed.Value{}},
	}
	c.all(p)
	c.warnUnused()
	c.diagnostics.Sort()
	return c.program, c.diagnostics
}

func (c *checker) errorf(code source.Code, pos source.Span, format string, args ...any) *source.Diagnostic {
	return c.diagnostics.Errorf(code, pos, format, args...)
}

// isV1 reports whether the program is of version 1.0.
func (c *checker) isV1() bool { return c.program.Version == syntax.V1 }

// A scope has names. Those of functions stand beside those of variables, which hide them.
type scope struct {
	outer     *scope
	variables []*typed.Variable
	functions []*typed.Function
	strand    *typed.Strand
}

func (c *checker) push() { c.scope = &scope{outer: c.scope} }
func (c *checker) pop()  { c.scope = c.scope.outer }

// inScope runs f in a scope of its own.
func (c *checker) inScope(f func()) {
	c.push()
	f()
	c.pop()
}

// find looks for a variable, from the inside.
func (c *checker) find(name string) *typed.Variable {
	for s := c.scope; s != nil; s = s.outer {
		if n := slices.IndexFunc(s.variables, func(v *typed.Variable) bool { return v.Name == name }); n >= 0 {
			return s.variables[n]
		}
	}
	return nil
}

func (c *checker) findFunction(name string) *typed.Function {
	for s := c.scope; s != nil; s = s.outer {
		if n := slices.IndexFunc(s.functions, func(f *typed.Function) bool { return f.Name == name }); n >= 0 {
			return s.functions[n]
		}
	}
	return nil
}

// strand is the strand of the program, once it is declared.
func (c *checker) strand() *typed.Strand {
	for s := c.scope; s != nil; s = s.outer {
		if s.strand != nil {
			return s.strand
		}
	}
	return nil
}

// declare enters a variable. A second one of a scope is an error; what is around is hidden.
func (c *checker) declare(v *typed.Variable) {
	s := c.scope
	if n := slices.IndexFunc(s.variables, func(o *typed.Variable) bool { return o.Name == v.Name }); n >= 0 {
		c.twice(v.Pos, v.Name, s.variables[n].Pos)
		s.variables = slices.Delete(s.variables, n, n+1)
	} else if n := slices.IndexFunc(s.functions, func(f *typed.Function) bool { return f.Name == v.Name }); n >= 0 {
		c.twice(v.Pos, v.Name, s.functions[n].Pos)
	}
	s.variables = append(s.variables, v)
	c.locals = append(c.locals, v)
}

func (c *checker) twice(pos source.Span, name string, first source.Span) {
	c.errorf(source.CodeDiderotTwice, pos, "%s is declared twice here", name).WithNote(first, "the first one").
		WithHelp("give one of them another name; only a name of a surrounding block can be declared again")
}
