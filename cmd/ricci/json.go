package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/ricci-lang/ricci/internal/source"
)

// writeJSON writes a value for programs that read Ricci's output.
func writeJSON(w io.Writer, value any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(value)
}

// writeJSONLine writes a value in one line, for verbs with a stream of results.
func writeJSONLine(w io.Writer, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		text, _ = json.Marshal(map[string]string{"error": err.Error()})
	}
	fmt.Fprintf(w, "%s\n", text)
}

// A failureReport is what a verb with --json writes that fails before it has written
// anything else: the diagnostics in the form of check, or the message of another error.
// People read the same on the error stream.
type failureReport struct {
	OK          bool               `json:"ok"`
	Diagnostics []diagnosticReport `json:"diagnostics"`
	Error       string             `json:"error,omitempty"`
}

func newFailureReport(err error, warnings []*source.Diagnostic) failureReport {
	list := diagnosticsOf(err)
	r := failureReport{Diagnostics: diagnosticReports(append(slices.Clip(warnings), list...))}
	if list == nil {
		r.Error = source.Shorten(err.Error())
	}
	return r
}

// asksForJSON reports whether a command line has the flag --json of its verb; the one
// that names a file is another. The flag counts also where the command line is wrong.
func asksForJSON(root *cobra.Command, args []string) bool {
	verb, _, err := root.Find(args)
	if err != nil {
		return false
	}
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	flag := verb.Flags().Lookup("json")
	return flag != nil && flag.Value.Type() == "bool" && (flag.Value.String() == "true" || slices.Contains(args, "--json"))
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
