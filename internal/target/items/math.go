package items

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/tensor"
)

// call is a builtin function of package ein on scalars of a type.
func (u *unit) call(b *ein.Builtin, d tensor.DType) scalar {
	if u.options.Numerics == numerics.Strict && !exact[b.Name] {
		return func(x []code) code { return primary("%s(%s)", u.ownFunction(b.Name, d), commas(x)) }
	}
	if text, ok := u.language(b.Name, d); ok {
		return func(x []code) code { return primary("%s", substitute(text, x)) }
	}
	return func(x []code) code { return primary("%s(%s)", u.builtin(b.Name, d), commas(x)) }
}

// language finds a function of the language that may stand for a builtin function.
func (u *unit) language(name string, d tensor.DType) (text string, ok bool) {
	row := u.dialect.Functions[name]
	if text = row.Double; d == tensor.Float32 {
		text = row.Single
	}
	return text, text != ""
}

// builtin defines a helper that computes a builtin function.
func (u *unit) builtin(name string, d tensor.DType) string {
	t := loop.Scalar(d)
	result, arity := t, 1
	if b, known := ein.LookupBuiltin(name); known {
		arity = b.Arity
	} else if name == "signbit" {
		result = loop.Scalar(tensor.Bool)
	}
	params, arguments := make([]string, arity), make([]code, arity)
	for i := range params {
		params[i], arguments[i] = u.value(t)+" "+argumentNames[i], primary("%s", argumentNames[i])
	}
	body := ""
	if text, ok := u.language(name, d); ok {
		body = "  return " + substitute(text, arguments) + ";"
	} else if text, ok := plainFunctions[name]; ok {
		body = u.expand(text, d)
	} else {
		return u.ownFunction(name, d)
	}
	return u.helper(name, t, result, strings.Join(params, ", "), body)
}

// plainFunctions are bodies of functions that few languages have with their very meaning.
var plainFunctions = map[string]string{
	"fdivide": "  return x / y;",
	"fmax":    "  return x != x || y > x || (y == x && !$signbit(y)) ? y : x;",
	"fmin":    "  return x != x || y < x || (y == x && $signbit(y)) ? y : x;",
	"rsqrt":   "  return 1 / $sqrt(x);",
}

// substitute puts operands into the text of a function.
func substitute(text string, x []code) string {
	for i, c := range x {
		text = strings.ReplaceAll(text, "$"+argumentNames[i], c.text)
	}
	return text
}

var functionPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$([a-z]\w*)\(`) })

// expand fills in the template of a helper for a type.
func (u *unit) expand(text string, d tensor.DType) string {
	text = functionPattern().ReplaceAllStringFunc(text, func(m string) string { return u.builtin(m[1:len(m)-1], d) + "(" })
	wide := fmt.Sprintf("u%d", 8*max(4, d.Size()))
	return strings.NewReplacer("$BITS", fmt.Sprint(8*d.Size()), "$S", nameOf(d), "$U", unsigned(d), "$W", wide, "$L", u.dialect.Long).Replace(text)
}
