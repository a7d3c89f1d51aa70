// Package token is what the syntax of all notations rests on: tokens and the scanner
// that finds them, the core of a recursive descent parser with recovery, and the
// layout of tokens by formatters.
package token

import "github.com/ricci-lang/ricci/internal/source"

// How it works
//
// A Language describes the tokens of a notation as data; Scan splits a whole text by
// it, so that parsers can look ahead as far as they like. Line ends separate nothing,
// but each token knows whether it is the first of its line, for recovery and layout.
// Unicode spellings become their ASCII ones, so that parsers know one of each.
//
// A notation's parser embeds Parser, which holds the place in the tokens and knows
// how mistakes are reported: Fail leaves what is being read, Guard catches that and
// runs the notation's recovery, Declarations goes on where the next declaration begins,
// and Enter bounds the depth of recursion. Format writes the tokens back with their
// comments and line ends; a Layout has the notation's rules for indentation and blanks.
//
// Operators between operands are read by precedence climbing: Infix has the levels as a
// table, and makes the notation's own nodes; package expression has nodes, and a parser of
// whole expressions, that notations share. How deep expressions nest and how many
// operators stand around a value is bounded, for what recurses into trees.
//
// A notation brings rules of its own in Language.Own: Tensor Comprehensions, whose words
// may begin with digits and which explain the operators of other languages, scan every
// token there. The text forms of packages ein and loop are read by this package, too.

// Kind is the class of a token. Those of a notation of its own begin with Own.
type Kind uint8

// The kinds that all notations have.
const (
	End Kind = iota // of the text; the last token
	Word
	Number
	Sign
	Import // the word and the path of a file in quotes
	Own
)

// Role is what a parser notes at a token for the formatter. Those of a notation of
// its own begin with OwnRole.
type Role uint8

// The roles that several notations have.
const (
	Plain     Role = iota
	Beginning      // the first token of a declaration or statement
	Prefix         // a sign before its operand
	Applying       // a parenthesis directly behind what it belongs to, such as the name of a function
	OwnRole
)

// A Token is a piece of the text.
type Token struct {
	Kind       Kind
	Text       string // the ASCII spelling
	Start, End int    // the piece as written
	Newline    bool   // the first of its line
	Damaged    bool   // the scanner has reported the token or what is before it
	Role       Role
}

// Is reports whether the token is a sign or word.
func (t *Token) Is(text string) bool { return t.Text == text && t.Kind != Number && t.Kind != Import }

// A Comment reaches from its sign to the end of the line, or to the sign that ends it.
type Comment struct {
	Pos  source.Span
	Text string
}

// An Imported is an import: the path of a file, and where it stands.
type Imported struct {
	Pos  source.Span
	Path string
}

// A Name is a word of the program.
type Name struct {
	Pos  source.Span
	Name string
}

// A Language is the notation as scanner and parser see it.
type Language struct {
	Code     source.Code // of mistakes in the syntax
	Comments []string    // the signs that begin a comment
	Signs    []Spelling  // longer ones before their prefixes
	Point    bool        // numbers may begin with a point
	// Given has characters that stand in names of what Ricci makes, behind the first letter: a
	// program may use such names, and defines none.
	Given    string
	Reserved func(word string) bool
	Foreign  []Foreign // characters that are used for something elsewhere
	// Imports says that import "…" at the beginning of a line names another file.
	Imports bool
	// Own scans one token, comment or mistake that other notations have not, such as a string,
	// and reports whether there was one; nil if there is nothing of that kind.
	Own func(s *Scanner) bool
	// MaxDepth is how deep expressions may be nested, and MaxHeight how many operators may stand around
	// a value, as a + b + c … has as many around a as there are. What recurses into trees stays within the
	// stack. TooDeep says what to do about it.
	MaxDepth, MaxHeight int
	TooDeep             string
	// CodeTooDeep is of those that are; Code if empty.
	CodeTooDeep source.Code
}

// A Spelling is a sign as it may be written, and in ASCII. One whose ASCII spelling
// begins with a letter is a word.
type Spelling struct{ Written, ASCII string }

// Foreign is help for characters that mean nothing in the notation.
type Foreign struct{ Characters, Help string }

// Spellings is the table of signs that are written in ASCII.
func Spellings(signs ...string) []Spelling {
	table := make([]Spelling, len(signs))
	for n, sign := range signs {
		table[n] = Spelling{sign, sign}
	}
	return table
}
