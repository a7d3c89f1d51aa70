package standard

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
)

// Which reduced indices of a window are written out in a register tile
//
// What neighbouring points of a window read in common stays in registers only where the loop over it is written out.

// isUnrolled reports whether the sums of a tile of windows are computed without a loop: the
// filters of depthwise layers have few elements (3 x 3 with steps of 2 take 0.8 of the time), those
// of images that are read where they lie may have more (5 x 5 on 4096² floats 0.9 of the time, on 1000² 0.76,
// doubles 0.85; 7 x 7 0.88). The registers must hold what neighbouring steps share.
func (d *tileDesigner) isUnrolled(vectors int64, points []tilePoints, unrolled, window *ein.Index) bool {
	sums := d.accumulators(vectors, points)
	body := float64(sums) * d.steps
	longest := float64(longestWritten)
	if d.size(d.best.vector) < 4*vectors*d.lanes {
		longest /= 2
	}
	if window != nil || body > longest || !d.mk.windowed(d.c) {
		return false
	}
	long := 0
	for _, i := range ein.Reduced(d.c) {
		n, known := i.Extent.IsConst()
		if !known {
			return false
		}
		if n > 1 {
			long++
		}
	}
	if long < 2 { // a single loop is short enough
		return false
	}
	if d.filters {
		return d.keepsStep(sums, vectors, points, unrolled)
	}
	return !d.inRows && body <= longestBody && d.keepsShared(sums, vectors, points, unrolled)
}

// filtersImage reports whether a statement filters an image that is read where it lies: no
// channels are added up, and the filter has more elements than those of most layers, or rows of
// results are written past the caches.
func (d *tileDesigner) filtersImage(t *registerTile) bool {
	const longest, least = 64, 25
	// Rows of 28 points take 1.2 of the time on two threads.
	if n := d.size(t.vector); !d.inRows && n < 3*d.lanes && n%d.lanes != 0 {
		return false
	}
	if len(t.packed) > 0 || t.sorted != nil || d.panel > 0 || d.apart || d.steps > longest || !d.inRows && d.steps < least || d.lanes < int64(d.mk.lanesOf(d.c)) {
		return false
	}
	return !slices.ContainsFunc(ein.Reduced(d.c), func(r *ein.Index) bool {
		n, known := r.Extent.IsConst()
		return !known || n > 1 && !slices.ContainsFunc(d.operands, func(o tileOperand) bool {
			return o.vector && slices.ContainsFunc(o.subscripts, func(coefficients map[*ein.Index]int64) bool { return coefficients[r] != 0 && len(coefficients) > 1 })
		})
	})
}

// keepsStep reports whether the registers hold what a step reads of an image beside so many sums: the
// next one reads all of that but a few vectors, which take the places of some that nobody uses again.
func (d *tileDesigner) keepsStep(sums, vectors int64, points []tilePoints, unrolled *ein.Index) bool {
	used := sums + 2
	for _, o := range d.operands {
		if once := o.distinct(points, nil, 1); o.vector {
			if unrolled == nil || o.distinct(points, unrolled, d.size(unrolled)) == once*d.size(unrolled) {
				return false
			}
			used += vectors * once
		}
	}
	return used <= int64(d.mk.m.VectorRegisters)
}

// keepsShared reports whether the registers hold what neighbouring steps share beside so many
// sums. They must where vectors are narrow, and thus often masked, or shuffled: the compiler
// would not load them again, but store them on the stack (5 x 5 with steps of 2 at 7 x 7: 0.6 of the time).
func (d *tileDesigner) keepsShared(sums, vectors int64, points []tilePoints, unrolled *ein.Index) bool {
	repeat, used := int64(1), sums+1
	if unrolled != nil {
		repeat = d.size(unrolled)
	}
	for _, o := range d.operands {
		if loads := o.distinct(points, unrolled, repeat); o.vector {
			used += vectors * min(loads, o.distinct(points, nil, 1)*repeat-loads)
		}
	}
	return used <= int64(d.mk.m.VectorRegisters)
}

// passesRows reports whether a step of a tile of many sums passes the rows of an image that it reads in place on
// to the next one, in registers: few vectors are loaded that straddle lines, which outweighs that a row of
// results is written by one vector at a time, where sums are not too short and the results stay in the caches.
// On one thread of a Granite Rapids, 3 x 3 of 3 channels take 0.92 to 0.96 of the time, of 16 channels
// 0.78, 5 x 5 0.90 to 0.92, 7 x 7 0.83; one channel would take 1.35, 16 images of VGG's layer 1.41, 3 x 3 x 3
// 1.2, and windows with steps, of which neighbours share less, up to 1.3.
func (d *tileDesigner) passesRows(sums, vectors int64, points []tilePoints, unrolled *ein.Index) bool {
	const leastSteps, leastVectors = 24, 3
	registers, n := int64(d.mk.m.VectorRegisters), d.size(d.best.vector)
	if unrolled == nil || !d.mk.m.HasManyRegisters() || vectors > 1 || sums <= registers*9/16 || sums > registers*3/4 || d.steps < leastSteps || d.apart ||
		d.inRows || d.lanes < int64(d.mk.lanesOf(d.c)) || n < leastVectors*d.lanes && n%d.lanes != 0 {
		return false
	}
	for _, o := range d.operands {
		windows := 0
		for _, coefficients := range o.subscripts {
			if len(coefficients) > 1 {
				windows++
			}
		}
		if windows > 2 {
			return false
		}
	}
	return len(d.best.packed) == 0 && d.best.sorted == nil && d.mk.bytesOf(d.c.Writes[0].Tensor) <= d.mk.m.Shared()/2 && d.keepsStep(sums+2, vectors, points, unrolled)
}

// window returns the index of points whose neighbours read the same scalars one step of
// the unrolled index apart, or nil.
func (d *tileDesigner) window(vectors int64, points []tilePoints, unrolled *ein.Index) *ein.Index {
	if !d.stays && !d.copiedForPieces(vectors) {
		return nil
	}
	for _, p := range points {
		for _, o := range d.operands {
			if !o.vector && slices.ContainsFunc(o.subscripts, func(c map[*ein.Index]int64) bool { return c[unrolled] != 0 && c[p.index] == c[unrolled] }) {
				return p.index
			}
		}
	}
	return nil
}
