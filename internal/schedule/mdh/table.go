package mdh

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// The text of a plan is one table per statement, as in the paper's Figures 20 to 23:
// a row for each MDH level, a column for each parameter (of each buffer), and a last
// row for the parameters of the scalar function. A line above the tables of a group
// says what its statements share. Orders are written as the level of
// the position, so (2,1) in D1 is the position behind all of layer 1. ParsePlan reads it.

// String returns the text of a plan.
func (p *Plan) String() string {
	var b strings.Builder
	for _, g := range p.Groups {
		if len(g.Members) > 1 {
			b.WriteString("group")
			for _, s := range g.Statements() {
				fmt.Fprintf(&b, " S%d", s)
			}
			fmt.Fprintf(&b, " shared %d", g.Shared)
			if len(g.Placed) > 0 {
				fmt.Fprintf(&b, " place %s", strings.Join(g.Placed, " "))
			}
			fmt.Fprintln(&b)
		}
		for _, m := range g.Members {
			b.WriteString(m.Configuration.Table(fmt.Sprintf("S%d", m.Statement)))
		}
	}
	return b.String()
}

// Table writes a configuration as a table with a heading.
func (k *Configuration) Table(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "mdh %s on %s\n", name, k.Model.Name)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, strings.Join(k.columns(), "\t"))
	for at := range k.Rows {
		fmt.Fprintln(w, strings.Join(k.cells(at), "\t"))
	}
	w.Flush()
	fmt.Fprintln(&b, strings.Join(append([]string{"f"}, k.scalarCells()...), "  "))
	var lines []string
	for line := range strings.Lines(b.String()) {
		lines = append(lines, strings.TrimRight(line, " \n"))
	}
	return strings.Join(lines, "\n") + "\n"
}

func (k *Configuration) columns() []string {
	list := []string{"level", "#PRT", "D1", "D2"}
	for _, parameter := range []string{"D3", "D4"} {
		for _, name := range k.Inputs {
			list = append(list, parameter+":"+name)
		}
	}
	list = append(list, "S1", "S2", "R1", "R2")
	for _, parameter := range []string{"R3", "R4"} {
		for _, name := range k.Outputs {
			list = append(list, parameter+":"+name)
		}
	}
	return list
}

func (k *Configuration) cells(at int) []string {
	r := k.Rows[at]
	list := []string{k.LevelOf(at).String(), partsText(r.Parts)}
	phase := func(p Phase) []string {
		return []string{k.LevelOf(r.Order[p]).String(), k.Model.LevelName(r.Assign[p])}
	}
	list = append(list, phase(Decompose)...)
	list = append(list, k.placeCells(r.In)...)
	list = append(list, phase(Scalar)...)
	list = append(list, phase(Recompose)...)
	return append(list, k.placeCells(r.Out)...)
}

func partsText(n int64) string {
	if n == AnyParts {
		return "*"
	}
	return fmt.Sprint(n)
}

// placeCells lists the regions, then the layouts.
func (k *Configuration) placeCells(places []Place) []string {
	var regions, layouts []string
	for _, p := range places {
		regions, layouts = append(regions, k.Model.RegionName(p.Region)), append(layouts, layoutText(p.Layout))
	}
	return append(regions, layouts...)
}

// scalarCells writes S3 to S6, such as "S3:A=RM".
func (k *Configuration) scalarCells() []string {
	var list []string
	for b, p := range k.ScalarInputs {
		list = append(list, fmt.Sprintf("S3:%s=%s", k.Inputs[b], k.Model.RegionName(p.Region)), fmt.Sprintf("S4:%s=%s", k.Inputs[b], layoutText(p.Layout)))
	}
	for b, p := range k.ScalarOutputs {
		list = append(list, fmt.Sprintf("S5:%s=%s", k.Outputs[b], k.Model.RegionName(p.Region)), fmt.Sprintf("S6:%s=%s", k.Outputs[b], layoutText(p.Layout)))
	}
	return list
}
