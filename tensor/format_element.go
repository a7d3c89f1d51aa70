package tensor

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// formatter returns the function that prints the element at an offset in a
// column that has room for all the elements at offsets.
func formatter(t *Tensor, offsets []int, o FormatOptions) func(int) string {
	switch t.dtype.Kind() {
	case KindFloat:
		c := newFloatColumn(t, offsets, o)
		return func(offset int) string { return c.text(t.FloatAt(offset)) }
	case KindBool:
		return func(offset int) string { return fmt.Sprintf("%5s", scalarText(t, offset)) }
	}
	width := 0
	for _, offset := range offsets {
		width = max(width, len(scalarText(t, offset)))
	}
	return func(offset int) string { return fmt.Sprintf("%*s", width, scalarText(t, offset)) }
}

// scalarText prints one element as NumPy prints a scalar.
func scalarText(t *Tensor, offset int) string {
	switch t.dtype.Kind() {
	case KindBool:
		if t.BitsAt(offset) != 0 {
			return "True"
		}
		return "False"
	case KindInt:
		return strconv.FormatInt(t.IntAt(offset), 10)
	case KindUint:
		return strconv.FormatUint(t.UintAt(offset), 10)
	}
	v := t.FloatAt(offset)
	switch size := math.Abs(v); {
	case !isFinite(v):
		return nonFinite(v)
	case size != 0 && (size < 1e-4 || size >= 1e16):
		return shortest(t.dtype, v, 'e')
	}
	text := shortest(t.dtype, v, 'f')
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

// A floatColumn prints floats so that the decimal points stand below each other.
type floatColumn struct {
	dtype       DType
	scientific  bool
	left, right int // characters before the point and digits after it
	exponent    int // digits of the exponent
}

func newFloatColumn(t *Tensor, offsets []int, o FormatOptions) *floatColumn {
	c := &floatColumn{dtype: t.dtype, right: o.Precision}
	var finite []float64
	special := 0
	for _, offset := range offsets {
		if v := t.FloatAt(offset); isFinite(v) {
			finite = append(finite, v)
		} else {
			special = max(special, len(nonFinite(v)))
		}
	}
	c.scientific = needsExponent(t.dtype, finite, o)
	right := 0
	for _, v := range finite {
		whole, fraction, exponent := c.parts(v)
		c.left = max(c.left, len(whole))
		right = max(right, len(fraction))
		c.exponent = max(c.exponent, len(exponent)-len("e+"))
	}
	c.right = right
	c.left = max(c.left, special-c.tail())
	return c
}

// tail returns the number of characters from the decimal point on.
func (c *floatColumn) tail() int {
	if c.scientific {
		return len(".") + c.right + len("e+") + c.exponent
	}
	return len(".") + c.right
}

// needsExponent is NumPy's rule: a number from 1e8 on, one below 1e-4, or a ratio
// above 1000, which is computed in the element type.
func needsExponent(d DType, values []float64, o FormatOptions) bool {
	least, most := math.Inf(1), 0.0
	for _, v := range values {
		if v != 0 {
			least, most = min(least, math.Abs(v)), max(most, math.Abs(v))
		}
	}
	if most == 0 {
		return false
	}
	ratio := floatOf(d, bitsOfFloat(d, most/least))
	return most >= 1e8 || !o.Suppress && (least < 0.0001 || ratio > 1000)
}

// parts splits the text of a number at the point and before the exponent. It has
// the fewest digits that tell the number from its neighbours, or is rounded to
// the digits that there is room for.
func (c *floatColumn) parts(v float64) (whole, fraction, exponent string) {
	verb := byte('f')
	if c.scientific {
		verb = 'e'
	}
	whole, fraction, exponent = splitNumber(shortest(c.dtype, v, verb))
	if len(fraction) > c.right {
		whole, fraction, exponent = splitNumber(strconv.FormatFloat(v, verb, c.right, 64))
		fraction = strings.TrimRight(fraction, "0")
	}
	return whole, fraction, exponent
}

func splitNumber(text string) (whole, fraction, exponent string) {
	if e := strings.IndexByte(text, 'e'); e >= 0 {
		text, exponent = text[:e], text[e:]
	}
	whole, fraction, _ = strings.Cut(text, ".")
	return whole, fraction, exponent
}

func (c *floatColumn) text(v float64) string {
	if !isFinite(v) {
		return fmt.Sprintf("%*s", c.left+c.tail(), nonFinite(v))
	}
	if !c.scientific {
		whole, fraction, _ := c.parts(v)
		if fraction == "" { // the digits before the point are those of the exact value
			whole = strconv.FormatFloat(v, 'f', 0, 64)
		}
		return fmt.Sprintf("%*s.%-*s", c.left, whole, c.right, fraction)
	}
	whole, fraction, exponent := c.parts(v)
	if len(fraction) < c.right { // the missing digits are those of the exact value
		whole, fraction, exponent = splitNumber(strconv.FormatFloat(v, 'e', c.right, 64))
	}
	digits := strings.Repeat("0", c.exponent-len(exponent[2:])) + exponent[2:]
	return fmt.Sprintf("%*s.%s%s%s", c.left, whole, fraction, exponent[:2], digits)
}

// shortest returns the fewest digits that give v again when they are read as an
// element of type d.
func shortest(d DType, v float64, verb byte) string {
	switch {
	case d == Float32:
		return strconv.FormatFloat(v, verb, -1, 32)
	case d.IsHalf():
		v = shortestHalf(d, v)
	}
	return strconv.FormatFloat(v, verb, -1, 64)
}

// shortestHalf returns the number of the fewest decimal digits that rounds to
// the same 16-bit float as v; five tell any two apart. Below a power of two the
// neighbour is nearer than above, so of a tie only the upper end may do.
func shortestHalf(d DType, v float64) float64 {
	for digits := range 5 {
		for _, near := range []float64{v, math.Nextafter(v, 2*v)} {
			text := strconv.FormatFloat(near, 'e', digits, 64)
			if short, err := strconv.ParseFloat(text, 64); err == nil && toHalf(d, short) == toHalf(d, v) {
				return short
			}
		}
	}
	return v
}

func isFinite(v float64) bool { return !math.IsInf(v, 0) && v == v }

func nonFinite(v float64) string {
	switch {
	case v != v:
		return "nan"
	case v < 0:
		return "-inf"
	}
	return "inf"
}
