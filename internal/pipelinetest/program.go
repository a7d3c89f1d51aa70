package pipelinetest

import (
	"fmt"
	"slices"
	"strings"
)

// A Program is TC text in the style of users, with what is known about its
// inputs. It is often, not always, accepted.
type Program struct {
	Text   string
	Inputs []Declared
}

// A Declared is a tensor that a program names. The extents are sizes, numbers, or
// "?" when range inference decides.
type Declared struct {
	Name, Type string
	Dims       []string
}

// Sizes of the drawn programs; "s" is a scalar that decides about subscripts.
var sizeNames = []string{"N", "M", "K"}

var (
	floatTypes   = []string{"float", "float", "float", "double", "half", "bfloat16"}
	integerTypes = []string{"int32", "int64", "int8", "uint8", "int16", "uint16", "uint32", "uint64"}
)

// DrawProgram draws one.
func DrawProgram(c *Choices) Program {
	w := &writer{c: c, calls: map[string]bool{}}
	w.inputs()
	inputs := slices.Clone(w.readable)
	var body []string
	for range c.Between(1, 4) {
		body = append(body, w.statement()...)
	}
	var outputs []string
	for i, x := range w.written {
		if i == len(w.written)-1 || c.OneIn(2) {
			outputs = append(outputs, x.Name)
		}
	}
	var params []string
	for _, x := range inputs {
		params = append(params, x.declaration())
	}
	text := strings.Join(w.helpers, "\n") + "\ndef f(" + strings.Join(params, ", ") + ") -> (" + strings.Join(outputs, ", ") + ") {\n"
	for _, line := range body {
		text += Pick(c, "  ", "  ", "", "\n  # note\n  ") + line + Pick(c, "\n", "\n", " # said\n", ";\n")
	}
	return Program{Text: text + "}\n", Inputs: inputs}
}

func (x Declared) declaration() string {
	if len(x.Dims) == 0 {
		return x.Type + " " + x.Name
	}
	return x.Type + "(" + strings.Join(x.Dims, ",") + ") " + x.Name
}

// A writer draws statements one after the other.
type writer struct {
	c        *Choices
	readable []Declared
	written  []Declared
	helpers  []string
	calls    map[string]bool
	names    int

	// Of the present statement:
	indices []drawnIndex
	lets    []Declared
	where   []string
}

type drawnIndex struct {
	name, extent string
	found        bool // an access decides about its range
}

func (w *writer) elementType() string {
	switch w.c.Below(8) {
	case 0, 1:
		return Pick(w.c, integerTypes...)
	case 2:
		return "bool"
	}
	return Pick(w.c, floatTypes...)
}

func (w *writer) inputs() {
	add := func(name, element string, dims ...string) {
		w.readable = append(w.readable, Declared{name, element, dims})
	}
	size := func() string { return Pick(w.c, "N", "M", "K", "N", "M", "4") }
	add("A", w.elementType(), "N", "M")
	add("B", w.elementType(), "M", "K")
	add("v", w.elementType(), size())
	add("w", w.elementType(), "K")
	add("J", Pick(w.c, "int32", "int64", "uint8", "int8"), size())
	add("s", Pick(w.c, "int32", "int32", "int64", "int8"))
	add("a", w.elementType())
	if w.c.OneIn(2) {
		add("C", w.elementType(), size(), size(), size())
	}
}

func (w *writer) fresh() string {
	w.names++
	return fmt.Sprintf("t%d", w.names)
}

func (w *writer) statement() []string {
	w.indices, w.where, w.lets = nil, nil, nil
	switch w.c.Below(12) {
	case 0:
		if text := w.concat(); text != "" {
			return []string{text}
		}
	case 1:
		return []string{w.call()}
	case 2:
		return []string{w.stencil()}
	case 3:
		if len(w.written) > 0 {
			return []string{w.update()}
		}
	case 4:
		return []string{w.argument()}
	}
	return []string{w.ordinary()}
}

func (w *writer) newIndices(names string, least, most int) {
	for n := range w.c.Between(least, most) {
		w.indices = append(w.indices, drawnIndex{name: names[n : n+1], extent: Pick(w.c, sizeNames...)})
	}
}

func names(list []drawnIndex) string {
	var parts []string
	for _, i := range list {
		parts = append(parts, i.name)
	}
	return strings.Join(parts, ",")
}

func extents(list []drawnIndex) []string {
	var dims []string
	for _, i := range list {
		dims = append(dims, i.extent)
	}
	return dims
}

func target(name string, kept []drawnIndex) string {
	if len(kept) == 0 {
		return name
	}
	return name + "(" + names(kept) + ")"
}

// keep notes a tensor that the statement makes.
func (w *writer) keep(x Declared) {
	w.written = append(w.written, x)
	w.readable = append(w.readable, x)
}

// ordinary is a point-wise statement, a reduction or a scan.
func (w *writer) ordinary() string {
	w.newIndices("ijh", 0, 3)
	kept := len(w.indices)
	op := "="
	t := w.elementType()
	if kept == 0 || w.c.OneIn(2) {
		w.newIndices("kl", 1, 2)
		op = w.reduction(t)
	}
	w.letClause()
	name := w.fresh()
	left := target(name, w.indices[:kept])
	if op != "=" && kept > 0 && w.c.OneIn(5) {
		left += " scan(" + Pick(w.c, w.indices[:kept]...).name + ")"
	}
	typed := ""
	if w.c.OneIn(6) && kept == 0 {
		typed = t + " "
	}
	value := w.value(t, 3)
	text := typed + left + " " + op + " " + value + w.clauses()
	w.keep(Declared{name, t, extents(w.indices[:kept])})
	return text
}

func (w *writer) reduction(t string) string {
	if t == "bool" {
		return Pick(w.c, "max=!", "min=!")
	}
	if !isFloat(t) && w.c.OneIn(4) {
		return Pick(w.c, "&=!", "|=!", "^=!")
	}
	return Pick(w.c, "+=!", "+=!", "max=!", "min=!", "*=!")
}

// argument is an argmin or argmax.
func (w *writer) argument() string {
	w.newIndices("ij", 0, 2)
	kept := len(w.indices)
	w.indices = append(w.indices, drawnIndex{name: "k", extent: Pick(w.c, sizeNames...)})
	t := Pick(w.c, "float", "int32", "double", "uint8")
	value, position := w.fresh(), w.fresh()
	left := target(position, w.indices[:kept])
	if both := w.c.OneIn(2); both {
		left = "(" + target(value, w.indices[:kept]) + ", " + left + ")"
	} else {
		value = ""
	}
	// The index has to occur.
	text := left + " " + Pick(w.c, "argmin=!", "argmax=!") + " " + w.value(t, 2) + " + " + w.cast(t, "k") + w.clauses()
	if value != "" {
		w.keep(Declared{value, t, extents(w.indices[:kept])})
	}
	w.keep(Declared{position, "int64", extents(w.indices[:kept])})
	return text
}

// stencil has the subscripts of convolutions: their ranges are inferred.
func (w *writer) stencil() string {
	x, weights := w.ofRank(1), w.ofRank(1)
	stride := Pick(w.c, "", "", "2*", "3*", "s*")
	at := stride + "i" + Pick(w.c, "+k", "+2*k", "-k", "+k+1", "+k-s")
	t := Pick(w.c, "float", "int32", "double", "half")
	name := w.fresh()
	w.keep(Declared{name, t, []string{"?"}})
	clause := ""
	if w.c.OneIn(6) {
		clause = " where i or empty"
	}
	return fmt.Sprintf("%s(i) %s %s * %s%s", name, w.reduction(t), w.cast(t, x.Name+"("+at+")"), w.cast(t, weights.Name+"(k)"), clause)
}

func (w *writer) ofRank(n int) Declared {
	var list []Declared
	for _, x := range w.readable {
		if len(x.Dims) == n {
			list = append(list, x)
		}
	}
	return Pick(w.c, list...)
}

// update writes a tensor again, in place.
func (w *writer) update() string {
	x := Pick(w.c, w.written...)
	for n, d := range x.Dims {
		w.indices = append(w.indices, drawnIndex{name: "ijh"[n : n+1], extent: d, found: true})
	}
	kept := len(w.indices)
	if w.c.OneIn(2) && x.Type != "bool" {
		w.indices = append(w.indices, drawnIndex{name: "k", extent: Pick(w.c, sizeNames...)})
		return target(x.Name, w.indices[:kept]) + " " + strings.TrimSuffix(w.reduction(x.Type), Pick(w.c, "!", "!", "")) + " " + w.value(x.Type, 2) + w.clauses()
	}
	value := w.value(x.Type, 2)
	if kept > 0 && x.Type != "bool" && w.c.OneIn(2) {
		self := w.subscripts(x, w.c.OneIn(3))
		value += Pick(w.c, " + ", " - ") + Pick(w.c, "wrap", "clamp", "mirror") + "(" + x.Name + "(" + self + "))"
	}
	return target(x.Name, w.indices[:kept]) + " = " + value + w.clauses()
}

func (w *writer) concat() string {
	x := Pick(w.c, w.readable...)
	for _, y := range w.readable {
		if len(x.Dims) == 0 || y.Type != x.Type || len(y.Dims) != len(x.Dims) || w.c.OneIn(3) {
			continue
		}
		name := w.fresh()
		dims := slices.Clone(x.Dims)
		at := len(dims) - 1
		along := ""
		if w.c.OneIn(3) {
			along, at = ", 0", 0
		}
		dims[at] = "?"
		w.keep(Declared{name, x.Type, dims})
		return name + " = concat(" + x.Name + ", " + y.Name + along + ")"
	}
	return ""
}

// call uses another def, which it writes first.
func (w *writer) call() string {
	x, y := w.ofRank(2), w.ofRank(1)
	name := w.fresh()
	switch w.c.Below(3) {
	case 0:
		helper := "rows_" + x.Type
		w.helper(helper, fmt.Sprintf("def %s(%s(P,Q) X) -> (y) {\n  y(p) max=! X(p,q)\n}", helper, x.Type))
		w.keep(Declared{name, x.Type, x.Dims[:1]})
		return fmt.Sprintf("%s = %s(%s)", name, helper, x.Name)
	case 1:
		helper := "both_" + y.Type
		w.helper(helper, fmt.Sprintf("def %s(%s(P) X, int32 n) -> (y, z) {\n  y(p) = X(p) where p in 0:P\n  z +=! int32(X(p)) * n\n}", helper, y.Type))
		second := w.fresh()
		w.keep(Declared{name, y.Type, y.Dims})
		w.keep(Declared{second, "int32", nil})
		return fmt.Sprintf("(%s, %s) = %s(%s, %s)", name, second, helper, y.Name, Pick(w.c, "3", "int32(s)", "int32(a) + 1"))
	}
	helper := "product_" + x.Type + "_" + y.Type
	w.helper(helper, fmt.Sprintf("def %s(%s(P,Q) X, %s(Q) v) -> (y) {\n  y(p) +=! float(X(p,q)) * float(v(q))\n}", helper, x.Type, y.Type))
	w.keep(Declared{name, "float", x.Dims[:1]})
	return fmt.Sprintf("%s = %s(%s, %s)", name, helper, x.Name, y.Name)
}

func (w *writer) helper(name, text string) {
	if !w.calls[name] {
		w.calls[name] = true
		w.helpers = append(w.helpers, text)
	}
}

// letClause names a value for the statement.
func (w *writer) letClause() {
	if !w.c.OneIn(6) {
		return
	}
	t := Pick(w.c, "float", "int32", "double")
	w.where = append(w.where, "x = "+w.value(t, 2))
	w.lets = append(w.lets, Declared{"x", t, nil})
}

// clauses writes the where clause: a range for every index that no access
// decides about, and for some of the others.
func (w *writer) clauses() string {
	for _, i := range w.indices {
		switch {
		case i.extent == "?":
		case !i.found:
			hi := Pick(w.c, i.extent, i.extent, i.extent, i.extent+"+2", "3", "min("+i.extent+", 5)")
			lo := Pick(w.c, "0", "0", "0", "0", "-1", "s")
			w.where = append(w.where, i.name+" in "+lo+":"+hi+Pick(w.c, "", "", " or empty"))
		case w.c.OneIn(12):
			w.where = append(w.where, i.name+" in "+Pick(w.c, "0", "1", "0")+":"+i.extent+Pick(w.c, "", "-1", "")+Pick(w.c, "", " or empty"))
		case w.c.OneIn(20):
			w.where = append(w.where, i.name+" or empty")
		}
	}
	if len(w.where) == 0 {
		return ""
	}
	return " where " + strings.Join(w.where, ", ")
}
