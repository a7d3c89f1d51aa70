package syntax

import (
	"strings"

	"github.com/ricci-lang/ricci/internal/lang/token"
	"github.com/ricci-lang/ricci/internal/source"
)

// How the formatter works
//
// Everything that stands on lines of its own (an import, a def, a statement, a
// comment) becomes an entry of a block; entries keep one blank line between them
// if the program has any. Comments are merged in by their places in the text:
//
//   - behind an entry on its last line: they stay there, aligned with those of
//     the neighbouring lines;
//   - inside of a statement: they move in front of it;
//   - between the parameters of a def: each parameter gets its own line and
//     keeps its comments.
//
// A tree without places (made by a program) is written without blank lines.

// Format writes a file in its canonical layout. Comments are kept, and a
// formatted file is not changed by formatting it again.
func Format(f *File) string {
	w := &formatter{comments: f.Comments}
	var items []item
	for _, imported := range f.Imports {
		text := `import "` + imported.Path + `"`
		items = append(items, item{span: imported.Pos, render: func() string { return text }})
	}
	for _, def := range f.Defs {
		items = append(items, item{span: def.Pos, isDef: true, render: func() string { return w.def(def) }})
	}
	return writeBlock(w.block(items, source.Span{}), 0)
}

// A formatter merges the comments, which it consumes in order, into the text.
type formatter struct {
	comments []token.Comment
	next     int
}

// An item is a node that stands on lines of its own.
type item struct {
	span   source.Span
	isDef  bool
	render func() string
}

// An entry is a written item or comment.
type entry struct {
	text     string
	trailing string // the comment behind it
	blank    bool   // a blank line before it
	last     int    // the line of the program where it ended
	comment  bool
	isDef    bool
}

// before consumes the comments that start before an offset.
func (w *formatter) before(offset int) []token.Comment {
	first := w.next
	for w.next < len(w.comments) && w.comments[w.next].Pos.Start < offset {
		w.next++
	}
	return w.comments[first:w.next]
}

// block writes items and the comments around them, up to the end of the span (of
// the file, if the span has no place).
func (w *formatter) block(items []item, within source.Span) []entry {
	var entries []entry
	add := func(e entry, first int) {
		if n := len(entries); n > 0 {
			previous := entries[n-1]
			e.blank = first-previous.last > 1 || e.isDef && !previous.comment || previous.isDef && !e.comment
		}
		entries = append(entries, e)
	}
	addComments := func(comments []token.Comment) {
		for _, c := range comments {
			line := firstLine(c.Pos)
			if n := len(entries); n > 0 && entries[n-1].last == line && !entries[n-1].comment {
				entries[n-1].trailing = commentText(c)
				continue
			}
			add(entry{text: commentText(c), last: line, comment: true}, line)
		}
	}
	for _, it := range items {
		first := firstLine(it.span)
		if it.span.IsValid() {
			addComments(w.before(it.span.Start))
			if !it.isDef {
				for _, c := range w.before(it.span.End) {
					add(entry{text: commentText(c), last: first, comment: true}, first)
				}
			}
		}
		add(entry{text: it.render(), last: lastLine(it.span), isDef: it.isDef}, first)
	}
	end := len(w.comments)
	if within.IsValid() {
		addComments(w.before(within.End))
	} else {
		addComments(w.comments[w.next:end])
		w.next = end
	}
	return entries
}

// def writes a def with its body.
func (w *formatter) def(def *Def) string {
	var b strings.Builder
	b.WriteString(w.header(def))
	items := make([]item, len(def.Body))
	for i, stmt := range def.Body {
		items[i] = item{span: stmt.Pos, render: func() string { return layout(statementDocument(stmt), bodyIndent, lineWidth) }}
	}
	trailing := w.behindBrace(def)
	body := writeBlock(w.block(items, def.Pos), bodyIndent)
	if trailing != "" {
		b.WriteString("  " + trailing)
	}
	if body != "" || trailing != "" {
		b.WriteString("\n")
	}
	b.WriteString(body + "}")
	return b.String()
}

// header writes a def up to its opening brace.
func (w *formatter) header(def *Def) string {
	params := append(append([]*Param(nil), def.Inputs...), def.Outputs...)
	var comments []token.Comment
	if def.Pos.IsValid() && len(params) > 0 {
		comments = w.before(params[len(params)-1].Pos.End)
	}
	if len(comments) == 0 {
		return layout(headerDocument(def), 0, lineWidth)
	}
	leading, trailing := map[*Param][]string{}, map[*Param]string{}
	for _, c := range comments {
		owner, behind := commentedParam(params, c)
		if behind {
			trailing[owner] = commentText(c)
		} else {
			leading[owner] = append(leading[owner], commentText(c))
		}
	}
	list := func(params []*Param) string {
		var entries []entry
		commented := false
		for i, param := range params {
			commented = commented || len(leading[param]) > 0 || trailing[param] != ""
			for _, text := range leading[param] {
				entries = append(entries, entry{text: text, comment: true})
			}
			text := paramString(param)
			if i < len(params)-1 {
				text += ","
			}
			entries = append(entries, entry{text: text, trailing: trailing[param]})
		}
		if !commented {
			return layout(docConcat{docText("("), fill(paramDocuments(params), ","), docText(")")}, 0, unlimitedWidth)
		}
		return "(\n" + writeBlock(entries, continuation) + ")"
	}
	return "def " + def.Name.Name + list(def.Inputs) + " -> " + list(def.Outputs) + " {"
}

// commentedParam finds the parameter that a comment of the header belongs to: the
// one before it on the same line, else the one that follows.
func commentedParam(params []*Param, c token.Comment) (owner *Param, behind bool) {
	for i, param := range params {
		if param.Pos.End > c.Pos.Start {
			if i > 0 && lastLine(params[i-1].Pos) == firstLine(c.Pos) {
				return params[i-1], true
			}
			return param, false
		}
	}
	return params[len(params)-1], true
}

// behindBrace consumes the comment behind the opening brace of a def.
func (w *formatter) behindBrace(def *Def) string {
	if w.next == len(w.comments) || len(def.Outputs) == 0 || !def.Pos.IsValid() {
		return ""
	}
	c, end := w.comments[w.next], def.Pos.End
	if len(def.Body) > 0 {
		end = def.Body[0].Pos.Start
	}
	if c.Pos.Start >= end || firstLine(c.Pos) != lastLine(def.Outputs[len(def.Outputs)-1].Pos) {
		return ""
	}
	w.next++
	return commentText(c)
}

// writeBlock joins entries, and aligns the comments behind one-line entries that
// follow each other.
func writeBlock(entries []entry, indent int) string {
	var b strings.Builder
	margin := strings.Repeat(" ", indent)
	for start := 0; start < len(entries); {
		end, width := start, 0
		for end < len(entries) && entries[end].alignable(end == start) {
			width = max(width, len(entries[end].text))
			end++
		}
		end = max(end, start+1)
		for _, e := range entries[start:end] {
			if e.blank {
				b.WriteString("\n")
			}
			b.WriteString(margin + e.text)
			if e.trailing != "" {
				b.WriteString(strings.Repeat(" ", max(0, width-len(e.text))+2) + e.trailing)
			}
			b.WriteString("\n")
		}
		start = end
	}
	return b.String()
}

// alignable reports whether an entry can be in a run of lines whose comments are
// aligned.
func (e entry) alignable(first bool) bool {
	return e.trailing != "" && !strings.Contains(e.text, "\n") && (first || !e.blank)
}

func commentText(c token.Comment) string { return strings.TrimRight(c.Text, " \t\r\v\f") }

func firstLine(s source.Span) int {
	if !s.IsValid() {
		return 0
	}
	return s.File.Position(s.Start).Line
}

func lastLine(s source.Span) int {
	if !s.IsValid() {
		return 0
	}
	return s.File.Position(s.End).Line
}
