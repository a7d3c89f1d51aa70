package doctest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/field"
	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
)

// TestOperatorsInDiderot keeps the tables of operators and functions in docs/diderot.md those of the checker; -update
// writes them.
func TestOperatorsInDiderot(t *testing.T) {
	var b strings.Builder
	for _, table := range typed.Tables() {
		fmt.Fprintf(&b, "**%s**\n\n| | takes | gives | fields | |\n|---|---|---|---|---|\n", table.Title)
		for _, row := range table.Rows {
			takes, gives, _ := strings.Cut(row.Signature, "->")
			fields := ""
			if row.Lifted {
				fields = "yes"
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", row.Usage(), typeText(takes), typeText(gives), fields, strings.ReplaceAll(row.Text, "|", "\\|"))
		}
		b.WriteString("\n")
	}
	generated(t, "docs/diderot.md", "operators", strings.TrimSuffix(b.String(), "\n"))
}

// typeText writes a type as code, and nothing as nothing.
func typeText(text string) string {
	if text = strings.TrimSpace(text); text == "" {
		return ""
	}
	return "`" + text + "`"
}

// TestKernelsInDiderot does the same for the kernels.
func TestKernelsInDiderot(t *testing.T) {
	var b strings.Builder
	b.WriteString("| kernel | continuous derivatives | samples on each side |\n|---|---|---|\n")
	for _, k := range field.Kernels() {
		fmt.Fprintf(&b, "| `%s` | %d | %d |\n", k.Name, k.Continuity, k.Support)
	}
	generated(t, "docs/diderot.md", "kernels", b.String())
}
