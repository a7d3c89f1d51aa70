package doctest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/rewrite"
)

// TestNumericsPage keeps the table of docs/numerics.md that of the steps; -update writes it.
func TestNumericsPage(t *testing.T) {
	names := map[numerics.Class]string{}
	var b strings.Builder
	for _, c := range numerics.Classes() {
		names[c.Class] = c.Name
		fmt.Fprintf(&b, "* **%s** %s\n", c.Name, c.Doc)
	}
	b.WriteString("\n| step | class | what it does | strict | default | fast | in |\n|---|---|---|---|---|---|---|\n")
	for _, s := range numerics.Steps() {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | [%s](../%s) |\n", s.Name, names[s.Class], s.Doc, s.Strict, s.Default, s.Fast, filepath.Base(s.Where), s.Where)
	}
	generated(t, "docs/numerics.md", "numerics", b.String())
}

// TestNumericsSteps: every pass has its row, the rows of package rewrite are its passes in their order, and
// what a row names is there.
func TestNumericsSteps(t *testing.T) {
	var rows, passes []string
	for _, s := range numerics.Steps() {
		if _, err := os.Stat(filepath.Join(root, s.Where)); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
		if strings.HasPrefix(s.Where, "internal/rewrite/") {
			rows = append(rows, s.Name)
		}
		if s.Class == numerics.Regrouping && s.Strict == "yes" || s.Class == numerics.Order && s.Strict == "yes" {
			t.Errorf("%s: strict numerics allow neither another order nor other products", s.Name)
		}
	}
	for _, p := range rewrite.Passes(numerics.Default) {
		passes = append(passes, p.Name)
	}
	if !slices.Equal(rows, passes) {
		t.Errorf("the rows of the passes are %v, the passes %v", rows, passes)
	}
}
