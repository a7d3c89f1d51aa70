package bench

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
)

// The layout of the chart, in pixels.
const (
	chartNames  = 320 // width of the names
	chartBars   = 520 // width of the bars
	chartLine   = 16  // height of a row
	chartHead   = 56
	chartOctave = chartBars / 6 // a factor of two; the scale goes from ¼ to 16
)

// Chart draws Ricci's speed over the fastest other candidate of each row as SVG:
// bars to the right of the line are rows that Ricci wins. The scale is logarithmic,
// so that twice as fast and half as fast are as long.
func (r *Results) Chart() string {
	var list []bar
	for _, row := range r.Rows {
		list = append(list, bar{row.Name + ", " + threadsText(row.Threads), row.Best, row.Ratio})
	}
	return drawBars("Speed of Ricci over the fastest other", r.Machine, list)
}

// Chart draws the new speed over the old one of each row.
func (c *Comparison) Chart() string {
	var list []bar
	for _, row := range c.Rows {
		verdict := "(same)"
		if row.Significant {
			verdict = ""
		}
		list = append(list, bar{row.Name, verdict, row.Ratio})
	}
	return drawBars("New speed of Ricci over the old one", fmt.Sprintf("%d faster, %d slower, geometric mean %.3f", c.Faster, c.Slower, c.GeometricMean), list)
}

// A bar is a ratio with what stands on its left and on its right.
type bar struct {
	name, remark string
	ratio        float64
}

// drawBars draws the ratios that are known.
func drawBars(title, below string, list []bar) string {
	list = slices.DeleteFunc(list, func(r bar) bool { return !(r.ratio > 0) })
	var b strings.Builder
	width, height := chartNames+chartBars+180, chartHead+len(list)*chartLine+24
	svgHead(&b, width, height, title, below)
	for exponent := -2; exponent <= 4; exponent++ {
		x, color := chartPosition(math.Pow(2, float64(exponent))), "#ddd"
		if exponent == 0 {
			color = "#222"
		}
		fmt.Fprintf(&b, `<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="%s"/>`+"\n", x, chartHead-6, x, height-16, color)
		fmt.Fprintf(&b, `<text x="%.1f" y="%d" text-anchor="middle" fill="#666">%g×</text>`+"\n", x, chartHead-10, math.Pow(2, float64(exponent)))
	}
	y := chartHead
	for _, row := range list {
		row.draw(&b, y)
		y += chartLine
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// svgHead begins a drawing, with a title and what was measured below it.
func svgHead(b *strings.Builder, width, height int, title, machine string) {
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" font-family="sans-serif" font-size="11">`+"\n", width, height)
	fmt.Fprintf(b, `<rect width="%d" height="%d" fill="white"/>`+"\n", width, height)
	fmt.Fprintf(b, `<text x="8" y="18" font-size="14">%s</text>`+"\n", title)
	fmt.Fprintf(b, `<text x="8" y="34" fill="#666">%s</text>`+"\n", html.EscapeString(machine))
}

func chartPosition(ratio float64) float64 {
	octaves := min(max(math.Log2(ratio), -2), 4)
	return chartNames + 2*chartOctave + octaves*chartOctave
}

func (row bar) draw(b *strings.Builder, y int) {
	color := "#2a7f3f"
	if row.ratio < 1 {
		color = "#c0562a"
	}
	zero, end := chartPosition(1), chartPosition(row.ratio)
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="end">%s</text>`+"\n", chartNames-8, y+11, html.EscapeString(row.name))
	fmt.Fprintf(b, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>`+"\n", min(zero, end), y+2, max(math.Abs(end-zero), 1), chartLine-4, color)
	fmt.Fprintf(b, `<text x="%.1f" y="%d" fill="#444">%.2f × %s</text>`+"\n", max(zero, end)+6, y+11, row.ratio, html.EscapeString(row.remark))
}
