package syntax

import "github.com/ricci-lang/ricci/internal/lang/token"

// How Format works
//
// Lines are indented by two columns for each open bracket, and by two in a
// declaration behind its first line; the steps of a composition and the value of a let
// that begins on a line of its own by two more. A comment that stands alone is indented like the next line, but in
// front of a closing bracket like what the bracket closes.

// Format returns the text in the standard layout. The file must have been parsed
// without errors.
func Format(f *File) string { return token.Format(f.Source, f.tokens, f.Comments, &layout{}) }

type layout struct {
	depth int // of brackets, and of lets that are indented
	lets  []letValue
}

// A letValue is a let of which the ; has not come yet.
type letValue struct {
	begun    bool // the = was there
	indented bool // the value began on the next line
}

// Closes reports whether a token is a closing bracket.
func (w *layout) Closes(t *token.Token) bool {
	return t.Is(")") || t.Is("]") || t.Is("}") || t.Is(">") && t.Role == angle
}

// Before notes closing brackets; a declaration begins at the margin.
func (w *layout) Before(t *token.Token) {
	switch {
	case t.Role == token.Beginning:
		w.depth = 0
		w.lets = w.lets[:0]
	case w.Closes(t):
		w.depth = max(0, w.depth-1)
	}
}

// After notes opening brackets and lets.
func (w *layout) After(t, next *token.Token) {
	top := len(w.lets) - 1
	switch {
	case t.Is("(") || t.Is("[") || t.Is("{") || t.Is("<") && t.Role == angle:
		w.depth++
	case t.Role == deeper:
		w.depth++
	case t.Is("let"):
		w.lets = append(w.lets, letValue{})
	case t.Is("=") && top >= 0 && !w.lets[top].begun:
		w.lets[top] = letValue{begun: true, indented: next.Newline}
		if next.Newline {
			w.depth++
		}
	case t.Is(";") && top >= 0:
		if w.lets[top].indented {
			w.depth--
		}
		w.lets = w.lets[:top]
	}
}

// Indent returns the columns before the first token of a line.
func (w *layout) Indent(t *token.Token) int {
	if t.Role == token.Beginning {
		return 0
	}
	return 2 * (w.depth + 1)
}

// Blanks says whether a blank stands between two tokens.
func (w *layout) Blanks(a, b *token.Token) int {
	switch {
	case a.Role == token.Prefix, a.Role == joined, b.Role == joined, a.Is("."), b.Is("."):
		return 0
	case a.Is("(") || a.Is("["), b.Is(")") || b.Is("]") || b.Is(",") || b.Is(";") || b.Is(":"):
		return 0
	case a.Is("<") && a.Role == angle, b.Is(">") && b.Role == angle, b.Is("<") && b.Role == angle:
		return 0
	case a.Is("{") && a.Role == tight, b.Is("}") && b.Role == tight:
		return 0
	case b.Is("(") && (b.Role == token.Applying || a.Kind == token.Word && !blankBefore[a.Text]):
		return 0
	case b.Is("(") && a.Is(">") && a.Role == angle:
		return 0
	case b.Is("[") && !a.Is("=") && !a.Is(","), a.Is("++") && (isPrefixSum(b) || isPrefix(b)):
		return 0
	}
	return 1
}

// blankBefore lists the words that are no names of what stands in parentheses.
var blankBefore = map[string]bool{
	"if": true, "then": true, "else": true, "with": true, "while": true, "do": true, "let": true, "and": true, "or": true,
	"not": true, "identity": true, "fill": true, "in": true, "op": true, "fun": true, "where": true,
}
