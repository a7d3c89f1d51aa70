package syntax

import "github.com/ricci-lang/ricci/internal/lang/token"

// How Format works
//
// Lines are indented by two columns for each open bracket, and by two in a statement
// behind its first line. A comment that stands alone is indented like the next line,
// but in front of a closing bracket like what the bracket closes.

// Format returns the text in the standard layout. The file must have been parsed
// without errors.
func Format(f *File) string { return token.Format(f.Source, f.tokens, f.Comments, &layout{}) }

type layout struct {
	depth int // of brackets
}

// Closes reports whether a token is a closing bracket.
func (w *layout) Closes(t *token.Token) bool { return t.Is(")") || t.Is("]") || t.Is("}") }

// Before notes closing brackets.
func (w *layout) Before(t *token.Token) {
	if w.Closes(t) {
		w.depth = max(0, w.depth-1)
	}
}

// After notes opening brackets.
func (w *layout) After(t, _ *token.Token) {
	if t.Is("(") || t.Is("[") || t.Is("{") {
		w.depth++
	}
}

// Indent returns the columns before the first token of a line.
func (w *layout) Indent(t *token.Token) int {
	if t.Role == token.Beginning || t.Is("}") {
		return 2 * w.depth
	}
	return 2 * (w.depth + 1)
}

// Blanks says whether a blank stands between two tokens.
func (w *layout) Blanks(a, b *token.Token) int {
	switch {
	case a.Is(",") && (b.Is(",") || b.Is("]")):
		return 1 // the entry between them is missing
	case a.Role == token.Prefix || a.Is("@") || a.Is(":"):
		return 0
	case a.Is("(") || a.Is("["), b.Is(")") || b.Is("]") || b.Is(",") || b.Is(";") || b.Is(":") || b.Is("..."):
		return 0
	case (b.Is("(") || b.Is("[")) && a.Kind == token.Word:
		if !keywords[a.Text] || a.Text == "codegen" || a.Text == "true" || a.Text == "false" {
			return 0
		}
	case b.Is("[") && (a.Is("]") || a.Is(")")):
		return 0
	}
	return 1
}
