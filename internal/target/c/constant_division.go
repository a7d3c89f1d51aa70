package c

import (
	"fmt"
	"strings"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

// dividePrefix begins the names of helpers that divide vectors of integers by a positive number,
// which follows. Compilers multiply by its reciprocal if they see the number beside a vector
// without a sign when they first read the text.
const dividePrefix = "div_by"

// dividesVectors reports whether compilers have such instructions for a type: they take
// integers of 64 bits apart.
func dividesVectors(t loop.Type) bool { return t.Lanes > 1 && t.Elem.Size() < 8 }

// divideVector prints floor division and modulo of a vector by a positive constant.
func (k *kernel) divideVector(t loop.Type, x code, d int64, remainder bool) code {
	quotient := k.unit.helper(fmt.Sprintf("%s%d", dividePrefix, d), t)
	if !remainder {
		return primary("%s(%s)", quotient, x.text)
	}
	return primary("%s(%s)", k.unit.helper(fmt.Sprintf("mod_by%d", d), t), x.text)
}

// constantDivisionTemplate makes the helpers. A negative number x is -1 - y with y = ~x, and
// rounds down to -1 - y/d.
func (u *unit) constantDivisionTemplate(name string, t loop.Type) (template, bool) {
	if d, ok := strings.CutPrefix(name, "mod_by"); ok && isNumber(d) {
		return template{params: "$V x", body: fmt.Sprintf("  return x - @%s%s(x) * ($S)%s;", dividePrefix, d, d)}, true
	}
	d, ok := strings.CutPrefix(name, dividePrefix)
	if !ok || !isNumber(d) {
		return template{}, false
	}
	narrow := t.Elem.Size() == 1 // no instruction has the upper half of such products
	switch {
	case t.Lanes*t.Elem.Size() > u.options.VectorBytes:
		return template{params: "$V x", body: fmt.Sprintf(`
  union { $V v; $H h[2]; } a = {x}, r;
  r.h[0] = @%[1]s.H(a.h[0]);
  r.h[1] = @%[1]s.H(a.h[1]);
  return r.v;`, name)}, true
	case narrow && t.Elem.Kind() == tensor.KindUint:
		return template{params: "$V x", body: fmt.Sprintf("  return __builtin_convertvector(@%s.u16(@widen_uint8.u16(x)), $V);", name)}, true
	case narrow:
		return template{params: "$V x", body: fmt.Sprintf("  return __builtin_convertvector(@%s.i16(@widen_int8.i16(x)), $V);", name)}, true
	case t.Elem.Kind() == tensor.KindUint:
		return template{params: "$V x", body: "  return x / ($S)" + d + ";"}, true
	}
	return template{params: "$V x", body: fmt.Sprintf("  $I m = x < 0;\n  return ($V)(($U)(x ^ m) / (%s)%s) ^ m;", unsigned(t.Elem.Size()), d)}, true
}
