package syntax

import "github.com/ricci-lang/ricci/internal/source"

// tokenKind groups the tokens.
type tokenKind uint8

const (
	tokenEnd     tokenKind = iota
	tokenWord              // a name
	tokenKey               // a reserved word that is no scalar type
	tokenScalar            // the word of a scalar type
	tokenNumber            // a literal
	tokenString            // text includes the quotes
	tokenAssign            // an assignment operator: = += min=! …
	tokenPunct             // every other operator or bracket
	tokenLineEnd           // only in messages: what is missing at the end of a line
)

// A token is a piece of the text. Its text is canonical ("->" for "→"), its
// place is the piece as written.
type token struct {
	kind       tokenKind
	text       string
	start, end int
	newline    bool // the first token of its line
	damaged    bool // the scanner has reported the token or what is before it
}

// is reports whether the token is the given operator, bracket or reserved word.
func (t token) is(text string) bool {
	return t.text == text && (t.kind == tokenPunct || t.kind == tokenKey || t.kind == tokenAssign)
}

// describe names the token in a message.
func (t token) describe() string {
	switch t.kind {
	case tokenEnd:
		return "the end of the file"
	case tokenLineEnd:
		return "the end of the line"
	case tokenWord:
		return "the name " + quote(t.text)
	case tokenKey:
		return "the reserved word " + quote(t.text)
	case tokenScalar:
		return "the type " + quote(t.text)
	case tokenNumber:
		return "the number " + quote(t.text)
	case tokenString:
		return "the string " + quote(t.text)
	}
	return quote(t.text)
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
	"<=>", "->", "→", "+=!", "*=!", "+=", "*=", "==", "!=", "<=", ">=", "&&", "||",
	"(", ")", "{", "}", "[", "]", ",", ";", ":", "?", ".", "+", "-", "*", "/", "%", "<", ">", "=", "!",
}

// assignments are the spellings of the assignment operators.
var assignments = map[string]Assign{
	"=":  {Initialise: true},
	"+=": {Op: "+"}, "+=!": {Op: "+", Initialise: true},
	"*=": {Op: "*"}, "*=!": {Op: "*", Initialise: true},
	"min=": {Op: "min"}, "min=!": {Op: "min", Initialise: true},
	"max=": {Op: "max"}, "max=!": {Op: "max", Initialise: true},
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

const noBitwise = "there are no bitwise operators; write * and / with a power of two to shift"

// foreignOperators: no entry may be part of a valid program.
var foreignOperators = []foreignOperator{
	{"===", "==", source.CodeForeignOperator, "equality is =="},
	{"...", ":", source.CodeForeignOperator, "a range is lo:hi without hi, as in: where i in 0:N"},
	{"..", ":", source.CodeForeignOperator, "a range is lo:hi without hi, as in: where i in 0:N"},
	{"**", "*", source.CodeForeignOperator, "a power is pow(x, y); a square is x * x"},
	{"^", "*", source.CodeForeignOperator, "a power is pow(x, y); a square is x * x"},
	{"<<", "*", source.CodeForeignOperator, noBitwise},
	{">>", "/", source.CodeForeignOperator, noBitwise},
	{"&", "&&", source.CodeForeignOperator, "the logical and is &&; " + noBitwise},
	{"|", "||", source.CodeForeignOperator, "the logical or is ||; " + noBitwise},
	{"~", "!", source.CodeForeignOperator, "the logical not is !; " + noBitwise},
	{"<>", "!=", source.CodeForeignOperator, "inequality is !="},
	{"=>", "->", source.CodeForeignOperator, "the outputs of a def follow ->, and a comparison is >="},
	{":=", "=", source.CodeAssignment, "assignment is ="},
	{"-=", "+=", source.CodeAssignment, "a reduction operator must be associative: add the negative, C(i) += -A(i)"},
	{"/=", "*=", source.CodeAssignment, "a reduction operator must be associative: multiply by the inverse, C(i) *= 1 / A(i)"},
	{"%=", "=", source.CodeAssignment, "write C(i) = C(i) % A(i)"},
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
