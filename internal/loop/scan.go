package loop

import (
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/lang/token"
	"github.com/ricci-lang/ricci/internal/source"
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

// The kinds of tokens beyond those of all notations; their texts are as written.
const (
	quotedName = token.Own + iota // $"name", with its number
	quotedText                    // "…"
)

var language = token.Language{
	Code: source.LoopSyntax,
	Signs: token.Spellings("..", "<=", ">=", "==", "!=", "&&", "||", "<<", ">>", "&", "|", "^", "{", "}", "(", ")", "[", "]", ",", ";", "=", "+", "-", "*", "/", "%",
		"<", ">", "!"),
	Own:       scan,
	MaxDepth:  400,
	MaxHeight: 100000,
	TooDeep:   "programs that Ricci makes do not nest like this",
}

func isWord(s string) bool { return s != "" && wordLength(s) == len(s) && !strings.Contains(s, ".") }

// wordLength is the length of the word at the start of s, 0 when there is none; i.1 is one word.
func wordLength(s string) int {
	n := len(token.LeadingWord(s))
	if n == 0 || token.IsDigit(s[0]) {
		return 0
	}
	return n + suffixLength(s[n:])
}

// suffixLength is the length of the number that tells equal names apart.
func suffixLength(s string) int {
	n := 1
	for n < len(s) && token.IsDigit(s[n]) {
		n++
	}
	if n == 1 || s[0] != '.' {
		return 0
	}
	return n
}

// scan scans words and what is quoted.
func scan(s *token.Scanner) bool {
	rest := s.Rest()
	if n := wordLength(rest); n > 0 {
		s.Emit(token.Word, rest[:n], n)
		return true
	}
	bare, isName := strings.CutPrefix(rest, "$")
	quoted, err := strconv.QuotedPrefix(bare)
	if err != nil || bare[0] != '"' {
		return false
	}
	kind, n := quotedText, len(quoted)
	if isName {
		kind, n = quotedName, 1+n+suffixLength(bare[n:])
	}
	s.Emit(kind, rest[:n], n)
	return true
}
