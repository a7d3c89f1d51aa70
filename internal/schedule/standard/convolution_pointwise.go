package standard

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How convolutions with filters of one point are scheduled whose images are no whole vectors
//
// Vectors along the points of an image of 14 x 14 leave lanes idle, and register tiles are
// smaller at its end. Where the filter is constant, and the output channels fill vectors, these run
// along the channels: an earlier call has made panels of the filter, one of which stays in the nearest
// caches while the points pass by, which are read as they lie. That the results are transposed
// costs little beside a long sum. 512 channels at 14 x 14 take 0.90 to 0.93 of the time, 1024 to 512
// 0.92 to 0.95, 512 to 64 at 13 x 13 0.8. Images that come from far away are better copied once: eight
// of 1024 channels took 1.18 of the time on two threads.

// idleLanes is from which share of all lanes on those that are idle are worth another order.
const idleLanes = 0.04

// fillsChannels reports whether a statement, no window of which has more points than one, is better
// computed by vectors along the channels of a constant filter.
func (mk *maker) fillsChannels(c *ein.Comprehension) bool {
	if len(c.Writes) != 1 || len(c.Accesses()) != 2 || !mk.contraction(c) || extentOf(ein.Reduced(c)) < longReduction || mk.multipliesGroups(c) {
		return false
	}
	lanes := int64(mk.lanesOf(c))
	for _, i := range c.Indices {
		if _, known := i.Extent.IsConst(); !known {
			return false
		}
	}
	for _, i := range c.ByKind(ein.Concat) {
		w := c.Writes[0]
		if n := estimate(i.Extent); mk.along(c, w.Tensor, w.Subscripts, i) == unit && (n < lanes || waste(n, lanes) < 1+idleLanes) {
			return false
		}
	}
	constant := false
	for _, a := range c.Accesses() {
		if mk.isConstant(a.Tensor) {
			constant = true
		} else if pointsOf(c, a)*int64(a.Tensor.Type.Size()) > mk.m.L2/2 {
			return false // each panel would read it from far away
		}
	}
	return constant
}

// overChannels makes the tree of a convolution whose vectors run along the channels of a constant filter
// of one point; nil where its tile says otherwise.
func (v *convolution) overChannels() schedule.Node {
	w := v.c.Writes[0]
	if len(v.tile.packed) != 1 || !v.mk.isConstant(v.tile.packed[0]) || v.mk.along(v.c, w.Tensor, w.Subscripts, v.tile.vector) != far {
		return nil
	}
	var tasks, inner []*schedule.Member
	count := int64(1)
	for col, tile := range v.p.tiles {
		n := v.extent(col)
		if col != v.p.vector && (tile > 1 || v.usesPanel(col)) {
			if tile < n || tile == 1 {
				inner = append(inner, v.p.column(col, tile))
			}
			continue
		}
		m := v.p.column(col, tile)
		m.Parallel, m.Coincident = v.p.parallel, true
		if tile < n || n == 1 {
			tasks = append(tasks, m)
		}
		count *= (n + tile - 1) / tile
	}
	if cores := int64(v.mk.m.Cores); v.p.parallel && (count < cores*tasksPerCore/2 || (count+cores-1)/cores*cores*10 > count*11) {
		return nil // a core would wait for another
	}
	return wrap(tasks, &schedule.Place{Tensor: v.tile.packed[0].Name, Region: schedule.Workspace, Child: wrap(inner, v.tileNest())})
}
