package doctest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/machine"
)

// TestFactsInMachines keeps the table of facts in docs/machines.md that of the code; -update writes it.
func TestFactsInMachines(t *testing.T) {
	var b strings.Builder
	b.WriteString("| fact | of | meaning |\n|---|---|---|\n")
	for _, f := range machine.Facts() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", f.Form, f.Of, f.Meaning)
	}
	generated(t, "docs/machines.md", "facts", b.String())
}

// TestNamesInMachines keeps the table of machines in docs/machines.md that of the files; -update writes it.
func TestNamesInMachines(t *testing.T) {
	var b strings.Builder
	b.WriteString("| name | layers | programs |\n|---|---|---|\n")
	for _, name := range machine.Names() {
		m := machine.Named(name)
		programs := ""
		if m.Trees {
			programs = "trees"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, strings.ReplaceAll(m.String(), "|", "\\|"), programs)
	}
	generated(t, "docs/machines.md", "machines", b.String())
}
