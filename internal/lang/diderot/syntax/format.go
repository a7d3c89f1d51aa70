package syntax

import "github.com/ricci-lang/ricci/internal/lang/token"

// How Format works
//
// The parser notes the level of every token that begins a statement, a member or a part of the program, and of the
// brace that ends a block; a line that begins with another token goes on with a statement, and is indented by one level
// more, and one for each bracket that is open in it beyond the first. The version line is not touched.

// Format returns the text in the standard layout, in the version in which it is written. The file must have been
// parsed without errors.
func Format(f *File) string {
	return token.Format(f.Source, f.tokens, f.Comments, &layout{levels: f.levels})
}

type layout struct {
	levels map[int]int
	level  int // of the statement
	open   int // brackets of the statement
}

// opens and closes are the brackets of expressions and types.
func opens(t *token.Token) bool {
	return t.Kind == token.Sign && (t.Is("(") || t.Is("[") || t.Is("{") && t.Role != blockBrace)
}

func closes(t *token.Token) bool {
	return t.Kind == token.Sign && (t.Is(")") || t.Is("]") || t.Is("}") && t.Role != blockBrace)
}

// Before notes where statements begin, and closing brackets.
func (w *layout) Before(t *token.Token) {
	if level, ok := w.levels[t.Start]; ok {
		w.level, w.open = level, 0
	}
	if closes(t) {
		w.open = max(0, w.open-1)
	}
}

// After notes opening brackets.
func (w *layout) After(t, _ *token.Token) {
	if opens(t) {
		w.open++
	}
}

// Closes reports whether a token ends a block or a list.
func (w *layout) Closes(t *token.Token) bool {
	return closes(t) || t.Is("}")
}

// Indent returns the columns before the first token of a line.
func (w *layout) Indent(t *token.Token) int {
	_, begins := w.levels[t.Start]
	switch {
	case begins, t.Role == token.Beginning:
		return 2 * w.level
	case closes(t):
		return 2 * (w.level + w.open)
	}
	return 2 * (w.level + max(1, w.open))
}

// Blanks says whether a blank stands between two tokens.
func (w *layout) Blanks(a, b *token.Token) int {
	switch {
	case a.Role == openBar && b.Role == openBar, a.Role == closeBar && b.Role == closeBar:
		return 1
	case a.Role == token.Prefix, a.Role == openBar, b.Role == closeBar, b.Role == token.Applying, b.Role == reduceBrace:
		return 0
	case b.Is("."):
		if a.Kind == token.Number {
			return 1
		}
		return 0
	case isTight(a), isTight(b), b.Is(","), b.Is(";"):
		return 0
	case a.Is("{") && b.Is("}"):
		return 0
	case opens(a) || a.Role == blockBrace && a.Is("{"):
		return wide(a)
	case closes(b) || b.Role == blockBrace && b.Is("}"):
		return wide(b)
	}
	return 1
}

// isTight reports whether no blanks stand around a sign.
func isTight(t *token.Token) bool {
	return t.Kind == token.Sign && (t.Is("^") || t.Is("..") && t.Role != wideRange || t.Is("#") || t.Is("."))
}

// wide returns the blanks inside of a brace.
func wide(t *token.Token) int {
	if t.Role == blockBrace || t.Role == wideBrace || t.Role == reduceBrace { // [ and ] of version 1.0, too
		return 1
	}
	return 0
}
