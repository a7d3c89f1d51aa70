package bench

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
)

// The layout of the chart of paths, in pixels.
const (
	pathsNames  = 250 // width of the names
	pathsLine   = 20  // height of a row
	pathsOctave = 70  // a factor of two
	pathsLegend = 170 // width of an entry of the legend
	pathsMark   = 4.5 // half the size of a mark
)

// pathColors are the colours of the paths, pathless for Ricci's own choices.
var pathColors = []struct{ path, color string }{
	{"", "#2a7f3f"}, {plutoPath, "#c0562a"}, {ownPath, "#1f6fb4"}, {bestPath, "#7a4fa3"},
}

// drawPaths shows the candidates of each row by their speed over the sequential program
// that they start from, on a logarithmic scale: discs for Ricci, hollow for what tuning
// found, and squares for C.
func (r *Results) drawPaths() string {
	rows, names := r.pathRows()
	low, high := 0.0, 1.0
	for _, row := range rows {
		base := row.fastest(func(m *Measured) bool { return m.Naive })
		for i := range row.Times {
			if m := &row.Times[i]; base != nil && m.ok() {
				octaves := math.Log2(base.Median / m.Median)
				low, high = min(low, math.Floor(octaves)), max(high, math.Ceil(octaves))
			}
		}
	}
	position := func(octaves float64) float64 { return pathsNames + (octaves-low)*pathsOctave }
	perLine := max(int(position(high)/pathsLegend), 1)
	head := 60 + (len(names)+perLine-1)/perLine*16
	width, height := max(int(position(high))+40, perLine*pathsLegend), head+len(rows)*pathsLine+12
	var b strings.Builder
	svgHead(&b, width, height, "Speed over the sequential program", r.Machine)
	for n, name := range names {
		x, y := 14+n%perLine*pathsLegend, 52+n/perLine*16
		pathMark(&b, name, float64(x), float64(y)-4)
		fmt.Fprintf(&b, `<text x="%d" y="%d">%s</text>`+"\n", x+10, y, html.EscapeString(name))
	}
	for exponent := low; exponent <= high; exponent++ {
		color := "#ddd"
		if exponent == 0 {
			color = "#222"
		}
		fmt.Fprintf(&b, `<line x1="%.1[1]f" y1="%[2]d" x2="%.1[1]f" y2="%[3]d" stroke="%[4]s"/>`+"\n", position(exponent), head-4, height-8, color)
		fmt.Fprintf(&b, `<text x="%.1f" y="%d" text-anchor="middle" fill="#666">%g×</text>`+"\n", position(exponent), head-8, math.Exp2(exponent))
	}
	for n, row := range rows {
		y := head + n*pathsLine
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s, %s</text>`+"\n", pathsNames-14, y+14, html.EscapeString(row.Name), threadsText(row.Threads))
		base := row.fastest(func(m *Measured) bool { return m.Naive })
		for i := range row.Times {
			if m := &row.Times[i]; base != nil && m.ok() && !m.Naive {
				pathMark(&b, m.Candidate, position(math.Log2(base.Median/m.Median)), float64(y)+10)
			}
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// pathRows lists the rows whose loops were also transformed by hand, and the names of
// the candidates beside the sequential program.
func (r *Results) pathRows() (rows []*RowResult, names []string) {
	for i := range r.Rows {
		row := &r.Rows[i]
		if !row.hasPaths() {
			continue
		}
		rows = append(rows, row)
		for _, m := range row.Times {
			if !slices.Contains(names, m.Candidate) {
				names = append(names, m.Candidate)
			}
		}
	}
	slices.SortStableFunc(names, func(x, y string) int { return pathOrder(x) - pathOrder(y) })
	return rows, names
}

func (row *RowResult) hasPaths() bool {
	return slices.ContainsFunc(row.Times, func(m Measured) bool { return m.Path != "" })
}

// pathOrder sorts the candidates: Ricci's before those in C, by their paths.
func pathOrder(candidate string) int {
	who, path, _ := strings.Cut(candidate, ", ")
	order := slices.Index([]string{"tuned", "", sequentialPath, plutoPath, ownPath, bestPath}, path)
	if who == "C" {
		order += 10
	}
	return order
}

// pathMark draws the mark of a candidate.
func pathMark(b *strings.Builder, candidate string, x, y float64) {
	color, fill := pathColors[0].color, ""
	for _, c := range pathColors {
		if strings.HasSuffix(candidate, ", "+c.path) {
			color = c.color
		}
	}
	if fill = color; strings.HasSuffix(candidate, ", tuned") {
		fill = "none"
	}
	if strings.HasPrefix(candidate, "C, ") {
		if strings.HasSuffix(candidate, sequentialPath) {
			color, fill = "#222", "#222"
		}
		fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1[3]f" fill="%s" fill-opacity="0.7" stroke="%s"/>`+"\n", x-pathsMark, y-pathsMark, 2*pathsMark, fill, color)
		return
	}
	fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="%.1f" fill="%s" fill-opacity="0.7" stroke="%s" stroke-width="1.5"/>`+"\n", x, y, pathsMark, fill, color)
}
