package source

import (
	"fmt"
	"strings"
)

// A LineError says what is wrong with a line of a text; parsers of formats that consist of lines
// return it, and who knows the file shows the line.
type LineError struct {
	Line int // counts from 1
	Part string
	Err  error
}

// LineErrorf returns the error of a line.
func LineErrorf(line int, format string, args ...any) *LineError {
	return &LineError{Line: line, Err: fmt.Errorf(format, args...)}
}

// At says which part of the line is wrong.
func (e *LineError) At(part string) *LineError {
	e.Part = part
	return e
}

// Error returns the message behind the number of the line.
func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns the error without the number.
func (e *LineError) Unwrap() error { return e.Err }

// Span is the part in the line, or the line without blanks around it.
func (e *LineError) Span(f *File) Span {
	line := f.Line(e.Line)
	at, part := strings.Index(line, e.Part), e.Part
	if at < 0 || part == "" {
		part = strings.TrimSpace(line)
		at = strings.Index(line, part)
	}
	start := f.LineStart(e.Line) + at
	return Span{File: f, Start: start, End: start + len(part)}
}
