package native

import (
	"math"

	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/internal/strand/lower"
	"github.com/ricci-lang/ricci/tensor"
)

// show copies what strands see of others to where it stays for a step, and sorts them into cells.
func (w *World) show() error {
	for k, a := range w.kernel.Arguments {
		if a.Kind == lower.Shared {
			copy(raw(w.array(k)), raw(w.component(a.Locals[0])))
		}
	}
	for k, l := range w.kernel.Lists {
		if !l.Before {
			continue
		}
		from := w.listOf(l.Sequence, false)
		if w.rooms[k] != w.rooms[from] {
			if err := w.crowded(k, w.rooms[from], -1); err != nil {
				return err
			}
			if err := w.setRoom(k, w.rooms[from]); err != nil {
				return err
			}
		}
		to, lengths := w.columnsOf(k)
		columns, counts := w.columnsOf(from)
		copy(lengths, counts)
		for c := range to {
			copy(raw(to[c]), raw(columns[c]))
		}
	}
	return w.sortCells()
}

// sortCells sorts the strands that are alive into cells, where strands ask for those that are near.
func (w *World) sortCells() error {
	if _, is := w.places[lower.Cells]; !is {
		return nil
	}
	pos := w.program.Variable("pos").Parts
	if w.columns == nil {
		w.columns = make([][]float64, len(pos))
	}
	status := data[uint8](w.only(lower.Status))[:w.outline.Count]
	for axis, l := range pos {
		column, t := w.columns[axis][:0], w.component(l)
		for n, s := range status {
			x := math.NaN()
			if s == lower.Running || s == lower.Stabilized {
				x = t.FloatAt(n)
			}
			column = append(column, x)
		}
		w.columns[axis] = column
	}
	cells := strand.NewCells(w.columns)
	for k, a := range w.kernel.Arguments {
		switch a.Kind {
		case lower.Cells:
			w.number(k, len(cells.First))
		case lower.CellFirst:
			if err := w.list(k, cells.First); err != nil {
				return err
			}
		case lower.CellList:
			copy(data[int64](w.array(k)), cells.List)
		case lower.CellPlaces:
			to := data[float64](w.array(k))
			for axis := range pos {
				to[2*axis], to[2*axis+1] = cells.Low[axis], cells.Size[axis]
			}
		case lower.CellCounts:
			for axis, n := range cells.Count {
				data[int64](w.array(k))[axis] = int64(n)
			}
		}
	}
	return nil
}

// list writes an array of integers, which may become longer.
func (w *World) list(k int, values []int64) error {
	if w.array(k).Len() < len(values)+1 {
		t, err := tensor.New(tensor.Int64, 2*len(values)+1)
		if err != nil {
			return err
		}
		w.put(k, t)
	}
	copy(data[int64](w.array(k)), values)
	return nil
}
