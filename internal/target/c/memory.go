package c

import (
	"fmt"
	"math"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

// storedType is how the lanes of an element lie in memory: bools as 0 and 1 in a
// byte, 16-bit floats as their bits.
func storedType(d tensor.DType, lanes int) loop.Type {
	switch {
	case d == tensor.Bool:
		d = tensor.Uint8
	case d.IsHalf():
		d = tensor.Uint16
	}
	return loop.Type{Elem: d, Lanes: lanes}
}

// load prints a Load that is not a mask.
func (k *kernel) load(e *loop.Load) code {
	raw := k.loadStored(e)
	switch d := e.Buffer.Type.Elem; d {
	case tensor.Bool:
		return binary(raw, "!=", code{"0", levelPrimary}, levelEqual)
	case tensor.Float16, tensor.BFloat16:
		return primary("%s(%s)", k.unit.helper("from_"+d.String(), e.Type()), raw.text)
	}
	return raw
}

// loadStored prints the elements of a Load as they lie in memory.
func (k *kernel) loadStored(e *loop.Load) code {
	if e.Buffer.Type.Lanes > 1 {
		return k.element(e.Buffer, e.Index)
	}
	t := storedType(e.Buffer.Type.Elem, e.Lanes)
	if e.Lanes == 1 {
		if e.Mask != nil {
			return k.narrow(t, conditional(k.expr(e.Mask), k.element(e.Buffer, e.Index), code{"0", levelPrimary}))
		}
		return k.element(e.Buffer, e.Index)
	}
	place := k.place(e.Buffer, e.Index)
	suffix, rest := "", ""
	if e.Mask != nil {
		suffix, rest = "_masked", ", "+k.mask(e.Mask, t.Elem.Size()).text
	}
	arguments := place.arguments + rest
	switch {
	case place.kind == "" && e.Mask == nil:
		return code{"*(const " + k.unit.memory(storedName(t.Elem), t.Lanes) + " *)" + place.pointer(), levelUnary}
	case place.kind == "":
		return primary("%s(%s)", k.unit.helper("load_masked", t), arguments)
	case place.kind == "strided" && isEvery(t, place.step):
		return primary("%s(%s)", k.unit.helper(everyName(place.step)+suffix, t), place.address+rest)
	case place.kind == "strided":
		return primary("%s(%s)", k.unit.helper("strided"+suffix, t), arguments)
	case isNarrow(e.Buffer) && t.Elem.Size() == 4:
		return primary("%s(%s, %s)", k.unit.helper("gather_narrow"+suffix, t), k.scope.name(e.Buffer, "buffer "+e.Buffer.Name), k.narrowIndex(e.Index).text+rest)
	}
	return primary("%s(%s)", k.unit.helper("gather"+suffix, t), arguments)
}

// isNarrow reports whether all indices of a buffer fit 32 bits.
func isNarrow(b *loop.Buffer) bool {
	return b.LengthExpr == nil && b.Low >= math.MinInt32 && b.Length <= math.MaxInt32
}

// narrowIndex prints a vector of indices that fit 32 bits, so that vectors of as many lanes as
// those of 4 bytes take one register. Sums and products wrap, and are right where the whole fits.
func (k *kernel) narrowIndex(index loop.Expr) code {
	vector := k.unit.vector("i32", index.Type().Lanes)
	switch e := index.(type) {
	case *loop.Binary:
		switch e.Op {
		case ein.Add:
			return binary(k.narrowIndex(e.X), "+", k.narrowIndex(e.Y), levelAdd)
		case ein.Mul:
			return binary(k.narrowIndex(e.X), "*", k.narrowIndex(e.Y), levelMul)
		}
	case *loop.Broadcast:
		return code{castTo("i32", k.expr(e.X)).at(levelAdd) + " + (" + vector + "){}", levelAdd}
	case *loop.Cast:
		if from := e.X.Type().Elem; from.IsInteger() && from.Size() <= 4 {
			return k.cast(&loop.Cast{To: tensor.Int32, X: e.X})
		}
	}
	return primary("__builtin_convertvector(%s, %s)", k.text(index), vector)
}

// element prints buffer[index].
func (k *kernel) element(b *loop.Buffer, index loop.Expr) code {
	pointer, subscript := k.address(b, index)
	return primary("%s[%s]", pointer, subscript)
}

// at prints &buffer[index].
func (k *kernel) at(b *loop.Buffer, index loop.Expr) string {
	pointer, subscript := k.address(b, index)
	if subscript == "0" {
		return pointer
	}
	return fmt.Sprintf("&%s[%s]", pointer, subscript)
}

// A place is where the lanes of a load or store lie: side by side (kind ""), at a
// constant distance ("strided") or anywhere ("").
type place struct {
	kind      string
	arguments string // of the helper: the address and the distance or the subscripts
	address   string // of the first lane of a strided place
	step      int64  // of a strided place: how many elements lanes are apart
}

// pointer returns the address of a place without kind.
func (p place) pointer() string { return p.arguments }

func (k *kernel) place(b *loop.Buffer, index loop.Expr) place {
	if index.Type().Lanes == 1 {
		return place{arguments: k.at(b, index)}
	}
	if ramp, ok := index.(*loop.Ramp); ok {
		address := k.at(b, ramp.Base)
		if ramp.Stride == 1 {
			return place{arguments: address}
		}
		return place{kind: "strided", arguments: address + ", " + constant(loop.Int(ramp.Stride)).text, address: address, step: ramp.Stride}
	}
	return place{kind: "gather", arguments: k.scope.name(b, "buffer "+b.Name) + ", " + k.text(index)}
}

// stored prints a value as it lies in memory.
func (k *kernel) stored(b *loop.Buffer, value loop.Expr) code {
	t := value.Type()
	switch d := b.Type.Elem; {
	case isMask(t):
		return castTo(k.unit.vector("u8", t.Lanes), code{k.mask(value, 1).at(levelBitAnd) + " & 1", levelBitAnd})
	case d.IsHalf():
		if h, ok := k.storedHalf(value); ok && d == tensor.Float16 {
			return h
		}
		return primary("%s(%s)", k.unit.helper("to_"+d.String(), t), k.text(value))
	}
	return k.expr(value)
}

// store prints a Store.
func (k *kernel) store(s *loop.Store) {
	value := k.stored(s.Buffer, s.Value)
	t := storedType(s.Buffer.Type.Elem, s.Value.Type().Lanes)
	switch {
	case t.Lanes == 1:
		k.storeScalar(s, value)
		return
	case s.Buffer.Type.Lanes > 1:
		element := k.element(s.Buffer, s.Index)
		if s.Mask != nil {
			value = primary("%s(%s, %s, %s)", k.unit.helper("select", t), k.mask(s.Mask, t.Elem.Size()).text, value.text, element.text)
		}
		if s.Kept {
			value = primary("%s(%s)", k.unit.helper("kept", t), value.text)
		}
		k.line("%s", k.assignment(s, element, value))
		return
	}
	place := k.place(s.Buffer, s.Index)
	helper, arguments := "scatter", place.arguments+", "+value.text
	switch {
	case s.Row != nil:
		rest := k.at(s.Row.Rest, s.Row.Slot)
		behind := k.element(s.Row.Behind, s.Row.Slot)
		if s.Row.Tail > 0 {
			k.line("%s(%s, %s, %s, %s, %d);", k.unit.helper("stream_tail", t), place.arguments, value.text, rest, k.at(s.Row.Behind, s.Row.Slot), s.Row.Tail)
			return
		}
		if s.Row.Heads != nil {
			before := &loop.Binary{Op: ein.Sub, X: s.Row.Slot, Y: loop.Int(1)}
			head := fmt.Sprintf("%s > 0 ? %s : 0", k.expr(s.Row.Slot).at(levelUnary), k.at(s.Row.Heads, before))
			k.line("%s(%s, %s, %s, %s, %s, %s);", k.unit.helper("stream_kept", t), place.arguments, value.text, rest, behind.text, k.text(s.Row.First), head)
			return
		}
		k.line("%s(%s, %s, %s, %s, %s);", k.unit.helper("stream_row", t), place.arguments, value.text, rest, behind.text, k.text(s.Row.First))
		return
	case place.kind == "" && s.Mask == nil && s.Stream:
		k.line("%s(%s, %s);", k.unit.helper("stream", t), place.arguments, value.text)
		return
	case place.kind == "" && s.Mask == nil:
		k.line("*(%s *)%s = %s;", k.unit.memory(storedName(t.Elem), t.Lanes), place.pointer(), value.text)
		return
	case place.kind == "":
		helper = "store"
	case place.kind == "strided" && isEveryStored(t, place.step):
		helper, arguments = everyStoredName(place.step), place.address+", "+value.text
	case place.kind == "strided":
		helper = "scatter_strided"
	}
	if s.Mask != nil {
		helper += "_masked"
		arguments += ", " + k.mask(s.Mask, t.Elem.Size()).text
	}
	k.line("%s(%s);", k.unit.helper(helper, t), arguments)
}

// endRow prints an EndRow.
func (k *kernel) endRow(s *loop.EndRow) {
	place := k.place(s.Buffer, s.Index)
	t := storedType(s.Buffer.Type.Elem, s.Rest.Type.Lanes)
	helper, arguments := "end_row", fmt.Sprintf("%s, %s, %s", place.arguments, k.element(s.Rest, s.Slot).text, k.element(s.Behind, s.Slot).text)
	if s.Heads != nil {
		helper, arguments = "join_rows", arguments+", "+k.element(s.Heads, s.Slot).text
	}
	k.line("%s(%s);", k.unit.helper(helper, t), arguments)
}

// lead prints a Lead: boundaries are where the number of an element, counted from address 0,
// is a multiple.
func (k *kernel) lead(e *loop.Lead) code {
	first := k.scope.name(e.Buffer, "buffer "+e.Buffer.Name)
	return primary("(i64)(-((u64)%s / %d + (u64)%s) & %d)", first, e.Buffer.Type.Elem.Size(), k.expr(e.Index).at(levelUnary), e.Lanes-1)
}

// fence makes what was streamed visible to other threads, where anything was.
func (k *kernel) fence(body []loop.Stmt) {
	streams := false
	loop.Walk(body, loop.Visitor{Stmt: func(s loop.Stmt) {
		switch s := s.(type) {
		case *loop.Store:
			streams = streams || s.Stream
		case *loop.Transpose:
			streams = streams || s.Stream
		}
	}})
	if streams {
		k.line("%s();", k.unit.helper("fence", loop.Scalar(tensor.Int64)))
	}
}

// assignment prints how an element gets its value, or how something is added to it.
func (k *kernel) assignment(s *loop.Store, element, value code) string {
	if added, ok := k.added(s); ok && s.Mask == nil {
		return element.text + " += " + added.text + ";"
	}
	return element.text + " = " + value.text + ";"
}

// added prints what a store adds to the element that it writes; ok is false where it does something else.
// Products are not written this way: gcc 12 takes the operands in another order then, and has other
// registers for tiles of accumulators (products of 48 x 48 x 48 take 1.04 of the time, of 129 x 131 x 127 1.05).
func (k *kernel) added(s *loop.Store) (code, bool) {
	sum, ok := s.Value.(*loop.Binary)
	t := s.Value.Type()
	if !ok || s.Kept || sum.Op != ein.Add || !isElement(s, sum.X) || t.Elem != s.Buffer.Type.Elem || t.Elem.Size() < 4 {
		return code{}, false
	}
	if _, isProduct := k.sumOfProduct(sum); isProduct {
		return code{}, false
	}
	return k.operand(sum.Y, true), true
}

// isElement reports whether an expression is the element that a store writes.
func isElement(s *loop.Store, e loop.Expr) bool {
	l, ok := e.(*loop.Load)
	return ok && l.Buffer == s.Buffer && l.Mask == nil && l.Type() == s.Value.Type() && loop.ExprText(l.Index) == loop.ExprText(s.Index)
}

func (k *kernel) storeScalar(s *loop.Store, value code) {
	assignment := k.assignment(s, k.element(s.Buffer, s.Index), value)
	if s.Mask != nil {
		assignment = "if (" + k.text(s.Mask) + ") " + assignment
	}
	k.line("%s", assignment)
}
