package standard

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How what follows a convolution is computed whose vectors run across the rows of the results
//
// A bias, say, is added to results that lie side by side along another column than that of the vectors of
// the sums. These are transposed on their way to a block of the temporary, which keeps the order of the results,
// and what follows goes along its rows: layers of 3 x 3 with 64 to 128 channels, a bias and max take 0.6 to
// 0.75 of the time that vectors along rows of the image need, which the bias would follow. It makes no difference
// whether one tile is finished at a time, or a row of them.

// scattered returns the cycles that the other statements of a group need for what
// they read or write lane by lane when vectors run along an index of number heavy, or
// of windows along rows of its tiles instead. Products are not transposed for that: layers of
// 64 and 128 rows would take 1.3 to 1.7 of the time.
func (mk *maker) scattered(g *group, heavy int, i *ein.Index) float64 {
	column := slices.IndexFunc(g.columns, func(column []*ein.Index) bool { return column[heavy] == i })
	windows, total := mk.windowed(mk.f.Body[g.statements[heavy]]), 0.0
	for k, s := range g.statements {
		if k == heavy || column < 0 || mk.isAlong(g, k, column) {
			continue
		}
		points := 1.0
		for _, index := range mk.f.Body[s].Indices {
			points *= float64(max(1, estimate(index.Extent)))
		}
		if windows && mk.hasRows(g, k) {
			total += followCycles * points
			continue
		}
		for _, a := range mk.accesses[s] {
			if mk.along(mk.f.Body[s], a.Tensor, a.Subscripts, g.columns[column][k]) == far {
				total += mk.m.Value(machine.LaneOut) * points
			}
		}
	}
	return total
}

// hasRows reports whether statement number k of a group can be computed by vectors along some column
// that is long enough for tiles to be transposed.
func (mk *maker) hasRows(g *group, k int) bool {
	for col, column := range g.columns {
		if estimate(column[k].Extent) >= schedule.SmallestSquare && mk.isAlong(g, k, col) {
			return true
		}
	}
	return false
}

// vectorOf returns the column of the vectors of another statement. Where those of the sums run across the
// rows of what it reads and writes, a row of the tile is better: the sums were transposed on their way.
func (v *convolution) vectorOf(k int) int {
	best := v.p.vector
	if v.mk.isAlong(v.p.g, k, best) {
		return best
	}
	for col, tile := range v.p.tiles {
		if tile >= schedule.SmallestSquare && (best == v.p.vector || tile > v.p.tiles[best]) && v.mk.isAlong(v.p.g, k, col) {
			best = col
		}
	}
	return best
}

// isFollowedAcross reports whether vectors of another statement run along another column than the sums'.
func (v *convolution) isFollowedAcross() bool {
	for k := range v.p.g.statements {
		if k != v.heavy && v.vectorOf(k) != v.p.vector {
			return true
		}
	}
	return false
}

// keepRows lets the blocks of temporaries keep the order of their dimensions, though vectors of the sums run
// across their rows: these are transposed on their way to a block, once for all that reads it.
func (v *convolution) keepRows(n schedule.Node) {
	for place, ok := n.(*schedule.Place); ok; place, ok = place.Child.(*schedule.Place) {
		for d := range v.mk.f.Tensor(place.Tensor).Dims {
			place.Layout = append(place.Layout, d+1)
		}
	}
}
