package syntax

import "strings"

// How Format works
//
// It writes the tokens of the text one after the other. Lines stay as they were
// broken, with at most one blank line between them; what changes is indentation (the
// lines of a def by two columns, the further lines of a statement by two more) and
// the blanks between tokens, for which spaced has the rules. Comments keep their
// text; one that stands alone is indented like the next line.

// Format returns the text in the standard layout. The file must have been parsed
// without errors.
func Format(f *File) string {
	w := &formatter{file: f}
	var last *token
	for n := range f.tokens {
		t := &f.tokens[n]
		if t.role == heading {
			w.body = 0
		}
		w.comments(t)
		if t.kind == tokenEnd {
			break
		}
		w.token(t, last)
		last = t
	}
	if w.line > 0 {
		w.out.WriteByte('\n')
	}
	return w.out.String()
}

type formatter struct {
	file    *File
	out     strings.Builder
	body    int // columns before a declaration or statement
	line    int // the line of the text that was written last; 0 at the start
	comment int // the next comment
}

func (w *formatter) token(t, last *token) {
	line := w.file.Source.Position(t.start).Line
	switch {
	case w.line == 0 || line > w.line:
		w.newLine(line, w.indent(t))
	case t.role == beginning:
		w.out.WriteString("  ") // another declaration of the same line
	case last != nil && spaced(last, t):
		w.out.WriteByte(' ')
	}
	w.out.WriteString(t.text)
	w.line = line
	if t.role == heading {
		w.body = 2
	}
}

// indent returns the columns before the first token of a line.
func (w *formatter) indent(t *token) int {
	switch {
	case t.role == heading || t.kind == tokenEnd:
		return 0
	case t.role == beginning:
		return w.body
	}
	return w.body + 2
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
}

// comments writes the comments that stand before a token.
func (w *formatter) comments(next *token) {
	for w.comment < len(w.file.Comments) && w.file.Comments[w.comment].Pos.Start < next.start {
		c := w.file.Comments[w.comment]
		w.comment++
		line := w.file.Source.Position(c.Pos.Start).Line
		text := strings.TrimRight(c.Text, " \t")
		if w.line == line && w.line > 0 {
			w.out.WriteString("  " + text)
			continue
		}
		w.newLine(line, w.indent(next))
		w.out.WriteString(text)
		w.line = line
	}
}

// spaced reports whether a blank stands between two tokens of a line.
func spaced(a, b *token) bool {
	switch {
	case a.role == prefix || a.role == tight, b.role == applying || b.role == tight:
		return false
	case a.text == "(" || a.text == "[", b.text == ")" || b.text == "]" || b.text == ",":
		return false
	}
	return true
}
