package doctest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
)

// TestBuiltinsPage keeps docs/builtins.md the table of the functions; -update
// writes it.
func TestBuiltinsPage(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Builtin functions\n\nGenerated from internal/ein/builtin.go by `go test ./internal/doctest -update`.\n\n" +
		"They take floats and give a float of the same type; an integer argument becomes float32 (float64 for 64-bit integers).\n\n" +
		"| function | value |\n|---|---|\n")
	for _, f := range ein.Builtins() {
		arguments := []string{"x", "y", "z", "w"}[:f.Arity]
		fmt.Fprintf(&b, "| `%s(%s)` | %s |\n", f.Name, strings.Join(arguments, ", "), strings.ReplaceAll(f.Doc, "|", "\\|"))
	}
	path := filepath.Join(root, "docs/builtins.md")
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != b.String() {
		t.Errorf("%s is not the table of the functions (%v); go test ./internal/doctest -update", path, err)
	}
}
