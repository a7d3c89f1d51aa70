package source

import (
	"fmt"
	"strings"
)

// ErrorIndex returns the documentation of all codes in Markdown; docs/errors.md
// is its output.
func ErrorIndex() string {
	var b strings.Builder
	b.WriteString("# Diagnostics\n\nGenerated from internal/source/codes_*.go by `go test ./internal/source -update`; `ricci explain CODE` prints an entry.\n")
	for _, info := range Codes() {
		fmt.Fprintf(&b, "\n## %s: %s\n\n%s\n", info.Code, info.Title, strings.TrimSpace(info.Explanation))
		if info.Example != "" {
			fmt.Fprintf(&b, "\n%s\n", indent(info.Example))
		}
		if info.Fix != "" {
			fmt.Fprintf(&b, "\nHow to mend it:\n\n%s\n", indent(info.Fix))
		}
	}
	return b.String()
}

func indent(text string) string {
	lines := strings.Split(strings.Trim(text, "\n"), "\n")
	for i, line := range lines {
		if line != "" {
			lines[i] = "    " + line
		}
	}
	return strings.Join(lines, "\n")
}
