package syntax

import "strings"

// set makes a table of words.
func set(words string) map[string]bool {
	table := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		table[word] = true
	}
	return table
}

// The words that cannot be names.
var (
	keywordsV1 = set(`bool continue die else false field foreach function global identity if image in inf initially input int kernel load nan
		new output print real return stabilize strand string tensor true update vec2 vec3 vec4 zeros`)
	keywordsV2 = set(`bool const continue create_array create_collection die else false field foreach function identity if image in inf
		initialize input int kernel load_image load_sequence mat2 mat3 mat4 nan new output print real return stabilize start strand string tensor
		true update vec2 vec3 vec4 zeros`)
)

// typeWords begin a type.
var typeWords = set("image field kernel tensor bool int real string vec2 vec3 vec4 mat2 mat3 mat4")

// statementWords begin a statement, or another member of a strand.
var statementWords = set("if foreach print new stabilize die continue return output update start initialize")

// assignments are the signs of assignments.
var assignments = set("= += -= *= /= %=")

// levels of the operators between operands, from the loosest. They associate to the left; the conditional and ranges
// are looser, ^ and what stands before and behind an operand are tighter.
var infix = map[string]int{
	"||": 1, "&&": 2, "<": 3, "<=": 3, "==": 3, "!=": 3, ">=": 3, ">": 3,
	"+": 4, "-": 4, "@": 4,
	"*": 5, "/": 5, "%": 5, "⊛": 5, "•": 5, "×": 5, "⊗": 5, ":": 5,
	"∘": 6,
}
