package ein

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ricci-lang/ricci/internal/lang/token"
	"github.com/ricci-lang/ricci/internal/source"
)

// The kinds of tokens beyond those of all notations; their texts are as written.
const (
	quotedName = token.Own + iota // a name in backquotes
	quotedText                    // a Go string literal
)

// language has numbers such as 3i64 and 1e-05f32.
var language = token.Language{
	Code:     source.EinSyntax,
	Comments: []string{"#"},
	Signs: token.Spellings("<=", ">=", "==", "!=", "&&", "||", "<<", ">>", "&", "^",
		"{", "}", "(", ")", "[", "]", ",", ":", "=", "+", "-", "*", "/", "%", "<", ">", "!", "?", "|"),
	Own:       scan,
	MaxDepth:  500,
	MaxHeight: 100000,
	TooDeep:   "bind parts of it with let",
}

// scan scans words and what is quoted.
func scan(s *token.Scanner) bool {
	rest := s.Rest()
	if n := wordLength(rest); n > 0 {
		s.Emit(token.Word, rest[:n], n)
		return true
	}
	switch rest[0] {
	case '`':
		if n := 1 + strings.IndexAny(rest[1:], "`\n"); n > 0 && rest[n] == '`' {
			s.Emit(quotedName, rest[:n+1], n+1)
			return true
		}
		s.Errorf(source.EinSyntax, s.Span(1), "found an unfinished quoted name")
	case '"':
		if quoted, err := strconv.QuotedPrefix(rest); err == nil {
			s.Emit(quotedText, quoted, len(quoted))
			return true
		}
		s.Errorf(source.EinSyntax, s.Span(1), "found an unfinished string")
	default:
		return false
	}
	s.Offset++
	return true
}

// wordLength measures a word; those of size expressions may begin with any digit, and are numbers
// here where it is one of 0 to 9.
func wordLength(text string) int {
	for i, r := range text {
		if r == utf8.RuneError || !isWordRune(r, i == 0 && r < utf8.RuneSelf) {
			return i
		}
	}
	return len(text)
}
