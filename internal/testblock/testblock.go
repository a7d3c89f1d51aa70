// Package testblock reads the tests that a program carries in its comments:
//
//	# test: two by three
//	#   in  A = [[1, 2, 3], [4, 5, 6]]
//	#   in  x = [1, 0, 1]
//	#   out y = [4, 10]
//
// A notation whose comments begin with // writes // test: and so on. It only reads; running is the business of its users. docs/tests.md describes
// the notation.
package testblock

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// A Block is one test.
type Block struct {
	Pos        source.Span // from "# test:" to the end of the last line
	Name       string
	Def        string // the def that is tested
	Sizes      []Size
	Inputs     []Tensor
	Outputs    []Tensor
	Tolerance  *float64 // relative; nil: by type and length of the reductions
	Scale      float64  // the least size of numbers that the tolerance is a part of
	Error      *Error   // nil unless an error is expected
	Properties []Property
	Trials     int // of each property; 0: as the runner likes
	Strands        // what only programs of strands have
}

// Strands is what a test says of a program of strands.
type Strands struct {
	Limit  int     // the most super-steps; 0: any number
	Prints *string // all that is printed; nil: anything
	Double bool    // reals of 64 bits
}

// IsZero reports whether nothing is said.
func (s Strands) IsZero() bool { return s == Strands{} }

// A Size gives the value of a size of the def.
type Size struct {
	Pos   source.Span
	Name  string
	Value int64
}

// A Tensor gives an input, or what is expected of an output.
type Tensor struct {
	Pos   source.Span
	Name  string
	Type  *Type // nil: that of the def
	Value Value
}

// A Type is a written type: float32(2, N).
type Type struct {
	Pos   source.Span
	DType tensor.DType
	Dims  []Dim // nil when no dimensions are written
}

// A Dim is a dimension of a written type: a size of the def, or a number if
// Name is empty.
type Dim struct {
	Name  string
	Value int64
}

// Value is how the elements of a tensor are made: *Literal, *Random, *Iota,
// *Const or *File.
type Value interface{ value() }

// A Literal lists the elements in row-major order; Shape is empty for a scalar.
type Literal struct {
	Shape    []int
	Elements []Number
}

// Random draws the elements; without HasSeed the seed is that of the run.
type Random struct {
	Seed    uint64
	HasSeed bool
}

// Iota counts 0, 1, 2, … in row-major order.
type Iota struct{}

// Const repeats one value.
type Const struct{ Number Number }

// File reads a file of arrays, relative to the program; for an input of texts it is the text.
type File struct{ Path string }

func (*Literal) value() {}
func (*Random) value()  {}
func (*Iota) value()    {}
func (*Const) value()   {}
func (*File) value()    {}

// A Number is a written element, kept as text so that no precision is lost
// before its type is known: 3, -0x1F, 1.5e3, true, false, nan, inf, -inf.
type Number struct{ Text string }

// Float64 returns the value rounded to float64; true is 1 and false is 0.
func (n Number) Float64() float64 {
	switch n.Text {
	case "true":
		return 1
	case "false":
		return 0
	}
	if v, err := strconv.ParseInt(n.Text, 0, 64); err == nil && strings.ContainsAny(n.Text, "xX") {
		return float64(v)
	}
	v, err := strconv.ParseFloat(n.Text, 64)
	if err != nil && !math.IsInf(v, 0) { // out of range gives an infinity
		return math.NaN()
	}
	return v
}

// Int64 returns the value of a number written as an integer or bool; false if it
// is a fraction or outside of the range.
func (n Number) Int64() (int64, bool) {
	if n.Text == "true" || n.Text == "false" {
		return int64(n.Float64()), true
	}
	v, err := strconv.ParseInt(n.decimal(), 0, 64)
	return v, err == nil
}

// Uint64 is Int64 for the unsigned range.
func (n Number) Uint64() (uint64, bool) {
	if v, ok := n.Int64(); ok {
		return uint64(v), v >= 0
	}
	v, err := strconv.ParseUint(n.decimal(), 0, 64)
	return v, err == nil
}

// decimal removes zeros in front, which Go would read as an octal number.
func (n Number) decimal() string {
	sign, digits := "", n.Text
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	if len(digits) > 1 && digits[0] == '0' && digits[1] != 'x' && digits[1] != 'X' {
		digits = strings.TrimLeft(digits, "0")
		if digits == "" {
			digits = "0"
		}
	}
	return sign + digits
}

// An Error is an expected error: its code, or a pattern of its text.
type Error struct {
	Pos     source.Span
	Code    source.Code    // "" if a pattern is given
	Pattern *regexp.Regexp // nil if a code is given
}

// Matches reports whether a diagnostic is the expected one.
func (e *Error) Matches(d *source.Diagnostic) bool {
	if e.Pattern != nil {
		return e.Pattern.MatchString(d.Message)
	}
	return d.Code == e.Code
}

// A Property is an equality that must hold for random inputs. The sides are made
// of calls of defs, names of inputs, numbers and arithmetic.
type Property struct {
	Pos         source.Span
	Left, Right syntax.Expr
}

// Variables returns the names in the property that are not called, in the order
// of their first use: the inputs that are to be drawn.
func (p Property) Variables() []string {
	var names []string
	seen := map[string]bool{}
	visit := func(e syntax.Expr) bool {
		if name, ok := e.(*syntax.Name); ok && !seen[name.Name] {
			seen[name.Name] = true
			names = append(names, name.Name)
		}
		return true
	}
	syntax.Walk(p.Left, visit)
	syntax.Walk(p.Right, visit)
	return names
}
