package main

import (
	"encoding/json"
	"fmt"
	"io"
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
