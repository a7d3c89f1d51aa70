package syntax

import (
	"sort"

	"github.com/ricci-lang/ricci/tensor"
)

// scalarWords are the words of the scalar types.
var scalarWords = map[string]tensor.DType{
	"bool":     tensor.Bool,
	"int8":     tensor.Int8,
	"int16":    tensor.Int16,
	"int32":    tensor.Int32,
	"int64":    tensor.Int64,
	"uint8":    tensor.Uint8,
	"uint16":   tensor.Uint16,
	"uint32":   tensor.Uint32,
	"uint64":   tensor.Uint64,
	"float16":  tensor.Float16,
	"bfloat16": tensor.BFloat16,
	"float32":  tensor.Float32,
	"float64":  tensor.Float64,
	"int":      tensor.Int32,
	"byte":     tensor.Uint8,
	"half":     tensor.Float16,
	"float":    tensor.Float32,
	"double":   tensor.Float64,
}

// foreignScalars are type words of other languages, with the word that a user
// of Ricci writes instead.
var foreignScalars = map[string]string{
	"f16": "float16", "f32": "float32", "f64": "float64", "bf16": "bfloat16",
	"i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
	"u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
	"boolean": "bool", "char": "int8", "short": "int16", "long": "int64", "integer": "int32",
	"uint": "uint32", "unsigned": "uint32", "size_t": "uint64", "real": "float32", "number": "float32", "tensor": "float32",
}

// reservedWords cannot be names, besides the scalar types.
var reservedWords = map[string]bool{
	"def": true, "where": true, "in": true, "exists": true, "import": true, "scan": true, "min": true, "max": true,
}

// foreignStatements are words that begin a statement in other languages, with
// what to do instead. They are no reserved words.
var foreignStatements = map[string]string{
	"for":    "loops are implied by the indices: C(i) = 2 * A(i) runs over every i; give a range with: where i in 0:N",
	"while":  "loops are implied by the indices: C(i) = 2 * A(i) runs over every i",
	"if":     "choose values with a conditional: C(i) = A(i) > 0 ? A(i) : 0",
	"else":   "choose values with a conditional: C(i) = A(i) > 0 ? A(i) : 0",
	"return": "results are assigned to the names after ->",
	"let":    "a name for a part of one statement is given after it: where x = A(i); a tensor is simply assigned: t(i) = A(i)",
	"var":    "a temporary is simply assigned: t(i) = A(i)",
	"const":  "a temporary is simply assigned: t(i) = A(i)",
	"print":  "results are assigned to the names after ->; ricci run prints them",
}

// wordOperators are words that other languages have between or before values.
// They are no reserved words.
var wordOperators = map[string]string{
	"and":  "the logical and is &&: a && b",
	"or":   "the logical or is ||: a || b",
	"not":  "the logical not is !: !a",
	"if":   "a conditional is written c ? a : b",
	"then": "a conditional is written c ? a : b",
	"else": "a conditional is written c ? a : b",
	"is":   "equality is ==",
	"mod":  "the remainder is %: a % b",
	"div":  "the quotient is /: a / b",
	"xor":  "of integers it is ^, of two conditions !=: (a) != (b)",
}

// foreignReductions says how a reduction is written whose operator other
// languages name so.
var foreignReductions = map[string]string{
	"sum": "a sum is +=!", "add": "a sum is +=!", "plus": "a sum is +=!",
	"prod": "a product is *=!", "mul": "a product is *=!",
	"mean": "a mean is a sum, s +=! A(i), and a statement that divides it: m = s / N",
	"avg":  "a mean is a sum, s +=! A(i), and a statement that divides it: m = s / N",
	"any":  "of conditions it is max=!", "all": "of conditions it is min=!",
	"or": "of conditions it is max=!, of the bits of integers |=!", "and": "of conditions it is min=!, of the bits of integers &=!",
}

// ScalarType returns the element type that a type word of the language means,
// such as float32 for "float".
func ScalarType(word string) (tensor.DType, bool) {
	d, ok := scalarWords[word]
	return d, ok
}

// IsReserved reports whether a word cannot be a name.
func IsReserved(word string) bool {
	_, isScalar := scalarWords[word]
	return isScalar || reservedWords[word]
}

// ScalarWords lists the words of the scalar types in alphabetical order.
func ScalarWords() []string {
	words := make([]string, 0, len(scalarWords))
	for word := range scalarWords {
		words = append(words, word)
	}
	sort.Strings(words)
	return words
}
