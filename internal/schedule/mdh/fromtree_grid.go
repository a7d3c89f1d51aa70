package mdh

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How trees with groups and items are read
//
// Loops over groups belong on the outermost cores, those over items on the innermost, what is written out on registers, and the
// others on the memories around. The axes of groups, and those of items, are numbered as a device does: the last loop is x. Each
// dimension has the layers in an order of its own where its loops are not cut as the machine lists them: D2, S2 and R2 say so, since
// the parts of a level are those of the levels further in.

// ModelOf returns the machine of a processor for values of some bytes: one of groups and items where its programs are grids.
func ModelOf(p *machine.Processor, elementBytes int) *machine.Machine {
	if p.Grid != nil {
		return machine.OfGrid(*p.Grid)
	}
	return machine.Of(p, elementBytes)
}

// inTurns adds, inside of loops over items with more iterations than there are items, those over their turns.
func (w *walker) inTurns() {
	for at := 0; at < len(w.loops); at++ {
		l := w.loops[at]
		if l.kind != itemsLoop {
			continue
		}
		turns := l
		turns.kind, turns.tile, turns.keep = serialLoop, saturate(l.tile, l.items), 0
		if block, _ := w.around(at); block < 0 || block > turns.tile {
			end := at + 1
			for end < len(w.loops) && w.loops[end].kind == itemsLoop { // all of them
				end++
			}
			w.loops = slices.Insert(w.loops, end, turns)
		}
	}
}

// inTeams gives the items along the last axes to sub-groups, where the machine has a layer of them: as many as one has. The others
// are sub-groups.
func (w *walker) inTeams() {
	g, _ := w.m.Grid()
	left := g.Width
	for at := len(w.loops) - 1; at >= 0 && g.Width > 0; at-- {
		l := &w.loops[at]
		switch {
		case l.kind != itemsLoop:
		case l.items <= left:
			left /= l.items
		case l.items%left == 0 && left > 1:
			teams := *l
			teams.kind, teams.tile, teams.items, teams.keep = teamsLoop, saturate(l.tile, left), l.items/left, 0
			l.items, left = left, 1
			w.loops = slices.Insert(w.loops, at, teams)
		default:
			l.kind, left = teamsLoop, 1
		}
	}
}

// gridLevels gives every loop of a tree with groups its level, and says in which order the layers of a dimension are.
func (w *walker) gridLevels(k *Configuration) ([]Level, error) {
	w.inTurns()
	w.inTeams()
	levels := make([]Level, len(w.loops))
	for d := range w.c.Dims {
		list, err := w.cutting(d)
		if err != nil {
			return nil, err
		}
		layers, err := w.layersOf(list, d)
		if err != nil {
			return nil, err
		}
		order := w.layerOrder(layers)
		for at, layer := range order {
			for p := range k.Row(Level{at + 1, d + 1}).Assign {
				k.Row(Level{at + 1, d + 1}).Assign[p].Layer = layer
			}
		}
		for i, at := range list {
			levels[at] = Level{1 + slices.Index(order, layers[i]), d + 1}
		}
	}
	w.numberAxes(k, levels)
	return levels, nil
}

// cutting lists the loops that cut a dimension, those with the largest blocks first.
func (w *walker) cutting(d int) (list []int, err error) {
	for at, l := range w.loops {
		if l.dim == d {
			list = append(list, at)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int { return int(w.loops[b].tile - w.loops[a].tile) })
	block := w.c.Dims[d].N
	return slices.DeleteFunc(list, func(at int) bool {
		l := w.loops[at]
		if l.kind == lanesLoop {
			err = fmt.Errorf("%s has vectors along %s, for which there is no parameter on this machine", w.c.Name, w.c.Dims[d].Name())
		}
		none := block >= 0 && block <= l.tile
		block = l.tile
		return none
	}), err
}

// layersOf gives loops that cut one dimension their layers of the model.
func (w *walker) layersOf(list []int, d int) ([]int, error) {
	memories := w.m.Memories()
	layers := make([]int, len(list))
	serial, inItem := 0, false
	for i, at := range list {
		switch w.loops[at].kind {
		case coresLoop:
			layers[i] = memories + 1
		case itemsLoop:
			layers[i] = len(w.m.Layers)
		case teamsLoop:
			layers[i] = len(w.m.Layers) - 1
		case writtenOutLoop:
			layers[i] = memories
		default:
			serial++
			inItem = inItem || slices.ContainsFunc(w.loops[:at], func(o treeLoop) bool { return o.kind == itemsLoop })
		}
	}
	next := 1
	if serial == 1 && inItem {
		next = memories - 1
	}
	for i := range layers {
		if layers[i] == 0 {
			layers[i], next = next, next+1
		}
		if layers[i] >= memories && w.loops[list[i]].kind == serialLoop || slices.Contains(layers[:i], layers[i]) {
			return nil, fmt.Errorf("%s has two loops over %s for one layer of the model", w.c.Name, w.c.Dims[d].Name())
		}
	}
	return layers, nil
}

// layerOrder orders the layers of the model so that some come in their order: that of New, if it has them so.
func (w *walker) layerOrder(some []int) []int {
	usual := partitionLayers(w.m)
	if slices.IsSortedFunc(some, func(a, b int) int { return slices.Index(usual, a) - slices.Index(usual, b) }) {
		return usual
	}
	order := slices.Clone(some)
	for _, layer := range usual {
		if !slices.Contains(order, layer) {
			order = append(order, layer)
		}
	}
	return order
}

// numberAxes makes the last loop over groups, and that over items, the axis x, as a device numbers them. Sub-groups have the axes of their
// items.
func (w *walker) numberAxes(k *Configuration, levels []Level) {
	for _, kinds := range [][]loopKind{{coresLoop}, {itemsLoop, teamsLoop}} {
		var dims []int // from x on
		for at, l := range slices.Backward(w.loops) {
			if !slices.Contains(kinds, l.kind) || levels[at] == (Level{}) {
				continue
			}
			if !slices.Contains(dims, l.dim) {
				dims = append(dims, l.dim)
			}
			own := k.Row(levels[at])
			level := machine.Level{Layer: own.Assign[Scalar].Layer, Dim: 1 + slices.Index(dims, l.dim)}
			for o := range k.Rows {
				if r := &k.Rows[o]; r.Assign[Scalar] == level {
					r.setAssign(own.Assign[Scalar])
					break
				}
			}
			own.setAssign(level)
		}
	}
}

// setAssign assigns a level in all phases.
func (r *Row) setAssign(l machine.Level) { r.Assign = [3]machine.Level{l, l, l} }

// copies reports whether a place is the copy of what other launches compute: on a grid, if nobody here writes it.
func (w *walker) copies(t *ein.Tensor, active []int) bool {
	_, grid := w.m.Grid()
	return grid && schedule.OnlyRead(w.f, t, active)
}

// noteItems notes loops over items that have fewer iterations than there are items.
func (w *walker) noteItems(k *Configuration, levels []Level) {
	for at, l := range w.loops {
		if (l.kind == itemsLoop || l.kind == teamsLoop) && (!w.several[at] || k.Row(levels[at]).Parts != l.items) && l.items > 1 {
			w.notes = append(w.notes, fmt.Sprintf("%s: that %d items share the loop over %s, which has another number of parts, has no parameter", w.c.Name, l.items, w.c.Dims[l.dim].Name()))
		}
	}
}
