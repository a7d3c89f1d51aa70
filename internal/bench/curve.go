package bench

import (
	"fmt"
	"html"
	"math"
	"path"
	"slices"
	"strings"
)

// The layout of the curves, in pixels.
const (
	curveLeft, curveTop = 60, 56
	curveStep           = 56 // between sizes
	curveOctave         = 30 // a factor of two
	curveLegend         = 310
)

// A curve is the speed of the rows of one kernel over another program, by size.
type curve struct {
	kernel string
	legend string
	ricci  bool
	labels []string
	ratios []float64
}

// curves collects the rows that have other programs: their names are kernel/size.
func (r *Results) curves() []*curve {
	var list []*curve
	for i := range r.Rows {
		row := &r.Rows[i]
		for _, name := range row.otherNames() {
			for _, ricci := range []bool{true, false} {
				own, other := row.own(ricci), row.other(name, ricci)
				if own == nil || other == nil {
					continue
				}
				kernel, size := path.Split(row.Name)
				size, _, _ = strings.Cut(size, "-")
				legend := strings.TrimSuffix(kernel, "/") + ", Ricci, " + threadsText(row.Threads)
				if !ricci {
					legend = strings.Replace(legend, ", Ricci,", ", naive C,", 1)
				}
				n := slices.IndexFunc(list, func(c *curve) bool { return c.legend == legend })
				if n < 0 {
					n = len(list)
					list = append(list, &curve{kernel: kernel, legend: legend, ricci: ricci})
				}
				list[n].labels = append(list[n].labels, size)
				list[n].ratios = append(list[n].ratios, other.Median/own.Median)
			}
		}
	}
	return list
}

// Picture is what --svg draws: the paths where every row has some, curves where every
// group of rows is compared with other programs, the chart otherwise.
func (r *Results) Picture() string {
	if !slices.ContainsFunc(r.Rows, func(row RowResult) bool { return !row.hasPaths() }) {
		return r.drawPaths()
	}
	compared := map[string]bool{}
	for i := range r.Rows {
		row := &r.Rows[i]
		compared[row.Group] = compared[row.Group] || len(row.otherNames()) > 0
	}
	list := r.curves()
	for _, ok := range compared {
		if !ok {
			list = nil
		}
	}
	if len(list) == 0 {
		return r.Chart()
	}
	return r.drawCurves(list)
}

// drawCurves shows how much faster the rows are than the other programs of the same
// result, with a logarithmic scale.
func (r *Results) drawCurves(list []*curve) string {
	longest := slices.MaxFunc(list, func(a, b *curve) int { return len(a.labels) - len(b.labels) })
	octaves := 1
	for _, c := range list {
		octaves = max(octaves, int(math.Ceil(math.Log2(slices.Max(c.ratios)))))
	}
	right, bottom := curveLeft+len(longest.labels)*curveStep, curveTop+octaves*curveOctave
	width, height := right+curveLegend, max(bottom+curveOctave+40, curveTop+20*len(list)+20)
	var b strings.Builder
	svgHead(&b, width, height, "Speed over the program before rewriting", r.Machine)
	for exponent := -1; exponent <= octaves; exponent++ {
		y, color := bottom-exponent*curveOctave, "#ddd"
		if exponent == 0 {
			color = "#222"
		}
		fmt.Fprintf(&b, `<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="%s"/>`+"\n", curveLeft, y, right, y, color)
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end" fill="#666">%g×</text>`+"\n", curveLeft-6, y+4, math.Pow(2, float64(exponent)))
	}
	for n, label := range longest.labels {
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle" fill="#666">%s</text>`+"\n", curveX(n), bottom+curveOctave+16, html.EscapeString(label))
	}
	colors := map[string]string{} // one for a kernel, whoever compiled it
	palette := []string{"#1f6fb4", "#c0562a", "#2a7f3f", "#7a4fa3", "#8a6d1b", "#444444"}
	for n, c := range list {
		if colors[c.kernel] == "" {
			colors[c.kernel] = palette[len(colors)%len(palette)]
		}
		c.draw(&b, bottom, right, curveTop+20*n, colors[c.kernel])
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func curveX(n int) int { return curveLeft + n*curveStep + curveStep/2 }

// draw writes one line, dashed for naive C, and its name.
func (c *curve) draw(b *strings.Builder, bottom, right, legend int, color string) {
	dash := ""
	if !c.ricci {
		dash = ` stroke-dasharray="5 3"`
	}
	points := make([]string, len(c.ratios))
	for n, ratio := range c.ratios {
		points[n] = fmt.Sprintf("%d,%.1f", curveX(n), float64(bottom)-math.Max(math.Log2(ratio), -1)*curveOctave)
	}
	fmt.Fprintf(b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"%s/>`+"\n", strings.Join(points, " "), color, dash)
	fmt.Fprintf(b, `<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="%s" stroke-width="2"%s/>`+"\n", right+10, legend-4, right+36, legend-4, color, dash)
	fmt.Fprintf(b, `<text x="%d" y="%d">%s</text>`+"\n", right+42, legend, html.EscapeString(c.legend))
}
