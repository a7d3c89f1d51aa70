package doctest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/mapping"
)

// TestPresetsInSchedules keeps the table of presets in docs/schedules.md that of the code; -update
// writes it.
func TestPresetsInSchedules(t *testing.T) {
	var b strings.Builder
	b.WriteString("| preset | options |\n|---|---|\n")
	for _, name := range mapping.Presets() {
		o, err := mapping.Preset(name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "| `%s` | `%s` |\n", name, o)
	}
	generated(t, "docs/schedules.md", "presets", b.String())
}

// TestMarksInSchedules keeps the list of marks in docs/schedules.md that of the table; -update
// writes it.
func TestMarksInSchedules(t *testing.T) {
	var b strings.Builder
	of := ""
	for _, k := range schedule.Marks() {
		if k.Of != of {
			of = k.Of
			subject := map[string]string{"band": "the loop", "accumulate": "the accumulate", "place": "the place"}[of]
			fmt.Fprintf(&b, "\n| mark of `%s` | %s … | where it is legal | errors |\n|---|---|---|---|\n", of, subject)
		}
		var codes []string
		for _, code := range k.Codes {
			codes = append(codes, string(code))
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", k.Signature(), k.Meaning, k.Where, strings.Join(codes, ", "))
	}
	generated(t, "docs/schedules.md", "marks", strings.TrimPrefix(b.String(), "\n"))
}
