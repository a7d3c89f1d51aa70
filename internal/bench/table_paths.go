package bench

import (
	"fmt"
	"slices"
	"strings"
)

// paths writes the rows whose loops were also transformed by hand: the time of a
// call of every candidate, and how much faster it is than the program that the
// transformations begin with.
func (r *Results) paths(b *strings.Builder) {
	rows, names := r.pathRows()
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## Paths\n\nTime of a call, and speed over the sequential program.\n\n| row | threads | %s |\n|---|---:|%s\n", strings.Join(names, " | "), strings.Repeat("---:|", len(names)))
	for _, row := range rows {
		fmt.Fprintf(b, "| %s | %d |", row.Name, row.Threads)
		base := row.fastest(func(m *Measured) bool { return m.Naive })
		for _, name := range names {
			b.WriteString(row.pathCell(name, base))
		}
		b.WriteString("\n")
	}
}

// pathCell is the cell of a candidate in the table of paths.
func (row *RowResult) pathCell(name string, base *Measured) string {
	i := slices.IndexFunc(row.Times, func(m Measured) bool { return m.Candidate == name })
	switch {
	case i < 0:
		return " |"
	case !row.Times[i].ok():
		return " – |"
	case base == nil:
		return fmt.Sprintf(" %s |", SecondsText(row.Times[i].Median))
	}
	return fmt.Sprintf(" %s, %.2f× |", SecondsText(row.Times[i].Median), base.Median/row.Times[i].Median)
}
