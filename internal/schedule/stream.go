package schedule

import (
	"github.com/ricci-lang/ricci/internal/ein"
)

// streamed makes the schedule of a map that only moves data through memory. A
// processor takes a store of a whole cache line as a hint that nobody reads the line
// and asks the memory for it in another way than for a part of one, which is slower
// as long as stores are interleaved with loads: vectors of half a line move 7 to 27 %
// more (a copy of 2^24: 11.6 and 21.9 GB/s on 1 and 2 threads instead of 9.1 and 17.6).
func (mk *maker) streamed(p *plan) Node {
	const line = 64 // bytes
	if p.vector < 0 || p.lanes < 4 || mk.m.VectorBytes < line || p.tiles[p.vector] != int64(p.lanes) || p.othersTiled(p.vector) {
		return nil
	}
	bytes := int64(0)
	for k, s := range p.g.statements {
		c := mk.f.Body[s]
		if len(c.ByKind(ein.Concat)) < len(c.Indices) || mk.operations(c) > movedOperations {
			return nil
		}
		points := int64(1)
		for _, i := range c.Indices {
			points = times(points, max(1, estimate(i.Extent)))
		}
		for _, a := range mk.accesses[s] {
			if mk.along(c, a.tensor, a.subscripts, p.g.columns[p.vector][k]) == far {
				return nil
			}
			if a.writes {
				bytes += times(points, int64(a.tensor.Type.Size()))
			}
		}
	}
	if bytes < mk.m.L2 {
		return nil
	}
	halved := *p
	halved.lanes /= 2
	halved.tiles = append([]int64(nil), p.tiles...)
	halved.tiles[p.vector] = int64(halved.lanes)
	return mk.tiled(&halved)
}

// movedOperations is how many operations a point may have for memory to be the limit.
const movedOperations = 24
