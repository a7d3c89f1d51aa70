// Package source holds what every stage shares about program text: files,
// spans, diagnostics and the table of diagnostic codes.
package source

import (
	"fmt"
	"sort"
	"strings"
)

// How it works
//
// A File is immutable text with a line table. A Span is a half-open byte range
// of one File; it is small enough to sit in every node of every intermediate
// representation, so that an error found late still points at the text that
// caused it. Diagnostics carry a code of the table in codes.go; rendering is in
// render.go and is the only place that knows about carets and colours.

// A File is one unit of program text. Create it with NewFile.
type File struct {
	Name string // as the user wrote it; shown in diagnostics
	Text string

	lines []int // byte offset of the start of each line
}

// NewFile returns a File over text. The name is only used for display.
func NewFile(name, text string) *File {
	f := &File{Name: name, Text: text, lines: []int{0}}
	for i := 0; i < len(text); i++ {
		if text[i] == '\n' {
			f.lines = append(f.lines, i+1)
		}
	}
	return f
}

// Position is a place in a file. Line and Column count from 1; Column counts
// bytes.
type Position struct{ Line, Column int }

// Position returns the line and column of a byte offset; offsets outside the
// text are moved to its nearest end.
func (f *File) Position(offset int) Position {
	offset = max(0, min(offset, len(f.Text)))
	line := sort.SearchInts(f.lines, offset+1) - 1
	return Position{Line: line + 1, Column: offset - f.lines[line] + 1}
}

// Line returns the text of a line, counted from 1, without its line end.
func (f *File) Line(line int) string {
	if line < 1 || line > len(f.lines) {
		return ""
	}
	start, end := f.lines[line-1], len(f.Text)
	if line < len(f.lines) {
		end = f.lines[line] - 1
	}
	return strings.TrimSuffix(f.Text[start:end], "\r")
}

// LineStart returns the byte offset of a line, counted from 1, or the nearest.
func (f *File) LineStart(line int) int {
	return f.lines[max(1, min(line, len(f.lines)))-1]
}

// A Span is the half-open byte range [Start, End) of File. The zero Span means
// "no place": the node was made by the compiler.
type Span struct {
	File       *File
	Start, End int
}

// IsValid reports whether the span points into a file.
func (s Span) IsValid() bool { return s.File != nil }

// Text returns the program text that the span covers.
func (s Span) Text() string {
	if s.File == nil {
		return ""
	}
	return s.File.Text[s.Start:s.End]
}

// Join returns the smallest span that covers both spans. A zero span is
// ignored, and so is a span of another file.
func (s Span) Join(t Span) Span {
	switch {
	case s.File == nil:
		return t
	case t.File != s.File:
		return s
	}
	return Span{File: s.File, Start: min(s.Start, t.Start), End: max(s.End, t.End)}
}

// String formats the start of the span as file:line:column.
func (s Span) String() string {
	if s.File == nil {
		return "-"
	}
	p := s.File.Position(s.Start)
	return fmt.Sprintf("%s:%d:%d", s.File.Name, p.Line, p.Column)
}
