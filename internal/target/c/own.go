package c

import (
	"fmt"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/target/own"
	"github.com/ricci-lang/ricci/tensor"
)

// How functions have the same bits everywhere
//
// The functions of the C library differ between its versions, and between the processors that it
// chooses instructions for; a vector body and a scalar one are two approximations. Where a program
// asks for the same bits on any machine, a function is computed by one body of Ricci's own, made of
// + − × ÷, square roots, comparisons, conversions and operations on bits, which IEEE 754 defines to the
// last bit. Compilers must not contract them to fused multiply-adds.
//
// A row has a scalar body for float64, or bodies of vectors that work lane by lane; the scalar is then a
// lane of the narrowest vector. What is missing comes from what is there: a vector from the scalar
// function lane by lane, and float32 from float64 by a last rounding, which is nearly always to
// the nearest number.
//
// Functions without a row, ownExact, have a value that IEEE 754 defines; their bodies are those of mathTable.

// An ownRow is the own computation of a function.
type ownRow struct {
	scalar   string // for float64
	vector32 string
	vector64 string
}

// ownExact are the functions whose values leave no choice, so that any body and any C library has
// the same bits: IEEE 754 defines each of their few operations.
var ownExact = []string{
	"ceil", "copysign", "fabs", "fdim", "fdivide", "floor", "fma", "fmax", "fmin", "fmod", "logb", "nextafter", "remainder",
	"rint", "round", "rsqrt", "sqrt", "trunc",
}

// ownTable has a row for every other function.
var ownTable = map[string]ownRow{
	"acos":          {scalar: own.Functions["acos"]},
	"acosh":         {scalar: own.Functions["acosh"]},
	"asin":          {scalar: own.Functions["asin"]},
	"asinh":         {scalar: own.Functions["asinh"]},
	"atan":          {scalar: own.Functions["atan"]},
	"atan2":         {scalar: own.Functions["atan2"]},
	"atanh":         {scalar: own.Functions["atanh"]},
	"cbrt":          {scalar: own.Functions["cbrt"]},
	"cos":           {vector32: inDouble("@cos.f64(a)"), vector64: ownWave("cos", "1", "")},
	"cosh":          {scalar: own.Functions["cosh"]},
	"cospi":         {scalar: own.Functions["cospi"]},
	"cyl_bessel_i0": {scalar: own.Functions["cyl_bessel_i0"]},
	"cyl_bessel_i1": {scalar: own.Functions["cyl_bessel_i1"]},
	"erf":           {scalar: own.Functions["erf"]},
	"erfc":          {scalar: own.Functions["erfc"]},
	"erfcinv":       {scalar: own.Functions["erfcinv"]},
	"erfcx":         {scalar: own.Functions["erfcx"]},
	"erfinv":        {scalar: own.Functions["erfinv"]},
	"exp":           {vector32: ownExp32, vector64: ownExp64},
	"exp10":         {scalar: own.Functions["exp10"]},
	"exp2":          {scalar: own.Functions["exp2"]},
	"expm1":         {scalar: own.Functions["expm1"]},
	"hypot":         {scalar: own.Functions["hypot"]},
	"j0":            {scalar: own.Functions["j0"]},
	"j1":            {scalar: own.Functions["j1"]},
	"lgamma":        {scalar: own.Functions["lgamma"]},
	"log":           {vector32: logBody32, vector64: logBody64},
	"log10":         {scalar: own.Functions["log10"]},
	"log1p":         {scalar: own.Functions["log1p"]},
	"log2":          {scalar: own.Functions["log2"]},
	"norm3d":        {scalar: own.Functions["norm3d"]},
	"norm4d":        {scalar: own.Functions["norm4d"]},
	"normcdf":       {scalar: own.Functions["normcdf"]},
	"normcdfinv":    {scalar: own.Functions["normcdfinv"]},
	"pow":           {scalar: own.Functions["pow"], vector32: powBody32},
	"rcbrt":         {scalar: own.Functions["rcbrt"]},
	"rhypot":        {scalar: own.Functions["rhypot"]},
	"rnorm3d":       {scalar: own.Functions["rnorm3d"]},
	"rnorm4d":       {scalar: own.Functions["rnorm4d"]},
	"sin":           {vector32: inDouble("@sin.f64(a)"), vector64: ownWave("sin", "0", "  v = @select(x == 0, x, v);\n")},
	"sinh":          {scalar: own.Functions["sinh"]},
	"sinpi":         {scalar: own.Functions["sinpi"]},
	"tan":           {vector32: inDouble("@sin.f64(a) / @cos.f64(a)"), vector64: "  return @sin(x) / @cos(x);"},
	"tanh":          {scalar: own.Functions["tanh"], vector32: tanhBody32},
	"tgamma":        {scalar: own.Functions["tgamma"]},
	"y0":            {scalar: own.Functions["y0"]},
	"y1":            {scalar: own.Functions["y1"]},
}

// ownTemplate finds the own body of a function for a type. A vector without one is computed lane by lane.
func (u *unit) ownTemplate(name string, t loop.Type, arity int) (template, bool) {
	row := ownTable[name]
	h := template{params: parameters(arity), body: row.vector64}
	if t.Elem == tensor.Float32 {
		h.body = row.vector32
	}
	switch {
	case t.Lanes > 1 && h.body == "":
		return template{}, false
	case t.Lanes > 1:
		h.body = u.halvedBody(h.body, name, t, arity)
	case h.body != "":
		pair := u.vector(storedName(t.Elem), 2)
		arguments := make([]string, arity)
		for i, a := range argumentNames[:arity] {
			arguments[i] = fmt.Sprintf("(%[1]s){%[2]s, %[2]s}", pair, a)
		}
		h.body = fmt.Sprintf("  %s r = @%s.P(%s);\n  return r[0];", pair, name, strings.Join(arguments, ", "))
	case t.Elem == tensor.Float32:
		h.body = fmt.Sprintf("  return (f32)@%s.f64(%s);", name, strings.Join(argumentNames[:arity], ", "))
	default:
		h.body = row.scalar
	}
	return h, true
}

// isOwn reports whether a function has an own body where one is asked for.
func isOwn(b *ein.Builtin) bool {
	_, ok := ownTable[b.Name]
	return ok
}

// ownTemplates are the functions that own bodies share.
var ownTemplates = func() map[string][]template {
	list := map[string][]template{}
	for name, h := range own.Helpers {
		list[name] = []template{{kinds: "f", result: h.Result, params: h.Params, body: h.Body}}
	}
	return list
}()
