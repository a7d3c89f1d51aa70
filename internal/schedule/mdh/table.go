package mdh

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/ricci-lang/ricci/internal/ein"
)

// The text of a plan is one table per statement, as in the paper's Figures 20 to 23:
// a row for each MDH level, a column for each parameter (of each buffer), and a last
// row for the parameters of the scalar function. A line above the tables of a group
// says what its statements share; groups stand in groups. Orders are written as the level of
// the position, so (2,1) in D1 is the position behind all of layer 1. ParsePlan reads it.

// String returns the text of a plan.
func (p *Plan) String() string {
	var b strings.Builder
	for _, g := range p.Groups {
		g.write(&b, "", func(m Member) string { return m.Configuration.Table(fmt.Sprintf("S%d", m.Statement)) })
	}
	return b.String()
}

// Expressions writes a plan as low-level expressions, without the levels of one part.
func (p *Plan) Expressions(f *ein.Func) string {
	var b strings.Builder
	for _, g := range p.Groups {
		g.write(&b, "\n", func(m Member) string { return m.Configuration.BriefExpression(ComputationOf(f, m.Statement)) })
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// write writes the texts of the members, each with an end, and above those of a group a
// line that says what they share.
func (g *Group) write(b *strings.Builder, end string, text func(Member) string) {
	if !g.isPlain() {
		fmt.Fprintf(b, "%s %s shared %d", groupHeading, g.names(), g.Shared)
		for i, p := range g.Placed {
			if i == 0 {
				b.WriteString(" place")
			}
			b.WriteString(" " + p.String())
		}
		b.WriteString("\n")
	}
	if len(g.Members) == 1 && len(g.Inner) == 0 {
		b.WriteString(text(g.Members[0]) + end)
		return
	}
	for _, part := range g.parts() {
		if slices.Contains(g.Inner, part) {
			part.write(b, end, text)
		} else {
			b.WriteString(text(part.Members[0]) + end)
		}
	}
}

// Table writes a configuration as a table with a heading.
func (k *Configuration) Table(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "mdh %s on %s\n", name, k.Model.Name)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	marked := k.marked()
	for at := -1; at < len(k.Rows); at++ {
		cells, mark := k.columns(), marksHead
		if at >= 0 {
			cells, mark = k.cells(at), cmp.Or(k.Rows[at].marksText(), noMarks)
		}
		if marked {
			cells = append(cells, mark)
		}
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	w.Flush()
	fmt.Fprintln(&b, strings.Join(append([]string{"f"}, k.scalarCells()...), "  "))
	var lines []string
	for line := range strings.Lines(b.String()) {
		lines = append(lines, strings.TrimRight(line, " \n"))
	}
	return strings.Join(lines, "\n") + "\n"
}

// The head of the last column, which is there where some level has marks, and what a level
// without marks has in it.
const marksHead, noMarks = "marks", "-"

func (k *Configuration) marked() bool {
	return slices.ContainsFunc(k.Rows, func(r Row) bool { return r.Marks != Marks{} })
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
	list := []string{k.LevelOf(at).String(), r.partsText()}
	phase := func(p Phase) []string {
		return []string{k.LevelOf(r.Order[p]).String(), k.Model.LevelName(r.Assign[p])}
	}
	list = append(list, phase(Decompose)...)
	list = append(list, k.placeCells(r.In)...)
	list = append(list, phase(Scalar)...)
	list = append(list, phase(Recompose)...)
	return append(list, k.placeCells(r.Out)...)
}

// partsText writes a number of parts, such as "5", "5+" with the last one padded, "5x96" of
// that size, or "*".
func (r *Row) partsText() string {
	text := "*"
	if r.Parts != AnyParts {
		text = strconv.FormatInt(r.Parts, 10)
	}
	if r.Size > 0 {
		text += sizeSign + strconv.FormatInt(r.Size, 10)
	}
	if r.Pad {
		text += padSign
	}
	return text
}

// padSign stands behind the number of parts where the last one is padded, sizeSign before
// the size of the parts where it is given.
const padSign, sizeSign = "+", "x"

// readParts reads what partsText writes.
func (r *Row) readParts(text string) bool {
	text, r.Pad = strings.CutSuffix(text, padSign)
	text, size, sized := strings.Cut(text, sizeSign)
	if n, err := strconv.ParseInt(size, 10, 64); sized {
		if r.Size = n; err != nil || n < 1 {
			return false
		}
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n > 0 {
		r.Parts = n
		return true
	}
	r.Parts = AnyParts
	return text == "*"
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
