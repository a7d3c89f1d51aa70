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
	var cast *syntax.Op
	for _, op := range syntax.Operations() {
		switch {
		case op.Rule == "T-Cast":
			casts, cast = append(casts, "`"+op.Name+"`"), op
		case op.Builtin == nil:
			fmt.Fprintf(&b, "| `%s` | %s | %s | `%s` |\n", op.Usage(), op.Rule, op.Summary, op.Coq)
		}
	}
	fmt.Fprintf(&b, "| %s | T-Cast | the elements, converted to the type | `%s` |\n", strings.Join(casts, ", "), cast.Coq)
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
