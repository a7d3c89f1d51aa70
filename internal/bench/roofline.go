package bench

import (
	"context"
	"errors"
	"fmt"
	"html"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/tensor"
)

// A Roofline says where a kernel stands below the limits of the machine (Williams,
// Waterman, Patterson: Roofline, 2009).
type Roofline struct {
	Def        string           `json:"def"`
	Sizes      map[string]int64 `json:"sizes"`
	Machine    string           `json:"machine"`
	Type       string           `json:"type"` // of the arithmetic
	Operations int64            `json:"operations"`
	Bytes      int64            `json:"bytes"`     // that must be moved
	Intensity  float64          `json:"intensity"` // operations for each of these bytes
	Points     []RooflinePoint  `json:"points"`
	Peaks      *schedule.Peaks  `json:"peaks"`

	dtype tensor.DType
}

// A RooflinePoint is the kernel with a number of threads.
type RooflinePoint struct {
	Threads int `json:"threads"`
	Spread
	Rate    float64 `json:"operations_per_s"`
	Traffic float64 `json:"bytes_per_s"`
	Limit   float64 `json:"limit_s"` // the least time that the machine allows
	// LimitBy is the memory or the element type whose peak sets the limit.
	LimitBy string  `json:"limit_by"`
	OfLimit float64 `json:"of_limit"`
}

// MeasureRoofline measures a program and, between its runs, the machine.
func MeasureRoofline(ctx context.Context, row Row, o Options) (*Roofline, error) {
	o.Rows, o.Peers, o.RicciOnly = []Row{row}, false, true
	results, err := Run(ctx, o)
	if err != nil {
		return nil, err
	}
	w, err := newWork(ctx, &row)
	if err != nil {
		return nil, err
	}
	r := &Roofline{
		Def: row.Def, Sizes: row.Sizes, Machine: results.Machine, Type: w.dtype.String(), Operations: w.operations,
		Bytes: w.read + w.written, Intensity: float64(w.operations) / float64(max(w.read+w.written, 1)), Peaks: results.Peaks,
		dtype: w.dtype,
	}
	for i := range results.Rows {
		result := &results.Rows[i]
		m := result.ricci()
		if m == nil {
			return nil, errors.New(result.Times[0].Missing)
		}
		r.Points = append(r.Points, RooflinePoint{
			Threads: result.Threads, Spread: m.Spread, Rate: float64(r.Operations) / m.Median, Traffic: float64(r.Bytes) / m.Median,
			Limit: result.Floor, LimitBy: result.FloorBy, OfLimit: result.OfFloor,
		})
	}
	return r, nil
}

// Text says in words where the kernel stands, and what holds it.
func (r *Roofline) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s operations on %s, %s that must be moved: %.3g operations for each byte\n",
		r.Def, countText(float64(r.Operations)), r.Type, byteText(float64(r.Bytes)), r.Intensity)
	for _, p := range r.Points {
		fmt.Fprintf(&b, "%s: %s (quartiles %s and %s), %s/s, %s/s\n", threadsText(p.Threads),
			SecondsText(p.Median), SecondsText(p.Low), SecondsText(p.High), operationsText(p.Rate), byteText(p.Traffic))
		if p.Limit > 0 {
			fmt.Fprintf(&b, "  %.0f %% of the limit, which is %s: %s\n", 100*p.OfLimit, SecondsText(p.Limit), r.advice(p))
		}
	}
	return b.String()
}

// advice says what the limit means.
func (r *Roofline) advice(p RooflinePoint) string {
	balance := "none"
	if layer := r.Peaks.LayerOf(r.Bytes, p.Threads); layer != nil {
		if read := layer.Read.Of(p.Threads, r.Peaks.Threads); read > 0 {
			balance = fmt.Sprintf("%.2g", r.Peaks.Operations(r.dtype, p.Threads)/read)
		}
		if p.LimitBy == layer.Name {
			return fmt.Sprintf("the bandwidth of %s, which holds the arguments; arithmetic would limit from %s operations per byte on", nameOfLayer(layer.Name), balance)
		}
	}
	return fmt.Sprintf("the arithmetic on %s; memory would limit below %s operations per byte", r.Type, balance)
}

func nameOfLayer(name string) string {
	if name == "memory" {
		return "main memory"
	}
	return "the cache " + name
}

func countText(v float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if v >= unit.size {
			return fmt.Sprintf("%.3g %s", v/unit.size, unit.name)
		}
	}
	return fmt.Sprintf("%.3g", v)
}

func operationsText(v float64) string {
	text := countText(v)
	if v < 1e3 {
		text += " "
	}
	return text + "operations"
}

func byteText(v float64) string {
	text := countText(v)
	if v < 1e3 {
		text += " "
	}
	return text + "B"
}

// A picture maps intensities and rates to pixels, both logarithmic.
type picture struct {
	strings.Builder
	left, right   float64 // decimal logarithms of the intensity
	bottom, top   float64 // and of the rate
	width, height float64
}

const (
	rooflineMargin = 70
	rooflineKey    = 190 // width of the names of the roofs
)

func (p *picture) x(intensity float64) float64 {
	return rooflineMargin + (math.Log10(intensity)-p.left)/(p.right-p.left)*p.width
}

func (p *picture) y(rate float64) float64 {
	return rooflineMargin/2 + (p.top-math.Log10(rate))/(p.top-p.bottom)*p.height
}

func (p *picture) line(x1, y1, x2, y2 float64, style string) {
	fmt.Fprintf(p, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" %s/>`+"\n", x1, y1, x2, y2, style)
}

func (p *picture) text(x, y float64, style, text string) {
	fmt.Fprintf(p, `<text x="%.1f" y="%.1f" %s>%s</text>`+"\n", x, y, style, html.EscapeString(text))
}

// threadStyle dashes the roofs of one thread.
func threadStyle(threads int) string {
	if threads == 1 {
		return `stroke-dasharray="6 4"`
	}
	return ""
}

// SVG draws the roofs of the machine, dashed for one thread, and the kernel.
func (r *Roofline) SVG() string {
	p := r.newPicture()
	r.axes(p)
	for _, point := range r.Points {
		r.roofs(p, point.Threads)
	}
	for i, point := range r.Points {
		x, y := p.x(r.intensity()), p.y(max(point.Rate, 1))
		fmt.Fprintf(p, `<circle cx="%.1f" cy="%.1f" r="5" fill="#c0392b"/>`+"\n", x, y)
		const red = `fill="#c0392b"`
		p.text(x+9, y+4, red, fmt.Sprint(point.Threads))
		key := p.y(math.Pow(10, p.bottom)) - float64(40*(len(r.Points)-i)) + 20
		p.text(rooflineMargin+p.width+8, key, red, fmt.Sprintf("%s: %sop/s", threadsText(point.Threads), countText(point.Rate)))
		p.text(rooflineMargin+p.width+8, key+14, red, fmt.Sprintf("%.0f %% of the limit", 100*point.OfLimit))
	}
	p.WriteString("</svg>\n")
	return p.String()
}

// intensity is never 0, which a logarithmic axis does not have.
func (r *Roofline) intensity() float64 { return max(r.Intensity, 1e-3) }

func (r *Roofline) newPicture() *picture {
	all := r.Points[len(r.Points)-1].Threads
	peak := max(r.Peaks.Operations(r.dtype, all), 1e9)
	lowest := peak
	for _, point := range r.Points {
		lowest = min(lowest, max(point.Rate, 1e6))
	}
	p := &picture{width: 640, height: 400}
	p.left, p.right = min(-2, math.Floor(math.Log10(r.intensity()))), max(3, math.Ceil(math.Log10(r.intensity())+0.5))
	p.top, p.bottom = math.Ceil(math.Log10(peak)+0.1), min(math.Floor(math.Log10(lowest)), math.Floor(math.Log10(peak))-3)
	fmt.Fprintf(p, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" font-family="sans-serif" font-size="11">`+"\n", p.width+rooflineMargin+rooflineKey, p.height+1.5*rooflineMargin)
	p.WriteString(`<rect width="100%" height="100%" fill="white"/>` + "\n")
	return p
}

func (r *Roofline) axes(p *picture) {
	const grid = `stroke="#e4e4e4"`
	low, high := p.y(math.Pow(10, p.bottom)), p.y(math.Pow(10, p.top))
	for e := p.left; e <= p.right; e++ {
		x := p.x(math.Pow(10, e))
		p.line(x, low, x, high, grid)
		p.text(x, low+16, `text-anchor="middle"`, fmt.Sprintf("%g", math.Pow(10, e)))
	}
	left, right := p.x(math.Pow(10, p.left)), p.x(math.Pow(10, p.right))
	for e := p.bottom; e <= p.top; e++ {
		y := p.y(math.Pow(10, e))
		p.line(left, y, right, y, grid)
		p.text(left-6, y+4, `text-anchor="end"`, countText(math.Pow(10, e))+"op/s")
	}
	p.text((left+right)/2, low+34, `text-anchor="middle"`, "operations for each byte that must be moved")
	p.text(left, high-12, `font-size="14"`, r.Def+" "+sizesText(r.Sizes))
	p.text(left, low+52, `fill="#666"`, r.Machine)
}

// roofs draws the peak of the arithmetic and the bandwidth of each layer.
func (r *Roofline) roofs(p *picture, threads int) {
	peak := r.Peaks.Operations(r.dtype, threads)
	if peak <= 0 {
		return
	}
	left, right, floor := math.Pow(10, p.left), math.Pow(10, p.right), math.Pow(10, p.bottom)
	style := `stroke="#2c3e50" stroke-width="1.5" ` + threadStyle(threads)
	start := right
	for i, layer := range r.Peaks.Layers {
		bandwidth := layer.Read.Of(threads, r.Peaks.Threads)
		if bandwidth <= 0 {
			continue
		}
		from, to := max(left, floor/bandwidth), peak/bandwidth
		start = min(start, to)
		p.line(p.x(from), p.y(from*bandwidth), p.x(to), p.y(peak), fmt.Sprintf(`stroke="%s" stroke-width="1.5" %s`, layerColors[i%len(layerColors)], threadStyle(threads)))
		if threads == r.Points[len(r.Points)-1].Threads {
			p.text(p.x(right)+8, p.y(math.Pow(10, p.bottom))-float64(180-16*i), fmt.Sprintf(`fill="%s"`, layerColors[i%len(layerColors)]), fmt.Sprintf("%s: %s/s read", layer.Name, byteText(bandwidth)))
		}
	}
	p.line(p.x(start), p.y(peak), p.x(right), p.y(peak), style)
	p.text(p.x(right)+8, p.y(peak)+4, `fill="#2c3e50"`, fmt.Sprintf("%sop/s, %s", countText(peak), threadsText(threads)))
}

var layerColors = [...]string{"#27ae60", "#2980b9", "#8e44ad", "#d35400"}

// sizesText writes sizes in the order of their names.
func sizesText(sizes map[string]int64) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(sizes)) {
		parts = append(parts, fmt.Sprintf("%s=%d", name, sizes[name]))
	}
	return strings.Join(parts, " ")
}
