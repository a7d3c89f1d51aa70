package loop

import (
	"strconv"
	"strings"
)

// reserved are the words of the text form that name nothing else.
var reserved = func() map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(`kernel workspace var buffer params site require for parallel unrolled if else let alloc store check comment
		step mask argument private register readonly nonnegative low at true false min max muladd dot select cast broadcast ramp fold shift lane stream inf nan`) {
		set[w] = true
	}
	return set
}()

// tokenKind is the class of a token.
type tokenKind uint8

const (
	endToken    tokenKind = iota
	wordToken             // a name or a reserved word; i.1 is one word
	quotedToken           // $"name", with its number: the text is the name as written
	stringToken           // "…", unquoted
	numberToken           // without a sign
	symbolToken
	badToken
)

type token struct {
	kind       tokenKind
	text       string
	start, end int
}

// symbols lists the operators, longer ones first.
var symbols = []string{"..", "<=", ">=", "==", "!=", "&&", "||", "{", "}", "(", ")", "[", "]", ",", ";", "=", "+", "-", "*", "/", "%", "<", ">", "!"}

func isWord(s string) bool { return s != "" && wordLength(s) == len(s) && !strings.Contains(s, ".") }

// wordLength is the length of the word at the start of s, 0 when there is none.
func wordLength(s string) int {
	n := 0
	for n < len(s) && (s[n] == '_' || s[n] >= 'a' && s[n] <= 'z' || s[n] >= 'A' && s[n] <= 'Z' || n > 0 && isDigit(s[n])) {
		n++
	}
	if n == 0 {
		return 0
	}
	return n + suffixLength(s[n:])
}

// suffixLength is the length of the number that tells equal names apart.
func suffixLength(s string) int {
	n := 1
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	if n == 1 || s[0] != '.' {
		return 0
	}
	return n
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// scan returns the token at or after pos.
func scan(text string, pos int) token {
	for pos < len(text) && strings.IndexByte(" \t\r\n", text[pos]) >= 0 {
		pos++
	}
	rest := text[pos:]
	switch {
	case rest == "":
		return token{endToken, "the end", pos, pos}
	case wordLength(rest) > 0:
		n := wordLength(rest)
		return token{wordToken, rest[:n], pos, pos + n}
	case isDigit(rest[0]):
		n := numberLength(rest)
		return token{numberToken, rest[:n], pos, pos + n}
	case rest[0] == '"', strings.HasPrefix(rest, `$"`):
		return scanQuoted(rest, pos)
	}
	for _, s := range symbols {
		if strings.HasPrefix(rest, s) {
			return token{symbolToken, s, pos, pos + len(s)}
		}
	}
	return token{badToken, rest[:1], pos, pos + 1}
}

func scanQuoted(rest string, pos int) token {
	kind, skip := stringToken, 0
	if rest[0] == '$' {
		kind, skip = quotedToken, 1
	}
	quoted, err := strconv.QuotedPrefix(rest[skip:])
	if err != nil {
		return token{badToken, rest[:1], pos, pos + 1}
	}
	n := skip + len(quoted)
	if kind == quotedToken {
		n += suffixLength(rest[n:])
		return token{quotedToken, rest[:n], pos, pos + n}
	}
	value, err := strconv.Unquote(quoted)
	if err != nil {
		return token{badToken, quoted, pos, pos + n}
	}
	return token{stringToken, value, pos, pos + n}
}

// numberLength is the length of an unsigned number: decimal, hexadecimal, or a
// float with an exponent that may have a sign. ".." ends it.
func numberLength(s string) int {
	n := 0
	for n < len(s) {
		c := s[n]
		exponentSign := (c == '+' || c == '-') && (s[n-1] == 'e' || s[n-1] == 'E') && !strings.HasPrefix(s, "0x")
		fraction := c == '.' && !strings.HasPrefix(s[n:], "..")
		if !isDigit(c) && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !fraction && !exponentSign {
			break
		}
		n++
	}
	return n
}
