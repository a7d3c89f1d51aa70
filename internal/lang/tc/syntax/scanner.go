package syntax

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ricci-lang/ricci/internal/lang/token"
	"github.com/ricci-lang/ricci/internal/source"
)

// How the scanner works
//
// The tokens are those of package token, found by rules of their own. Three things
// depend on the neighbourhood:
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
type scanner struct{ *token.Scanner }

// scan scans one token, one comment or one mistake.
func scan(scan *token.Scanner) bool {
	s := scanner{scan}
	rest := s.Rest()
	switch c := rest[0]; {
	case c == '#':
		s.LineComment()
	case strings.HasPrefix(rest, "//"):
		s.foreignComment("//", len(token.Line(rest)))
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
	case token.IsDigit(c) || c == '.' && len(rest) > 1 && token.IsDigit(rest[1]):
		s.numberOrWord()
	case token.LeadingWord(rest) != "":
		s.word(len(token.LeadingWord(rest)))
	case s.operator(rest):
	default:
		s.strange(rest)
	}
	return true
}

func (s scanner) foreignComment(marker string, length int) {
	s.Errorf(source.CodeForeignComment, s.Span(len(marker)), "found %s, but a comment starts with #", marker).
		WithHelp("write # before every line of the comment; the division is /, of integers as well")
	s.Newline = s.Newline || strings.Contains(s.Rest()[:length], "\n")
	s.Offset += length
}

// string scans a string, which ends in its line and has no escapes.
func (s scanner) string(quotation byte) {
	line := strings.TrimRight(token.Line(s.Rest()), "\r")
	length := strings.IndexByte(line[1:], quotation) + 2
	switch {
	case length < 2:
		length = len(line)
		s.Errorf(source.CodeString, s.Span(length), "the string that starts here does not end in its line").
			WithHelp("close it with %c", quotation)
		s.Emit(tokenString, `"`+line[1:]+`"`, length)
		return
	case quotation != '"':
		s.Errorf(source.CodeString, s.Span(length), "a string is written in double quotes").
			WithHelp("write %q", line[1:length-1])
	}
	s.Emit(tokenString, `"`+line[1:length-1]+`"`, length)
}

// afterName reports whether a "." here is that of a size access: after a name,
// or directly after the digits of another size access.
func (s scanner) afterName() bool {
	n := len(s.Tokens)
	if n == 0 {
		return false
	}
	last := s.Tokens[n-1]
	isDimension := last.Kind == token.Number && n > 1 && s.Tokens[n-2].Is(".") && last.End == s.Offset
	isResult := last.Is(")") && last.End == s.Offset // a mistake, A(i).0, that the parser explains
	return (last.Kind == token.Word || isDimension || isResult) && !strings.HasPrefix(s.Rest(), "..")
}

// sizeAccess scans "." and the digits after it, which have no fraction.
func (s scanner) sizeAccess() {
	s.Emit(token.Sign, ".", 1)
	s.SkipBlank()
	if rest := s.Rest(); rest != "" && token.IsDigit(rest[0]) {
		if digits := digitsLength(rest); digits == len(token.LeadingWord(rest)) {
			s.Emit(token.Number, rest[:digits], digits)
		}
	}
}

// numberOrWord scans what starts with a digit, or with "." and a digit.
func (s scanner) numberOrWord() {
	rest := s.Rest()
	length, isNumber := numberLength(rest)
	if !isNumber {
		s.word(len(token.LeadingWord(rest)))
		return
	}
	if tail := len(token.LeadingWord(rest[length:])); tail > 0 {
		length += tail
		s.Errorf(source.CodeNumber, s.Span(length), "%s is not a number", quote(rest[:length])).
			WithHelp("numbers are written 3, 0x1F, 1.5, .5, 3e-5 or 1.0f")
		s.Emit(token.Number, "0", length)
		return
	}
	s.Emit(token.Number, rest[:length], length)
}

// word scans a name or a reserved word, or an assignment operator such as min=!.
func (s scanner) word(length int) {
	rest := s.Rest()
	word := rest[:length]
	if after := rest[length:]; wordAssignments[word] && strings.HasPrefix(after, "=") && !strings.HasPrefix(after, "==") {
		length++
		if strings.HasPrefix(after, "=!") && !strings.HasPrefix(after, "=!=") {
			length++
		}
		s.Emit(tokenAssign, rest[:length], length)
		return
	}
	kind := token.Word
	switch {
	case reservedWords[word]:
		kind = tokenKey
	case IsReserved(word):
		kind = tokenScalar
	}
	if r, _ := utf8.DecodeRuneInString(rest[length:]); unicode.IsLetter(r) || unicode.IsNumber(r) {
		length = s.foreignLetters(length)
		word, kind = rest[:length], token.Word
	}
	s.Emit(kind, word, length)
}

// foreignLetters reports a word with letters beyond ASCII, whose first length
// bytes are fine, and returns the length of the whole word.
func (s scanner) foreignLetters(length int) int {
	rest := s.Rest()
	end := strings.IndexFunc(rest[length:], func(r rune) bool {
		return r == utf8.RuneError || r != '_' && !unicode.IsLetter(r) && !unicode.IsNumber(r)
	})
	if end < 0 {
		end = len(rest) - length
	}
	s.Errorf(source.CodeCharacter, s.Span(length+end), "the name %s has letters that are not ASCII", quote(rest[:length+end])).
		WithHelp("names have the letters a-z and A-Z, digits and _; write alpha for α")
	return length + end
}

// operator scans an operator, a bracket, or an operator of another language.
func (s scanner) operator(rest string) bool {
	own, foreign := longestOperator(rest)
	switch {
	case foreign != nil:
		length := len(foreign.text)
		s.Errorf(foreign.code, s.Span(length), "found %s, which is not an operator of the language", quote(foreign.text)).
			WithHelp("%s", foreign.help)
		kind := token.Sign
		if _, ok := assignments[foreign.instead]; ok {
			kind = tokenAssign
		} else if reservedWords[foreign.instead] {
			kind = tokenKey
		}
		s.Emit(kind, foreign.instead, length)
	case own != "":
		kind, length := token.Sign, len(own)
		if _, ok := assignments[own]; ok {
			kind = tokenAssign
		}
		if own == "→" {
			own = "->"
		}
		s.Emit(kind, own, length)
	}
	return foreign != nil || own != ""
}

// longestOperator finds the longest own and the longest foreign operator at the
// start of the text; at most one of them is returned.
func longestOperator(text string) (own string, foreign *foreignOperator) {
	for _, op := range operators {
		if op[0] == text[0] && strings.HasPrefix(text, op) && len(op) > len(own) {
			own = op
		}
	}
	for i := range foreignOperators {
		op := &foreignOperators[i]
		if op.text[0] == text[0] && strings.HasPrefix(text, op.text) && len(op.text) > len(own) && (foreign == nil || len(op.text) > len(foreign.text)) {
			foreign = op
		}
	}
	if foreign != nil {
		return "", foreign
	}
	return own, nil
}

// strange reports characters that no program has.
func (s scanner) strange(rest string) {
	r, size := utf8.DecodeRuneInString(rest)
	if unicode.IsLetter(r) || unicode.IsNumber(r) {
		length := s.foreignLetters(0)
		s.Emit(token.Word, rest[:length], length)
		return
	}
	span := s.Span(size)
	what := fmt.Sprintf("found the character %q (%U)", r, r)
	switch {
	case r == utf8.RuneError && size == 1:
		s.Errorf(source.CodeCharacter, span, "found the byte %#x, which is not valid UTF-8", rest[0]).WithHelp("save the file as UTF-8")
	case unicode.IsSpace(r):
		s.Errorf(source.CodeCharacter, span, "%s, a space that is not the ordinary one", what).WithHelp("replace it with a space")
	case strings.ContainsRune("“”„«»‘’", r):
		s.Errorf(source.CodeCharacter, span, "%s, a typographic quotation mark", what).WithHelp(`strings are written "like this"`)
	case r < ' ' || r == utf8.RuneError || unicode.Is(unicode.C, r):
		s.Errorf(source.CodeCharacter, span, "%s, which cannot be seen", what).WithHelp("delete it")
	default:
		help := "delete it, or put it in a comment after #"
		if r == '@' {
			help = "a product of matrices is C(i,j) +=! A(i,k) * B(k,j)"
		}
		if plain := token.LookAlike(r); plain != "" {
			help = "write " + plain + ", which it looks like"
		}
		s.Errorf(source.CodeCharacter, span, "%s, which has no meaning here", what).WithHelp("%s", help)
	}
	s.Offset += size
}

// numberLength returns the length of the number at the start of the text, which
// starts with a digit or with "." and a digit; false if a word starts there.
func numberLength(text string) (length int, isNumber bool) {
	run := token.LeadingWord(text)
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

func digitsLength(text string) int {
	n := 0
	for n < len(text) && token.IsDigit(text[n]) {
		n++
	}
	return n
}

func isHexadecimal(text string) bool {
	return strings.Trim(text, "0123456789abcdefABCDEF") == ""
}
