package bench

import (
	"embed"
	"fmt"
	"strings"

	"github.com/ricci-lang/ricci/internal/source"
)

// papers are what papers print for rows, two numbers for each framework: a line is ROW | FRAMEWORK FIRST SECOND | …
//
//go:embed paper/*.txt
var papers embed.FS

// A printed is a framework in a paper's table, with its numbers as they are printed.
type printed struct{ framework, first, second string }

// portabilityMark stands in place of a framework for the portability of the paper's own.
const portabilityMark = "Φ"

// printedIn reads what a paper prints, by row.
func printedIn(paper string) map[string][]printed {
	text, err := papers.ReadFile("paper/" + paper + ".txt")
	if err != nil {
		panic(source.Internalf("bench", source.Span{}, "%w", err)) // it is part of the binary
	}
	rows := map[string][]printed{}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(strings.TrimSpace(line), " | ")
		for _, field := range fields[1:] {
			words := strings.Fields(field)
			n := len(words) - 2
			rows[fields[0]] = append(rows[fields[0]], printed{strings.Join(words[:n], " "), words[n], words[n+1]})
		}
	}
	return rows
}

// A paperTable sets rows beside what a paper prints for them.
type paperTable struct {
	paper, heading, explanation string
	here, there                 string // headings of columns
	own                         bool   // Ricci itself is listed, too
	// say writes a candidate's time beside Ricci's.
	say func(ricci, other float64) string
}

var paperTables = []paperTable{
	{
		paper: "mdh", heading: "Beside the MDH paper", here: "Ricci is faster than", there: "MDH is faster than (Skylake, Broadwell)",
		explanation: "Both are how many times; the paper's are those of its tuned programs on its two processors (Figures 24 to 29).",
		say:         func(ricci, other float64) string { return fmt.Sprintf("%.2f", other/ricci) },
	},
	{
		paper: "tc", heading: "Beside the paper on Tensor Comprehensions", here: "µs here", there: "µs in the paper (M40, P100)", own: true,
		explanation: "The paper's are medians on its two GPUs (Figures 5 and 6).",
		say:         func(_, other float64) string { return microseconds(other) },
	},
}

// microseconds writes a time as the paper does, with more digits where it is short.
func microseconds(seconds float64) string {
	if v := seconds * 1e6; v < 100 {
		return fmt.Sprintf("%.3g", v)
	}
	return fmt.Sprintf("%.0f", seconds*1e6)
}

// writePapers writes a table for each paper that prints numbers for rows.
func (r *Results) writePapers(b *strings.Builder) {
	for _, table := range paperTables {
		rows := printedIn(table.paper)
		heading := fmt.Sprintf("\n## %s\n\n%s\n\n| row | threads | %s | %s |\n|---|---:|---|---|\n", table.heading, table.explanation, table.here, table.there)
		for i := range r.Rows {
			row := &r.Rows[i]
			list, ricci := rows[row.Name], row.ricci()
			if list == nil || ricci == nil {
				continue
			}
			var here, there []string
			for k := range row.Times {
				if m := &row.Times[k]; m.ok() && (m != ricci || table.own) {
					here = append(here, m.Candidate+" "+table.say(ricci.Median, m.Median))
				}
			}
			for _, p := range list {
				if p.framework != portabilityMark {
					there = append(there, p.framework+" "+p.first+", "+p.second)
				}
			}
			fmt.Fprintf(b, "%s| %s | %d | %s | %s |\n", heading, row.Name, row.Threads, strings.Join(here, "; "), strings.Join(there, "; "))
			heading = ""
		}
	}
}

// printedPortability is what the MDH paper prints for its own framework, over its processors and over all its devices;
// empty where it prints nothing.
func printedPortability(row string, rows map[string][]printed) string {
	for _, p := range rows[row] {
		if p.framework == portabilityMark {
			return p.first + ", " + p.second
		}
	}
	return ""
}
