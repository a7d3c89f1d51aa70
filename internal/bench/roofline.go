package bench

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/machine"
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
	Peaks      *machine.Peaks   `json:"peaks"`

	dtype         tensor.DType
	read, written int64
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
		dtype: w.dtype, read: w.read, written: w.written,
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
		switch {
		case r.Operations == 0 && r.Bytes == 0:
			b.WriteString("  there is no limit to compare with: for these sizes nothing is computed and nothing moved\n")
		case p.Limit > 0 && p.Limit < noCall:
			fmt.Fprintf(&b, "  the limit is under %s, and any call takes longer: %s\n", SecondsText(noCall), r.advice(p))
		case p.Limit > 0:
			fmt.Fprintf(&b, "  %s of the limit, which is %s: %s\n", percentText(p.OfLimit), SecondsText(p.Limit), r.advice(p))
		}
		if p.OfLimit > wellAbove {
			b.WriteString("  more than the limit: " + r.excuse(p) + "\n")
		}
	}
	return b.String()
}

// noCall is a time in which no call of a kernel begins and ends.
const noCall = 1e-9

// advice says what the limit means.
func (r *Roofline) advice(p RooflinePoint) string {
	balance := "none"
	if layer := r.Peaks.LayerOf(r.Bytes, p.Threads); layer != nil {
		if bandwidth := r.bandwidth(layer, p.Threads); bandwidth > 0 {
			balance = fmt.Sprintf("%.2g", r.Peaks.Operations(r.dtype, p.Threads)/bandwidth)
		}
		if p.LimitBy == layer.Name {
			return fmt.Sprintf("the bandwidth of %s, which holds the arguments; arithmetic would limit from %s operations per byte on", nameOfLayer(layer.Name), balance)
		}
	}
	return fmt.Sprintf("the arithmetic on %s; memory would limit below %s operations per byte", r.Type, balance)
}

// bandwidth is that of a layer for the kernel's share of reading and writing.
func (r *Roofline) bandwidth(layer *machine.Memory, threads int) float64 {
	seconds := layer.Seconds(r.read, r.written, threads, r.Peaks.Threads)
	if seconds > 0 && r.Bytes > 0 {
		return float64(r.Bytes) / seconds
	}
	return 0
}

// percentText writes a part in percent, with two digits where it is small.
func percentText(part float64) string {
	if percent := 100 * part; percent < 9.5 {
		return fmt.Sprintf("%.2g %%", percent)
	}
	return fmt.Sprintf("%.0f %%", 100*part)
}

// wellAbove is a part of the limit that noise does not explain.
const wellAbove = 1.05

// excuse says how a kernel may exceed its limit.
func (r *Roofline) excuse(p RooflinePoint) string {
	if p.LimitBy == r.Type && r.multipliesParts(p.Threads) {
		return "a matrix unit multiplies float32 in parts, which is faster than vectors, or the kernel needs fewer operations than the program has"
	}
	if p.LimitBy == r.Type {
		return "the kernel needs fewer operations than the program has, or the processor was faster just then"
	}
	return "the loops that measure the bandwidth did not reach it, or a part of the arguments stays in a faster layer"
}

// multipliesParts reports whether the machine multiplies the kernel's numbers in parts faster than it computes
// with them.
func (r *Roofline) multipliesParts(threads int) bool {
	return r.dtype == tensor.Float32 && r.Peaks.Parts(threads) > r.Peaks.Operations(r.dtype, threads)
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

// sizesText writes sizes in the order of their names.
func sizesText(sizes map[string]int64) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(sizes)) {
		parts = append(parts, fmt.Sprintf("%s=%d", name, sizes[name]))
	}
	return strings.Join(parts, " ")
}
