package c

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

// cast prints a conversion whose result is not a mask.
func (k *kernel) cast(e *loop.Cast) code {
	from, to := e.X.Type(), e.Type()
	inner, isCast := e.X.(*loop.Cast)
	switch {
	case from.Elem == to.Elem:
		return k.expr(e.X)
	case isCast && to.Lanes == 1 && to.Elem.IsInteger() && from.Elem.IsInteger() && isWithin(inner.X.Type().Elem, from.Elem):
		return k.cast(&loop.Cast{To: e.To, X: inner.X})
	case e.By != tensor.Invalid:
		return k.castBy(e)
	case to.Elem == tensor.Bool:
		return binary(k.expr(e.X), "!=", code{"0", levelPrimary}, levelEqual)
	case isMask(from):
		return k.castMask(e.X, to)
	case from.Elem.IsFloat() && to.Elem.IsInteger():
		return primary("%s(%s)", k.unit.helper("to_"+to.Elem.String(), from), k.text(e.X))
	case to.Lanes == 1:
		return castTo(storedName(to.Elem), k.expr(e.X))
	}
	if ramp, ok := e.X.(*loop.Ramp); ok && to.Elem.IsInteger() {
		return k.narrowRamp(ramp, to)
	}
	if isSplat(e.X) {
		return k.splat(to, castTo(storedName(to.Elem), k.expr(e.X.(*loop.Broadcast).X)))
	}
	value := k.text(e.X)
	widen := func(t tensor.DType) string {
		return fmt.Sprintf("%s(%s)", k.unit.helper(widenPrefix+from.Elem.String(), loop.Type{Elem: t, Lanes: to.Lanes}), value)
	}
	switch {
	case !from.Elem.IsInteger():
	case to.Elem.IsInteger() && to.Elem.Size() > from.Elem.Size():
		return code{widen(to.Elem), levelPrimary}
	case to.Elem.IsInteger() && to.Elem.Size() < min(4, from.Elem.Size()) && from.Lanes*from.Elem.Size() <= k.unit.options.VectorBytes:
		return primary("%s(%s)", k.unit.helper(truncatePrefix+from.Elem.String(), loop.Type{Elem: to.Elem, Lanes: to.Lanes}), value)
	case to.Elem.IsFloat() && from.Elem.Size() < 4: // which gcc converts lane by lane
		value = widen(tensor.Int32)
	}
	return primary("__builtin_convertvector(%s, %s)", value, k.unit.value(to))
}

// castBy prints a conversion by way of another type. Floats become integers of 32 bits in any case.
func (k *kernel) castBy(e *loop.Cast) code {
	from := e.X.Type()
	switch {
	case from.Elem.IsInteger():
		return k.cast(&loop.Cast{To: e.To, X: &loop.Cast{To: e.By, X: e.X}})
	case e.By.Size() == tensor.Int16.Size():
		return primary("%s(%s)", k.unit.helper("to_"+e.To.String()+byWords, from), k.text(e.X))
	}
	return k.cast(&loop.Cast{To: e.To, X: e.X})
}

// isWithin reports whether an integer type has all numbers of another, narrower one.
func isWithin(narrow, wide tensor.DType) bool {
	return narrow.IsInteger() && narrow.Size() < wide.Size() && (narrow.Kind() == wide.Kind() || narrow.Kind() == tensor.KindUint)
}

// castMask turns the lanes of a mask into 0 and 1.
func (k *kernel) castMask(x loop.Expr, to loop.Type) code {
	width := to.Elem.Size()
	m := k.mask(x, width)
	typ := k.unit.value(to)
	if to.Elem.IsFloat() {
		return primary("__builtin_convertvector(-%s, %s)", m.at(levelUnary), typ)
	}
	return castTo(typ, code{"-" + m.at(levelUnary), levelUnary})
}

// narrowRamp counts in the narrow type: wrapping commutes with addition.
func (k *kernel) narrowRamp(ramp *loop.Ramp, to loop.Type) code {
	elem := storedName(to.Elem)
	stride := int64(uint64(ramp.Stride) << (64 - 8*to.Elem.Size()) >> (64 - 8*to.Elem.Size()))
	if int64(ramp.Lanes)*stride >= 1<<(8*to.Elem.Size()-2) || stride < 0 {
		return primary("__builtin_convertvector(%s, %s)", k.text(ramp), k.unit.value(to))
	}
	return k.ramp(castTo(elem, k.expr(ramp.Base)), stride, ramp.Lanes, elem)
}
