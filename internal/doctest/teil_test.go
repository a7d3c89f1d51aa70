package doctest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/lang/teil"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
)

// TestOperationsInTeIL keeps the list of operations in docs/teil.md that of the table;
// -update writes it. The functions of scalars are listed in docs/builtins.md.
func TestOperationsInTeIL(t *testing.T) {
	var b strings.Builder
	b.WriteString("| operation | rule | value | in proofs/Syntax.v |\n|---|---|---|---|\n")
	var casts []string
	for _, op := range syntax.Operations() {
		switch {
		case op.Rule == "T-Cast":
			casts = append(casts, "`"+op.Name+"`")
		case op.Builtin == nil:
			proved := "–"
			if op.Coq != "" {
				proved = "`" + op.Coq + "`"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", op.Usage(), op.Rule, op.Summary, proved)
		}
	}
	fmt.Fprintf(&b, "| %s | T-Cast | the elements, converted to the type | – |\n", strings.Join(casts, ", "))
	generated(t, "docs/teil.md", "operations", b.String())
}

// TestEquationsInTeIL does the same for the equations.
func TestEquationsInTeIL(t *testing.T) {
	var b strings.Builder
	b.WriteString("| equation | theorem |\n|---|---|\n")
	for _, q := range teil.Equations() {
		fmt.Fprintf(&b, "| `%s` | `%s` |\n", q.Law, q.Theorem)
	}
	generated(t, "docs/teil.md", "equations", b.String())
}
