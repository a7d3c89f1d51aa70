package bench

import (
	"fmt"
	"strings"
)

// An Other is a def of the row's file that computes the same in another way: what a
// rewrite is worth is the row's speed over that of the program before it.
type Other struct{ Name, Def string }

// writeOthers writes a table of the rows that have other programs: the row's speed
// over theirs, compiled by Ricci and as naive C.
func (r *Results) writeOthers(b *strings.Builder) {
	heading := "\n## Against other programs of the same result\n\n| row | threads | program | Ricci | of Ricci | naive C | of naive C |\n|---|---:|---|---:|---:|---:|---:|\n"
	for i := range r.Rows {
		row := &r.Rows[i]
		for _, name := range row.otherNames() {
			b.WriteString(heading)
			heading = ""
			fmt.Fprintf(b, "| %s | %d | %s |", row.Name, row.Threads, name)
			for _, ricci := range []bool{true, false} {
				own, other := row.own(ricci), row.other(name, ricci)
				if own == nil || other == nil {
					b.WriteString(" | |")
					continue
				}
				fmt.Fprintf(b, " %s | %.1f |", SecondsText(other.Median), other.Median/own.Median)
			}
			b.WriteString("\n")
		}
	}
}

func (r *RowResult) otherNames() []string {
	var names []string
	for _, m := range r.Times {
		if m.Other != "" && m.Ricci {
			names = append(names, m.Other)
		}
	}
	return names
}

// own returns the row's own measurement by Ricci, or as naive C.
func (r *RowResult) own(ricci bool) *Measured {
	if ricci {
		return r.ricci()
	}
	return r.fastest(func(m *Measured) bool { return m.Naive })
}

func (r *RowResult) other(name string, ricci bool) *Measured {
	for i := range r.Times {
		if m := &r.Times[i]; m.Other == name && m.Ricci == ricci && m.ok() {
			return m
		}
	}
	return nil
}
