package items

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

// storedType is how the lanes of an element lie in memory.
func storedType(d tensor.DType, lanes int) loop.Type {
	switch {
	case d == tensor.Bool:
		d = tensor.Uint8
	case d.IsHalf():
		d = tensor.Uint16
	}
	return loop.Type{Elem: d, Lanes: lanes}
}

// spaceOf is where a buffer lies.
func spaceOf(b *loop.Buffer) Space {
	switch b.Region {
	case loop.Private, loop.Register:
		return Private
	case loop.Local:
		return Local
	}
	return Global
}

// elementType is the type of a buffer's elements.
func (k *kernel) elementType(b *loop.Buffer) string {
	return k.unit.vector(nameOf(b.Type.Elem), b.Type.Lanes)
}

// pointerTo is the type of pointers into a space.
func (u *unit) pointerTo(space Space, typ string, readOnly bool) string {
	qualifier := u.dialect.Spaces[space]
	if qualifier != "" {
		qualifier += " "
	}
	if readOnly {
		qualifier = "const " + qualifier
	}
	return qualifier + typ + " *"
}

// load prints a Load.
func (k *kernel) load(e *loop.Load) code {
	raw, t, d := k.loadStored(e), e.Type(), e.Buffer.Type.Elem
	stored := storedType(d, t.Lanes)
	switch {
	case d == tensor.Bool && t.Lanes == 1:
		return infix(raw, "!=", primary("0"), levelCompare)
	case d == tensor.Bool:
		name := k.unit.laneByLane("truth", stored, t, []loop.Type{stored}, func(x []code) code { return infix(x[0], "!=", primary("0"), levelCompare) })
		return primary("%s(%s)", name, raw.text)
	case d.IsHalf() && t.Lanes == 1:
		return primary("%s(%s)", k.unit.fromHalf(d), raw.text)
	case d.IsHalf():
		name := k.unit.laneByLane("from_"+d.String(), stored, t, []loop.Type{stored}, func(x []code) code { return primary("%s(%s)", k.unit.fromHalf(d), x[0].text) })
		return primary("%s(%s)", name, raw.text)
	}
	return raw
}

// loadStored prints the elements of a Load as they lie in memory.
func (k *kernel) loadStored(e *loop.Load) code {
	b, t := e.Buffer, storedType(e.Buffer.Type.Elem, e.Lanes)
	element := primary("%s[%s]", k.bufferName(b), k.text(e.Index))
	switch {
	case e.Lanes == 1 && e.Mask != nil:
		return conditional(k.expr(e.Mask), element, primary("0"))
	case e.Lanes == 1 || b.Type.Lanes > 1:
		return element
	}
	address, params := k.address(b, e.Index, true)
	name, text := "load", func(lane int) string { return fmt.Sprintf("p[%d]", lane) }
	if e.Index.Type().Lanes > 1 {
		name, text = "gather", func(lane int) string { return "p[" + k.unit.lane("i", t.Lanes, lane) + "]" }
	}
	if e.Mask == nil && name == "load" && k.unit.native(t.Lanes) {
		return primary("%s(%s)", k.unit.helper(name+"_"+spaceNames[spaceOf(b)], t, t, params, fmt.Sprintf("  return vload%d(0, p);", t.Lanes)), address)
	}
	if e.Mask != nil {
		name += "_masked"
		plain := text
		text = func(lane int) string { return fmt.Sprintf("%s ? %s : 0", k.unit.lane("m", t.Lanes, lane), plain(lane)) }
		params += ", " + k.unit.value(e.Mask.Type()) + " m"
		address += ", " + k.text(e.Mask)
	}
	lanes := make([]string, t.Lanes)
	for l := range lanes {
		lanes[l] = text(l)
	}
	body := k.unit.returned(k.unit.value(t), lanes)
	if bytes := t.Elem.Size() * t.Lanes; name == "load" && spaceOf(b) != Private && k.unit.movesAtOnce(bytes) {
		body = fmt.Sprintf("  if (((u64)p & %d) == 0) return *(const %s *)p;\n%s", bytes-1, k.unit.value(t), body)
	}
	return primary("%s(%s)", k.unit.helper(name+"_"+spaceNames[spaceOf(b)], t, t, params, body), address)
}

// address prints the arguments and parameters of helpers that load and store vectors.
func (k *kernel) address(b *loop.Buffer, index loop.Expr, readOnly bool) (arguments, params string) {
	t := storedType(b.Type.Elem, 1)
	params = k.unit.pointerTo(spaceOf(b), k.unit.value(t), readOnly) + "p"
	lanes := index.Type().Lanes
	if lanes == 1 {
		return fmt.Sprintf("&%s[%s]", k.bufferName(b), k.text(index)), params
	}
	return k.bufferName(b) + ", " + k.text(index), params + ", " + k.unit.vector("i64", lanes) + " i"
}

func (k *kernel) bufferName(b *loop.Buffer) string { return k.scope.name(b, "buffer "+b.Name) }

// store prints a Store.
func (k *kernel) store(s *loop.Store) {
	if s.Row != nil {
		k.unit.refuse("rows that are written by lines of a cache")
	}
	b, value := s.Buffer, k.stored(s.Buffer, s.Value)
	t := storedType(b.Type.Elem, s.Value.Type().Lanes)
	element := fmt.Sprintf("%s[%s] = %s;", k.bufferName(b), k.text(s.Index), value.text)
	switch {
	case t.Lanes == 1 && s.Mask != nil:
		k.line("if (%s) %s", k.text(s.Mask), element)
		return
	case t.Lanes == 1 || b.Type.Lanes > 1 && s.Mask == nil:
		k.line("%s", element)
		return
	case b.Type.Lanes > 1:
		name := k.unit.laneByLane("blend", t, t, []loop.Type{s.Mask.Type(), t, t}, func(x []code) code { return conditional(x[0], x[1], x[2]) })
		at := fmt.Sprintf("%s[%s]", k.bufferName(b), k.text(s.Index))
		k.line("%s = %s(%s, %s, %s);", at, name, k.text(s.Mask), value.text, at)
		return
	}
	address, params := k.address(b, s.Index, false)
	params += ", " + k.unit.value(t) + " x"
	arguments := address + ", " + value.text
	name, place := "store", func(lane int) string { return fmt.Sprint(lane) }
	if s.Index.Type().Lanes > 1 {
		name, place = "scatter", func(lane int) string { return k.unit.lane("i", t.Lanes, lane) }
	}
	body, guard := "", func(int) string { return "" }
	if s.Mask != nil {
		name += "_masked"
		params += ", " + k.unit.value(s.Mask.Type()) + " m"
		arguments += ", " + k.text(s.Mask)
		guard = func(lane int) string { return fmt.Sprintf("if (%s) ", k.unit.lane("m", t.Lanes, lane)) }
	}
	for l := range t.Lanes {
		body += fmt.Sprintf("  %sp[%s] = %s;\n", guard(l), place(l), k.unit.lane("x", t.Lanes, l))
	}
	if name == "store" && k.unit.native(t.Lanes) {
		body = fmt.Sprintf("  vstore%d(x, 0, p);", t.Lanes)
	}
	if bytes := t.Elem.Size() * t.Lanes; name == "store" && spaceOf(b) != Private && k.unit.movesAtOnce(bytes) {
		body = fmt.Sprintf("  if (((u64)p & %d) == 0) { *(%s *)p = x; return; }\n%s", bytes-1, k.unit.value(t), body)
	}
	name = fmt.Sprintf("r_%s_%s_%s", name, spaceNames[spaceOf(b)], k.unit.value(t))
	k.line("%s(%s);", k.unit.function(name, "void", params, body), arguments)
}

// stored prints a value as it lies in memory.
func (k *kernel) stored(b *loop.Buffer, value loop.Expr) code {
	t, d := value.Type(), b.Type.Elem
	if !d.IsHalf() {
		return k.expr(value)
	}
	if l, isLoad := value.(*loop.Load); isLoad && l.Buffer.Type.Elem == d { // as it lies there
		return k.loadStored(l)
	}
	return k.lanes("to_"+d.String(), t, storedType(d, t.Lanes), func(x []code) code { return primary("%s(%s)", k.unit.toHalf(d), x[0].text) }, value)
}
