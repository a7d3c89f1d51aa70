package bench

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Markdown writes the metric as tables, one for each group of rows.
func (p *Portability) Markdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Portability Φ by Pennycook over %d platforms: the harmonic mean of the efficiencies (best time there over own time), 0 where a platform has no time.\n\n", len(p.Platforms))
	b.WriteString("| platform | machine | device | date |\n|---|---|---|---|\n")
	for _, f := range p.Platforms {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", f.File, f.Machine, f.Device, f.Date)
	}
	group, paper := "", printedIn("mdh")
	for i := range p.Rows {
		row := &p.Rows[i]
		if i == 0 || row.Group != group {
			group = row.Group
			columns := p.Frameworks
			if printedPortability(row.Name, paper) != "" {
				columns = append(slices.Clip(columns), "MDH in its paper (processors, all devices)")
			}
			fmt.Fprintf(&b, "\n## %s\n\n| row | %s |\n|---|%s\n", group, strings.Join(columns, " | "), strings.Repeat("---:|", len(columns)))
		}
		b.WriteString("| " + row.Name)
		for _, f := range row.Frameworks {
			fmt.Fprintf(&b, " | %.2f", f.Portability)
		}
		if printed := printedPortability(row.Name, paper); printed != "" {
			b.WriteString(" | " + printed)
		}
		b.WriteString(" |\n")
	}
	p.efficiencies(&b)
	var remarks []string
	for _, l := range p.NotMeasured {
		remarks = append(remarks, fmt.Sprintf("%s is not compared: %s.", l.Name, l.Reason))
	}
	for _, text := range p.Wide {
		remarks = append(remarks, text+".")
	}
	if len(remarks) > 0 {
		fmt.Fprintf(&b, "\n## Remarks\n\n- %s\n", strings.Join(remarks, "\n- "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// efficiencies writes those that the metric is made of.
func (p *Portability) efficiencies(b *strings.Builder) {
	b.WriteString("\n## Efficiencies\n\n| row | platform | " + strings.Join(p.Frameworks, " | ") + " |\n|---|---|" + strings.Repeat("---:|", len(p.Frameworks)) + "\n")
	for i := range p.Rows {
		row := &p.Rows[i]
		for k, platform := range p.Platforms {
			fmt.Fprintf(b, "| %s | %s", row.Name, platform.File)
			for _, f := range row.Frameworks {
				text := "–"
				if e := f.Efficiencies[k]; e > 0 {
					text = fmt.Sprintf("%.2f", e)
				}
				b.WriteString(" | " + text)
			}
			b.WriteString(" |\n")
		}
	}
}
