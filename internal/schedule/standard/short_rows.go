package standard

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// keepSerial takes the innermost of parallel loops over points out of the parallel one
// where those around it make tasks enough: a task then finds out once where it is.
func (mk *maker) keepSerial(blocks []*schedule.Member) {
	const enough = 64 // tasks for each core
	tasks := int64(1)
	for k, m := range blocks {
		l := m.Loops[0]
		n, known := mk.f.Body[l.Statement].Indices[slices.IndexFunc(mk.f.Body[l.Statement].Indices, func(i *ein.Index) bool { return i.Name == l.Index })].Extent.IsConst()
		if !known || m.Tile > 1 {
			return
		}
		if tasks >= enough*int64(mk.m.Cores) && k == len(blocks)-1 {
			m.Parallel = false
		}
		tasks = schedule.MultiplySizes(tasks, max(1, n))
	}
}

// fetchRows lets the vectors of a map fetch the next of short rows that lie apart from each
// other, which no hardware follows (a tensor of 61 x 203 x 37 x 64 floats with the middle
// dimensions exchanged: 28 instead of 32 ms).
func (mk *maker) fetchRows(p *plan, n schedule.Node) {
	b, ok := n.(*schedule.Band)
	order := p.order()
	if !ok || !mk.rowsAsk() || len(order) < 2 || p.vector < 0 || len(ein.Reduced(mk.f.Body[p.g.statements[0]])) > 0 {
		return
	}
	lane, row := b.Members[len(b.Members)-1], order[len(order)-2]
	c := mk.f.Body[p.g.statements[0]]
	if lane.Vector == 0 || lane.Ahead > 0 || p.tiles[row] > 1 {
		return
	}
	vector, across := p.g.columns[p.vector][0], p.g.columns[row][0]
	for _, a := range mk.accesses[p.g.statements[0]] {
		size := int64(a.Tensor.Type.Size())
		bytes, apart := size, int64(0)
		for d, sub := range a.Subscripts {
			bytes = schedule.MultiplySizes(bytes, max(1, estimate(a.Tensor.Dims[d].Extent)))
			if i, _, plain := schedule.IndexPlusConstant(c, sub); plain && i == across {
				apart = schedule.MultiplySizes(mk.stride(a.Tensor, d), size)
			}
		}
		if !a.Writes && mk.along(c, a.Tensor, a.Subscripts, vector) == unit && metOnce(c, a) && bytes > mk.m.L2 && apart > 2*estimate(vector.Extent)*size {
			lane.Prefetch = across.Name
		}
	}
}
