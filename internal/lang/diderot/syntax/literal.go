package syntax

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ricci-lang/ricci/internal/lang/token"
	"github.com/ricci-lang/ricci/internal/source"
)

// digits measures the decimal digits at the start of a text.
func digits(text string) int {
	n := 0
	for n < len(text) && token.IsDigit(text[n]) {
		n++
	}
	return n
}

// exponent measures e-10 at the start of a text; 0 if there is none.
func exponent(text string) int {
	if text == "" || text[0] != 'e' && text[0] != 'E' {
		return 0
	}
	sign := 1
	if len(text) > 1 && (text[1] == '+' || text[1] == '-') {
		sign = 2
	}
	if n := digits(text[sign:]); n > 0 {
		return sign + n
	}
	return 0
}

// scanNumber takes 12, or 0.5 and 1.0e-3, which have digits on both sides of the point. What looks like the numbers of
// other languages is reported, and is a number all the same.
func scanNumber(s *token.Scanner) {
	rest := s.Rest()
	length := digits(rest)
	if length > 0 && len(rest) > length+1 && rest[length] == '.' && token.IsDigit(rest[length+1]) {
		length += 1 + digits(rest[length+1:])
		length += exponent(rest[length:])
	}
	whole := length + foreignEnd(s, rest[length:])
	if length == 0 {
		whole = 1 + digits(rest[1:])
		whole += exponent(rest[whole:])
	}
	if whole > length {
		written := rest[:whole]
		s.Errorf(source.CodeDiderotNumber, s.Span(whole), "%s is not a number of the language", written).WithHelp("%s", numberHelp(written))
	}
	s.Emit(token.Number, rest[:whole], whole)
}

// foreignEnd measures what stands directly behind a number and makes it one of another language: a point, or a word
// that is no keyword.
func foreignEnd(s *token.Scanner, rest string) int {
	n := 0
	if strings.HasPrefix(rest, ".") && !strings.HasPrefix(rest, "..") {
		n = 1 + digits(rest[1:])
	}
	word := token.LeadingWord(rest[n:])
	if n == 0 && (keywordsV2[word] || isContinuity(s)) {
		return 0
	}
	if e := exponent(rest[n:]); e > len(word) {
		return n + e
	}
	return n + len(word)
}

// isContinuity reports whether a number stands behind #: "kernel#1 k" needs no blank before the name.
func isContinuity(s *token.Scanner) bool {
	return len(s.Tokens) > 0 && s.Tokens[len(s.Tokens)-1].Is("#")
}

// numberHelp says how the number is written here.
func numberHelp(written string) string {
	if strings.HasPrefix(written, "0x") || strings.HasPrefix(written, "0X") {
		if n, err := strconv.ParseInt(written, 0, 64); err == nil {
			return "numbers are decimal: write " + strconv.FormatInt(n, 10)
		}
	}
	if _, err := strconv.ParseFloat(written, 64); err == nil && !strings.ContainsAny(written, "xX_") {
		before, power := written, ""
		if n := strings.IndexAny(written, "eE"); n >= 0 {
			before, power = written[:n], written[n:]
		}
		whole, fraction, _ := strings.Cut(before, ".")
		zero := func(text string) string {
			if text == "" {
				return "0"
			}
			return text
		}
		return "a real number has digits on both sides of its point: write " + zero(whole) + "." + zero(fraction) + power
	}
	return "a number is 12, 0.5 or 1.0e-3, and has no letters behind it"
}

const stringHelp = `a string has the printable characters of ASCII, and \a \b \f \n \r \t \v \\ \" or \ and three decimal digits up to 255`

// scanString takes a string, which ends on its line. One that goes on in the next line is reported once.
func scanString(s *token.Scanner) {
	rest := s.Rest()
	line := strings.TrimRight(token.Line(rest), "\r")
	length, bad, width := stringLength(line)
	switch {
	case length < 0:
		length = len(line)
		help := `a string ends with " on its line; \n in it is the end of a line`
		if _, below, found := strings.Cut(rest, "\n"); found && strings.Count(token.Line(below), `"`)%2 == 1 {
			length = len(rest) - len(below) + strings.Index(below, `"`) + 1
		}
		s.Errorf(source.CodeDiderotString, s.Span(1), "the string is not closed on its line").WithHelp("%s", help)
	case bad > 0:
		place := source.Span{File: s.File, Start: s.Offset + bad, End: s.Offset + bad + width}
		s.Errorf(source.CodeDiderotString, place, "a string cannot have %s", strconv.QuoteToGraphic(place.Text())).WithHelp("%s", stringHelp)
	}
	s.Emit(stringToken, rest[:length], length)
}

// stringLength measures the string at the start of a line, -1 if it has no end, and finds the first thing in it that
// no string has.
func stringLength(line string) (length, bad, width int) {
	for n := 1; n < len(line); {
		size := 1
		switch c := line[n]; {
		case c == '"':
			return n + 1, bad, width
		case c == '\\':
			var ok bool
			if size, ok = escapeLength(line[n:]); !ok && bad == 0 {
				bad, width = n, size
			}
		case c < ' ' || c > '~':
			if _, size = utf8.DecodeRuneInString(line[n:]); bad == 0 {
				bad, width = n, size
			}
		}
		n += size
	}
	return -1, bad, width
}

// escapeLength measures an escape, and reports whether the language has it.
func escapeLength(text string) (int, bool) {
	if len(text) > 1 && escapes[text[1]] != 0 {
		return 2, true
	}
	if n := min(digits(text[1:]), 3); n > 0 {
		value, err := strconv.Atoi(text[1 : 1+n])
		return 1 + n, n == 3 && err == nil && value < 256
	}
	_, width := utf8.DecodeRuneInString(text[1:])
	return 1 + width, false
}

// escapes are the characters that stand for others behind \.
var escapes = map[byte]byte{'a': '\a', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v', '\\': '\\', '"': '"'}

// Value returns the text that a string of a program without errors stands for.
func (n *String) Value() string {
	var b strings.Builder
	text := strings.TrimSuffix(strings.TrimPrefix(n.Written, `"`), `"`)
	for k := 0; k < len(text); k++ {
		if text[k] != '\\' || k+1 == len(text) {
			b.WriteByte(text[k])
			continue
		}
		k++
		if c := escapes[text[k]]; c != 0 {
			b.WriteByte(c)
		} else if value, err := strconv.ParseUint(text[k:min(k+3, len(text))], 10, 8); err == nil {
			b.WriteByte(byte(value))
			k += 2
		}
	}
	return b.String()
}
