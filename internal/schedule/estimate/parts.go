package estimate

import (
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
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
	unit := schedule.MatrixLoop(s, st.c, n.Child)
	p := schedule.PartsProduct{Rows: 1, Columns: 1, Members: 1, Sums: 1, Panels: unit.Blocking.Complete().Panels}
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
			u.misses[l*len(w.tensors)+a.tensor] += a.lines(w.blocks[s], w.speeds.line, w.placed[a.tensor] > 0)
		}
	}
	cycles := p.Cycles(w.machine)
	if windows, ok := w.windowsInParts(s, member, column, schedule.RoomOf(unit, ein.WindowProduct)); ok {
		cycles = windows.Cycles(w.machine)
	}
	u.work.arithmetic, u.work.bodies, u.work.operations = cycles, cycles, cycles/w.machine.Value(machine.TileCycles)
	w.written[s] = false
	return u, true
}

// windowsInParts describes a product of windows whose columns are those of an index, with so many bytes for parts.
func (w *walker) windowsInParts(s int, member *ein.Index, column int, room int64) (p schedule.PartsWindows, ok bool) {
	st := &w.statements[s]
	x, y, _ := ein.MatrixOf(st.c)
	along := slices.IndexFunc(st.reads, func(a access) bool { return column >= 0 && a.along(column) != 0 })
	if along < 0 {
		return p, false
	}
	a := x
	if !ein.AnyDependsOn(x.Subscripts, st.c.Indices[column]) {
		a = y
	}
	points := func(i *ein.Index) int64 { return int64(w.blocks[s][slices.Index(st.c.Indices, i)]) }
	step := func(i *ein.Index) int64 { return int64(math.Abs(st.reads[along].along(slices.Index(st.c.Indices, i)))) }
	p, ok = schedule.NewPartsWindows(st.c, a, member, st.c.Indices[column], points, step, room)
	return p, ok && !math.IsInf(p.Cycles(w.machine), 0)
}
