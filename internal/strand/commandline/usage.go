package commandline

import (
	"fmt"
	"io"
	"strings"
)

// Usage writes how the program is called, and a list of its flags.
func (l *Line) Usage(w io.Writer) {
	fmt.Fprintf(w, "Usage: %s", l.settings.Name)
	for _, f := range l.flags {
		text := strings.Join(f.words(), ",")
		if f.value != "" {
			text += " " + f.value
		}
		if !f.required {
			text = "[" + text + "]"
		}
		fmt.Fprintf(w, " %s", text)
	}
	fmt.Fprint(w, "\n\n")
	for _, f := range l.flags {
		head := strings.Join(f.words(), " , ")
		if f.value != "" {
			head += " " + f.value
		}
		fmt.Fprintf(w, "%s\n", head)
		text := f.doc
		switch {
		case f.required:
			text += " (required)"
		case f.fallback != "":
			text += fmt.Sprintf(" (default: %q)", f.fallback)
		}
		if text = strings.TrimSpace(text); text != "" {
			fmt.Fprintf(w, "      %s\n", text)
		}
	}
}
