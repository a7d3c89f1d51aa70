package mdh

import (
	"github.com/ricci-lang/ricci/internal/ein"
)

// LaneDims lists the dimensions along which vectors of some lanes may lie, and along
// which neighbours are neighbours in memory: of an output, or of an input where the
// dimension is reduced.
func (c *Computation) LaneDims(lanes int64) []int {
	var list []int
	for d := range c.Dims {
		if c.mayHaveLanes(d, lanes) && c.unitStride(d) {
			list = append(list, d)
		}
	}
	return list
}

// Copyable reports whether input number b may be copied.
func (c *Computation) Copyable(b int) bool { return c.copyable(c.Inputs[b]) == "" }

// Reused reports whether some dimension does not occur in the subscripts of input
// number b, so that its elements are read several times.
func (c *Computation) Reused(b int) bool {
	for d, dim := range c.Dims {
		used := dim.Point()
		for k := range c.Inputs[b].Rank() {
			used = used || c.uses(c.Inputs[b], k, d)
		}
		if !used {
			return true
		}
	}
	return false
}

// VectorLayout is row-major for input number b, except that the dimension along which
// dimension d of the computation runs is the fastest.
func (c *Computation) VectorLayout(b, d int) []int { return c.vectorLayout(c.Inputs[b], d) }

// Fits reports, as an error, why the shared loops of a group do not fit together.
func (g *Group) Fits(f *ein.Func) error { return g.fits(f, 0) }
