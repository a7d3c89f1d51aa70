package ein

import (
	"strings"
	"unicode/utf8"

	"github.com/ricci-lang/ricci/internal/source"
)

// tokenKind is the class of a token of the text form.
type tokenKind uint8

const (
	endToken    tokenKind = iota
	wordToken             // a name or a reserved word
	quotedToken           // a name in backquotes; text is without them
	numberToken           // 3i64, 1e-05f32
	stringToken           // a Go string literal, still quoted
	symbolToken
	badToken
)

// A token is a piece of the text form.
type token struct {
	kind       tokenKind
	text       string
	start, end int
}

// symbols lists the operators and brackets, longer ones first.
var symbols = []string{"<=", ">=", "==", "!=", "&&", "||",
	"{", "}", "(", ")", "[", "]", ",", ":", "=", "+", "-", "*", "/", "%", "<", ">", "!", "?", "|"}

// scan returns the token at or after pos.
func scan(file *source.File, pos int) token {
	text := file.Text
	pos = skipBlank(text, pos)
	if pos >= len(text) {
		return token{kind: endToken, start: len(text), end: len(text)}
	}
	if n := numberLength(text[pos:]); n > 0 {
		return token{numberToken, text[pos : pos+n], pos, pos + n}
	}
	if n := wordLength(text[pos:]); n > 0 {
		return token{wordToken, text[pos : pos+n], pos, pos + n}
	}
	switch text[pos] {
	case '`':
		if n := strings.IndexAny(text[pos+1:], "`\n"); n >= 0 && text[pos+1+n] == '`' {
			return token{quotedToken, text[pos+1 : pos+1+n], pos, pos + n + 2}
		}
		return token{badToken, "an unfinished quoted name", pos, pos + 1}
	case '"':
		return scanString(text, pos)
	}
	for _, s := range symbols {
		if strings.HasPrefix(text[pos:], s) {
			return token{symbolToken, s, pos, pos + len(s)}
		}
	}
	_, n := utf8.DecodeRuneInString(text[pos:])
	return token{badToken, "a character that means nothing here", pos, pos + n}
}

// skipBlank skips white space and comments, from # to the end of the line.
func skipBlank(text string, pos int) int {
	for pos < len(text) {
		switch text[pos] {
		case ' ', '\t', '\r', '\n':
			pos++
		case '#':
			if n := strings.IndexByte(text[pos:], '\n'); n >= 0 {
				pos += n
			} else {
				pos = len(text)
			}
		default:
			return pos
		}
	}
	return pos
}

// numberLength measures a number with its type suffix; a sign belongs to it only
// in an exponent.
func numberLength(text string) int {
	if text[0] < '0' || text[0] > '9' {
		return 0
	}
	n := 1
	for ; n < len(text); n++ {
		c := text[n]
		exponent := (c == '+' || c == '-') && (text[n-1] == 'e' || text[n-1] == 'E')
		if !exponent && c != '.' && !(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') {
			break
		}
	}
	return n
}

func wordLength(text string) int {
	for i, r := range text {
		if r == utf8.RuneError || !isWordRune(r, i == 0) {
			return i
		}
	}
	return len(text)
}

func scanString(text string, pos int) token {
	for i := pos + 1; i < len(text) && text[i] != '\n'; i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return token{stringToken, text[pos : i+1], pos, i + 1}
		}
	}
	return token{badToken, "an unfinished string", pos, pos + 1}
}
