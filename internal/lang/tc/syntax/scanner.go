package syntax

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ricci-lang/ricci/internal/source"
)

// How the scanner works
//
// The whole text becomes a slice of tokens at once, so that the parser can look
// ahead as far as it likes. Newlines separate nothing, but each token knows
// whether it is the first of its line, for recovery. Three things depend on the
// neighbourhood:
//
//   - A word may start with a digit (2LUT). A maximal run of letters, digits and
//     underscores is a number only if it reads as one: 12, 0x1F, 1e5, and 3E when
//     a signed exponent follows.
//   - After a name, "." introduces a size access, so A.0 is not the number .0,
//     and the digits after it do not continue with a fraction.
//   - min, max, argmin and argmax directly followed by "=" (not "==") are
//     assignment operators.
//
// What belongs to other languages is reported here and replaced by what was
// probably meant.
type scanner struct {
	file        *source.File
	diagnostics *source.Diagnostics
	offset, end int
	tokens      []token
	comments    []Comment
	newline     bool
	errors      int
	reported    int // the errors up to the previous token
}

const byteOrderMark = "\uFEFF"

// scan splits a part of the text into tokens, the last of which has the kind tokenEnd, and
// comments.
func scan(file *source.File, start, end int, diagnostics *source.Diagnostics) ([]token, []Comment) {
	s := &scanner{file: file, diagnostics: diagnostics, newline: true, offset: start, end: end}
	if start == 0 && strings.HasPrefix(file.Text, byteOrderMark) {
		s.offset = len(byteOrderMark)
	}
	for s.skipBlank(); s.offset < end; s.skipBlank() {
		s.next()
	}
	s.emit(tokenEnd, "", end)
	return s.tokens, s.comments
}

func (s *scanner) rest() string { return s.file.Text[s.offset:s.end] }

func (s *scanner) span(start, end int) source.Span {
	return source.Span{File: s.file, Start: start, End: end}
}

// errorf reports; beyond maxErrors the diagnostic is not listed.
func (s *scanner) errorf(code source.Code, span source.Span, format string, args ...any) *source.Diagnostic {
	if s.errors++; s.errors > maxErrors {
		return &source.Diagnostic{}
	}
	return s.diagnostics.Errorf(code, span, format, args...)
}

// emit appends the token that reaches from the current offset to end.
func (s *scanner) emit(kind tokenKind, text string, end int) {
	s.tokens = append(s.tokens, token{kind: kind, text: text, start: s.offset, end: end, newline: s.newline,
		damaged: s.errors > s.reported})
	s.offset, s.newline, s.reported = end, false, s.errors
}

// skipBlank passes white space.
func (s *scanner) skipBlank() {
	for s.offset < s.end {
		switch s.file.Text[s.offset] {
		case '\n':
			s.newline = true
		case ' ', '\t', '\r', '\v', '\f':
		default:
			return
		}
		s.offset++
	}
}

// next scans one token, one comment or one mistake.
func (s *scanner) next() {
	rest := s.rest()
	switch c := rest[0]; {
	case c == '#':
		s.comment(lineLength(rest))
	case strings.HasPrefix(rest, "//"):
		s.foreignComment("//", lineLength(rest))
	case strings.HasPrefix(rest, "/*"):
		end := strings.Index(rest, "*/")
		if end < 0 {
			end = len(rest) - 2
		}
		s.foreignComment("/*", end+2)
	case c == '"' || c == '\'':
		s.string(c)
	case c == '.' && s.afterName():
		s.sizeAccess()
	case isDigit(c) || c == '.' && len(rest) > 1 && isDigit(rest[1]):
		s.numberOrWord()
	case isWordByte(c):
		s.word(wordLength(rest))
	case s.operator(rest):
	default:
		s.strange(rest)
	}
}

func (s *scanner) comment(length int) {
	text := strings.TrimRight(s.rest()[:length], "\r")
	s.comments = append(s.comments, Comment{Pos: s.span(s.offset, s.offset+len(text)), Text: text})
	s.offset += length
}

func (s *scanner) foreignComment(marker string, length int) {
	s.errorf(source.CodeForeignComment, s.span(s.offset, s.offset+len(marker)), "found %s, but a comment starts with #", marker).
		WithHelp("write # before every line of the comment; the division is /, of integers as well")
	s.newline = s.newline || strings.Contains(s.rest()[:length], "\n")
	s.offset += length
}

// string scans a string, which ends in its line and has no escapes.
func (s *scanner) string(quotation byte) {
	line := s.rest()[:lineLength(s.rest())]
	line = strings.TrimRight(line, "\r")
	length := strings.IndexByte(line[1:], quotation) + 2
	switch {
	case length < 2:
		length = len(line)
		s.errorf(source.CodeString, s.span(s.offset, s.offset+length), "the string that starts here does not end in its line").
			WithHelp("close it with %c", quotation)
		s.emit(tokenString, `"`+line[1:]+`"`, s.offset+length)
		return
	case quotation != '"':
		s.errorf(source.CodeString, s.span(s.offset, s.offset+length), "a string is written in double quotes").
			WithHelp("write %q", line[1:length-1])
	}
	s.emit(tokenString, `"`+line[1:length-1]+`"`, s.offset+length)
}

// afterName reports whether a "." here is that of a size access: after a name,
// or directly after the digits of another size access.
func (s *scanner) afterName() bool {
	n := len(s.tokens)
	if n == 0 {
		return false
	}
	last := s.tokens[n-1]
	isDimension := last.kind == tokenNumber && n > 1 && s.tokens[n-2].is(".") && last.end == s.offset
	isResult := last.is(")") && last.end == s.offset // a mistake, A(i).0, that the parser explains
	return (last.kind == tokenWord || isDimension || isResult) && !strings.HasPrefix(s.rest(), "..")
}

// sizeAccess scans "." and the digits after it, which have no fraction.
func (s *scanner) sizeAccess() {
	s.emit(tokenPunct, ".", s.offset+1)
	s.skipBlank()
	if rest := s.rest(); rest != "" && isDigit(rest[0]) {
		digits := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
		if digits < 0 {
			digits = len(rest)
		}
		if digits == wordLength(rest) {
			s.emit(tokenNumber, rest[:digits], s.offset+digits)
		}
	}
}

// numberOrWord scans what starts with a digit, or with "." and a digit.
func (s *scanner) numberOrWord() {
	rest := s.rest()
	length, isNumber := numberLength(rest)
	if !isNumber {
		s.word(wordLength(rest))
		return
	}
	if tail := wordLength(rest[length:]); tail > 0 {
		length += tail
		s.errorf(source.CodeNumber, s.span(s.offset, s.offset+length), "%s is not a number", quote(rest[:length])).
			WithHelp("numbers are written 3, 0x1F, 1.5, .5, 3e-5 or 1.0f")
		s.emit(tokenNumber, "0", s.offset+length)
		return
	}
	s.emit(tokenNumber, rest[:length], s.offset+length)
}

// word scans a name or a reserved word, or an assignment operator such as min=!.
func (s *scanner) word(length int) {
	rest := s.rest()
	word := rest[:length]
	if after := rest[length:]; wordAssignments[word] && strings.HasPrefix(after, "=") && !strings.HasPrefix(after, "==") {
		length++
		if strings.HasPrefix(after, "=!") && !strings.HasPrefix(after, "=!=") {
			length++
		}
		s.emit(tokenAssign, rest[:length], s.offset+length)
		return
	}
	kind := tokenWord
	switch {
	case reservedWords[word]:
		kind = tokenKey
	case IsReserved(word):
		kind = tokenScalar
	}
	if r, _ := utf8.DecodeRuneInString(rest[length:]); unicode.IsLetter(r) || unicode.IsNumber(r) {
		length = s.foreignLetters(length)
		word, kind = rest[:length], tokenWord
	}
	s.emit(kind, word, s.offset+length)
}

// foreignLetters reports a word with letters beyond ASCII, whose first length
// bytes are fine, and returns the length of the whole word.
func (s *scanner) foreignLetters(length int) int {
	rest := s.rest()
	end := strings.IndexFunc(rest[length:], func(r rune) bool {
		return r == utf8.RuneError || r != '_' && !unicode.IsLetter(r) && !unicode.IsNumber(r)
	})
	if end < 0 {
		end = len(rest) - length
	}
	s.errorf(source.CodeCharacter, s.span(s.offset, s.offset+length+end), "the name %s has letters that are not ASCII", quote(rest[:length+end])).
		WithHelp("names have the letters a-z and A-Z, digits and _; write alpha for α")
	return length + end
}

// operator scans an operator, a bracket, or an operator of another language.
func (s *scanner) operator(rest string) bool {
	own, foreign := longestOperator(rest)
	switch {
	case foreign != nil:
		end := s.offset + len(foreign.text)
		s.errorf(foreign.code, s.span(s.offset, end), "found %s, which is not an operator of the language", quote(foreign.text)).
			WithHelp("%s", foreign.help)
		kind := tokenPunct
		if _, ok := assignments[foreign.instead]; ok {
			kind = tokenAssign
		} else if reservedWords[foreign.instead] {
			kind = tokenKey
		}
		s.emit(kind, foreign.instead, end)
	case own != "":
		kind, end := tokenPunct, s.offset+len(own)
		if _, ok := assignments[own]; ok {
			kind = tokenAssign
		}
		if own == "→" {
			own = "->"
		}
		s.emit(kind, own, end)
	}
	return foreign != nil || own != ""
}

// longestOperator finds the longest own and the longest foreign operator at the
// start of the text; at most one of them is returned.
func longestOperator(text string) (own string, foreign *foreignOperator) {
	for _, op := range operators {
		if strings.HasPrefix(text, op) && len(op) > len(own) {
			own = op
		}
	}
	for i := range foreignOperators {
		op := &foreignOperators[i]
		if strings.HasPrefix(text, op.text) && len(op.text) > len(own) && (foreign == nil || len(op.text) > len(foreign.text)) {
			foreign = op
		}
	}
	if foreign != nil {
		return "", foreign
	}
	return own, nil
}

// strange reports characters that no program has.
func (s *scanner) strange(rest string) {
	r, size := utf8.DecodeRuneInString(rest)
	if unicode.IsLetter(r) || unicode.IsNumber(r) {
		length := s.foreignLetters(0)
		s.emit(tokenWord, rest[:length], s.offset+length)
		return
	}
	span := s.span(s.offset, s.offset+size)
	what := fmt.Sprintf("found the character %q (%U)", r, r)
	switch {
	case r == utf8.RuneError && size == 1:
		s.errorf(source.CodeCharacter, span, "found the byte %#x, which is not valid UTF-8", rest[0]).WithHelp("save the file as UTF-8")
	case unicode.IsSpace(r):
		s.errorf(source.CodeCharacter, span, "%s, a space that is not the ordinary one", what).WithHelp("replace it with a space")
	case strings.ContainsRune("“”„«»‘’", r):
		s.errorf(source.CodeCharacter, span, "%s, a typographic quotation mark", what).WithHelp(`strings are written "like this"`)
	case r < ' ' || r == utf8.RuneError || unicode.Is(unicode.C, r):
		s.errorf(source.CodeCharacter, span, "%s, which cannot be seen", what).WithHelp("delete it")
	default:
		s.errorf(source.CodeCharacter, span, "%s, which has no meaning here", what).WithHelp("delete it, or put it in a comment after #")
	}
	s.offset += size
}

// numberLength returns the length of the number at the start of the text, which
// starts with a digit or with "." and a digit; false if a word starts there.
func numberLength(text string) (length int, isNumber bool) {
	run := text[:wordLength(text)]
	digits := digitsLength(run)
	after := text[len(run):]
	switch {
	case len(run) > 2 && (run[:2] == "0x" || run[:2] == "0X") && isHexadecimal(run[2:]):
		return len(run), true
	case digits == len(run) && strings.HasPrefix(after, ".") && !strings.HasPrefix(after, ".."):
		length = digits + 1
		length += digitsLength(text[length:])
		return length + exponentLength(text[length:]), true
	case digits == len(run):
		return digits, true
	default:
		// 1e5 and 1e5f are numbers in one run; 3E-5 continues after it.
		if exponent := exponentLength(text[digits:]); exponent > 1 && digits+exponent >= len(run) {
			return digits + exponent, true
		}
		return 0, false
	}
}

// exponentLength returns the length of an exponent and of a suffix f, both of
// which may be absent.
func exponentLength(text string) int {
	length := 0
	if text != "" && (text[0] == 'e' || text[0] == 'E') {
		length = 1
		if len(text) > 1 && (text[1] == '+' || text[1] == '-') {
			length = 2
		}
		digits := digitsLength(text[length:])
		if digits == 0 {
			return 0
		}
		length += digits
	}
	if rest := text[length:]; rest != "" && (rest[0] == 'f' || rest[0] == 'F') {
		length++
	}
	return length
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isWordByte(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
}

// wordLength returns the length of the run of word characters at the start.
func wordLength(text string) int {
	n := 0
	for n < len(text) && isWordByte(text[n]) {
		n++
	}
	return n
}

func digitsLength(text string) int {
	n := 0
	for n < len(text) && isDigit(text[n]) {
		n++
	}
	return n
}

func isHexadecimal(text string) bool {
	return strings.Trim(text, "0123456789abcdefABCDEF") == ""
}

// lineLength returns the length of the first line without its line end.
func lineLength(text string) int {
	if n := strings.IndexByte(text, '\n'); n >= 0 {
		return n
	}
	return len(text)
}
