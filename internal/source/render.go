package source

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// RenderOptions says how diagnostics are drawn.
type RenderOptions struct {
	Color bool // ANSI colours
}

// Render writes the diagnostic with its source line, a caret under the span,
// its notes in the same form, and the help:
//
//	matmul.tc:3:18: error[E0301]: index k cannot be inferred
//	  3 |   C(i,j) +=! A(i,k+l) * B(k+l,j)
//	    |              ^^^^^^^^
//	  help: give its range: where k in 0:...
func Render(w io.Writer, d *Diagnostic, options RenderOptions) {
	paint := painter(options)
	kind := paint(map[Severity]string{Error: "31;1", Warning: "33;1"}[d.Severity], fmt.Sprintf("%s[%s]", d.Severity, d.Code))
	if d.Span.IsValid() {
		fmt.Fprintf(w, "%s: %s: %s\n", paint("1", Visible(d.Span.String())), kind, Shorten(d.Message))
	} else {
		fmt.Fprintf(w, "%s: %s\n", kind, Shorten(d.Message))
	}
	excerpt(w, d.Span, '^', paint)
	for _, note := range d.Notes {
		if !note.Span.IsValid() {
			fmt.Fprintf(w, "  %s %s\n", paint("36;1", "note:"), Shorten(note.Message))
			continue
		}
		fmt.Fprintf(w, "  %s %s: %s\n", paint("36;1", "note:"), Visible(note.Span.String()), Shorten(note.Message))
		excerpt(w, note.Span, '-', paint)
	}
	if d.Help != "" {
		fmt.Fprintf(w, "  %s %s\n", paint("32;1", "help:"), strings.ReplaceAll(Shorten(d.Help), "\n", "\n        "))
	}
}

// RenderAll writes every diagnostic in order.
func RenderAll(w io.Writer, list []*Diagnostic, options RenderOptions) {
	for _, d := range list {
		Render(w, d, options)
	}
}

func painter(options RenderOptions) func(style, text string) string {
	return func(style, text string) string {
		if !options.Color {
			return text
		}
		return "\x1b[" + style + "m" + text + "\x1b[0m"
	}
}

// excerpt draws the first line of the span with marks under the covered bytes.
func excerpt(w io.Writer, s Span, mark byte, paint func(style, text string) string) {
	if !s.IsValid() {
		return
	}
	p := s.File.Position(s.Start)
	line, from, to := window(s.File.Line(p.Line), p.Column-1, s.End-s.Start)
	before, marked, after := Visible(line[:from]), Visible(line[from:to]), Visible(line[to:])
	width := utf8.RuneCountInString(marked)
	// Tabs keep their place so that the marks stay under the text.
	pad := strings.Map(func(c rune) rune {
		if c == '\t' {
			return c
		}
		return ' '
	}, before)
	number := fmt.Sprint(p.Line)
	fmt.Fprintf(w, "  %s | %s\n", number, before+marked+after)
	fmt.Fprintf(w, "  %s | %s%s\n", strings.Repeat(" ", len(number)), pad, paint("31;1", strings.Repeat(string(mark), max(1, width))))
}

// maxExcerpt is how much of a line an excerpt shows, in bytes.
const maxExcerpt = 160

// window returns a line, or the part of a very long one around the span of n
// bytes at from, and the place of the span in it.
func window(line string, from, n int) (shown string, start, end int) {
	from = min(from, len(line))
	to := min(from+max(n, 0), len(line))
	if len(line) <= maxExcerpt {
		return line, from, to
	}
	boundary := func(at int) int {
		for at > 0 && at < len(line) && !utf8.RuneStart(line[at]) {
			at--
		}
		return max(0, min(at, len(line)))
	}
	first := boundary(from - maxExcerpt/2)
	last := max(from, boundary(first+maxExcerpt))
	to = min(to, last)
	head, tail := "", ""
	if first > 0 {
		head = "… "
	}
	if last < len(line) {
		tail = " …"
	}
	return head + line[first:last] + tail, len(head) + from - first, len(head) + to - first
}
