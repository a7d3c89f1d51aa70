package standard

import (
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
)

// How the register tile of a reduction is chosen
//
// Vectors along a column are accumulated side by side: several of that column, times some points
// of others. Those share loads, and while one waits for its sum the others go on. The tile is the
// one whose vector operations take least time (tileCost), a gather being a load for each lane.
//
//   - Where no load is shared, points of other columns hide latency only, which the next
//     tile does as well after a few steps. They would walk through lines that lie far apart:
//     the sum of 9 planes at 201 x 303 points and their relaxation take 0.263 ms with 12 rows
//     of the planes in a tile, 0.148 with four vectors of one row.
//   - Where lanes are gathered, arithmetic is nearly free, and points of two columns share
//     more gathers than those of one: 10007 products of complex 3 x 3 matrices take 0.148 ms
//     with 4 vectors and 3 points, 0.100 with one vector and 3 x 3 points.

// A tileChoice is a register tile: vectors along the vector column, and points of others.
type tileChoice struct {
	vectors int64
	points  []columnPoints // all other columns have one
}

// columnPoints are the points of a column in a tile.
type columnPoints struct {
	column int
	points int64
}

// count is the number of vectors that are accumulated.
func (t tileChoice) count() int64 {
	n := t.vectors
	for _, p := range t.points {
		n *= p.points
	}
	return n
}

// chooseTile sizes the register tile of a group with a vector column.
func (mk *maker) chooseTile(p *plan) {
	p.tiles[p.vector] = int64(p.lanes)
	heaviest := mk.heaviest(p)
	if heaviest < 0 {
		mk.chooseSquare(p)
		mk.chooseRun(p)
		return
	}
	best := math.Inf(1)
	for _, t := range mk.tileChoices(p, heaviest) {
		if cost := mk.choiceCost(p, heaviest, t); cost < best*0.99 {
			best = cost
			for col := range p.tiles {
				p.tiles[col] = 1
			}
			for _, other := range t.points {
				p.tiles[other.column] = other.points
			}
			p.tiles[p.vector] = t.vectors * int64(p.lanes)
		}
	}
}

// tileChoices lists the register tiles for statement number k of the group; of equal ones the
// first is taken.
func (mk *maker) tileChoices(p *plan, k int) (list []tileChoice) {
	c := mk.f.Body[p.g.statements[k]]
	v := p.g.columns[p.vector][k]
	single, brief := mk.gathersBriefly(c, v), mk.reductionSteps(c) <= briefReduction
	gathers := slices.ContainsFunc(c.Accesses(), func(a *ein.Access) bool { return mk.stridesAlong(c, a, v) })
	var others []int
	for col, column := range p.g.columns {
		if col != p.vector && !(brief && sharesNothing(c, column[k])) {
			others = append(others, col)
		}
	}
	for _, vectors := range []int64{4, 3, 2, 1, 6, 8} {
		if single && vectors > 1 {
			continue
		}
		for at, col := range others {
			for _, points := range []int64{6, 8, 7, 5, 4, 12, 3, 2} {
				list = append(list, tileChoice{vectors, []columnPoints{{col, points}}})
			}
			for _, second := range others[at+1:] {
				for points := int64(2); gathers && points <= 4; points++ {
					for more := int64(2); more <= 4; more++ {
						list = append(list, tileChoice{vectors, []columnPoints{{col, points}, {second, more}}})
					}
				}
			}
		}
		list = append(list, tileChoice{vectors, nil})
	}
	return list
}

// choiceCost is the time per vector operation of statement number k with a register tile; +Inf where the
// tile does not fit.
func (mk *maker) choiceCost(p *plan, k int, t tileChoice) float64 {
	c, lanes := mk.f.Body[p.g.statements[k]], int64(p.lanes)
	v := p.g.columns[p.vector][k]
	n := estimate(v.Extent)
	if t.count()*int64(len(c.Writes)) > mk.registers() || t.vectors > max(1, n/lanes) || mk.isTooLong(c, t.count()) {
		return math.Inf(1)
	}
	loads := int64(0)
	for _, a := range c.Accesses() {
		each := int64(1)
		if ein.AnyDependsOn(a.Subscripts, v) {
			each = t.vectors
		}
		if mk.stridesAlong(c, a, v) {
			each *= lanes
		}
		for _, other := range t.points {
			if ein.AnyDependsOn(a.Subscripts, p.g.columns[other.column][k]) {
				each *= other.points
			}
		}
		loads += each
	}
	cost := mk.tileCost(t.count(), loads) * waste(n, t.vectors*lanes)
	for _, other := range t.points {
		extent := estimate(p.g.columns[other.column][k].Extent)
		if other.points > extent {
			return math.Inf(1)
		}
		cost *= waste(extent, other.points)
	}
	return cost
}

// sharesNothing reports whether all that a statement reads at its points, scalars left out, depends on
// an index.
func sharesNothing(c *ein.Comprehension, index *ein.Index) bool {
	for _, a := range c.Accesses() {
		if len(a.Subscripts) > 0 && !ein.AnyDependsOn(a.Subscripts, index) {
			return false
		}
	}
	return true
}

// isGathered reports whether the lanes of an access along an index are loaded one by one.
func (mk *maker) isGathered(c *ein.Comprehension, a *ein.Access, index *ein.Index) bool {
	return mk.along(c, a.Tensor, a.Subscripts, index) == far && math.IsInf(mk.everyCost(c, a.Tensor, a.Subscripts, index), 1)
}

// stridesAlong reports whether the lanes of an access are gathered a constant step apart.
func (mk *maker) stridesAlong(c *ein.Comprehension, a *ein.Access, index *ein.Index) bool {
	for _, sub := range a.Subscripts {
		if _, affine := ein.AffineOf(sub); !affine {
			return false
		}
	}
	return mk.isGathered(c, a, index)
}
