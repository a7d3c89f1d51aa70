package syntax

import "github.com/ricci-lang/ricci/internal/lang/token"

// How Format works
//
// The lines of a def are indented by two columns, the further lines of a statement by
// two more. A comment that stands alone is indented like the next line.

// Format returns the text in the standard layout. The file must have been parsed
// without errors.
func Format(f *File) string { return token.Format(f.Source, f.tokens, f.Comments, &layout{}) }

type layout struct {
	body int // columns before a declaration or statement
}

// Before notes the end of a def.
func (w *layout) Before(t *token.Token) {
	if t.Role == heading {
		w.body = 0
	}
}

// After notes the beginning of a def.
func (w *layout) After(t, _ *token.Token) {
	if t.Role == heading {
		w.body = 2
	}
}

// Indent returns the columns before the first token of a line.
func (w *layout) Indent(t *token.Token) int {
	switch {
	case t.Role == heading || t.Kind == token.End:
		return 0
	case t.Role == token.Beginning:
		return w.body
	}
	return w.body + 2
}

// Closes reports whether a comment is indented further than the token behind it.
func (w *layout) Closes(*token.Token) bool { return false }

// Blanks returns the blanks between two tokens; two stand before another declaration
// in the same line.
func (w *layout) Blanks(a, b *token.Token) int {
	switch {
	case b.Role == token.Beginning:
		return 2
	case a.Role == token.Prefix || a.Role == tight, b.Role == token.Applying || b.Role == tight:
		return 0
	case a.Is("(") || a.Is("["), b.Is(")") || b.Is("]") || b.Is(","):
		return 0
	}
	return 1
}
