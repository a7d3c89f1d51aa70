package bench

import (
	"fmt"
	"strings"
)

// The names of Ricci's candidates with the two schedules that --tuned compares.
const (
	defaultCandidate = "Ricci"
	tunedCandidate   = "Ricci, tuned"
	handCandidate    = "C by hand"
)

// writeTuned writes what tuning has gained, for the rows that were measured with both schedules.
func (r *Results) writeTuned(b *strings.Builder) {
	var lines []string
	for _, row := range r.Rows {
		normal, tuned := row.named(defaultCandidate), row.named(tunedCandidate)
		if normal != nil && tuned != nil {
			lines = append(lines, fmt.Sprintf("| %s | %d | %s | %s | %.2f |\n", row.Name, row.Threads, SecondsText(normal.Median), SecondsText(tuned.Median), normal.Median/tuned.Median))
		}
	}
	if len(lines) > 0 {
		fmt.Fprintf(b, "\n## Tuning\n\nTime of a call with the default schedule and with what `ricci tune` found; the same where it found none.\n\n| row | threads | default | tuned | ratio |\n|---|---:|---:|---:|---:|\n%s", strings.Join(lines, ""))
	}
}

// named returns a candidate that ran; nil if there is none.
func (row *RowResult) named(candidate string) *Measured {
	for i := range row.Times {
		if m := &row.Times[i]; m.Candidate == candidate && m.ok() {
			return m
		}
	}
	return nil
}
