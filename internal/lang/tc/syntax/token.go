package syntax

import (
	"github.com/ricci-lang/ricci/internal/lang/token"
	"github.com/ricci-lang/ricci/internal/source"
)

// The kinds of tokens beyond those of all notations. A Word is a name here, a Sign
// every operator or bracket that does not assign.
const (
	tokenKey     = token.Own + iota // a reserved word that is no scalar type
	tokenScalar                     // the word of a scalar type
	tokenString                     // text includes the quotes
	tokenAssign                     // an assignment operator: = += min=! …
	tokenLineEnd                    // only in messages: what is missing at the end of a line
)

// describe names a token in a message.
func describe(t *token.Token) string {
	switch t.Kind {
	case token.End:
		return "the end of the file"
	case tokenLineEnd:
		return "the end of the line"
	case token.Word:
		return "the name " + quote(t.Text)
	case tokenKey:
		return "the reserved word " + quote(t.Text)
	case tokenScalar:
		return "the type " + quote(t.Text)
	case token.Number:
		return "the number " + quote(t.Text)
	case tokenString:
		return "the string " + quote(t.Text)
	}
	return quote(t.Text)
}

// quote sets program text off in a message.
func quote(text string) string {
	const longest = 40
	runes := []rune(text)
	if len(runes) > longest {
		text = string(runes[:longest]) + "…"
	}
	return "'" + text + "'"
}

// operators lists the operators and brackets of the language. The scanner takes
// the longest that matches; an entry that starts with a letter is no operator
// but a word (see scanner.word).
var operators = []string{
	"<=>", "->", "→", "+=!", "*=!", "+=", "*=", "&=!", "|=!", "^=!", "&=", "|=", "^=", "==", "!=", "<=", ">=", "&&", "||", "<<", ">>",
	"(", ")", "{", "}", "[", "]", ",", ";", ":", "?", ".", "+", "-", "*", "/", "%", "<", ">", "=", "!", "&", "|", "^", "~",
}

// assignments are the spellings of the assignment operators.
var assignments = map[string]Assign{
	"=":  {Initialise: true},
	"+=": {Op: "+"}, "+=!": {Op: "+", Initialise: true},
	"*=": {Op: "*"}, "*=!": {Op: "*", Initialise: true},
	"min=": {Op: "min"}, "min=!": {Op: "min", Initialise: true},
	"max=": {Op: "max"}, "max=!": {Op: "max", Initialise: true},
	"&=": {Op: "&"}, "&=!": {Op: "&", Initialise: true},
	"|=": {Op: "|"}, "|=!": {Op: "|", Initialise: true},
	"^=": {Op: "^"}, "^=!": {Op: "^", Initialise: true},
	"argmin=": {Op: "argmin"}, "argmin=!": {Op: "argmin", Initialise: true},
	"argmax=": {Op: "argmax"}, "argmax=!": {Op: "argmax", Initialise: true},
}

// wordAssignments are the words that form an operator with a following '='.
var wordAssignments = map[string]bool{"min": true, "max": true, "argmin": true, "argmax": true}

// A foreign operator belongs to another language. The scanner reports it and
// goes on with the operator that was probably meant, so that one mistake gives
// one message.
type foreignOperator struct {
	text, instead string
	code          source.Code
	help          string
}

// foreignOperators: no entry may be part of a valid program.
var foreignOperators = []foreignOperator{
	{"===", "==", source.CodeForeignOperator, "equality is =="},
	{"...", ":", source.CodeForeignOperator, "a range is lo:hi without hi, as in: where i in 0:N"},
	{"..", ":", source.CodeForeignOperator, "a range is lo:hi without hi, as in: where i in 0:N"},
	{"**", "*", source.CodeForeignOperator, "a power is pow(x, y); a square is x * x"},
	{">>>", ">>", source.CodeForeignOperator, "x >> n keeps the sign of a signed x; of an unsigned one, uint32(x) >> n, zeros come in"},
	{"&^", "&", source.CodeForeignOperator, "write x & ~y"},
	{"<>", "!=", source.CodeForeignOperator, "inequality is !="},
	{"=>", "->", source.CodeForeignOperator, "the outputs of a def follow ->, and a comparison is >="},
	{":=", "=", source.CodeAssignment, "assignment is ="},
	{"-=", "+=", source.CodeAssignment, "a reduction operator must be associative: add the negative, C(i) += -A(i)"},
	{"/=", "*=", source.CodeAssignment, "a reduction operator must be associative: multiply by the inverse, C(i) *= 1 / A(i)"},
	{"%=", "=", source.CodeAssignment, "write C(i) = C(i) % A(i)"},
	{"<<=", "=", source.CodeAssignment, "write C(i) = C(i) << A(i)"},
	{">>=", "=", source.CodeAssignment, "write C(i) = C(i) >> A(i)"},
	{"×", "*", source.CodeCharacter, "multiplication is *"},
	{"·", "*", source.CodeCharacter, "multiplication is *"},
	{"÷", "/", source.CodeCharacter, "division is /"},
	{"−", "-", source.CodeCharacter, "this is the typographic minus sign; write the ASCII character -"},
	{"–", "-", source.CodeCharacter, "this is a typographic dash; write the ASCII character -"},
	{"≤", "<=", source.CodeCharacter, "less or equal is <="},
	{"≥", ">=", source.CodeCharacter, "greater or equal is >="},
	{"≠", "!=", source.CodeCharacter, "inequality is !="},
	{"∈", "in", source.CodeCharacter, "a range is introduced by in, as in: where i in 0:N"},
	{"¬", "!", source.CodeCharacter, "the logical not is !"},
	{"∧", "&&", source.CodeCharacter, "the logical and is &&"},
	{"∨", "||", source.CodeCharacter, "the logical or is ||"},
	{"⇒", "->", source.CodeCharacter, "the outputs of a def follow ->"},
}
