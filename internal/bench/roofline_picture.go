package bench

import (
	"fmt"
	"html"
	"math"
	"strings"

	"github.com/ricci-lang/ricci/internal/machine"
)

// A picture maps intensities and rates to pixels, both logarithmic.
type picture struct {
	strings.Builder
	left, right   float64 // decimal logarithms of the intensity
	bottom, top   float64 // and of the rate
	width, height float64
	key           float64 // where the next line of the key to the right begins
}

const (
	rooflineMargin = 70
	rooflineKey    = 230 // width of the key
	keyLine        = 16  // height of its lines
	// Layers with nearly the same bandwidth are one roof: their lines would hide each other.
	nearlyTheSame = 1.15
)

const kernelColor = `fill="#c0392b"`

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

// textOver writes over lines: with a white rim.
func (p *picture) textOver(x, y float64, style, text string) {
	p.text(x, y, style+` stroke="white" stroke-width="4"`, text)
	p.text(x, y, style, text)
}

// keyText adds a line to the key.
func (p *picture) keyText(style, text string) {
	p.key += keyLine
	p.text(rooflineMargin+p.width+38, p.key, style, text)
}

// keySample adds a line to the key, with a sample of what it is about.
func (p *picture) keySample(style, text string) {
	p.keyText(`fill="#222"`, text)
	p.line(rooflineMargin+p.width+10, p.key-4, rooflineMargin+p.width+32, p.key-4, style)
}

// threadStyle dashes the roofs of one thread.
func threadStyle(threads int) string {
	if threads == 1 {
		return `stroke-dasharray="6 4"`
	}
	return ""
}

// SVG draws the roofs of the machine, dashed for one thread, and the kernel with its own
// limit, which depends on what it reads and writes.
func (r *Roofline) SVG() string {
	p := r.newPicture()
	r.axes(p)
	for i := len(r.Points) - 1; i >= 0; i-- {
		r.roofs(p, r.Points[i].Threads)
	}
	for i := len(r.Points) - 1; i >= 0; i-- {
		r.point(p, r.Points[i])
	}
	p.WriteString("</svg>\n")
	return p.String()
}

// point draws the kernel with a number of threads, and the way from there to its limit.
func (r *Roofline) point(p *picture, point RooflinePoint) {
	x, y := p.x(r.intensity()), p.y(max(point.Rate, 1))
	if point.OfLimit > 0 {
		limit := p.y(max(point.limit(), 1))
		p.line(x, y, x, limit, `stroke="#c0392b"`)
		p.line(x-8, limit, x+8, limit, `stroke="#c0392b" stroke-width="2"`)
	}
	fmt.Fprintf(p, `<circle cx="%.1f" cy="%.1f" r="4" %s/>`+"\n", x, y, kernelColor)
	if len(r.Points) > 1 && point.Threads == r.Points[0].Threads { // the points may be near each other
		p.textOver(x-9, y+15, kernelColor+` text-anchor="end"`, threadsText(point.Threads))
	} else {
		p.textOver(x+9, y+15, kernelColor, threadsText(point.Threads))
	}
	p.key += keyLine / 2
	p.keyText(kernelColor, fmt.Sprintf("%s: %sop/s", threadsText(point.Threads), countText(point.Rate)))
	p.keyText(kernelColor, fmt.Sprintf("%s of its limit (%s)", percentText(point.OfLimit), point.LimitBy))
}

// limit is the rate at the limit; 0 when there is none.
func (p *RooflinePoint) limit() float64 {
	if p.OfLimit > 0 {
		return p.Rate / p.OfLimit
	}
	return 0
}

// intensity is never 0, which a logarithmic axis does not have.
func (r *Roofline) intensity() float64 { return max(r.Intensity, 1e-3) }

func (r *Roofline) newPicture() *picture {
	all := r.Points[len(r.Points)-1].Threads
	peak := max(r.Peaks.Operations(r.dtype, all), 1e9)
	lowest, highest := peak, peak
	if r.multipliesParts(all) {
		highest = r.Peaks.Parts(all)
	}
	for _, point := range r.Points {
		lowest, highest = min(lowest, max(point.Rate, 1e6)), max(highest, point.Rate, point.limit())
	}
	p := &picture{width: 640, height: 400, key: rooflineMargin / 2}
	p.left, p.right = min(-2, math.Floor(math.Log10(r.intensity()))), max(3, math.Ceil(math.Log10(r.intensity())+0.5))
	p.top, p.bottom = math.Ceil(math.Log10(highest)+0.1), min(math.Floor(math.Log10(lowest)), math.Floor(math.Log10(peak))-3)
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

// roofs draws the peak of the arithmetic and the bandwidth of each layer, and names them in the key.
func (r *Roofline) roofs(p *picture, threads int) {
	peak := r.Peaks.Operations(r.dtype, threads)
	if peak <= 0 {
		return
	}
	left, right, floor := math.Pow(10, p.left), math.Pow(10, p.right), math.Pow(10, p.bottom)
	style := func(color string) string {
		return fmt.Sprintf(`stroke="%s" stroke-width="1.5" %s`, color, threadStyle(threads))
	}
	p.keyText(`fill="#666"`, threadsText(threads)+":")
	p.keySample(style(arithmeticColor), fmt.Sprintf("%sop/s on %s", countText(peak), r.Type))
	if r.multipliesParts(threads) { // products alone reach it
		parts := style(partsColor)
		p.line(p.x(right)-60, p.y(r.Peaks.Parts(threads)), p.x(right), p.y(r.Peaks.Parts(threads)), parts)
		p.keySample(parts, fmt.Sprintf("%sop/s of products in parts", countText(r.Peaks.Parts(threads))))
	}
	start := right
	for _, roof := range bandwidthRoofs(r.Peaks, threads) {
		from, to := max(left, floor/roof.bandwidth), peak/roof.bandwidth
		start = min(start, to)
		layer := style(layerColors[roof.layer%len(layerColors)])
		if from < to {
			p.line(p.x(from), p.y(from*roof.bandwidth), p.x(to), p.y(peak), layer)
		}
		p.keySample(layer, fmt.Sprintf("%sB/s reading %s", countText(roof.bandwidth), roof.name))
	}
	p.line(p.x(max(start, left)), p.y(peak), p.x(right), p.y(peak), style(arithmeticColor))
	p.key += keyLine / 2
}

// A bandwidthRoof is the bandwidth of a layer of memory, or of several that are as fast.
type bandwidthRoof struct {
	name      string
	layer     int     // the number of the slowest of them
	bandwidth float64 // of that
	fastest   float64
}

// bandwidthRoofs lists the roofs of the layers that were measured, from the fastest to main memory.
func bandwidthRoofs(peaks *machine.Peaks, threads int) (list []bandwidthRoof) {
	for i, layer := range peaks.Layers {
		bandwidth := layer.Read.Of(threads, peaks.Threads)
		if bandwidth <= 0 {
			continue
		}
		if n := len(list); n > 0 && list[n-1].fastest < nearlyTheSame*bandwidth {
			last := &list[n-1]
			last.name += ", " + layer.Name
			if bandwidth < last.bandwidth {
				last.layer, last.bandwidth = i, bandwidth
			}
			continue
		}
		list = append(list, bandwidthRoof{name: layer.Name, layer: i, bandwidth: bandwidth, fastest: bandwidth})
	}
	return list
}

const arithmeticColor, partsColor = "#2c3e50", "#7d6608"

var layerColors = [...]string{"#27ae60", "#2980b9", "#8e44ad", "#d35400"}
