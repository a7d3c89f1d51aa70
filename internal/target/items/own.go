package items

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/target/own"
	"github.com/ricci-lang/ricci/tensor"
)

// How functions are computed that a language does not have
//
// By the bodies of package own, which are of float64; what is float32 is rounded once more. Where programs ask for the same bits on
// every machine, all functions are but those whose values IEEE 754 defines, and the series that other targets
// compute on vectors stand here for single numbers, with the same bits.
//
// OpenCL C has no recursion. The few bodies that call themselves, or each other, do so a few times at most: each time is a function
// of its own, and what would be called behind the last one is never reached.

// exact are the functions whose values leave no choice.
var exact = map[string]bool{
	"ceil": true, "copysign": true, "fabs": true, "fdim": true, "fdivide": true, "floor": true, "fma": true, "fmax": true, "fmin": true, "fmod": true,
	"logb": true, "nextafter": true, "remainder": true, "rint": true, "round": true, "rsqrt": true, "sqrt": true, "trunc": true,
}

// series are bodies for float64 of functions that package own has the series of.
var series = map[string]string{
	"exp": `
  x = x > 710.0 ? 710.0 : x;
  x = x < -746.0 ? -746.0 : x;
` + own.Exp64 + `
  i64 i = (i64)$as_u64(shifted) - 0x4338000000000000$L, low = i >> 1;
  return p * $as_f64((u64)(low + 1023) << 52) * $as_f64((u64)(i - low + 1023) << 52);`,
	"log": `
  bool tiny = x < 0x1p-1022;
  i64 b = (i64)($as_u64(tiny ? x * 0x1p52 : x) - 0x3fe6a09e667f3bcdU$L);
  f64 e = (f64)((b >> 52) - (tiny ? 52 : 0));
  f64 f = $as_f64((u64)((b & 0xfffffffffffff$L) + 0x3fe6a09e667f3bcd$L)) - 1,` + own.Log64 + `
  if (x == 0) return -__builtin_inf();
  if (x == __builtin_inf()) return x;
  return x < 0 || x != x ? __builtin_nan("") : r;`,
	"sin": wave("sin", "0", "x == 0 ? x : v"),
	"cos": wave("cos", "1", "v"),
	"tan": "  return @sin(x) / @cos(x);",
}

// wave is sin, or cos a quarter later.
func wave(name, quarters, result string) string {
	return `
  if (!($fabs(x) < 0x1p20)) return @` + name + `_large(x);
` + own.Wave + `
  i64 q = (i64)$as_u64(shifted) + ` + quarters + `;
  $V` + own.WaveSine + `
  s = s * z * r + r;
  $V` + own.WaveCosine + `
  c = c * (z * z) - 0.5 * z + 1;
  $V v = q & 1 ? c : s;
  if (q & 2) v = -v;
  return ` + result + `;`
}

// single are bodies for float32 of functions that are not float64's, rounded.
var single = map[string]string{
	"exp": `
  x = x > 89.0f ? 89.0f : x;
  x = x < -104.5f ? -104.5f : x;
` + own.Exp32 + `
  i32 i = (i32)($as_u32(shifted) - 0x4b400000U), low = i >> 1;
  return p * $as_f32((u32)(low + 127) << 23) * $as_f32((u32)(i - low + 127) << 23);`,
	"log": `
  bool tiny = x < 0x1p-126f;
  i32 b = (i32)($as_u32(tiny ? x * 0x1p23f : x) - 0x3f3504f3U);
  f32 e = (f32)((b >> 23) - (tiny ? 23 : 0));
  f32 f = $as_f32((u32)((b & 0x7fffff) + 0x3f3504f3)) - 1,` + own.Log32 + `
  if (x == 0) return -__builtin_inf();
  if (x == __builtin_inf()) return x;
  return x < 0 || x != x ? __builtin_nan("") : r;`,
	"pow": `
  f32 a = $fabs(x), whole = $trunc(y), below = y * 0.5f;
  f32 r = (f32)@exp.f64((f64)y * @log.f64((f64)a));
  bool odd = whole == y && $trunc(below) != below && $fabs(y) < __builtin_inf();
  if (odd && $as_u32(x) >> 31) r = -r;
  if (x < 0 && whole != y && a < __builtin_inf()) r = __builtin_nan("");
  return x == 1 || y == 0 || (a == 1 && $fabs(y) == __builtin_inf()) ? 1 : r;`,
	"tanh": `
  f32 e = @expm1(-2 * $fabs(x));
  return $copysign(-e / (e + 2), x);`,
}

// recursive are the functions that call themselves, or each other; most is how often one does in
// a call: 2 - x, then 1 - x, of erfcinv.
var recursive = map[string]bool{"tgamma": true, "lgamma": true, "erfinv": true, "erfcinv": true}

const most = 2

// ownFunction defines the function of that name for a type, and returns what it is called.
func (u *unit) ownFunction(name string, d tensor.DType) string {
	t, again := loop.Scalar(d), 0
	if recursive[name] && d == tensor.Float64 {
		if again = u.again; again > most {
			return u.helper("never", t, t, "f64 x", "  return "+u.dialect.NaN+";")
		}
		u.again++
		defer func() { u.again-- }()
	}
	full := fmt.Sprintf("r_%s_%s%s", name, nameOf(d), strings.Repeat("_again", again))
	if u.defined[full] {
		return full
	}
	result, params, body := u.value(t), "", ""
	if h, shared := own.Helpers[name]; shared {
		params, body = h.Params, h.Body
		if result = h.Result; result == "" {
			result = "$V"
		}
	} else if b, known := ein.LookupBuiltin(name); known {
		list := argumentNames[:b.Arity]
		params = "$V " + strings.Join(list, ", $V ")
		body = u.ownBody(name, d, strings.Join(list, ", "))
	}
	if body == "" {
		u.refuse("the function %s of %s", name, d)
	}
	return u.function(full, u.ownText(result, d), u.ownText(params, d), u.ownText(body, d))
}

// ownBody finds the body of a builtin function.
func (u *unit) ownBody(name string, d tensor.DType, arguments string) string {
	if d == tensor.Float32 {
		if body, ok := single[name]; ok {
			return body
		}
		return fmt.Sprintf("  return (f32)@%s.f64(%s);", name, arguments)
	}
	if body, ok := series[name]; ok {
		return body
	}
	return own.Functions[name]
}

var ownPatterns = sync.OnceValue(func() []*regexp.Regexp {
	return []*regexp.Regexp{
		regexp.MustCompile(`@([a-z]\w*)(?:\.(f64))?\(`),
		regexp.MustCompile(`\(\$PAIR\)\{([^{}]*)\}`),
		regexp.MustCompile(`__builtin_(\w+)\(`),
		regexp.MustCompile(`\$as_(\w+)\(`),
		regexp.MustCompile(`(0x[0-9a-f]+)(U?)LL\b`),
		regexp.MustCompile(`\bhalf\b`),
	}
})

// ownText fills in a template of package own.
func (u *unit) ownText(text string, d tensor.DType) string {
	p := ownPatterns()
	text = strings.NewReplacer("__builtin_inf()", u.dialect.Infinity, `__builtin_nan("")`, u.dialect.NaN, "_Bool", "bool", "static const", "const", "$V", nameOf(d)).Replace(text)
	text = p[1].ReplaceAllStringFunc(text, func(m string) string { return u.pairOf() + "(" + m[len("($PAIR){"):len(m)-1] + ")" })
	if strings.Contains(text, "$PAIR") {
		text = strings.ReplaceAll(text, "$PAIR", u.pair())
	}
	text = p[2].ReplaceAllString(text, "$$$1(")
	text = p[3].ReplaceAllStringFunc(text, func(m string) string { return u.dialect.Bits[m[len("$as_"):len(m)-1]] + "(" })
	text = p[4].ReplaceAllString(text, "$1$2"+u.dialect.Long)
	text = p[5].ReplaceAllString(text, "part")
	text = p[0].ReplaceAllStringFunc(text, func(m string) string {
		name, of := p[0].FindStringSubmatch(m)[1], d
		if strings.Contains(m, ".f64") {
			of = tensor.Float64
		}
		return u.called(name, of) + "("
	})
	return u.expand(text, d)
}

// called is another function of a body: an own one, unless its value leaves no choice.
func (u *unit) called(name string, d tensor.DType) string {
	if exact[name] {
		return u.builtin(name, d)
	}
	return u.ownFunction(name, d)
}

// pair defines the struct of two float64, and pairOf what makes one.
func (u *unit) pair() string {
	if u.once("r_pair") {
		u.types.WriteString("typedef struct { f64 h, l; } r_pair;\n")
	}
	return "r_pair"
}

func (u *unit) pairOf() string {
	pair := u.pair()
	return u.function("r_pair_of", pair, "f64 h, f64 l", "  "+pair+" r = {h, l};\n  return r;")
}
