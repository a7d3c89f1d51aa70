package token

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ricci-lang/ricci/internal/source"
)

const byteOrderMark = "\uFEFF"

// maxErrors is how many mistakes a scanner reports, and as many a parser.
const maxErrors = 100

// A Scanner holds the place in a part of a file, and what was found before it.
type Scanner struct {
	File        *source.File
	Offset, End int
	Tokens      []Token
	Comments    []Comment
	Newline     bool // the next token is the first of its line
	errors      int  // so far
	reported    int  // the errors up to the previous token
	diagnostics *source.Diagnostics
}

// Rest is the text that is not yet scanned.
func (s *Scanner) Rest() string { return s.File.Text[s.Offset:s.End] }

// Span is the next piece of the text.
func (s *Scanner) Span(length int) source.Span {
	return source.Span{File: s.File, Start: s.Offset, End: s.Offset + length}
}

// Emit appends the token that is the next piece of the text.
func (s *Scanner) Emit(kind Kind, text string, length int) {
	end := s.Offset + length
	if len(s.Tokens) == cap(s.Tokens) {
		s.Tokens = slices.Grow(s.Tokens, len(s.Tokens)+8) // append would copy a long text five times
	}
	s.Tokens = append(s.Tokens, Token{Kind: kind, Text: text, Start: s.Offset, End: end, Newline: s.Newline, Damaged: s.errors > s.reported})
	s.Offset, s.Newline, s.reported = end, false, s.errors
}

// Errorf reports a mistake, unless there were too many. The next token is damaged by it.
func (s *Scanner) Errorf(code source.Code, pos source.Span, format string, args ...any) *source.Diagnostic {
	if s.errors++; s.errors > maxErrors {
		return &source.Diagnostic{}
	}
	return s.diagnostics.Errorf(code, pos, format, args...)
}

// SkipBlank passes white space.
func (s *Scanner) SkipBlank() {
	for s.Offset < s.End {
		switch s.File.Text[s.Offset] {
		case '\n':
			s.Newline = true
		case ' ', '\t', '\r', '\v', '\f':
		default:
			return
		}
		s.Offset++
	}
}

// LineComment passes the rest of the line, which is a comment.
func (s *Scanner) LineComment() {
	line := Line(s.Rest())
	text := strings.TrimRight(line, "\r")
	s.Comments = append(s.Comments, Comment{Pos: s.Span(len(text)), Text: text})
	s.Offset += len(line)
}

// Scan splits a part of a file into tokens, the last of which has the kind End, and comments.
func (l *Language) Scan(file *source.File, start, end int, diagnostics *source.Diagnostics) ([]Token, []Comment) {
	if start == 0 && strings.HasPrefix(file.Text, byteOrderMark) {
		start = len(byteOrderMark)
	}
	s := &Scanner{File: file, Offset: start, End: end, Newline: true, diagnostics: diagnostics}
	for s.SkipBlank(); s.Offset < s.End; s.SkipBlank() {
		if l.Own == nil || !l.Own(s) {
			l.next(s)
		}
	}
	s.Newline = true
	s.Emit(End, "", 0)
	return s.Tokens, s.Comments
}

// next scans one token, comment or mistake.
func (l *Language) next(s *Scanner) {
	rest := s.Rest()
	for _, sign := range l.Comments {
		if strings.HasPrefix(rest, sign) {
			s.LineComment()
			return
		}
	}
	if IsDigit(rest[0]) || l.Point && rest[0] == '.' && len(rest) > 1 && IsDigit(rest[1]) {
		n := numberLength(rest)
		s.Emit(Number, rest[:n], n)
		return
	}
	for _, sign := range l.Signs {
		if sign.Written[0] == rest[0] && strings.HasPrefix(rest, sign.Written) {
			kind := Sign
			if isLetter(sign.ASCII[0]) {
				kind = Word
			}
			s.Emit(kind, sign.ASCII, len(sign.Written))
			return
		}
	}
	if l.Imports && s.Newline && isImport(rest) {
		s.importLine()
		return
	}
	if isLetter(rest[0]) {
		n := len(LeadingWord(rest))
		for n < len(rest) && strings.IndexByte(l.Given, rest[n]) >= 0 {
			n += 1 + len(LeadingWord(rest[n+1:]))
		}
		s.Emit(Word, rest[:n], n)
		return
	}
	l.unknown(s)
}

// importLine scans an import: the word, blanks, and a path in double quotes.
func (s *Scanner) importLine() {
	line := strings.TrimRight(Line(s.Rest()), " \t\r")
	open := strings.IndexAny(line, `"'`)
	length := strings.IndexByte(line[open+1:], line[open])
	if path := s.Span(len(line)); length < 1 || line[open] != '"' {
		s.Errorf(source.CodeImport, path, "an import is the word and the path of a file in double quotes").WithHelp(`write import "softmax.mdh"`)
		s.Emit(Import, "", len(line))
		return
	}
	s.Emit(Import, line[open+1:open+1+length], open+length+2)
}

// isImport reports whether a text begins with the name of a file behind the word import.
func isImport(text string) bool {
	name, ok := strings.CutPrefix(text, "import")
	quoted := strings.TrimLeft(name, " \t")
	return ok && quoted != name && (strings.HasPrefix(quoted, `"`) || strings.HasPrefix(quoted, "'"))
}

// unknown reports a character that no program has.
func (l *Language) unknown(s *Scanner) {
	first, width := utf8.DecodeRuneInString(s.Rest())
	help := ""
	if len(l.Comments) > 0 {
		help = "comments start with " + strings.Join(l.Comments, " or ")
	}
	if unicode.IsLetter(first) {
		help = "names are made of the letters a to z and A to Z, digits and _"
	}
	if plain := LookAlike(first); plain != "" {
		help = "write " + plain + ", which it looks like"
	}
	for _, f := range l.Foreign {
		if strings.ContainsRune(f.Characters, first) {
			help = f.Help
		}
	}
	if d := s.Errorf(l.Code, s.Span(width), "the character %q means nothing here", s.Rest()[:width]); help != "" {
		d.WithHelp("%s", help)
	}
	s.Offset += width
}

// lookAlikes are characters that stand for those of a keyboard, behind each of these, in what is copied
// from papers and other documents.
const lookAlikes = "(（ )） ,，、 ;； :： =＝ [［【 ]］】 {｛ }｝ +＋ -－–—‐‑ *＊∗⋅•∙ /／÷∕ <＜‹〈 >＞›〉 |｜ .．。 #＃ \"“”„ '‘’"

// LookAlike returns what a character looks like, or nothing.
func LookAlike(c rune) string {
	if unicode.IsSpace(c) || c == '\u200b' || c == '\ufeff' {
		return "a space"
	}
	for _, group := range strings.Fields(lookAlikes) {
		if strings.ContainsRune(group[1:], c) {
			return group[:1]
		}
	}
	return ""
}

// IsDigit reports whether a byte is a decimal digit.
func IsDigit(c byte) bool { return '0' <= c && c <= '9' }

// isLetter says what a word begins with. Names reach C and the command line.
func isLetter(c byte) bool { return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// LeadingWord returns the letters, digits and underscores at the start of a text.
func LeadingWord(text string) string {
	n := 0
	for n < len(text) && (isLetter(text[n]) || IsDigit(text[n])) {
		n++
	}
	return text[:n]
}

// Line returns the first line of a text without its end.
func Line(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// numberLength measures 12, 0.5, 1e-3 and 0x1F, which two points end; a name directly behind
// belongs to it, and is refused with it or is its type.
func numberLength(text string) int {
	n := 1
	hexadecimal := strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0X")
	for n < len(text) {
		c := text[n]
		exponent := (c == '+' || c == '-') && !hexadecimal && (text[n-1] == 'e' || text[n-1] == 'E')
		fraction := c == '.' && !strings.HasPrefix(text[n:], "..")
		if !exponent && !fraction && !isLetter(c) && !IsDigit(c) {
			break
		}
		n++
	}
	return n
}
