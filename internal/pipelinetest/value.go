package pipelinetest

import (
	"fmt"
	"slices"
	"strings"
)

func isFloat(t string) bool { return slices.Contains(floatTypes, t) }

// cast converts text to a type.
func (w *writer) cast(t, text string) string { return t + "(" + text + ")" }

// value draws an expression of a type.
func (w *writer) value(t string, depth int) string {
	if depth == 0 {
		return w.leaf(t)
	}
	if t == "bool" {
		return w.condition(depth)
	}
	switch w.c.Below(10) {
	case 0:
		return "(" + w.condition(depth-1) + " ? " + w.value(t, depth-1) + " : " + w.value(t, depth-1) + ")"
	case 1:
		if isFloat(t) {
			return Pick(w.c, "sqrt", "exp", "tanh", "fabs", "floor", "log1p", "erf", "rsqrt", "sigmoid", "cos") + "(" + w.value(t, depth-1) + ")"
		}
		return "-" + w.leaf(t)
	case 2:
		return Pick(w.c, "min", "max") + "(" + w.value(t, depth-1) + ", " + w.value(t, depth-1) + ")"
	case 3:
		return w.cast(t, w.value(w.elementType(), depth-1))
	case 4, 5, 6:
		op := Pick(w.c, " + ", " * ", " - ", " * ", " + ", " / ", " % ")
		if isFloat(t) && op == " % " {
			op = " + "
		}
		if !isFloat(t) && w.c.OneIn(3) {
			return w.bits(t, depth)
		}
		return "(" + w.value(t, depth-1) + op + w.value(t, depth-1) + ")"
	}
	return w.leaf(t)
}

// bits draws an operator on the bits of integers of a type; counts are small, or any value.
func (w *writer) bits(t string, depth int) string {
	x := w.value(t, depth-1)
	switch w.c.Below(4) {
	case 0:
		return Pick(w.c, "~", "popcount", "clz") + "(" + x + ")"
	case 1:
		return "(" + x + Pick(w.c, " << ", " >> ") + Pick(w.c, "0", "1", "3", "7", w.leaf(Pick(w.c, "int32", "uint8", t))) + ")"
	}
	return "(" + x + Pick(w.c, " & ", " | ", " ^ ") + w.value(t, depth-1) + ")"
}

func (w *writer) condition(depth int) string {
	if depth <= 0 {
		if w.c.OneIn(3) && len(w.indices) > 0 {
			return Pick(w.c, w.indices...).name + Pick(w.c, " < ", " == ", " >= ", " % 2 == ") + Pick(w.c, "1", "0", "2")
		}
		return w.cast("bool", w.access())
	}
	switch w.c.Below(4) {
	case 0:
		return "(" + w.condition(depth-1) + Pick(w.c, " && ", " || ") + w.condition(depth-1) + ")"
	case 1:
		return "!(" + w.condition(depth-1) + ")"
	}
	t := Pick(w.c, "float", "int32", "uint8", "half", "double")
	return "(" + w.value(t, depth-1) + Pick(w.c, " < ", " > ", " <= ", " >= ", " == ", " != ") + w.value(t, depth-1) + ")"
}

// leaf draws an access, a number, an index or a size, as a value of a type.
func (w *writer) leaf(t string) string {
	switch w.c.Below(8) {
	case 0:
		switch {
		case t == "bool":
			return "(" + Pick(w.c, "1 == 1", "0 == 1") + ")"
		case isFloat(t):
			return Pick(w.c, "0.5", "2.0", "1.5f", "3e-1")
		}
		return Pick(w.c, "1", "2", "3", "0x7")
	case 1:
		if len(w.indices) > 0 {
			return w.cast(t, Pick(w.c, w.indices...).name)
		}
		return w.cast(t, Pick(w.c, "N", "A.1", "s", "B.0"))
	case 2:
		if len(w.lets) > 0 {
			return w.cast(t, w.lets[0].Name)
		}
	}
	return w.cast(t, w.access())
}

// access reads a tensor, in range by inference or by a boundary function.
func (w *writer) access() string {
	x := Pick(w.c, w.readable...)
	if len(x.Dims) == 0 {
		return x.Name
	}
	loose := w.c.OneIn(4)
	for _, d := range x.Dims {
		loose = loose || len(w.withExtent(d)) == 0 && w.c.OneIn(2)
	}
	text := x.Name + "(" + w.subscripts(x, !loose) + ")"
	if !loose {
		return text
	}
	if w.c.OneIn(3) {
		zero := "0"
		if x.Type == "bool" {
			zero = "0 == 1"
		}
		return "pad(" + text + ", " + zero + ")"
	}
	return Pick(w.c, "clamp", "mirror", "wrap") + "(" + text + ")"
}

func (w *writer) withExtent(d string) []int {
	var list []int
	for n, i := range w.indices {
		if i.extent == d {
			list = append(list, n)
		}
	}
	return list
}

// subscripts draws one per dimension; strict ones stay in range.
func (w *writer) subscripts(x Declared, strict bool) string {
	parts := make([]string, len(x.Dims))
	for n, d := range x.Dims {
		if strict {
			parts[n] = w.strict(d)
		} else {
			parts[n] = w.loose()
		}
	}
	return strings.Join(parts, ", ")
}

func (w *writer) strict(d string) string {
	list := w.withExtent(d)
	if len(list) == 0 || d == "?" {
		if w.c.OneIn(4) && len(w.indices) > 0 && d != "?" {
			return fmt.Sprintf("%s %% %s", Pick(w.c, w.indices...).name, d)
		}
		if w.c.OneIn(6) {
			return "J(0) % 4"
		}
		return "0"
	}
	i := &w.indices[Pick(w.c, list...)]
	switch w.c.Below(12) {
	case 0:
		return d + "-1-" + i.name
	case 1:
		return i.name + "/2"
	case 2:
		return "J(" + i.name + ")" // data decides
	}
	i.found = true
	return i.name
}

func (w *writer) loose() string {
	if len(w.indices) == 0 {
		return Pick(w.c, "0", "s", "-1", "N")
	}
	i, j := Pick(w.c, w.indices...).name, Pick(w.c, w.indices...).name
	switch w.c.Below(6) {
	case 0:
		return i + " + " + j + " - 1"
	case 1:
		return "2*" + i + " - " + Pick(w.c, "s", "1", j)
	case 2:
		return i + "/2 - 1"
	case 3:
		return i + " * " + j
	case 4:
		return "J(0) + " + i
	}
	return i + Pick(w.c, "+1", "-1", "+s", "-3")
}
