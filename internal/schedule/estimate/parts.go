package estimate

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/schedule"
)

// parts returns the usage of what is below an accumulate, if that is a product of float32 of which a
// matrix unit multiplies parts (ein/parts.go): its loops have an order of the target's own.
func (w *walker) parts(n *schedule.Accumulate) (u usage, ok bool) {
	s := n.Statement
	if s < 0 || s >= len(w.statements) {
		return u, false
	}
	st := &w.statements[s]
	member, size := schedule.MatrixBelow(s, st.c, n.Child)
	if member == nil || size != 1 {
		return u, false
	}
	p := schedule.PartsProduct{Rows: 1, Columns: 1, Members: 1, Sums: 1}
	column := -1
	for i, index := range st.c.Indices {
		points := w.blocks[s][i]
		switch {
		case index == member:
			p.Members = points
		case st.reduced[i]:
			p.Sums *= points
		case schedule.VectorBelow(s, index.Name, n) > 0:
			p.Columns, column = points, i
		default:
			p.Rows *= points
		}
	}
	u = w.nothing()
	for k := range st.reads {
		a := &st.reads[k]
		if column >= 0 && a.along(column) != 0 {
			p.ColumnsAcross = a.along(column) != 1
		} else {
			p.RowsAcross = a.along(slices.Index(st.c.Indices, member)) != 1
		}
		u.references = append(u.references, reference{s, a, 1, 1})
		for l := range w.speeds.layers {
			u.misses[l*len(w.tensors)+a.tensor] += a.lines(w.blocks[s], lineBytes, w.placed[a.tensor] > 0)
		}
	}
	cycles := p.Cycles()
	u.work.arithmetic, u.work.bodies, u.work.operations = cycles, cycles, cycles/cyclesPerTile
	w.written[s] = false
	return u, true
}
