package standard

import (
	"maps"
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// leastReuse is from which reuse on the transposition of an operand pays: one
// element costs as much to pack as some of its uses.
const leastReuse = 24

// packCost is the time of packing an element, in vector instructions.
const packCost = 0.5

// chooseTile compares the vector indices and sizes of the register tile; false
// means that another maker's schedule is better.
func (k *contraction) chooseTile(p *plan) bool {
	lanes := int64(k.mk.lanesOf(k.c))
	best := math.Inf(1)
	for _, v := range k.c.ByKind(ein.Concat) {
		if estimate(v.Extent) < 2 || lanes < 2 || schedule.Vectorisable(k.c, v) != "" {
			continue
		}
		fixedCost, ok := k.vectorOverhead(v, lanes)
		if !ok {
			continue
		}
		k.eachTile(v, lanes, func(vectors int64, tile map[*ein.Index]int64) {
			cost := k.tileCost(v, lanes, vectors, tile) + fixedCost
			if cost < best*0.99 || cost < best && v == k.vector && k.sweepsLess(tile) {
				best, k.vector, k.lanes = cost, v, lanes
				k.tile = map[*ein.Index]int64{v: vectors * lanes}
				for i, points := range tile {
					k.tile[i] = points
				}
			}
		})
	}
	return k.vector != nil
}

// sweepsLess reports whether a register tile visits columns from far away in fewer sweeps than
// the one chosen so far: each of them reads the columns again, and one at the edge asks for
// nothing ahead. Of tiles of about the same cost that one wins, where there are few: of
// 16 x 1000 x 2048 floats two sweeps of 8 rows take 0.88 of the time of three of 6.
func (k *contraction) sweepsLess(tile map[*ein.Index]int64) bool {
	const few = 8 // from so many on the columns are copied
	sweeps := func(tile map[*ein.Index]int64) int64 {
		total := int64(1)
		for _, i := range k.c.ByKind(ein.Concat) {
			if i != k.vector {
				n, points := estimate(i.Extent), max(1, tile[i])
				total = schedule.MultiplySizes(total, (n+points-1)/points)
			}
		}
		return total
	}
	now := sweeps(k.tile)
	return now < few && sweeps(tile) < now && slices.ContainsFunc(k.operands, func(a *ein.Access) bool {
		return k.onColumns(a) && pointsOf(k.c, a)*int64(a.Tensor.Type.Size()) > k.mk.m.L2 && k.mk.along(k.c, a.Tensor, a.Subscripts, k.vector) == unit
	})
}

// vectorOverhead is the time per vector operation that vectors along v cost beside
// the tile; ok is false where an operand would be read lane by lane.
func (k *contraction) vectorOverhead(v *ein.Index, lanes int64) (cost float64, ok bool) {
	for _, a := range k.operands {
		if k.mk.along(k.c, a.Tensor, a.Subscripts, v) != far {
			cost += k.rowsOverhead(a, v, lanes)
			continue
		}
		reuse := k.reuse(a)
		if !k.packable(a) || reuse < leastReuse && !k.packsNear(a, reuse) {
			return 0, false
		}
		cost += packCost * float64(lanes) / float64(reuse)
	}
	if k.placesResult(v) {
		return cost + 4*packCost*float64(lanes)/float64(k.steps()), true
	}
	for _, w := range k.c.Writes {
		if k.mk.along(k.c, w.Tensor, w.Subscripts, v) == far {
			scatter := 2 * k.mk.m.Value(machine.LaneOut) // to read and write a lane
			store := math.Min(scatter*float64(lanes), k.mk.everyCost(k.c, w.Tensor, w.Subscripts, v))
			cost += store / float64(min(512, k.steps()))
		}
	}
	return cost, true
}

// packsNear reports whether the transposition of an operand that is used less pays: it stays in the second-level
// cache, and results of vectors along another index are not transposed instead, or too often. 7 x 2000 x 5 doubles
// with transposed operands take 0.3 of the time, 12 x 1000 x 10 with one 0.35; 20 x 300 x 80 would take 1.18.
func (k *contraction) packsNear(a *ein.Access, reuse int64) bool {
	const least, short = 4, 48 // uses, and steps
	return reuse >= least && pointsOf(k.c, a)*int64(a.Tensor.Type.Size()) <= k.mk.m.L2/2 && (k.steps() <= short || !k.liesAlongSum())
}

// rowsOverhead is the time per vector operation to fetch an operand of the rows that does not lie
// along the reduction: it is packed, or each step finds its elements far away. Few columns
// use an element too briefly for that, and vectors go along the rows instead: of a transposed
// 2000 x 300 times 300 x 7 doubles take 0.44 of the time.
func (k *contraction) rowsOverhead(a *ein.Access, v *ein.Index, lanes int64) float64 {
	if ein.AnyDependsOn(a.Subscripts, v) || len(k.inner) == 0 {
		return 0
	}
	if last := k.inner[len(k.inner)-1]; k.mk.step(a.Tensor, a.Subscripts, last)*int64(a.Tensor.Type.Size()) < k.mk.farApart() {
		return 0
	}
	cost := packCost * float64(lanes) / float64(k.reuse(a))
	if pointsOf(k.c, a)*int64(a.Tensor.Type.Size()) <= k.mk.m.L2/2 {
		cost /= 2
	}
	return cost
}

// eachTile enumerates register tiles: vectors along v times points of up to two
// other indices of the result.
func (k *contraction) eachTile(v *ein.Index, lanes int64, visit func(vectors int64, tile map[*ein.Index]int64)) {
	var others []*ein.Index
	for _, i := range k.c.ByKind(ein.Concat) {
		if i != v && estimate(i.Extent) > 1 {
			others = append(others, i)
		}
	}
	points := []int64{6, 8, 7, 5, 4, 12, 13, 3, 2, 9, 10, 14, 16}
	fits := func(i *ein.Index, n int64) bool { return n <= estimate(i.Extent) }
	for _, vectors := range []int64{4, 3, 2, 1, 5, 6, 8} {
		if vectors > max(1, (estimate(v.Extent)+lanes-1)/lanes) || k.open[v] && vectors > mostOpenVectors {
			continue
		}
		for x, first := range others {
			for _, m := range points {
				if !fits(first, m) || vectors*m > k.mk.registers() {
					continue
				}
				if tile := map[*ein.Index]int64{first: m}; k.holds(v, vectors, tile) {
					visit(vectors, tile)
				}
				for _, second := range others[x+1:] {
					for _, n := range points {
						if tile := map[*ein.Index]int64{first: m, second: n}; fits(second, n) && vectors*m*n <= k.mk.registers() && k.holds(v, vectors, tile) {
							visit(vectors, tile)
						}
					}
				}
			}
		}
	}
}

// holds reports whether the registers take, beside the accumulators of a tile, the vectors of a step
// and one element for all lanes. Of 32 registers those of mk.registers() leave enough; of 16 they leave
// four: with 3 x 4 vectors each was loaded three times, since the compiler kept none (AVX2, 0.75 of
// the speed of 6 x 2).
func (k *contraction) holds(v *ein.Index, vectors int64, tile map[*ein.Index]int64) bool {
	if k.mk.m.HasManyRegisters() {
		return true
	}
	accumulators, held := vectors, int64(0)
	for _, points := range tile {
		accumulators *= points
	}
	for _, a := range k.operands {
		if !ein.AnyDependsOn(a.Subscripts, v) {
			continue
		}
		each := vectors
		for i, points := range tile {
			if ein.AnyDependsOn(a.Subscripts, i) {
				each *= points
			}
		}
		held += each
	}
	return accumulators+held+1 <= int64(k.mk.m.VectorRegisters)
}

// tileCost is the time per useful vector operation of a register tile: of the
// reduction, the smaller tiles at the edges included, and of storing the results.
func (k *contraction) tileCost(v *ein.Index, lanes, vectors int64, tile map[*ein.Index]int64) float64 {
	size := maps.Clone(tile)
	size[v] = vectors
	step, operations := k.stepCost(size)
	cost := step / float64(operations)
	if k.sweeps(v) {
		cost *= math.Hypot(step, k.sweptTime(v, vectors, operations)) / step
	} else {
		cost += tileStart / float64(operations*k.steps())
	}
	cost *= waste(estimate(v.Extent), lanes)
	for i, points := range size {
		n := estimate(i.Extent)
		if i == v {
			n = (n + lanes - 1) / lanes
		}
		rest := n % points
		if rest == 0 {
			continue
		}
		size[i] = rest
		edge, _ := k.stepCost(size)
		size[i] = points
		cost *= (float64(n/points)*step + edge) / (float64(n) / float64(points) * step)
	}
	if k.placesResult(v) || k.sweeps(v) { // whose rows are written from end to end
		return cost
	}
	// Runs of the result that are not neighbours are stored at the price of lines and pages,
	// or of pages alone.
	scatter := scatterCost
	if k.streamsResult(v, vectors*lanes) {
		scatter /= 2
	}
	for _, w := range k.c.Writes {
		for i, points := range tile {
			cost += scatter * float64(points-1) / float64(points) * k.distance(w, i) / float64(k.steps())
		}
	}
	return cost
}

// stepCost is the time of a step of the reduction for a register tile, whose sizes
// are points, or vectors along v, and the number of its operations.
func (k *contraction) stepCost(size map[*ein.Index]int64) (time float64, operations int64) {
	operations = 1
	for _, points := range size {
		operations *= points
	}
	loads := int64(0)
	for _, a := range k.operands {
		each := int64(1)
		for i, points := range size {
			if ein.AnyDependsOn(a.Subscripts, i) {
				each *= points
			}
		}
		loads += each
	}
	return k.mk.tileCost(operations, loads)*float64(operations) + stepTax, operations
}

// sweptTime is the time in which the lines of a step come from the second-level cache where a
// panel is swept over: its vectors, and the results, which are read and written. Arithmetic
// hides a part of it. Of 2000 x 2000 x 16 floats tiles of 2 x 8, 3 x 8, 4 x 6, 6 x 4 and 8 x 3
// vectors reach 112, 131, 151, 167 and 175 GFLOP/s.
func (k *contraction) sweptTime(v *ein.Index, vectors, results int64) float64 {
	const unhidden = 0.78125                                                  // of the time
	line := float64(k.mk.line()) * k.mk.units() / k.mk.nextBytes() * unhidden // vector instructions
	written := float64(results)
	if !k.mk.rowsAtLines(k.c, v) { // each run has parts of two lines at its ends
		written *= float64(vectors+1) / float64(vectors)
	}
	lines := float64(vectors) + 2*written/float64(k.steps())
	return line * lines * float64(k.mk.m.VectorBytes) / float64(k.mk.line())
}

// stepTax is what a step of the reduction costs beside arithmetic and loads:
// counting, and moves between registers.
const stepTax = 1.0

// tileStart is what a register tile costs beside its steps: accumulators wait for the first
// and the last of them. Where sums are short, larger tiles pay for their scattered rows: an
// instance of CCSD(T), with 24 steps, takes 0.88 of the time with 24 accumulators instead of 16
// (doubles, one thread).
const tileStart = 12.0

// scatterCost is the time of a store to another page, in vector instructions.
const scatterCost = 4.0

// distance says how far apart neighbours along an index are in a tensor: 0 side by
// side, 1 in different pages.
func (k *contraction) distance(w *ein.Write, i *ein.Index) float64 {
	return min(1, float64(k.mk.step(w.Tensor, w.Subscripts, i)*int64(w.Tensor.Type.Size()))/float64(k.mk.page()))
}
