package c

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

// scalarTypes are the names of scalars in C, in the order in which they are defined.
var scalarTypes = []struct{ name, meaning string }{
	{"i8", "signed char"}, {"i16", "short"}, {"i32", "int"}, {"i64", "long long"},
	{"u8", "unsigned char"}, {"u16", "unsigned short"}, {"u32", "unsigned int"}, {"u64", "unsigned long long"},
	{"f32", "float"}, {"f64", "double"},
}

var scalarPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b[iuf](?:8|16|32|64)\b`) })

// withScalars defines the scalars that a text uses before it.
func withScalars(text string) string {
	used := map[string]bool{}
	for _, name := range scalarPattern().FindAllString(text, -1) {
		used[name] = true
	}
	var b strings.Builder
	for _, t := range scalarTypes {
		if used[t.name] {
			fmt.Fprintf(&b, "typedef %s %s;\n", t.meaning, t.name)
		}
	}
	return b.String() + text
}

// storedNames are the C types of elements in memory.
var storedNames = map[tensor.DType]string{
	tensor.Bool: "u8",
	tensor.Int8: "i8", tensor.Int16: "i16", tensor.Int32: "i32", tensor.Int64: "i64",
	tensor.Uint8: "u8", tensor.Uint16: "u16", tensor.Uint32: "u32", tensor.Uint64: "u64",
	tensor.Float16: "u16", tensor.BFloat16: "u16",
	tensor.Float32: "f32", tensor.Float64: "f64",
}

func storedName(d tensor.DType) string {
	name, ok := storedNames[d]
	if !ok {
		fail("no C type for %s", d)
	}
	return name
}

// typeSizes gives the bytes of the scalar C types.
var typeSizes = map[string]int{
	"i8": 1, "i16": 2, "i32": 4, "i64": 8, "u8": 1, "u16": 2, "u32": 4, "u64": 8, "f32": 4, "f64": 8,
}

// signed and unsigned return the integer types with a number of bytes.
func signed(bytes int) string   { return fmt.Sprintf("i%d", 8*bytes) }
func unsigned(bytes int) string { return fmt.Sprintf("u%d", 8*bytes) }

// vector returns the type of lanes elements, which it defines when it is new;
// one lane is the element itself.
func (u *unit) vector(elem string, lanes int) string {
	if lanes == 1 {
		return elem
	}
	if lanes < 1 || lanes&(lanes-1) != 0 {
		fail("a vector of %d lanes: the number must be a power of two", lanes)
	}
	name := fmt.Sprintf("%sx%d", elem, lanes)
	if u.once(name) {
		fmt.Fprintf(u.types, "typedef %s %s __attribute__((vector_size(%d)));\n", elem, name, lanes*typeSizes[elem])
	}
	return name
}

// memory returns the type through which a vector is read and written at any
// address that is aligned for the element.
func (u *unit) memory(elem string, lanes int) string {
	if lanes == 1 {
		return elem
	}
	name := u.vector(elem, lanes) + "u"
	if u.once(name) {
		fmt.Fprintf(u.types, "typedef %s %s __attribute__((aligned(%d), may_alias)); // in memory\n", u.vector(elem, lanes), name, typeSizes[elem])
	}
	return name
}

// value returns the C type of a value that is not a mask.
func (u *unit) value(t loop.Type) string {
	if t.Elem == tensor.Bool && t.Lanes == 1 {
		return "_Bool"
	}
	return u.vector(storedName(t.Elem), t.Lanes)
}

// constant prints a literal exactly.
func constant(c *loop.Const) code {
	switch c.Elem.Kind() {
	case tensor.KindFloat:
		return floatConstant(c.Elem, math.Float64frombits(c.Bits))
	case tensor.KindBool:
		return code{strconv.Itoa(int(c.Bits & 1)), levelPrimary}
	case tensor.KindUint:
		return unsignedConstant(c.Elem, c.Bits)
	}
	v := int64(c.Bits)
	switch {
	case v == math.MinInt64:
		return code{"(-0x7fffffffffffffffLL - 1)", levelPrimary}
	case c.Elem == tensor.Int64 && !isInt(v):
		return negative(fmt.Sprintf("%dLL", v), v < 0)
	case c.Elem == tensor.Int32 && v == math.MinInt32:
		return code{"(-0x7fffffff - 1)", levelPrimary}
	case c.Elem == tensor.Int32 || c.Elem == tensor.Int64:
		return negative(strconv.FormatInt(v, 10), v < 0)
	}
	return code{fmt.Sprintf("(%s)%d", storedName(c.Elem), v), levelUnary}
}

// isInt reports whether a constant without a suffix has the type int.
func isInt(v int64) bool { return v > math.MinInt32 && v <= math.MaxInt32 }

func unsignedConstant(d tensor.DType, bits uint64) code {
	switch d {
	case tensor.Uint64:
		return code{fmt.Sprintf("%dULL", bits), levelPrimary}
	case tensor.Uint32:
		return code{fmt.Sprintf("%dU", uint32(bits)), levelPrimary}
	}
	return code{fmt.Sprintf("(%s)%d", storedName(d), bits), levelUnary}
}

func negative(text string, isNegative bool) code {
	if isNegative {
		return code{text, levelUnary}
	}
	return code{text, levelPrimary}
}

func floatConstant(d tensor.DType, v float64) code {
	suffix := ""
	if d.Compute() == tensor.Float32 {
		suffix = "f"
	}
	switch {
	case math.IsNaN(v):
		return code{"__builtin_nan" + suffix + `("")`, levelPrimary}
	case math.IsInf(v, 0):
		return negative(map[bool]string{true: "-"}[v < 0]+"__builtin_inf"+suffix+"()", v < 0)
	}
	text := strconv.FormatFloat(v, 'x', -1, 64)
	if v == math.Trunc(v) && math.Abs(v) < 1e6 {
		text = strconv.FormatFloat(v, 'f', 1, 64)
	}
	return negative(text+suffix, math.Signbit(v))
}
