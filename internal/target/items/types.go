package items

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

// scalarTypes are the names of scalars in the text.
var scalarTypes = []string{"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64"}

// uses reports whether a text has a word.
func uses(text, word string) bool {
	return regexp.MustCompile(`\b` + word + `(x\d+)?\b`).MatchString(text)
}

// names are the types of elements, of values and in memory: bools are bytes, floats of 16 bits their bits.
var names = map[tensor.DType]string{
	tensor.Bool: "u8",
	tensor.Int8: "i8", tensor.Int16: "i16", tensor.Int32: "i32", tensor.Int64: "i64",
	tensor.Uint8: "u8", tensor.Uint16: "u16", tensor.Uint32: "u32", tensor.Uint64: "u64",
	tensor.Float16: "u16", tensor.BFloat16: "u16",
	tensor.Float32: "f32", tensor.Float64: "f64",
}

func nameOf(d tensor.DType) string {
	name, ok := names[d]
	if !ok {
		fail("no type for %s", d)
	}
	return name
}

// unsigned is the type of integers without a sign and as many bits.
func unsigned(d tensor.DType) string { return fmt.Sprintf("u%d", 8*d.Size()) }

// vector returns the type of lanes elements, which it defines when it is new.
func (u *unit) vector(elem string, lanes int) string {
	if lanes == 1 {
		return elem
	}
	name := fmt.Sprintf("%sx%d", elem, lanes)
	if u.once(name) {
		if u.native(lanes) {
			fmt.Fprintf(u.types, "typedef %s%d %s;\n", u.dialect.Scalars[elem], lanes, name)
		} else {
			head := "struct"
			if bytes := lanes * bytesOf(elem); u.movesAtOnce(bytes) {
				head = fmt.Sprintf(u.dialect.AlignedStruct, bytes)
			}
			fmt.Fprintf(u.types, "typedef %s { %s e[%d]; } %s;\n", head, elem, lanes, name)
		}
	}
	return name
}

// movesAtOnce reports whether a vector of so many bytes, of no type of the language, is loaded and stored at once where it is aligned.
func (u *unit) movesAtOnce(bytes int) bool {
	return u.dialect.Together > 0 && (bytes == u.dialect.Together || 2*bytes == u.dialect.Together || 4*bytes == u.dialect.Together)
}

// bytesOf is the size of a type of elements by its name, such as "f32".
func bytesOf(elem string) int {
	bits, _ := strconv.Atoi(elem[1:])
	return bits / 8
}

// native reports whether vectors are a type of the language.
func (u *unit) native(lanes int) bool {
	return lanes > 1 && lanes <= u.dialect.NativeLanes && lanes&(lanes-1) == 0
}

// value is the type of a value.
func (u *unit) value(t loop.Type) string {
	if t.Elem == tensor.Bool && t.Lanes == 1 {
		return "bool"
	}
	return u.vector(nameOf(t.Elem), t.Lanes)
}

// lane is a lane of a variable.
func (u *unit) lane(name string, lanes, lane int) string {
	switch {
	case lanes == 1:
		return name
	case u.native(lanes):
		return fmt.Sprintf("%s.s%x", name, lane)
	}
	return fmt.Sprintf("%s.e[%d]", name, lane)
}

// returned are statements that return a vector of lanes, or a scalar.
func (u *unit) returned(typ string, lanes []string) string {
	if len(lanes) == 1 {
		return "  return " + lanes[0] + ";"
	}
	if u.native(len(lanes)) {
		return fmt.Sprintf("  return (%s)(%s);", typ, strings.Join(lanes, ", "))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "  %s r;\n", typ)
	for l, value := range lanes {
		fmt.Fprintf(&b, "  r.e[%d] = %s;\n", l, value)
	}
	b.WriteString("  return r;")
	return b.String()
}

// constant prints a literal exactly.
func (u *unit) constant(c *loop.Const) code {
	switch c.Elem.Kind() {
	case tensor.KindFloat:
		return u.float(c.Elem, math.Float64frombits(c.Bits))
	case tensor.KindBool:
		return primary("%d", c.Bits&1)
	case tensor.KindUint:
		switch {
		case c.Elem == tensor.Uint64:
			return primary("%dU%s", c.Bits, u.dialect.Long)
		case c.Elem == tensor.Uint32:
			return primary("%dU", uint32(c.Bits))
		}
		return code{fmt.Sprintf("(%s)%d", nameOf(c.Elem), c.Bits), levelUnary}
	}
	v := int64(c.Bits)
	switch {
	case v == math.MinInt64:
		return primary("(-0x7fffffffffffffff%s - 1)", u.dialect.Long)
	case c.Elem == tensor.Int32 && v == math.MinInt32:
		return primary("(-0x7fffffff - 1)")
	case c.Elem == tensor.Int32, c.Elem == tensor.Int64 && v > math.MinInt32 && v <= math.MaxInt32:
		return negative(strconv.FormatInt(v, 10), v < 0)
	case c.Elem == tensor.Int64:
		return negative(fmt.Sprintf("%d%s", v, u.dialect.Long), v < 0)
	}
	return code{fmt.Sprintf("(%s)%d", nameOf(c.Elem), v), levelUnary}
}

func negative(text string, isNegative bool) code {
	if isNegative {
		return code{text, levelUnary}
	}
	return code{text, levelPrimary}
}

// float prints a float of a type of values.
func (u *unit) float(d tensor.DType, v float64) code {
	single := d.Compute() == tensor.Float32
	special := map[bool]string{true: u.dialect.NaN, false: u.dialect.Infinity}[math.IsNaN(v)]
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		if v < 0 {
			special = "-" + special
		}
		if !single {
			special = "(f64)" + special
		}
		return code{special, levelUnary}
	}
	text := strconv.FormatFloat(v, 'x', -1, 64)
	if v == math.Trunc(v) && math.Abs(v) < 1e6 {
		text = strconv.FormatFloat(v, 'f', 1, 64)
	}
	if single {
		text += "f"
	}
	return negative(text, math.Signbit(v))
}
