package check

import (
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
)

// A hint is the way out of a common mistake: for some operators, and kinds of arguments.
type hint struct {
	names string
	when  func(args []*typed.Type) bool
	help  string
}

func isField(t *typed.Type) bool { return t.Kind == typed.Field }

func isVector(t *typed.Type) bool { return t.Kind == typed.Tensor && len(t.Shape) > 0 }

func anyOf(is func(*typed.Type) bool) func([]*typed.Type) bool {
	return func(args []*typed.Type) bool {
		for _, t := range args {
			if is(t) {
				return true
			}
		}
		return false
	}
}

func kinds(kind typed.Kind) func([]*typed.Type) bool {
	return anyOf(func(t *typed.Type) bool { return t.Kind == kind })
}

func both(is func(*typed.Type) bool) func([]*typed.Type) bool {
	return func(args []*typed.Type) bool { return len(args) == 2 && is(args[0]) && is(args[1]) }
}

func isNumber(t *typed.Type) bool { return t.Kind == typed.Int || t.IsReal() }

func hasShape(t *typed.Type) bool {
	return (t.Kind == typed.Tensor || t.Kind == typed.Field) && len(t.Shape) > 0
}

func otherSpaces(args []*typed.Type) bool {
	return both(isField)(args) && args[0].Dim != args[1].Dim
}

func always([]*typed.Type) bool { return true }

// hints are asked in this order. Names are separated by blanks.
var hints = []hint{
	{"+ - * / • ⊗ × :", otherSpaces, "both fields must be over spaces of one dimension"},
	{"∇", anyOf(func(t *typed.Type) bool { return isField(t) && len(t.Shape) > 0 }), "∇ is the gradient of a scalar field; of others write ∇⊗F, whose last axis is that of the derivative"},
	{"∇⊗", anyOf(func(t *typed.Type) bool { return isField(t) && len(t.Shape) == 0 }), "of a scalar field write ∇F, and ∇⊗∇F for its Hessian"},
	{"∇×", kinds(typed.Field), "the curl is that of a field of 2-vectors over the plane, or of 3-vectors over space"},
	{"∇•", kinds(typed.Field), "the divergence is that of a field whose last axis has as many components as its space has dimensions"},
	{"∇ ∇⊗ ∇• ∇×", kinds(typed.Tensor), "fields are differentiated, not values: ∇F(x) is the gradient at x"},
	{"∇ ∇⊗ ∇• ∇×", kinds(typed.Image), "fields are differentiated: bspln3 ⊛ img is one"},
	{"%", anyOf((*typed.Type).IsReal), "of real numbers the remainder is fmod(x, y)"},
	{"!", always, "only truth values are negated: write x == 0"},
	{"&& ||", always, "both operands are truth values: compare with something, x != 0"},
	{"+ -", func(args []*typed.Type) bool { return anyOf(hasShape)(args) && anyOf((*typed.Type).IsReal)(args) }, "a number has no components: write it as many times as needed, [1.0, 1.0]"},
	{"+ -", both(hasShape), "both operands must have one shape"},
	{"+", kinds(typed.String), "strings are only printed and compared; print takes several values"},
	{"+ - * /", kinds(typed.Bool), "a truth value is no number: write 1 if b else 0"},
	{"+", kinds(typed.Sequence), "sequences are joined by @"},
	{"*", both(hasShape), "which product? • is the inner, ⊗ the outer, × the cross product, modulate(u, v) multiplies the components"},
	{"/", func(args []*typed.Type) bool { return len(args) == 2 && hasShape(args[1]) }, "only numbers divide; the inverse of a matrix is inv(m)"},
	{"•", func(args []*typed.Type) bool { return !both(hasShape)(args) }, "the inner product is that of vectors and matrices; numbers are multiplied by *"},
	{"•", both(hasShape), "the last axis of the first operand and the first one of the second must have one size"},
	{":", both(isNumber), "a range is written low .. high; between tensors : is the product that sums two axes"},
	{":", always, "the last two axes of the first operand are summed with the first two of the second: of two vectors the inner product is u • v"},
	{"×", both(hasShape), "the cross product is that of two vectors of 2, or of 3 components"},
	{"== != < <= > >=", kinds(typed.Field), "fields are not compared, but their values: F(x)"},
	{"== !=", anyOf(isVector), "tensors are not compared: compare components, or |a - b| with a small number"},
	{"< <= > >=", anyOf(isVector), "tensors have no order: compare components, or norms"},
	{"== != < <= > >=", kinds(typed.Sequence), "sequences are not compared: compare their elements, all{ s[i] == t[i] | i in 0 .. n }"},
	{"< <= > >=", kinds(typed.Bool), "truth values have no order: write a && !b; a < b < c is (a < b) < c, write a < b && b < c"},
	{"< <= > >=", kinds(typed.String), "strings are compared by == and != only"},
	{"evals evecs", kinds(typed.Field), "eigenvalues are those of a value, not of a field: evals(∇⊗∇F(x))"},
	{"evals evecs det inv", anyOf(hasShape), "it is that of matrices of 2 or 3 rows"},
	{"trace", anyOf(hasShape), "the last two axes must have one size"},
	{"trace transpose", always, "it is that of a matrix"},
	{"sqrt cos acos sin asin tan atan exp log log2 log10 floor ceil round trunc erf erfc", anyOf(isVector), "it is a function of one number: apply it to each component, [sqrt(v[0]), sqrt(v[1])]"},
	{"sqrt cos acos sin asin tan atan exp", kinds(typed.Field), "it is a function of numbers and scalar fields: apply it to components of the field, sqrt(V[0])"},
	{"clamp mirror wrap", func(args []*typed.Type) bool { return len(args) < 3 && anyOf(isField)(args) }, "images have borders, not fields: bspln3 ⊛ clamp(img)"},
	{"border", func(args []*typed.Type) bool { return len(args) == 2 && args[0].Kind == typed.Image }, "what stands outside has the shape of a sample: border(img, 0.0), of an image of vectors border(img, [0.0, 0.0])"},
	{"border", anyOf(isField), "images have borders, not fields: bspln3 ⊛ border(img, 0.0)"},
	{"log log2 log10 pow atan2 floor ceil round trunc erf erfc fmod max min clamp lerp clerp", kinds(typed.Field), "fields have no such function, but their values have: apply it to F(x)"},
	{"max min", anyOf(isVector), "the greater of two numbers; of the components of a vector, max(v[0], v[1])"},
	{"|x|", kinds(typed.Bool), "only numbers, tensors and fields have norms"},
	{"inside", func(args []*typed.Type) bool { return len(args) == 2 && isField(args[0]) }, "the position stands before the field: inside(x, F)"},
	{"inside", func(args []*typed.Type) bool { return len(args) == 2 && args[1].Kind == typed.Image }, "a field has an inside, which its kernel narrows: inside(x, bspln3 ⊛ img)"},
	{"inside", func(args []*typed.Type) bool { return len(args) == 2 && isField(args[1]) }, "the position has as many components as the space of the field has dimensions"},
	{"∘", func(args []*typed.Type) bool { return len(args) == 2 && isField(args[0]) && isField(args[1]) }, "(F ∘ G)(x) is F(G(x)): G has as many components as the space of F has dimensions"},
	{"∘", always, "fields are composed; the value of one at a place is F(x)"},
	{"⊛", kinds(typed.Field), "a field is convolved already"},
	{"⊛", always, "an image is convolved with a kernel: bspln3 ⊛ img"},
	{"@", always, "two sequences, or a sequence and an element, of one type are joined: s @ x"},
	{"mean variance", kinds(typed.Int), "it is that of real numbers: mean{ real(k) | k in s }"},
	{"all exists", always, "it is about truth values: all{ x > 0.0 | x in s }"},
	{"length", kinds(typed.Tensor), "the length of a vector is |v|; length is that of a sequence"},
	{"size", kinds(typed.Sequence), "the number of elements is length(s); size is that of an image"},
	{"real", anyOf((*typed.Type).IsReal), "it is a real number already"},
	{"clamp", anyOf(isVector), "the bounds are two numbers, or have the shape of the value: clamp(low, high, x)"},
	{"^", kinds(typed.Field), "the exponent of a field is a constant int: F^2, or sqrt(F); its values have all powers, F(x)^1.5"},
	{"^", func(args []*typed.Type) bool { return len(args) == 2 && hasShape(args[0]) }, "numbers and scalar fields have powers; v • v is the square of a vector's norm, m • m that of a matrix"},
	{"sphere", anyOf(func(t *typed.Type) bool { return t.Kind == typed.Tensor && len(t.Shape) > 1 }), "a position is a vector of 2 or 3 components, or a number"},
	{"normalize", kinds(typed.Int), "the direction of a number is x/|x|"},
}

// operandHelp finds the way out of arguments that an operator does not take.
func operandHelp(name string, form typed.Form, args []typed.Expr) string {
	if form == typed.Bars {
		name = "|x|"
	}
	types := make([]*typed.Type, len(args))
	for n, a := range args {
		types[n] = a.Type()
	}
	for _, h := range hints {
		if slices.Contains(strings.Fields(h.names), name) && h.when(types) {
			return h.help
		}
	}
	return ""
}
