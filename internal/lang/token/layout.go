package token

import (
	"strings"

	"github.com/ricci-lang/ricci/internal/source"
)

// A Layout has a notation's rules of how its text looks. The tokens come in order, each
// first to Before and last to After.
type Layout interface {
	// Before notes a token before the comments in front of it are written.
	Before(t *Token)
	// Closes reports whether a token closes what is indented: a comment that stands alone in
	// front of it belongs to that, and is indented by two columns more.
	Closes(t *Token) bool
	// Indent returns the columns before the first token of a line.
	Indent(t *Token) int
	// Blanks returns the number of blanks between two tokens of a line.
	Blanks(a, b *Token) int
	// After notes a token that is written, and the one behind it.
	After(t, next *Token)
}

// Format writes the tokens of a text one after the other. Lines stay as they were
// broken, with at most one blank line between them; the Layout decides on indentation
// and on the blanks between tokens. Comments keep their text up to blanks at the end.
func Format(file *source.File, tokens []Token, comments []Comment, layout Layout) string {
	w := &formatter{file: file, comments: comments, layout: layout}
	for n := 0; ; n++ {
		t := &tokens[n]
		layout.Before(t)
		commented := w.commentsBefore(t)
		if t.Kind == End {
			break
		}
		if line := file.Position(t.Start).Line; w.line == 0 || line > w.line {
			w.newLine(line, layout.Indent(t))
		} else if commented {
			w.out.WriteByte(' ')
		} else {
			w.out.WriteString(strings.Repeat(" ", layout.Blanks(&tokens[n-1], t)))
		}
		w.out.WriteString(file.Text[t.Start:t.End])
		layout.After(t, &tokens[n+1])
	}
	if w.line > 0 {
		w.out.WriteByte('\n')
	}
	return w.out.String()
}

type formatter struct {
	file     *source.File
	comments []Comment // not yet written
	layout   Layout
	out      strings.Builder
	line     int // the line of the text that was written last; 0 at the start
}

// newLine ends the line and begins another one.
func (w *formatter) newLine(line, indent int) {
	if w.line > 0 {
		w.out.WriteByte('\n')
		if line > w.line+1 {
			w.out.WriteByte('\n')
		}
	}
	w.out.WriteString(strings.Repeat(" ", indent))
	w.line = line
}

// commentsBefore writes the comments that stand before a token, and reports whether there are any.
func (w *formatter) commentsBefore(next *Token) (found bool) {
	for ; len(w.comments) > 0 && w.comments[0].Pos.Start < next.Start; w.comments = w.comments[1:] {
		c := w.comments[0]
		text := strings.TrimRight(c.Text, " \t\r\v\f")
		end := w.file.Position(c.Pos.End).Line
		if line := w.file.Position(c.Pos.Start).Line; line > w.line {
			w.newLine(line, w.commentIndent(next))
			w.out.WriteString(text)
		} else if next.Kind != End && end == w.file.Position(next.Start).Line {
			w.out.WriteString(" " + text)
		} else {
			w.out.WriteString("  " + text)
		}
		w.line, found = end, true
	}
	return found
}

// commentIndent returns the columns before a comment that stands alone.
func (w *formatter) commentIndent(next *Token) int {
	switch {
	case next.Kind == End:
		return 0
	case w.layout.Closes(next):
		return w.layout.Indent(next) + 2
	}
	return w.layout.Indent(next)
}
