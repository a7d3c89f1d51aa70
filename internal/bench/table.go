package bench

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/tensor"
)

// Markdown writes the results as tables for people: a row for each kernel, with
// the speeds of the candidates, then the means of the groups.
func (r *Results) Markdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Machine: %s. Ricci %s, %s.\n", r.Machine, r.Version, r.Date)
	for _, threads := range r.threads() {
		fmt.Fprintf(&b, "\n## %s\n\n", threadsText(threads))
		b.WriteString("| row | Ricci | spread | fastest other | ratio | packed before | naive C | ratio | of the limit | limit | goal missed |\n")
		b.WriteString("|---|---:|---:|---|---:|---:|---:|---:|---:|---|---|\n")
		for i := range r.Rows {
			if row := &r.Rows[i]; row.Threads == threads {
				row.markdown(&b)
			}
		}
	}
	r.paths(&b)
	r.writeTuned(&b)
	r.writeOthers(&b)
	r.writePapers(&b)
	r.groups(&b)
	r.remarks(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Results) threads() []int {
	var list []int
	for _, row := range r.Rows {
		if !slices.Contains(list, row.Threads) {
			list = append(list, row.Threads)
		}
	}
	slices.Sort(list)
	return list
}

func (row *RowResult) markdown(b *strings.Builder) {
	cells := []string{row.Name, "–", "", "", "", "", "", "", "", row.FloorBy, row.missed()}
	if m := row.ricci(); m != nil {
		cells[1], cells[2] = row.speedText(m.Median), fmt.Sprintf("±%.0f %%", 50*(m.High-m.Low)/m.Median)
	}
	if row.Best != "" {
		cells[3], cells[4] = row.Best, fmt.Sprintf("%.2f", row.Ratio)
		for _, m := range row.Times {
			if m.Candidate == row.Best {
				cells[3] += " " + row.speedText(m.Median)
			}
		}
	}
	if row.RatioPacked > 0 {
		cells[5] = fmt.Sprintf("%.2f", row.RatioPacked)
	}
	if ratio := row.overNaive(); ratio > 0 {
		cells[6], cells[7] = row.speedText(ratio*row.ricci().Median), fmt.Sprintf("%.1f", ratio)
	}
	if row.OfFloor > 0 {
		cells[8] = percentText(row.OfFloor)
	}
	fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
}

// speedText is the speed for a time of a call, in what limits the row.
func (row *RowResult) speedText(seconds float64) string {
	if row.Goal.Seconds > 0 {
		return SecondsText(seconds)
	}
	operations, bytes := float64(row.Operations)/seconds/1e9, float64(row.Bytes)/seconds/1e9
	if row.byMemory() {
		return fmt.Sprintf("%.1f GB/s", bytes)
	}
	if row.Integers {
		return fmt.Sprintf("%.1f GOP/s", operations)
	}
	return fmt.Sprintf("%.1f GFLOP/s", operations)
}

// byMemory reports whether the row's limit is that of a memory, or it has no operations
// that count.
func (row *RowResult) byMemory() bool {
	return row.Operations == 0 || strings.HasPrefix(row.FloorBy, "L") || row.FloorBy == "memory"
}

// groups writes the geometric means.
func (r *Results) groups(b *strings.Builder) {
	b.WriteString("\n## Geometric means\n\n| group | threads | rows | over the fastest other | over naive C | of the limit |\n|---|---:|---:|---:|---:|---:|\n")
	type key struct {
		group   string
		threads int
	}
	var keys []key
	for _, row := range r.Rows {
		if k := (key{row.Group, row.Threads}); !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	for _, k := range keys {
		var best, naive, floor []float64
		count := 0
		for i := range r.Rows {
			row := &r.Rows[i]
			if row.Group != k.group || row.Threads != k.threads {
				continue
			}
			count++
			best, naive, floor = appendPositive(best, row.Ratio), appendPositive(naive, row.overNaive()), appendPositive(floor, row.OfFloor)
		}
		fmt.Fprintf(b, "| %s | %d | %d | %s | %s | %s |\n", k.group, k.threads, count, meanText(best, "%.2f"), meanText(naive, "%.1f"), meanText(floor, "%.2f"))
	}
}

func appendPositive(list []float64, v float64) []float64 {
	if v > 0 {
		return append(list, v)
	}
	return list
}

func meanText(values []float64, format string) string {
	if len(values) == 0 {
		return ""
	}
	return fmt.Sprintf(format, geometricMean(values))
}

// fewerOperations is how far above a limit of arithmetic nobody gets because clocks change.
const fewerOperations = 1.25

// remarks lists what a reader must know: notes, results that differ, candidates
// that failed, peers that are not there.
func (r *Results) remarks(b *strings.Builder) {
	var lines []string
	add := func(format string, args ...any) {
		if line := fmt.Sprintf(format, args...); !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	for _, p := range r.Peers {
		if !p.Found {
			add("%s is not there (%s); it is in the Debian package %s.", p.Name, p.Reason, p.Package)
		}
	}
	for _, l := range r.LeftOut {
		add("%s was left out: %s.", l.Name, l.Reason)
	}
	for _, row := range r.Rows {
		for _, note := range row.Notes {
			add("%s: %s", row.Name, note)
		}
		if row.Floor > 0 {
			for _, m := range row.Times {
				if m.ok() && m.Median < row.Floor {
					why := "the machine's speed changed between the runs and the measurement of its peaks, so that the row's parts of the limit are too high"
					if _, err := tensor.ParseDType(row.FloorBy); err == nil && row.Floor > fewerOperations*m.Median {
						why = "it needs fewer operations than the program has, which the limit counts"
					}
					if p := r.Peaks; p != nil && row.FloorBy == tensor.Float32.String() && p.Parts(row.Threads) > p.Operations(tensor.Float32, row.Threads) {
						why = "a matrix unit multiplies float32 in parts, and the limit is that of vectors"
					}
					add("%s, %s: %s is above the limit (%.0f %%): %s.", row.Name, threadsText(row.Threads), m.Candidate, 100*row.Floor/m.Median, why)
				}
			}
		}
		for _, m := range row.Times {
			if m.Wrong != "" {
				add("%s, %s: %s differs: %s.", row.Name, threadsText(row.Threads), m.Candidate, m.Wrong)
			}
			if m.Ricci && m.Missing != "" {
				add("%s, %s: Ricci failed: %s", row.Name, threadsText(row.Threads), m.Missing)
			}
		}
	}
	if len(lines) > 0 {
		fmt.Fprintf(b, "\n## Remarks\n\n- %s\n", strings.Join(lines, "\n- "))
	}
}
