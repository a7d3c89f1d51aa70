package doctest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/schedule"
)

// TestMarksInSchedules keeps the list of marks in docs/schedules.md that of the table; -update
// writes it.
func TestMarksInSchedules(t *testing.T) {
	var b strings.Builder
	b.WriteString("| mark | the loop … | where it is legal | errors |\n|---|---|---|---|\n")
	for _, k := range schedule.Marks() {
		var codes []string
		for _, code := range k.Codes {
			codes = append(codes, string(code))
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", k.Signature(), k.Meaning, k.Where, strings.Join(codes, ", "))
	}
	generated(t, "docs/schedules.md", "marks", b.String())
}
