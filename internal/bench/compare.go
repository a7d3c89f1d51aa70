package bench

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"
)

// A Comparison sets two runs of the benchmark side by side.
type Comparison struct {
	Rows          []ComparedRow `json:"rows"`
	OnlyOld       []string      `json:"only_old,omitempty"`
	OnlyNew       []string      `json:"only_new,omitempty"`
	OtherMachine  bool          `json:"other_machine,omitempty"`
	Faster        int           `json:"faster"`
	Slower        int           `json:"slower"`
	GeometricMean float64       `json:"geometric_mean"` // of the ratios
}

// A ComparedRow is a row of both files. Ratio is the new speed over the old one,
// relative to the fastest other candidate that both have: the clock of the machine
// cancels out. Absolute compares the times as they are.
type ComparedRow struct {
	Name        string  `json:"name"`
	Old         float64 `json:"old_s"`
	New         float64 `json:"new_s"`
	Absolute    float64 `json:"absolute"`
	Ratio       float64 `json:"ratio"`
	Yardstick   string  `json:"yardstick,omitempty"` // the candidate that Ratio is relative to
	Uncertainty float64 `json:"uncertainty"`         // relative standard error of Ratio
	Significant bool    `json:"significant"`
}

// Compare compares Ricci's times, row by row.
func Compare(old, new *Results) *Comparison {
	c := &Comparison{OtherMachine: old.Machine != new.Machine}
	name := func(r *RowResult) string { return r.Name + ", " + threadsText(r.Threads) }
	olds := map[string]*RowResult{}
	for i := range old.Rows {
		olds[name(&old.Rows[i])] = &old.Rows[i]
	}
	var ratios []float64
	seen := map[string]bool{}
	for i := range new.Rows {
		after := &new.Rows[i]
		before := olds[name(after)]
		seen[name(after)] = true
		if before == nil || before.ricci() == nil || after.ricci() == nil {
			c.OnlyNew = append(c.OnlyNew, name(after))
			continue
		}
		row := compareRow(name(after), before, after)
		c.Rows = append(c.Rows, row)
		ratios = append(ratios, row.Ratio)
		switch {
		case row.Significant && row.Ratio > 1:
			c.Faster++
		case row.Significant:
			c.Slower++
		}
	}
	for i := range old.Rows {
		if !seen[name(&old.Rows[i])] {
			c.OnlyOld = append(c.OnlyOld, name(&old.Rows[i]))
		}
	}
	c.GeometricMean = geometricMean(ratios)
	return c
}

// The least change that counts, whatever the spread says: two measurements of
// one program differ by this much because of where its memory lies.
const leastChange = 0.02

// compareRow judges a change by three standard errors.
func compareRow(name string, old, new *RowResult) ComparedRow {
	before, after := old.ricci(), new.ricci()
	row := ComparedRow{Name: name, Old: before.Median, New: after.Median, Absolute: before.Median / after.Median}
	row.Ratio = row.Absolute
	parts := []*Measured{before, after}
	if a, b := yardstick(old, new); a != nil {
		row.Yardstick = a.Candidate
		row.Ratio *= b.Median / a.Median
		parts = append(parts, a, b)
	}
	sum := 0.0
	for _, m := range parts {
		u := m.uncertainty()
		sum += u * u
	}
	row.Uncertainty = math.Sqrt(sum)
	row.Significant = math.Abs(math.Log(row.Ratio)) > max(3*row.Uncertainty, leastChange)
	if math.IsInf(row.Uncertainty, 0) {
		row.Uncertainty = 0 // JSON has no infinity; too few runs are never significant
	}
	return row
}

// yardstick returns the fastest candidate but Ricci that both rows have.
func yardstick(old, new *RowResult) (before, after *Measured) {
	for i := range old.Times {
		a := &old.Times[i]
		if a.Ricci || !a.ok() || before != nil && a.Median >= before.Median {
			continue
		}
		for k := range new.Times {
			if b := &new.Times[k]; b.Candidate == a.Candidate && b.ok() {
				before, after = a, b
			}
		}
	}
	return before, after
}

// Print writes the comparison for people.
func (c *Comparison) Print(out io.Writer) error {
	if c.OtherMachine {
		fmt.Fprintln(out, "The two files are of different machines.")
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "row\told\tnew\tnew speed / old\t±\trelative to\t")
	for _, r := range c.Rows {
		fmt.Fprintln(w, strings.Join(r.cells(), "\t"))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return c.summary(out)
}

// cells are those of a table.
func (r *ComparedRow) cells() []string {
	verdict := "same"
	switch {
	case r.Significant && r.Ratio > 1:
		verdict = "faster"
	case r.Significant:
		verdict = "SLOWER"
	}
	return []string{r.Name, SecondsText(r.Old), SecondsText(r.New), fmt.Sprintf("%.3f", r.Ratio), fmt.Sprintf("%.1f %%", 100*r.Uncertainty), r.Yardstick, verdict}
}

// Markdown writes the comparison as a table.
func (c *Comparison) Markdown(out io.Writer) error {
	if c.OtherMachine {
		fmt.Fprint(out, "The two files are of different machines.\n\n")
	}
	fmt.Fprint(out, "| row | old | new | new speed / old | ± | relative to | |\n|---|---|---|---|---|---|---|\n")
	for _, r := range c.Rows {
		fmt.Fprintf(out, "| %s |\n", strings.Join(r.cells(), " | "))
	}
	fmt.Fprintln(out)
	return c.summary(out)
}

// summary says what has no counterpart, and how many rows have changed.
func (c *Comparison) summary(out io.Writer) error {
	for _, name := range c.OnlyOld {
		fmt.Fprintf(out, "only in the old file: %s\n", name)
	}
	for _, name := range c.OnlyNew {
		fmt.Fprintf(out, "only in the new file: %s\n", name)
	}
	if len(c.Rows) == 0 {
		_, err := fmt.Fprintln(out, "the two files have no row in common: nothing to compare")
		return err
	}
	_, err := fmt.Fprintf(out, "%d rows: %d faster, %d slower, geometric mean %.3f\n", len(c.Rows), c.Faster, c.Slower, c.GeometricMean)
	return err
}

// SecondsText writes a time in seconds with the unit that suits it, such as 1.234 ms.
func SecondsText(s float64) string {
	switch {
	case s < 1e-6:
		return fmt.Sprintf("%.0f ns", s*1e9)
	case s < 1e-3:
		return fmt.Sprintf("%.2f µs", s*1e6)
	case s < 1:
		return fmt.Sprintf("%.3f ms", s*1e3)
	}
	return fmt.Sprintf("%.3f s", s)
}
