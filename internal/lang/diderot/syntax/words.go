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

// otherSigns are the signs for words of other languages between operands.
var otherSigns = map[string]string{"and": "&&", "or": "||", "not": "!", "mod": "%", "div": "/", "is": "=="}

// otherStatements says what is written here for words that begin statements of other languages.
var otherStatements = map[string]string{
	"elseif": "write else if (…) { … }", "elif": "write else if (…) { … }", "elsif": "write else if (…) { … }",
	"while":  "loops are written foreach (int i in 0..n) { … }; what goes on until a condition holds is the strand's update",
	"for":    "loops are written foreach (int i in 0..n) { … }; what goes on until a condition holds is the strand's update",
	"printf": printHelp, "println": printHelp, "puts": printHelp, "echo": printHelp, "cout": printHelp,
	"break": "no loop ends before its last element: give foreach a shorter range, or use a conditional in it",
}

const printHelp = `write print("x = ", x, "\n"); values follow each other as they are`

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
