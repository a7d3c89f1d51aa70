package syntax

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ricci-lang/ricci/internal/lang/token"
	"github.com/ricci-lang/ricci/internal/source"
)

// The kinds of tokens beyond those of all notations.
const (
	stringToken  = token.Own + iota // with its quotes
	versionToken                    // the version line; Text is what stands behind #version
)

// The roles of tokens beyond those of all notations.
const (
	blockBrace  = token.OwnRole + iota // { and } around statements
	wideBrace                          // { and } around a comprehension
	reduceBrace                        // { of a reduction, behind its name
	openBar                            // | before what a norm is taken of
	closeBar                           // | behind it
	wideRange                          // .. with an operator in one of its ends
)

// greek are the Greek letters of names. π alone is the number.
const greek = "αβγζηθλμξπρστφψω"

const namesHelp = "names begin with a letter a to z, A to Z or one of " + greek + "; digits, _ and ' may follow"

// languageOf describes the tokens of a version, which differ only in their keywords.
func languageOf(version string) *token.Language {
	words := keywordsV2
	if version == V1 {
		words = keywordsV1
	}
	return &token.Language{
		Code:     source.CodeDiderotSyntax,
		Comments: []string{"//"},
		Signs: append([]token.Spelling{{Written: "⋅", ASCII: "•"}}, token.Spellings(
			"∇⊗", "∇•", "∇×", "∇", "⊛", "•", "×", "⊗", "∘", "∞", "..", "+=", "-=", "*=", "/=", "%=", "||", "&&", "<=", ">=", "==", "!=",
			"(", ")", "[", "]", "{", "}", "<", ">", ",", ":", ";", "=", "+", "-", "*", "/", "%", "^", "!", ".", "|", "@", "#")...),
		Reserved: func(word string) bool { return words[word] },
		Foreign: []token.Foreign{
			{Characters: "'", Help: "strings stand in double quotes"},
			{Characters: "?", Help: "a choice between two values is written: this if condition else that"},
			{Characters: "&", Help: "the logical and is written &&"},
			{Characters: "~", Help: "the logical not is written !"},
			{Characters: "∙·⋆∗", Help: "the inner product is • (U+2022) or ⋅ (U+22C5), the product of numbers *"},
			{Characters: "⨂⨯✕✖", Help: "the cross product is × (U+00D7), the outer product ⊗ (U+2297)"},
			{Characters: "⊙⊚⨀", Help: "the convolution is ⊛ (U+229B)"},
			{Characters: "°◦○", Help: "fields are composed by ∘ (U+2218)"},
			{Characters: "≤≥≠", Help: "comparisons are written <=, >= and !="},
			{Characters: "∧∨¬", Help: "conditions are joined by && and ||, and negated by !"},
			{Characters: "∈", Help: "write in"},
			{Characters: "√", Help: "write sqrt(x)"},
			{Characters: "²³⁴ⁿ", Help: "write x^2, x^3, …"},
			{Characters: "∂Δ", Help: "derivatives are written with ∇, ∇⊗, ∇• and ∇×"},
			{Characters: "`$\\", Help: "comments start with // or stand between /* and */"},
		},
		Own:         scan,
		CodeTooDeep: source.CodeDiderotTooDeep,
		MaxDepth:    200,
		MaxHeight:   10000,
		TooDeep:     "give parts of it names, in variables or functions",
	}
}

// scan finds what the tokens of other notations do not have: the version line, comments between signs, strings,
// Diderot's numbers and names.
func scan(s *token.Scanner) bool {
	rest := s.Rest()
	switch c := rest[0]; {
	case strings.HasPrefix(rest, "#version"):
		scanVersion(s)
	case strings.HasPrefix(rest, "/*"):
		scanComment(s)
	case c == '"':
		scanString(s)
	case token.IsDigit(c), c == '.' && len(rest) > 1 && token.IsDigit(rest[1]):
		scanNumber(s)
	default:
		return scanName(s)
	}
	return true
}

// scanVersion takes the version line up to a comment.
func scanVersion(s *token.Scanner) {
	line, _, _ := strings.Cut(token.Line(s.Rest()), "//")
	line = strings.TrimRight(line, " \t\r")
	if strings.Trim(s.File.Text[:s.Offset], "\uFEFF") != "" {
		s.Errorf(source.CodeDiderotVersion, s.Span(len(line)), "the version line is not the first line").
			WithHelp("nothing stands before it, not even a comment or an empty line")
	}
	s.Emit(versionToken, strings.TrimSpace(line[len("#version"):]), len(line))
}

// scanComment passes a comment between /* and */.
func scanComment(s *token.Scanner) {
	rest := s.Rest()
	length := strings.Index(rest[2:], "*/") + 4
	if length < 4 {
		s.Errorf(source.CodeDiderotComment, s.Span(2), "the comment is not closed").WithHelp("a comment that begins with /* ends with */")
		length = len(rest)
	}
	s.Comments = append(s.Comments, token.Comment{Pos: s.Span(length), Text: rest[:length]})
	s.Newline = s.Newline || strings.Contains(rest[:length], "\n")
	s.Offset += length
}

// scanName takes a word. One with a letter that names do not have is reported, and is a word all the same.
func scanName(s *token.Scanner) bool {
	rest, length, bad := s.Rest(), 0, -1
	for length < len(rest) {
		r, width := utf8.DecodeRuneInString(rest[length:])
		ascii := r < utf8.RuneSelf
		letter := unicode.IsLetter(r) && (ascii || strings.ContainsRune(greek, r))
		follows := length > 0 && (r == '\'' || ascii && unicode.IsDigit(r) || r == '_')
		switch {
		case !letter && !follows && !unicode.IsLetter(r) && r != '_':
			width = 0
		case !letter && !follows && bad < 0:
			bad = length
		}
		if width == 0 {
			break
		}
		length += width
	}
	if length == 0 {
		return false
	}
	if bad >= 0 {
		_, width := utf8.DecodeRuneInString(rest[bad:])
		place := source.Span{File: s.File, Start: s.Offset + bad, End: s.Offset + bad + width}
		s.Errorf(source.CodeDiderotSyntax, place, "a name cannot have the character %q here", place.Text()).WithHelp("%s", namesHelp)
	}
	kind := token.Word
	if rest[:length] == "π" {
		kind = token.Sign
	}
	s.Emit(kind, rest[:length], length)
	return true
}
