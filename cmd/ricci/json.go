package main

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/ricci-lang/ricci/internal/report"
	"github.com/ricci-lang/ricci/internal/source"
)

// How --json works
//
// Every verb has the flag, and means the same by it: the standard output is one JSON object,
// whose first member, "ok", says whether the exit status is 0. A verb that fails before it has
// a result writes a failureReport. What people read goes to the error stream, with and without
// the flag. docs/json.md is for users.

// writeJSON writes a value as it stands in a file.
func writeJSON(w io.Writer, value any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(value)
}

// writeResult writes what a verb has found.
func (t *terminal) writeResult(ok bool, value any) error { return writeObject(t.out, ok, value) }

// writeObject writes a value, which must be an object without a member "ok", with that as its
// first member.
func writeObject(w io.Writer, ok bool, value any) error {
	var b bytes.Buffer
	if err := writeJSON(&b, value); err != nil {
		return source.Internalf("json", source.Span{}, "%w", err)
	}
	rest, isObject := bytes.CutPrefix(b.Bytes(), []byte("{"))
	if !isObject {
		return source.Internalf("json", source.Span{}, "a result is no object: %.80s", b.String())
	}
	head := `{"ok":false`
	if ok {
		head = `{"ok":true`
	}
	if bytes.HasPrefix(bytes.TrimSpace(rest), []byte(`"`)) {
		head += ","
	}
	var text bytes.Buffer
	if err := json.Indent(&text, append([]byte(head), rest...), "", "  "); err != nil {
		return source.Internalf("json", source.Span{}, "%w", err)
	}
	_, err := w.Write(append(bytes.TrimSpace(text.Bytes()), '\n'))
	return err
}

// result is writeResult of a success where --json is given, and calls print where it is not.
func (t *terminal) result(value any, print func() error) error {
	if t.json {
		return t.writeResult(true, value)
	}
	return print()
}

// A failureReport is what a verb with --json writes that fails before it has written
// anything else: the diagnostics in the form of check, or the message of another error.
// People read the same on the error stream.
type failureReport struct {
	Diagnostics []report.Diagnostic `json:"diagnostics"`
	Error       string              `json:"error,omitempty"`
}

func newFailureReport(err error, warnings []*source.Diagnostic) failureReport {
	list := diagnosticsOf(err)
	r := failureReport{Diagnostics: diagnosticReports(append(slices.Clip(warnings), list...))}
	if list == nil {
		r.Error = source.Shorten(err.Error())
	}
	return r
}

// diagnosticReports is a short name where report is another one.
func diagnosticReports(list []*source.Diagnostic) []report.Diagnostic {
	return report.Diagnostics(list)
}

// registerJSON gives the flag to every verb.
func (t *terminal) registerJSON(root *cobra.Command) {
	root.PersistentFlags().BoolVar(&t.json, "json", false, "write one JSON object, also of failures; docs/json.md describes it")
}

// asksForJSON reports whether a command line has the flag --json. The flag counts also where the
// command line is wrong, and was not read to its end.
func (t *terminal) asksForJSON(args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	return t.json || slices.Contains(args, "--json")
}

// A countingWriter knows how much was written, and the first error.
type countingWriter struct {
	io.Writer
	bytes  atomic.Int64
	failed atomic.Pointer[error]
}

// Write passes on what it counts.
func (w *countingWriter) Write(data []byte) (int, error) {
	n, err := w.Writer.Write(data)
	w.bytes.Add(int64(n))
	if err != nil {
		w.failed.CompareAndSwap(nil, &err)
	}
	return n, err
}
