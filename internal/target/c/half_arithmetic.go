package c

import (
	"math"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

// How floats of 16 bits are computed without converting them
//
// A value that is stored as float16 is computed as such where that has the same bits
// (ein.HalfKind): its operands are what lies in memory, and helpers take and give vectors of
// that. Processors with AVX512-FP16 have instructions for these, which know denormals
// whatever mode the processor is in. Elsewhere the helpers convert. A NaN that is only chosen
// or changes its sign stays what it is, also if it is no quiet one.

// A half is a value in vectors of float16, as they lie in memory.
type half struct {
	code code
	kind ein.HalfKind
}

var noHalf = half{}

// storedHalf prints a value for a buffer of float16 without a conversion, if it can.
func (k *kernel) storedHalf(e loop.Expr) (code, bool) {
	_, same := e.(*loop.Broadcast)
	if e.Type().Lanes == 1 || !same && !k.isHalfVector(e) {
		return code{}, false
	}
	h := k.half(e)
	return h.code, h.kind != ein.NoHalf
}

// isHalfVector reports whether an expression computes with vectors that are read as float16.
func (k *kernel) isHalfVector(e loop.Expr) bool {
	switch e := e.(type) {
	case *loop.Load:
		return e.Buffer.Type.Elem == tensor.Float16
	case *loop.Unary, *loop.Binary, *loop.Call:
		for _, child := range loop.Children(e) {
			if k.isHalfVector(child) {
				return true
			}
		}
	}
	return false
}

// half prints a vector of float16.
func (k *kernel) half(e loop.Expr) half {
	t := loop.Type{Elem: tensor.Uint16, Lanes: e.Type().Lanes}
	switch e := e.(type) {
	case *loop.Load:
		if e.Buffer.Type.Elem == tensor.Float16 {
			return half{k.loadStored(e), ein.ExactHalf}
		}
	case *loop.Broadcast:
		return k.halfOfAll(e, t)
	case *loop.Unary:
		if x := k.half(e.X); e.Op == ein.Neg && x.kind != ein.NoHalf {
			return half{binary(x.code, "^", code{"(u16)0x8000", levelUnary}, levelBitOr), x.kind}
		}
	case *loop.Call:
		return k.halfCall(e, t)
	case *loop.Binary:
		return k.halfBinary(e, t)
	}
	return noHalf
}

// halfCall prints a builtin function, if it is one of float16.
func (k *kernel) halfCall(e *loop.Call, t loop.Type) half {
	kinds, texts := make([]ein.HalfKind, len(e.Args)), make([]string, len(e.Args))
	for n, a := range e.Args {
		x := k.half(a)
		if x.kind == ein.NoHalf {
			return noHalf
		}
		kinds[n], texts[n] = x.kind, x.code.text
	}
	kind := ein.HalfCall(e.Func.Name, kinds)
	if kind == ein.NoHalf {
		return noHalf
	}
	return half{primary("%s(%s)", k.unit.helper("half_"+e.Func.Name, t), strings.Join(texts, ", ")), kind}
}

// halfOfAll repeats an element or a constant.
func (k *kernel) halfOfAll(e *loop.Broadcast, t loop.Type) half {
	switch x := e.X.(type) {
	case *loop.Load:
		if x.Buffer.Type.Elem == tensor.Float16 && x.Buffer.Type.Lanes == 1 {
			return half{k.splat(t, k.loadStored(x)), ein.ExactHalf}
		}
	case *loop.Const:
		if v := math.Float64frombits(x.Bits); x.Elem == tensor.Float32 && tensor.IsFloat16(v) {
			return half{k.splat(t, primary("(u16)0x%04x", tensor.Float32ToFloat16(float32(v)))), ein.ExactHalf}
		}
	}
	return noHalf
}

// halfNames are the operators that have helpers.
var halfNames = map[ein.BinaryOp]string{ein.Add: "half_add", ein.Sub: "half_sub", ein.Mul: "half_mul", ein.Min: "half_min", ein.Max: "half_max"}

func (k *kernel) halfBinary(e *loop.Binary, t loop.Type) half {
	name := halfNames[e.Op]
	if name == "" {
		return noHalf
	}
	x := k.half(e.X)
	if x.kind == ein.NoHalf {
		return noHalf
	}
	y := k.half(e.Y)
	kind := ein.HalfBinary(e.Op, x.kind, y.kind)
	if kind == ein.NoHalf {
		return noHalf
	}
	return half{primary("%s(%s, %s)", k.unit.helper(name, t), x.code.text, y.code.text), kind}
}

// halfTemplate is a helper on vectors of float16: an instruction, if there is one, or a function of float32.
func halfTemplate(instruction, otherwise string) []template {
	const params = "$V x, $V y"
	converted := "  return @to_float16.f32(" + otherwise + ");"
	if instruction == "" {
		return []template{{kinds: "u", lanes: vectors, params: params, body: converted}}
	}
	return []template{
		{kinds: "u", lanes: registers, params: params, body: `
#if defined(__AVX512FP16__) && $BYTES >= 16
  $V r;
  __asm__("` + instruction + `" : "=v"(r) : "v"(x), "v"(y));
  return r;
#else
` + converted + `
#endif`},
		{kinds: "u", lanes: halved, params: params, body: converted},
	}
}

const (
	halfX = "@from_float16.f32(x)"
	halfY = "@from_float16.f32(y)"
)

// halfArithmeticTemplates have the order of operands of C; that of minima and maxima is the one
// of orderTemplates.
var halfArithmeticTemplates = map[string][]template{
	"half_add":  halfTemplate("vaddph %2, %1, %0", halfX+" + "+halfY),
	"half_sub":  halfTemplate("vsubph %2, %1, %0", halfX+" - "+halfY),
	"half_mul":  halfTemplate("vmulph %2, %1, %0", halfX+" * "+halfY),
	"half_min":  halfTemplate("vminph %1, %2, %0", "@min.f32("+halfX+", "+halfY+")"),
	"half_max":  halfTemplate("vmaxph %1, %2, %0", "@max.f32("+halfX+", "+halfY+")"),
	"half_fmin": halfIgnoringNaN("min", "|"),
	"half_fmax": halfIgnoringNaN("max", "&"),
	"half_fabs": {{kinds: "u", lanes: vectors, params: "$V x", body: "  return x & 0x7fff;"}},
}

// halfIgnoringNaN is ignoreNaN for float16. The signs of two zeros are joined (strictOrderTemplates).
func halfIgnoringNaN(operator, joined string) []template {
	otherwise := "  return @to_float16.f32(@f" + operator + ".f32(" + halfX + ", " + halfY + "));"
	return []template{
		{kinds: "u", lanes: registers, params: "$V x, $V y", body: `
#if defined(__AVX512FP16__) && $BYTES >= 16
  $V r = @half_` + operator + `(x, y);
  u64 nan;
  __asm__("vcmpph $3, %1, %1, %0" : "=Yk"(nan) : "v"(x));
  __asm__("vmovdqu16 %2, %0%{%1%}" : "+v"(r) : "Yk"(nan), "v"(y));
  $V zeros = ($V)(((x | y) & 0x7fff) == 0);
  return (zeros & (x ` + joined + ` y)) | (~zeros & r);
#else
` + otherwise + `
#endif`},
		{kinds: "u", lanes: halved, params: "$V x, $V y", body: otherwise},
	}
}
