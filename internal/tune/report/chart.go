package report

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/tune"
)

// The drawings are SVG without any size in pixels, so that they scale with the page, small
// ones up to a width; what they look like is said by classes of the style.

// drawing is an SVG picture in the making.
type drawing struct {
	strings.Builder
	width, height float64
	small         bool // never wider than it is drawn
}

// add writes an element; arguments that are texts are escaped.
func (d *drawing) add(format string, args ...any) {
	for i, a := range args {
		if s, ok := a.(string); ok {
			args[i] = html.EscapeString(s)
		}
	}
	fmt.Fprintf(d, format+"\n", args...)
}

func (d *drawing) svg(title string) template.HTML {
	style := ""
	if d.small {
		style = fmt.Sprintf(" style=\"max-width: %gpx\"", d.width)
	}
	return template.HTML(fmt.Sprintf("<svg viewBox=\"0 0 %g %g\"%s role=\"img\" aria-label=\"%s\">\n%s</svg>", d.width, d.height, style, html.EscapeString(title), d.String()))
}

// frame is the area of a chart with its two scales.
type frame struct {
	left, top, right, bottom float64
	x, y                     scale
}

// scale maps values to a length; a logarithmic one maps their logarithms.
type scale struct{ low, high float64 }

func (s scale) at(v float64) float64 {
	if s.high <= s.low {
		return 0.5
	}
	return (v - s.low) / (s.high - s.low)
}

func (f *frame) px(v float64) float64 { return f.left + f.x.at(v)*(f.right-f.left) }
func (f *frame) py(v float64) float64 { return f.bottom - f.y.at(v)*(f.bottom-f.top) }

// ticks returns round numbers between two.
func ticks(low, high float64, most int) []float64 {
	if !(high > low) {
		return []float64{low}
	}
	step := math.Pow(10, math.Floor(math.Log10((high-low)/float64(most))))
	for _, factor := range []float64{1, 2, 5, 10} {
		if (high-low)/(step*factor) <= float64(most) {
			step *= factor
			break
		}
	}
	var list []float64
	for n := math.Ceil(low / step); n*step <= high+step/1e6; n++ {
		list = append(list, n*step)
	}
	return list
}

// timeTicks returns the logarithms of round times between two logarithms.
func timeTicks(low, high float64) []float64 {
	digits := []float64{1}
	switch {
	case high-low < 0.3:
		list := ticks(math.Pow(10, low), math.Pow(10, high), 4)
		for i, v := range list {
			list[i] = math.Log10(v)
		}
		return list
	case high-low < 1:
		digits = []float64{1, 1.5, 2, 3, 4, 5, 7}
	case high-low < 2.5:
		digits = []float64{1, 2, 5}
	}
	var list []float64
	for e := math.Floor(low); e <= high; e++ {
		for _, d := range digits {
			if v := e + math.Log10(d); v >= low && v <= high {
				list = append(list, v)
			}
		}
	}
	return list
}

// axes draws the frame with its ticks and titles.
func (d *drawing) axes(f *frame, xTitle string, xTicks []float64, yTicks []float64) {
	for _, v := range yTicks {
		y := f.py(v)
		d.add(`<line class="grid" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`, f.left, y, f.right, y)
		d.add(`<text class="tick" x="%.1f" y="%.1f" text-anchor="end">%s</text>`, f.left-6, y+4, tickText(math.Pow(10, v)))
	}
	for _, v := range xTicks {
		d.add(`<text class="tick" x="%.1f" y="%.1f" text-anchor="middle">%s</text>`, f.px(v), f.bottom+16, fmt.Sprintf("%.6g", v))
	}
	d.add(`<line class="axis" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`, f.left, f.bottom, f.right, f.bottom)
	d.add(`<text class="title" x="%.1f" y="%.1f" text-anchor="end">%s</text>`, f.right, f.bottom+32, xTitle)
}

// curves draws the search over evaluations and over time: every candidate is a dot,
// failed ones are crosses at the top, the line is the best so far.
func curves(o *tune.Outcome) (byEvaluation, byTime template.HTML) {
	var evaluations, times []float64
	var list []tune.Measurement
	for _, m := range o.Measurements {
		if m.Pruned {
			continue
		}
		list = append(list, m)
		evaluations = append(evaluations, float64(len(list)))
		times = append(times, m.At.Seconds())
	}
	return curve(list, evaluations, "evaluations"), curve(list, times, "seconds since the beginning")
}

func curve(list []tune.Measurement, xs []float64, xTitle string) template.HTML {
	d := &drawing{width: 760, height: 320}
	f := &frame{left: 78, top: 24, right: 748, bottom: 276}
	low, high := math.Inf(1), math.Inf(-1)
	for _, m := range list {
		if !m.Failed() {
			low, high = min(low, math.Log10(m.Seconds)), max(high, math.Log10(m.Seconds))
		}
	}
	room := max(0.03, 0.05*(high-low))
	f.y = scale{low - room, high + room}
	f.x = scale{0, max(slices.Max(xs), 1e-9)}
	d.axes(f, xTitle, ticks(f.x.low, f.x.high, 8), timeTicks(f.y.low, f.y.high))
	best := math.Inf(1)
	var path strings.Builder
	for i, m := range list {
		x := f.px(xs[i])
		if m.Failed() {
			d.add(`<path class="failed" d="M%.1f %.1fl5 5m0 -5l-5 5"/>`, x-2.5, f.top-12)
			continue
		}
		y := math.Log10(m.Seconds)
		if y < best {
			if path.Len() == 0 {
				fmt.Fprintf(&path, "M%.1f %.1f", x, f.py(y))
			} else {
				fmt.Fprintf(&path, "H%.1fV%.1f", x, f.py(y))
			}
			best = y
		}
		class := "dot"
		if m.Earlier {
			class = "dot earlier"
		}
		d.add(`<circle class="%s" cx="%.1f" cy="%.1f" r="2.6"><title>%s</title></circle>`, class, x, f.py(y), micros(m.Seconds))
	}
	if path.Len() > 0 {
		d.add(`<path class="best" d="%sH%.1f"/>`, path.String(), f.right)
	}
	return d.svg("time of every candidate and of the best one so far, over " + xTitle)
}

// levelsChart draws the times of the candidates by the values of a parameter: a line
// from the fastest to the slowest, a mark at the median, a dot at the fastest.
func levelsChart(name string, classes []level) template.HTML {
	const column, height = 62.0, 92.0 // a column has room for the text that shorten leaves
	d := &drawing{width: 62 + column*float64(len(classes)), height: height, small: true}
	f := &frame{left: 62, top: 8, right: d.width, bottom: height - 20}
	low, high := math.Inf(1), math.Inf(-1)
	for _, c := range classes {
		low, high = min(low, slices.Min(c.costs)), max(high, slices.Max(c.costs))
	}
	f.y = scale{low - 0.02, high + 0.02}
	for _, v := range []float64{low, high} {
		d.add(`<text class="tick" x="%.1f" y="%.1f" text-anchor="end">%s</text>`, f.left-4, f.py(v)+4, micros(math.Pow(10, v)))
	}
	for i, c := range classes {
		x := f.left + column*(float64(i)+0.5)
		sorted := slices.Sorted(slices.Values(c.costs))
		median := sorted[len(sorted)/2]
		d.add(`<g><title>%s</title>`, fmt.Sprintf("%s = %s: %d candidates, fastest %s, median %s", name, c.text, len(sorted), micros(math.Pow(10, sorted[0])), micros(math.Pow(10, median))))
		d.add(`<line class="range" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`, x, f.py(sorted[0]), x, f.py(sorted[len(sorted)-1]))
		d.add(`<line class="median" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`, x-9, f.py(median), x+9, f.py(median))
		d.add(`<circle class="dot" cx="%.1f" cy="%.1f" r="3"/></g>`, x, f.py(sorted[0]))
		d.add(`<text class="tick" x="%.1f" y="%.1f" text-anchor="middle">%s</text>`, x, height-6, shorten(c.text))
	}
	return d.svg("time by the value of " + name)
}

// shorten cuts a text that does not fit below a column.
func shorten(s string) string {
	const most = 9
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
