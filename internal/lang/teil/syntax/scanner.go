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

// A token is a word, number or sign.
type token struct {
	kind       tokenKind
	text       string
	start, end int
	newline    bool // the first of its line
	role       role // set by the parser, for the formatter
}

// A role tells the formatter what it cannot see.
type role uint8

const (
	plain     role = iota
	beginning      // of a declaration or statement
	heading        // of a program: def
	applying       // a parenthesis directly behind what it belongs to
	tight          // a sign of a size without blanks around it
	prefix         // a sign before its operand
)

const byteOrderMark = "\uFEFF"

// maxErrors is how many diagnostics of the text are reported.
const maxErrors = 20

// reductions are the words that end in a sign.
var reductions = [...]string{"red+", "red*"}

const signs = "()[],:=+-*/%."

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
	s.newline = true
	s.emit(tokenEnd, 0)
	return s.tokens, s.comments
}

func (s *scanner) emit(kind tokenKind, length int) {
	text := s.file.Text[s.offset : s.offset+length]
	s.tokens = append(s.tokens, token{kind: kind, text: text, start: s.offset, end: s.offset + length, newline: s.newline})
	s.offset += length
	s.newline = false
}

func (s *scanner) next() {
	rest := s.file.Text[s.offset:]
	switch first := rest[0]; {
	case first == '\n':
		s.newline = true
		s.offset++
	case first == ' ' || first == '\t' || first == '\r' || first == '\v' || first == '\f':
		s.offset++
	case first == '#' || strings.HasPrefix(rest, "--"):
		line, _, _ := strings.Cut(rest, "\n")
		text := strings.TrimRight(line, "\r")
		pos := source.Span{File: s.file, Start: s.offset, End: s.offset + len(text)}
		s.comments = append(s.comments, Comment{Pos: pos, Text: text})
		s.offset += len(line)
	case isDigit(first) || first == '.' && len(rest) > 1 && isDigit(rest[1]):
		s.emit(tokenNumber, numberLength(rest))
	case isLetter(first):
		s.emit(tokenWord, wordLength(rest))
	case strings.IndexByte(signs, first) >= 0:
		s.emit(tokenSign, 1)
	default:
		s.unknown(rest)
	}
}

func (s *scanner) unknown(rest string) {
	first, width := utf8.DecodeRuneInString(rest)
	if len(s.diagnostics.List) < maxErrors {
		pos := source.Span{File: s.file, Start: s.offset, End: s.offset + width}
		d := s.diagnostics.Errorf(source.CodeTeILSyntax, pos, "the character %q means nothing here", rest[:width])
		if unicode.IsLetter(first) {
			d.WithHelp("names are made of the letters a to z and A to Z, digits and _")
		} else {
			d.WithHelp("comments start with -- or #")
		}
	}
	s.offset += width
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isLetter says what a word begins with. Names reach C and the command line.
func isLetter(c byte) bool { return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// numberLength measures 12, 0.5 and 1e-3; a name directly behind belongs to it, and
// is refused with it.
func numberLength(text string) int {
	n := 1
	for n < len(text) {
		c := text[n]
		exponent := (c == '+' || c == '-') && (text[n-1] == 'e' || text[n-1] == 'E')
		if !exponent && c != '.' && !isDigit(c) && !isLetter(c) {
			break
		}
		n++
	}
	return n
}

func wordLength(text string) int {
	for _, word := range reductions {
		if strings.HasPrefix(text, word) {
			return len(word)
		}
	}
	n := 1
	for n < len(text) && (isLetter(text[n]) || isDigit(text[n])) {
		n++
	}
	return n
}
