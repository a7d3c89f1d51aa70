package syntax

import "strings"

// How Format works
//
// It writes the tokens of the text one after the other. Lines stay as they were
// broken, with at most one blank line between them; what changes is indentation
// (two columns for each open bracket, and two in a declaration behind its first
// line) and the blanks between tokens, for which spaced has the rules. Comments
// keep their text; one that stands alone is indented like the next line.

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
	depth   int
	line    int // the line of the text that was written last; 0 at the start
	comment int // the next comment
	lets    []letValue
}

// A letValue is a let of which the ; has not come yet.
type letValue struct {
	begun    bool // the = was there
	indented bool // the value began on the next line
}

func (w *formatter) run() {
	tokens := w.file.tokens
	var last *token
	for n := range tokens {
		t := &tokens[n]
		w.comments(t, last)
		if t.kind == tokenEnd {
			break
		}
		written := w.file.Source.Text[t.start:t.end]
		line := w.file.Source.Position(t.start).Line
		closing := t.text == ")" || t.text == "]" || t.text == "}" || t.text == ">" && t.role == angle
		if closing {
			w.depth = max(0, w.depth-1)
		}
		switch {
		case w.line == 0 || line > w.line:
			w.newLine(line, w.indent(t))
		case last != nil && spaced(last, t):
			w.out.WriteByte(' ')
		}
		w.out.WriteString(written)
		if t.kind == tokenSign && (t.text == "(" || t.text == "[" || t.text == "{" || t.text == "<" && t.role == angle) {
			w.depth++
		}
		w.line = line
		last = t
		w.let(t, &tokens[min(n+1, len(tokens)-1)])
	}
	if w.line > 0 {
		w.out.WriteByte('\n')
	}
}

// let indents the value of a let that begins on a line of its own.
func (w *formatter) let(t, next *token) {
	top := len(w.lets) - 1
	switch {
	case t.starts && t.text != "let":
		w.lets = w.lets[:0]
	case t.text == "let":
		w.lets = append(w.lets, letValue{})
	case t.text == "=" && top >= 0 && !w.lets[top].begun:
		w.lets[top] = letValue{begun: true, indented: next.newline}
		if next.newline {
			w.depth++
		}
	case t.text == ";" && top >= 0:
		if w.lets[top].indented {
			w.depth--
		}
		w.lets = w.lets[:top]
	}
}

// indent returns the columns before the first token of a line. A declaration
// begins at the margin; the parser has noted where.
func (w *formatter) indent(t *token) int {
	if t.starts {
		w.depth = 0
		return 0
	}
	return 2 * (w.depth + 1)
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
func (w *formatter) comments(next, last *token) {
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
		if next.kind != tokenEnd && !next.starts && last != nil {
			indent = 2 * (w.depth + 1)
		}
		w.newLine(line, indent)
		w.out.WriteString(text)
		w.line = line
	}
}

// spaced reports whether a blank stands between two tokens of a line.
func spaced(a, b *token) bool {
	switch {
	case a.role == prefix, a.text == ".", b.text == ".":
		return false
	case a.text == "(" || a.text == "[", b.text == ")" || b.text == "]" || b.text == "," || b.text == ";" || b.text == ":":
		return false
	case a.text == "<" && a.role == angle, b.text == ">" && b.role == angle, b.text == "<" && b.role == angle:
		return false
	case a.text == "{" && a.role == tight, b.text == "}" && b.role == tight:
		return false
	case b.text == "(" && a.kind == tokenWord:
		return blankBefore[a.text]
	case b.text == "(" && a.text == ">" && a.role == angle:
		return false
	case b.text == "[":
		return false
	}
	return true
}

// blankBefore lists the words that are no names of what stands in parentheses.
var blankBefore = map[string]bool{
	"if": true, "then": true, "else": true, "with": true, "while": true, "do": true, "let": true, "and": true, "or": true,
	"not": true, "identity": true, "fill": true, "o": true, "in": true, "op": true, "fun": true,
}
