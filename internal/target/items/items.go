// Package items prints loop programs as kernels for devices with work-items, in the words of a dialect of C: OpenCL C and CUDA C are
// two tables of them.
package items

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/target"
	"github.com/ricci-lang/ricci/tensor"
)

// How it works
//
// As package c does, the printer makes no decision: loops become for statements, a Parallel loop too, since what is to run side
// by side a grid says. Differences between dialects are a table, Dialect: words for address spaces, types and builtin functions,
// and whether vectors of some lanes are types of the language. All other vectors are structs of their lanes.
//
// Everything that is not an operator of C with the very meaning of package ein's is a small function, a helper (helper.go), and only
// those in use are printed. The helper of a vector calls the expression of a scalar for each lane, so that both have the same
// bits. A mask is a vector of bytes that are 0 or 1, as bools in memory are.
//
// Signed integers that overflow have no value in C, and wrap here: they are computed without their signs. What is made of counters of
// loops and sizes alone, as subscripts are, is known to stay in range and is printed as it is.
//
// A kernel is printed for each grid; a program without one is a kernel of one item. It has these parameters, in this order: the
// workspace, the record of faults, one for each Param, and one for each variable of the host around the grid. Where the memory of a device has no addresses (Dialect.Offsets), a buffer is two: its memory, and where in it element 0 is, in bytes.

// stage names this package in internal errors.
const stage = "printer of work-items"

// A Space is where a pointer points to.
type Space uint8

// The spaces.
const (
	Global Space = iota
	Local
	Private
)

var spaceNames = [...]string{"global", "local", "private"}

// A Dialect is a language for kernels.
type Dialect struct {
	Target        target.Target
	Reserved      string            // words that no variable may have, but for those of C
	Scalars       map[string]string // the types i8 … u64, f32 and f64 in its words
	Long          string            // the suffix of constants of 64 bits
	Kernel        string            // what stands before the name of a kernel
	Function      string            // what stands before the type of a helper
	Spaces        [3]string         // what stands before the type of what a pointer points to
	Offsets       bool              // arguments are memories and offsets
	Infinity, NaN string            // of float32
	// NativeLanes is the longest vector that is a type of the language, with operators; Vector defines it. Lane L of
	// it is x.sL, in hexadecimal digits.
	NativeLanes int
	// Together is how many bytes the device moves at once, where they lie at a multiple of as many: vectors that are no type of
	// the language, and have so many bytes, half or a quarter of that, are aligned by AlignedStruct, with the number in it.
	Together      int
	AlignedStruct string
	// Head is what the text begins with, for modes of numerics, and Needs what stands behind that where a word is used.
	Head  func(numerics.Mode) string
	Needs map[string]string
	// Group and Item are the numbers of a group and of an item in it along each dimension. Shared stands before the type of
	// what a group shares, and Aligned behind it.
	Group, Item     [3]string
	Shared, Aligned string
	// Dynamic is the name of a block of bytes in the text, which the launch gives a group that has more local memory than kernels can
	// declare (loop.Grid.DynamicBytes); empty: they can declare any.
	Dynamic string
	// LocalBarrier and GlobalBarrier are statements; Shuffles are expressions over $x, $by and $width, empty where there are none.
	LocalBarrier, GlobalBarrier string
	Shuffles                    [3]string
	// Apart says that the sides of a condition in which items wait stand one behind the other, between barriers (apart.go).
	Apart bool
	// Copies are statements that start copies to local memory and wait for them, empty where there are none.
	Copies Copies
	// Atomics are calls over $p, the address of an int or unsigned int, and $x, for each operator of atomic updates.
	Atomics map[ein.BinaryOp]string
	// MostWidth is how many items a sub-group has on its devices, which smaller ones of a program are parts of.
	MostWidth int64
	// Fragments names the macro that multiplies fragments of two types of elements, over the four results and the words of both operands,
	// and defines it; nil: there are no matrix units.
	Fragments func(s *ein.FragmentShape, x, y tensor.DType) (name, definition string)
	// Claim is an expression that stores a number in the int at an address, if it is 0, and is true then.
	Claim string
	// Functions are the builtin functions of the language; Bits reinterprets.
	Functions map[string]Function
	// FromFloat16 widens a float of 16 bits where the language can; the device may flush denormals of float32.
	FromFloat16 string
	Bits        map[string]string // "f32", "u32", …: what makes it of as many bits
}

// A Function is a builtin function in the words of a language.
type Function struct {
	Single, Double string // over $x, $y, $z and $w, for float32 and for float64; empty: there is none that is good enough
}

// Print makes the module of a program.
func Print(d *Dialect, f *loop.Func, options target.Options) (m *target.Module, err error) {
	if err := target.Check(d.Target, f); err != nil {
		return nil, err
	}
	defer source.RecoverInternal(stage, &err)
	defer recoverRefusal(&err) // runs first
	u := &unit{dialect: d, options: options, defined: map[string]bool{}, dynamic: map[string]int64{}, types: &strings.Builder{}}
	name := options.Name
	if name == "" || u.reserves(name) {
		name = Symbol(cmp.Or(name, f.Name))
	}
	u.kernels(f, name)
	return &target.Module{Code: u.String(), Symbol: name, Dynamic: u.dynamic}, nil
}

// Symbol returns the name that Print gives to a function of that name.
func Symbol(name string) string { return "ricci_" + identifier(name) }

// A unit collects the parts of one text.
type unit struct {
	dialect *Dialect
	options target.Options
	defined map[string]bool // types and helpers that are printed already
	types   *strings.Builder
	helpers strings.Builder
	code    strings.Builder
	words   map[string]bool  // of the dialect
	dynamic map[string]int64 // target.Module.Dynamic
	again   int              // calls of recursive functions around that which is defined
}

// once reports whether name is new and remembers it.
func (u *unit) once(name string) bool {
	if u.defined[name] {
		return false
	}
	u.defined[name] = true
	return true
}

// String assembles the unit.
func (u *unit) String() string {
	text := u.types.String() + u.helpers.String() + u.code.String()
	var b strings.Builder
	b.WriteString(u.dialect.Head(u.options.Numerics))
	for _, word := range slices.Sorted(maps.Keys(u.dialect.Needs)) {
		if uses(text, word) {
			b.WriteString(u.dialect.Needs[word])
		}
	}
	for _, s := range scalarTypes {
		if uses(text, s) {
			fmt.Fprintf(&b, "typedef %s %s;\n", u.dialect.Scalars[s], s)
		}
	}
	b.WriteString(text)
	return b.String()
}

// A refusal is thrown where the dialect has no words; Print returns it.
type refusal struct{ error }

// refuse ends the printing with an error that names what the dialect cannot say.
func (u *unit) refuse(format string, args ...any) {
	panic(refusal{target.CannotExpress(u.dialect.Target, fmt.Sprintf(format, args...))})
}

func recoverRefusal(err *error) {
	switch r := recover().(type) {
	case nil:
	case refusal:
		*err = r.error
	default:
		panic(r)
	}
}

// fail ends the printing with an internal error; Print recovers it.
func fail(format string, args ...any) {
	panic(source.Internalf(stage, source.Span{}, "%s", fmt.Sprintf(format, args...)))
}
