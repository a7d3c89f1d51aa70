package c

import (
	"fmt"

	"github.com/ricci-lang/ricci/tensor"
)

// operatorTemplates defines what the loop IR's operators need beyond C's own.
var operatorTemplates = map[string][]template{
	"div": {
		{kinds: "i", params: "$V x, $V y", body: `
  if (y == 0) return 0;
  if (y == -1) return ($S)(0 - x);
  return ($S)(x / y - (x % y != 0 && (x < 0) != (y < 0)));`},
		{kinds: "u", params: "$V x, $V y", body: `  return y == 0 ? 0 : x / y;`},
	},
	"mod": {
		{kinds: "i", params: "$V x, $V y", body: `
  if (y == 0 || y == -1) return 0;
  $S r = x % y;
  return r != 0 && (r < 0) != (y < 0) ? r + y : r;`},
		{kinds: "u", params: "$V x, $V y", body: `  return y == 0 ? 0 : x % y;`},
		{kinds: "f", params: "$V x, $V y", body: `
  $S r = @fmod(x, y);
  return r == 0 ? @copysign(r, y) : (r < 0) != (y < 0) ? r + y : r;`},
		{kinds: "f", lanes: vectors, params: "$V x, $V y", body: `
  $V r = @fmod(x, y);
  return @select(r == 0, @copysign(r, y), @select((r < 0) == (y < 0), r, r + y));`},
	},
	"div_positive": {{kinds: "i", params: "$V x, $V y", body: `  return ($S)(x / y - (x % y < 0));`}},
	"mod_positive": {{kinds: "i", params: "$V x, $V y", body: `
  $S r = x % y;
  return r < 0 ? r + y : r;`}},
	"min":    orderTemplates("min", "y < x"),
	"max":    orderTemplates("max", "y > x"),
	"select": selectTemplates,

	"less":          comparisonTemplates("less", "<"),
	"less_equal":    comparisonTemplates("less_equal", "<="),
	"greater":       comparisonTemplates("greater", ">"),
	"greater_equal": comparisonTemplates("greater_equal", ">="),
	"equal":         comparisonTemplates("equal", "=="),
	"not_equal":     comparisonTemplates("not_equal", "!="),

	"lane": {{kinds: "fiu", lanes: vectors, result: "$S", params: "$V x, i64 n", body: `  return x[n];`}},

	"fold_add": foldTemplates("", "@fold_add.H(($H)(a.h[0] + a.h[1]))", "x"),
	"fold_mul": foldTemplates("", "@fold_mul.H(($H)(a.h[0] * a.h[1]))", "x"),
	"fold_min": foldTemplates("", "@fold_min.H(@min.H(a.h[0], a.h[1]))", "x"),
	"fold_max": foldTemplates("", "@fold_max.H(@max.H(a.h[0], a.h[1]))", "x"),
	"all":      maskTemplates("k == (u64)-1 >> $C{64 - $N}", "@all.H(($H)(a.h[0] & a.h[1]))", "x != 0"),
	"any":      maskTemplates("k != 0", "@any.H(($H)(a.h[0] | a.h[1]))", "x != 0"),

	"bits": {{kinds: "iu", lanes: vectors, result: "u64", params: "$V x", body: `
#if ($BYTES == 16 || $BYTES == 32 || $BYTES == 64) && defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
  u64 k;
  __asm__("$TOMASK %1, %0" : "=Yk"(k) : "v"(x));
  return k;
#else
  u64 k = 0;
  for (int l = 0; l < $N; l++) k |= (u64)(x[l] != 0) << l;
  return k;
#endif`}},

	"first8":  firstTemplates("$i8", "i8"),
	"first16": firstTemplates("$i16", "i16"),
	"first32": firstTemplates("$i32", "i32"),
	"first64": {{kinds: "i", lanes: vectors, result: "$i64", params: "i64 left", body: `  return __builtin_convertvector(@first32(left), $i64);`}},

	"gather":               {{kinds: "fiu", lanes: vectors, params: "const $S *p, $i64 i", body: gatherBody}},
	"gather_narrow":        {{kinds: "fiu", lanes: vectors, params: "const $S *p, $i32 i", body: gatherNarrowBody}},
	"gather_masked":        {{kinds: "fiu", lanes: vectors, params: "const $S *p, $i64 i, $I m", body: gatherMaskedBody}},
	"gather_narrow_masked": {{kinds: "fiu", lanes: vectors, params: "const $S *p, $i32 i, $I m", body: gatherNarrowMaskedBody}},
	"strided": {
		{kinds: "f", lanes: vectors, params: "const $S *p, i64 s", body: stridedBody("", "", "p[# * s]")},
		{kinds: "iu", lanes: vectors, params: "const $S *p, i64 s", body: `  return ($V){$L{p[# * s]}};`}},
	"strided_masked": {
		{kinds: "f", lanes: vectors, params: "const $S *p, i64 s, $I m", body: stridedBody("_masked", ", m", "m[#] ? p[# * s] : 0")},
		{kinds: "iu", lanes: vectors, params: "const $S *p, i64 s, $I m", body: `  return ($V){$L{m[#] ? p[# * s] : 0}};`}},
	"scatter": {{kinds: "fiu", lanes: vectors, result: "void", params: "$S *p, $i64 i, $V x", body: `
  for (int l = 0; l < $N; l++) p[i[l]] = x[l];`}},
	"scatter_masked": {{kinds: "fiu", lanes: vectors, result: "void", params: "$S *p, $i64 i, $V x, $I m", body: `
  for (int l = 0; l < $N; l++) if (m[l]) p[i[l]] = x[l];`}},
	"scatter_strided": {{kinds: "fiu", lanes: vectors, result: "void", params: "$S *p, i64 s, $V x", body: `
  for (int l = 0; l < $N; l++) p[l * s] = x[l];`}},
	"scatter_strided_masked": {{kinds: "fiu", lanes: vectors, result: "void", params: "$S *p, i64 s, $V x, $I m", body: `
  for (int l = 0; l < $N; l++) if (m[l]) p[l * s] = x[l];`}},

	"to_int8" + byWords: byWordsTemplates(tensor.Int8), "to_uint8" + byWords: byWordsTemplates(tensor.Uint8),
	"to_int8": saturateTemplates(tensor.Int8), "to_int16": saturateTemplates(tensor.Int16),
	"to_int32": saturateTemplates(tensor.Int32), "to_int64": saturateTemplates(tensor.Int64),
	"to_uint8": saturateTemplates(tensor.Uint8), "to_uint16": saturateTemplates(tensor.Uint16),
	"to_uint32": saturateTemplates(tensor.Uint32), "to_uint64": saturateTemplates(tensor.Uint64),
}

// The bodies of gathers have instructions where they are faster than a load for each lane.
// Processors without 16-bit float arithmetic either lack them or have a microcode that makes
// them slow (against gather data sampling: up to Ice Lake). The built-in functions are those of
// clang and of gcc. Lanes that a mask leaves out are not read, whatever their subscripts are.
var (
	gatherBody             = wideGather("-1", "p[i[#]]")
	gatherMaskedBody       = wideGather("(unsigned char)@bits.i64(m)", "m[#] ? p[i[#]] : 0")
	gatherNarrowBody       = narrowGather("-1", "p[i[#]]")
	gatherNarrowMaskedBody = narrowGather("(unsigned short)@bits.i32(m)", "m[#] ? p[i[#]] : 0")
)

// wideGather gathers elements of 64 bits.
func wideGather(mask, element string) string {
	return `
#if defined(__AVX512FP16__) && $N == 8 && $BYTES == 64
  return ($V)__builtin_ia32_gatherdiv8df(($f64){}, p, i, ` + mask + `, 8);
#else
  return ($V){$L{` + element + `}};
#endif`
}

// narrowGather gathers elements of 32 bits by subscripts of 32 bits.
func narrowGather(mask, element string) string {
	return `
#if defined(__AVX512FP16__) && ($N == 16 && $BYTES == 64 || $N == 8 && $BYTES == 32)
  return ($V)__builtin_ia32_$C{$N == 16 ? gathersiv16sf : gather3siv8sf}(($f32){}, p, i, ` + mask + `, 4);
#else
  return ($V){$L{` + element + `}};
#endif`
}

// stridedBody loads floats at a constant distance: by a gather of subscripts of 32 bits, where they
// fit, which takes 0.4 to 0.55 of the time of loads and insertions (sums of 9 in 30011 rows
// 0.137 -> 0.077 ms). Integers are often subscripts of another gather, which then waits: 100003
// relaxations of 11 edges would take 1.16 instead of 0.68 ms.
func stridedBody(suffix, mask, element string) string {
	return `
#if defined(__AVX512FP16__) && $SIZE == 4 && ($N == 16 || $N == 8)
  if (s > -(1 << 27) && s < 1 << 27) return @gather_narrow` + suffix + `(p, ($i32){$L{#}} * (i32)s` + mask + `);
#elif defined(__AVX512FP16__) && $BYTES == 64 && $N == 8
  return @gather` + suffix + `(p, ($i64){$L{#}} * s` + mask + `);
#endif
  return ($V){$L{` + element + `}};`
}

// halves computes a function of two long vectors by halves.
func halves(result, call string) string {
	return fmt.Sprintf(`
  union { $V v; $H h[2]; } a = {x}, b = {y};
  union { %[1]s v; %[2]s h[2]; } r;
  r.h[0] = %[3]s.H(a.h[0], b.h[0]);
  r.h[1] = %[3]s.H(a.h[1], b.h[1]);
  return r.v;`, result, map[string]string{"$V": "$H", "$I": "$J"}[result], call)
}

// orderTemplates defines "condition ? y : x". The blend of a comparison becomes
// one instruction in clang. gcc compares and blends; the instructions are defined as the same
// condition, of floats too. It knows what registers its builtins take; with assembly it kept
// accumulators in memory (tropical products of doubles on two threads took 1.4 of the time).
func orderTemplates(name, condition string) []template {
	const blend = "  return ($V)((m & ($I)y) | (~m & ($I)x));"
	return []template{
		{kinds: "fiu", params: "$V x, $V y", body: "  return " + condition + " ? y : x;"},
		{kinds: "f", lanes: registers, params: "$V x, $V y", body: `
#if defined(__clang__) || !defined(__AVX__) || $BYTES < 16 || $BYTES == 64 && !defined(__AVX512F__)
  $I m = ` + condition + ";\n" + blend + `
#elif $BYTES == 64
  return __builtin_ia32_` + name + `${PACKED}512_mask(y, x, x, -1, 4);
#elif $BYTES == 32
  return __builtin_ia32_` + name + `${PACKED}256(y, x);
#else
  return __builtin_ia32_` + name + `$PACKED(y, x);
#endif`},
		integerOrder("i", name+"s", name, condition),
		integerOrder("u", name+"u", name, condition),
		{kinds: "fiu", lanes: halved, params: "$V x, $V y", body: halves("$V", "@"+name)},
	}
}

// integerOrder is that template for vectors of signed or unsigned integers, whose builtins have a name of
// their own.
func integerOrder(kinds, builtin, name, condition string) template {
	return template{kinds: kinds, lanes: registers, params: "$V x, $V y", body: `
#if !defined(__clang__) && $BYTES == 64 && $SIZE >= 4 && defined(__AVX512F__)
  return ($V)__builtin_ia32_p` + builtin + `${LETTER}512_mask(($I)x, ($I)y, ($I)x, -1);
#elif !defined(__clang__) && ($BYTES == 64 && defined(__AVX512BW__) || $BYTES == 32 && defined(__AVX2__) || $BYTES == 16 && defined(__AVX__)) && ($SIZE < 8 || defined(__AVX512VL__))
  $V r;
  __asm__("vp` + name + `$SUFFIX %1, %2, %0" : "=v"(r) : "v"(x), "v"(y));
  return r;
#else
  $I m = ` + condition + `;
  return ($V)((m & ($I)y) | (~m & ($I)x));
#endif`}
}

// strictOrderTemplates are those of minima and maxima of floats where the sign of a zero counts: -0 is less than 0, so that
// a minimum of many is the same in any order. Of equal numbers all bits are the same but for zeros, whose signs
// or-ed, or and-ed, are that of the lesser, or greater.
var strictOrderTemplates = map[string][]template{
	"min":      strictOrder("min", "y < x", "|", "__builtin_signbit(y)"),
	"max":      strictOrder("max", "y > x", "&", "!__builtin_signbit(y)"),
	"half_min": halfTemplate("", "@min.f32("+halfX+", "+halfY+")"),
	"half_max": halfTemplate("", "@max.f32("+halfX+", "+halfY+")"),
}

func strictOrder(name, condition, joined, sign string) []template {
	return []template{
		{kinds: "f", params: "$V x, $V y", body: "  return " + condition + " || (y == x && " + sign + ") ? y : x;"},
		{kinds: "f", lanes: registers, params: "$V x, $V y", body: `
  $I m = ` + condition + `, same = x == y;
  return ($V)((m & ($I)y) | (~(m | same) & ($I)x) | (same & (($I)x ` + joined + ` ($I)y)));`},
		{kinds: "f", lanes: halved, params: "$V x, $V y", body: halves("$V", "@"+name)},
	}
}

func comparisonTemplates(name, operator string) []template {
	return []template{
		{kinds: "fiu", result: "_Bool", params: "$V x, $V y", body: "  return x " + operator + " y;"},
		{kinds: "fiu", lanes: registers, result: "$I", params: "$V x, $V y", body: "  return x " + operator + " y;"},
		{kinds: "fiu", lanes: halved, result: "$I", params: "$V x, $V y", body: halves("$I", "@"+name)},
	}
}

// selectTemplates blends by a mask; C has no ?: on vectors.
var selectTemplates = []template{
	{kinds: "fiu", lanes: vectors, params: "$I m, $V x, $V y", body: `  return ($V)((m & ($I)x) | (~m & ($I)y));`},
}

// foldTemplates halves a vector until one lane is left, which is the order in
// which the evaluator of package loop folds too.
func foldTemplates(result, step, last string) []template {
	vectorResult := result
	if result == "" {
		vectorResult = "$S"
	}
	return []template{
		{kinds: "fiu", result: result, params: "$V x", body: "  return " + last + ";"},
		{kinds: "fiu", lanes: vectors, result: vectorResult, params: "$V x", body: "  union { $V v; $H h[2]; } a = {x};\n  return " + step + ";"},
	}
}

// maskTemplates folds the lanes of a mask, as bits where the machine has these.
func maskTemplates(bits, step, last string) []template {
	return append([]template{{kinds: "iu", lanes: registers, result: "_Bool", params: "$V x", body: `
#if !defined(__clang__) && $BYTES >= 16 && defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
  u64 k;
  __asm__("$TOMASK %1, %0" : "=Yk"(k) : "v"(x));
  return ` + bits + `;
#else
  union { $V v; $H h[2]; } a = {x};
  return ` + step + `;
#endif`}}, foldTemplates("_Bool", step, last)...)
}

// firstTemplates is the mask of the first left lanes.
func firstTemplates(vector, elem string) []template {
	return []template{{kinds: "i", lanes: vectors, result: vector, params: "i64 left", body: fmt.Sprintf(
		"  return (%s){$L{#}} < (%s)(left < 0 ? 0 : left > $N ? $N : left);", vector, elem)}}
}

// saturateTemplates converts floats to an integer type: truncated, clamped to its
// range, NaN to 0. C leaves the values out of range undefined.
func saturateTemplates(to tensor.DType) []template {
	name, bits := storedName(to), 8*to.Size()
	high, low := fmt.Sprintf("0x1p%d", bits), "0.0"
	largest, smallest := fmt.Sprintf("(%s)0x%x", name, uint64(1)<<bits-1), "0"
	if to.Kind() == tensor.KindInt {
		high, low = fmt.Sprintf("0x1p%d", bits-1), fmt.Sprintf("-0x1p%d", bits-1)
		largest, smallest = fmt.Sprintf("(%s)0x%x", name, uint64(1)<<(bits-1)-1), fmt.Sprintf("(%s)0x%x", name, uint64(1)<<(bits-1))
	}
	scalar := fmt.Sprintf("  return x != x ? 0 : x >= %[1]s ? %[3]s : x < %[2]s ? %[4]s : (%[5]s)x;", high, low, largest, smallest, name)
	vector := fmt.Sprintf(`
  $I high = x >= ($S)%[1]s, low = x < ($S)%[2]s, outside = high | low | (x != x);
  $%[5]s r = __builtin_convertvector(@select(outside, ($V){}, x), $%[5]s);
  r = @select.%[5]s(__builtin_convertvector(low, $%[6]s), %[4]s + ($%[5]s){}, r);
  return @select.%[5]s(__builtin_convertvector(high, $%[6]s), %[3]s + ($%[5]s){}, r);`,
		high, low, largest, "("+name+")"+smallest, name, signed(to.Size()))
	if to.Size() < 4 {
		vector = narrowed(to)
	}
	return []template{
		{kinds: "f", result: name, params: "$V x", body: scalar},
		{kinds: "f", lanes: vectors, result: "$" + name, params: "$V x", body: vector},
	}
}

// byWords ends the names of helpers that make bytes of floats by way of 16 bits: gcc 12 has no instruction of AVX2 for
// less than half of the bits at once.
const byWords = "_by_words"

func byWordsTemplates(to tensor.DType) []template {
	low, high := limitsOf(to)
	body := fmt.Sprintf(`
  $V y = @max(@min(x, ($S)%d.0 - ($V){}), ($S)%d.0 - ($V){});
  $i32 w = __builtin_convertvector(@select(x != x, ($V){}, y), $i32);
  return __builtin_convertvector(__builtin_convertvector(w, $i16), $%s);`, high, low, storedName(to))
	return []template{{kinds: "f", lanes: vectors, result: "$" + storedName(to), params: "$V x", body: body}}
}

// limitsOf returns the least and the greatest number of an integer type of 8 or 16 bits.
func limitsOf(to tensor.DType) (low, high int) {
	if to.Kind() == tensor.KindInt {
		return -1 << (8*to.Size() - 1), 1<<(8*to.Size()-1) - 1
	}
	return 0, 1<<(8*to.Size()) - 1
}

// narrowed is the body that converts a vector of floats to integers of 8 or 16 bits: limits are
// floats, and between them are integers of 32 bits, of which gcc takes parts lane by lane.
func narrowed(to tensor.DType) string {
	low, high := limitsOf(to)
	return fmt.Sprintf(`
  $V y = @max(@min(x, ($S)%[1]d.0 - ($V){}), ($S)%[2]d.0 - ($V){});
  $i32 w = __builtin_convertvector(@select(x != x, ($V){}, y), $i32);
#if defined(__GNUC__) && !defined(__clang__) && $N == 16 && defined(__AVX512F__)
  $%[3]s r;
  __asm__("vpmovd%[4]s %%1, %%0" : "=v"(r) : "v"(w));
  return r;
#else
  return __builtin_convertvector(w, $%[3]s);
#endif`, high, low, storedName(to), map[int]string{1: "b", 2: "w"}[to.Size()])
}
