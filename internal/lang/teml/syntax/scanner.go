package syntax

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ricci-lang/ricci/internal/source"
)

type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	tokenWord
	tokenNumber
	tokenSign
)

// A token is a word, number or sign. Text is the ASCII spelling.
type token struct {
	kind       tokenKind
	text       string
	start, end int
	newline    bool // the first of its line
	starts     bool // the first of a statement, set by the parser
	prefix     bool // a sign before its operand, set by the parser
}

// signs lists the signs, longer ones before their prefixes, with the ASCII
// spelling of each.
var signs = []struct{ written, ascii string }{
	{"→", "->"}, {"↦", "->"}, {"‖", "++"}, {"≤", "<="}, {"≥", ">="}, {"≠", "!="}, {"·", "*"}, {"−", "-"}, {"ε", "ε"},
	{"…", "..."}, {"...", "..."}, {"->", "->"}, {"++", "++"}, {"||", "++"}, {"<=", "<="}, {">=", ">="}, {"==", "=="}, {"!=", "!="},
	{"(", "("}, {")", ")"}, {"[", "["}, {"]", "]"}, {"{", "{"}, {"}", "}"}, {",", ","}, {":", ":"}, {";", ";"}, {"@", "@"},
	{"=", "="}, {"<", "<"}, {">", ">"}, {"+", "+"}, {"-", "-"}, {"*", "*"}, {"/", "/"}, {"%", "%"},
}

const byteOrderMark = "\uFEFF"

// maxErrors is how many diagnostics of the text are reported.
const maxErrors = 20

type scanner struct {
	file        *source.File
	diagnostics *source.Diagnostics
	offset      int
	newline     bool
	tokens      []token
	comments    []Comment
}

// scan splits the text; the last token has the kind tokenEnd.
func scan(file *source.File, diagnostics *source.Diagnostics) ([]token, []Comment) {
	s := &scanner{file: file, diagnostics: diagnostics, newline: true}
	if strings.HasPrefix(file.Text, byteOrderMark) {
		s.offset = len(byteOrderMark)
	}
	for s.offset < len(file.Text) {
		s.next()
	}
	s.emit(tokenEnd, "", 0)
	return s.tokens, s.comments
}

func (s *scanner) emit(kind tokenKind, text string, length int) {
	s.tokens = append(s.tokens, token{kind: kind, text: text, start: s.offset, end: s.offset + length, newline: s.newline})
	s.offset += length
	s.newline = false
}

func (s *scanner) next() {
	rest := s.file.Text[s.offset:]
	first, width := utf8.DecodeRuneInString(rest)
	switch {
	case first == '\n':
		s.newline = true
		s.offset++
	case first == ' ' || first == '\t' || first == '\r' || first == '\v' || first == '\f':
		s.offset++
	case first == '#':
		length := strings.IndexByte(rest, '\n')
		if length < 0 {
			length = len(rest)
		}
		text := strings.TrimRight(rest[:length], "\r")
		s.comments = append(s.comments, Comment{Pos: s.span(len(text)), Text: text})
		s.offset += length
	case first >= '0' && first <= '9':
		s.emit(tokenNumber, rest[:numberLength(rest)], numberLength(rest))
	case isWordByte(rest[0]):
		n := wordLength(rest)
		s.emit(tokenWord, rest[:n], n)
	default:
		s.sign(rest, width)
	}
}

func (s *scanner) span(length int) source.Span {
	return source.Span{File: s.file, Start: s.offset, End: s.offset + length}
}

func (s *scanner) sign(rest string, width int) {
	for _, sign := range signs {
		if strings.HasPrefix(rest, sign.written) {
			s.emit(tokenSign, sign.ascii, len(sign.written))
			return
		}
	}
	if len(s.diagnostics.List) < maxErrors {
		d := s.diagnostics.Errorf(source.CodeTeMLSyntax, s.span(width), "the character %q means nothing here", rest[:width])
		switch first, _ := utf8.DecodeRuneInString(rest); {
		case first == '"' || first == '\'':
			d.WithHelp("there are no strings in a meta-program; tensors and loops are named by plain words")
		case first == '!' || first == '&' || first == '|':
			d.WithHelp("conditions are joined by the words and, or, not")
		case unicode.IsLetter(first):
			d.WithHelp("names are made of the letters a to z and A to Z, digits and _")
		default:
			d.WithHelp("comments start with #")
		}
	}
	s.offset += width
}

// numberLength measures 12, 0.5 and 1e-3; a name directly behind belongs to it, and
// is refused with it.
func numberLength(text string) int {
	n := 1
	for n < len(text) {
		c := text[n]
		sign := (c == '+' || c == '-') && (text[n-1] == 'e' || text[n-1] == 'E')
		if !sign && c != '.' && !isWordByte(c) && !(c >= '0' && c <= '9') {
			break
		}
		n++
	}
	return n
}

// isWordByte says what a word begins with. Names reach C and the command line.
func isWordByte(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func wordLength(text string) int {
	n := 1
	for n < len(text) && (isWordByte(text[n]) || text[n] >= '0' && text[n] <= '9') {
		n++
	}
	return n
}
