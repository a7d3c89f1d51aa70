// Package c prints loop programs as GNU C11 for gcc (9 and later) and clang.
package c

import (
	"fmt"
	"strings"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/source"
)

// How it works
//
// A printer makes no decision: vectors become types with vector_size, a loop a
// for statement, a Parallel loop a function of its own (parallel.go) that the
// thread pool of the argument block, or OpenMP, calls. What C lacks (floor
// division, saturating conversions, vector selects, folds, gathers, the builtin
// functions) are small static functions; their texts are tables of templates
// (helper.go) and only those in use are printed. No header is included, since
// reading headers would take most of the compile time.
//
// A mask has no element width in the loop IR but has one in C: comparing 8 doubles
// gives 8 words of 64 bits. mask.go chooses widths and converts between them.
//
// The text relies on signed overflow wrapping (-fwrapv), on loads of any type
// through any pointer (-fno-strict-aliasing) and, for speed only, on
// -ffp-contract=fast and -fno-math-errno. It must never be compiled with
// -ffast-math: infinities, NaNs and the order of additions carry meaning.

// stage names this package in internal errors.
const stage = "C printer"

// Parallelism says what runs the iterations of a Parallel loop.
type Parallelism uint8

// The ways to run a Parallel loop.
const (
	Pool   Parallelism = iota // the thread pool in the argument block
	OpenMP                    // an OpenMP team
	Serial                    // the calling thread
)

// Options says how a function is printed.
type Options struct {
	Parallel Parallelism
	Name     string // of the C function; Symbol(Func.Name) when empty
	Comment  string // printed at the top
	// VectorBytes is the size of the machine's vector registers; 0 means 64.
	// Comparisons and selections on longer vectors are split, which compilers do badly.
	VectorBytes int
	// Numerics is the contract about floating-point numbers.
	Numerics numerics.Mode
}

// Symbol returns the C name that Print gives to a function of that name.
func Symbol(name string) string { return "ricci_" + identifier(name) }

// Print returns a C translation unit with one external function
//
//	int name(const long long *args)
//
// where args is the argument block described in package loop.
func Print(f *loop.Func, options Options) (text string, err error) {
	defer source.RecoverInternal(stage, &err)
	u := newUnit(options)
	name := options.Name
	if name == "" {
		name = Symbol(f.Name)
	}
	u.kernel(f, name, "")
	return u.String(), nil
}

// A unit collects the parts of one translation unit.
type unit struct {
	options Options
	suffix  string          // of the names of helpers; empty unless a file has several units
	defined map[string]bool // types, declarations and helpers that are printed already
	// unfinished has the declarations of the helpers whose bodies are being expanded.
	unfinished map[string]string
	types      *strings.Builder
	declared   *strings.Builder // functions of the C library
	helpers    strings.Builder
	code       strings.Builder
	largeTiles bool // of accumulators, which leave few registers free
}

func newUnit(options Options) *unit {
	if options.VectorBytes == 0 {
		options.VectorBytes = 64
	}
	return &unit{options: options, defined: map[string]bool{}, unfinished: map[string]string{}, types: &strings.Builder{}, declared: &strings.Builder{}}
}

// sibling returns a unit for the same file, which has the same types and declarations.
func (u *unit) sibling(suffix string, vectorBytes int) *unit {
	s := &unit{options: u.options, suffix: suffix, defined: u.defined, unfinished: u.unfinished, types: u.types, declared: u.declared}
	s.options.VectorBytes = vectorBytes
	return s
}

// once reports whether name is new and remembers it.
func (u *unit) once(name string) bool {
	if u.defined[name] {
		return false
	}
	u.defined[name] = true
	return true
}

// String assembles the unit in the order that C wants.
func (u *unit) String() string {
	var b strings.Builder
	if u.options.Comment != "" {
		b.WriteString(comment(u.options.Comment) + "\n")
	}
	b.WriteString(u.contraction())
	if u.largeTiles {
		b.WriteString(withoutCommoning)
	}
	b.WriteString(withScalars(u.types.String() + u.declared.String() + u.helpers.String() + u.code.String()))
	return b.String()
}

// contraction is what the text says about rounding a product and a sum once.
func (u *unit) contraction() string {
	if u.options.Numerics == numerics.Strict {
		return withoutContraction
	}
	return ""
}

// withoutContraction keeps compilers from rounding a product and a sum once, whatever flags they have.
const withoutContraction = `#if defined(__clang__)
#pragma clang fp contract(off)
#else
#pragma GCC optimize ("fp-contract=off")
#endif
`

// comment makes a C comment; the text can neither end it early nor nest one.
func comment(text string) string {
	text = strings.NewReplacer("*/", "* /", "/*", "/ *").Replace(strings.TrimRight(text, "\n"))
	return "/* " + strings.ReplaceAll(strings.ReplaceAll(text, "\n", "\n   "), "\n   \n", "\n\n") + " */"
}

// fail ends the printing with an internal error; Print recovers it.
func fail(format string, args ...any) {
	panic(source.Internalf(stage, source.Span{}, "%s", fmt.Sprintf(format, args...)))
}
