package syntax

import "strings"

// How Format works
//
// It writes the tokens of the text one after the other. Lines stay as they were
// broken, with at most one blank line between them; what changes is indentation (two
// columns for each open bracket, and two in a statement behind its first line) and
// the blanks between tokens, for which spaced has the rules. Comments keep their
// text; one that stands alone is indented like the next line.

// Format returns the text in the standard layout. The file must have been parsed
// without errors.
func Format(f *File) string {
	w := &formatter{file: f}
	w.run()
	return w.out.String()
}

type formatter struct {
	file    *File
	out     strings.Builder
	depth   int // of brackets
	line    int // the line of the text that was written last; 0 at the start
	comment int // the next comment
}

func (w *formatter) run() {
	var last *token
	for n := range w.file.tokens {
		t := &w.file.tokens[n]
		if t.text == "}" {
			w.depth--
		}
		w.comments(t)
		if t.kind == tokenEnd {
			break
		}
		if t.text == ")" || t.text == "]" {
			w.depth--
		}
		switch line := w.file.Source.Position(t.start).Line; {
		case w.line == 0 || line > w.line:
			w.newLine(line, w.indent(t))
		case last != nil && spaced(last, t):
			w.out.WriteByte(' ')
		}
		w.out.WriteString(w.file.Source.Text[t.start:t.end])
		if t.kind == tokenSign && strings.Contains("([{", t.text) {
			w.depth++
		}
		w.line = w.file.Source.Position(t.start).Line
		last = t
	}
	if w.line > 0 {
		w.out.WriteByte('\n')
	}
}

// indent returns the columns before the first token of a line.
func (w *formatter) indent(t *token) int {
	columns := 2 * max(0, w.depth)
	if !t.starts && t.text != "}" {
		columns += 2
	}
	return columns
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
		indent := 0
		if next.kind != tokenEnd {
			indent = w.indent(next)
			if next.text == "}" {
				indent += 2
			}
		}
		w.newLine(line, indent)
		w.out.WriteString(text)
		w.line = line
	}
}

// spaced reports whether a blank stands between two tokens of a line.
func spaced(a, b *token) bool {
	switch {
	case a.prefix || a.text == "@":
		return false
	case a.text == "(" || a.text == "[", b.text == ")" || b.text == "]" || b.text == ";" || b.text == ":" || b.text == "...":
		return a.text == "," && b.text == "]" // the entry between them is missing
	case b.text == ",":
		return a.text == ","
	case a.text == ":":
		return false
	case (b.text == "(" || b.text == "[") && a.kind == tokenWord:
		return keywords[a.text] && a.text != "codegen" && a.text != "true" && a.text != "false"
	case b.text == "[" && (a.text == "]" || a.text == ")"):
		return false
	}
	return true
}
