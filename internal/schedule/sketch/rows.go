package sketch

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// rows makes one launch of several statements that have their first results in common: each group goes through the statements for one
// of these rows. Within it the items of the group share the other results of a statement, or, where it has none, reduce together;
// they wait for each other in between. So a softmax is one launch, and its rows stay in the cache of a core, or, where they have room, in local memory.
func rows(x *subject) (list []schedule.Node) {
	if len(x.nests) < 2 {
		return nil
	}
	for common := x.common; common > 0; common-- {
		for _, items := range doubling(x.width(), x.grid.Items) {
			n := x.inRows(common, items, false, nil)
			if n == nil {
				continue
			}
			list = append(list, n)
			if near := x.near(common, 1); len(near) > 0 {
				list = append(list, x.inRows(common, items, false, near))
			}
			if x.reducesSquares(common, items) {
				list = append(list, x.inRows(common, items, true, nil))
			}
		}
	}
	return list
}

// near lists the temporaries that only these statements know, each row of which is computed by those of its block, if local memory has room for so
// many rows of all.
func (x *subject) near(common int, rows int64) (list []*ein.Tensor) {
	bytes := int64(0)
	for _, n := range x.nests[:len(x.nests)-1] {
		t := n.c.Writes[0].Tensor
		if len(n.c.Writes) > 1 || !x.isInside(t) || slices.Contains(list, t) || len(t.Dims) < common {
			continue
		}
		size := int64(t.Type.Size()) * rows
		for _, d := range t.Dims[common:] {
			size *= sizeOf(d)
		}
		list, bytes = append(list, t), bytes+size
	}
	if bytes > x.grid.Local {
		return nil
	}
	return list
}

// inLocal places tensors in local memory.
func inLocal(list []*ein.Tensor, within schedule.Node) schedule.Node {
	for _, t := range list {
		within = &schedule.Place{Tensor: t.Name, Region: schedule.Local, Pad: padding(t, 4), Child: within}
	}
	return within
}

func (x *subject) inRows(common int, items int64, square bool, local []*ein.Tensor) schedule.Node {
	busy := false
	body := x.inOrder(func(n *nest) schedule.Node {
		rest := n.results[common:]
		switch {
		case len(rest) > 0:
			busy = true
			return n.spreadOver(rest, items)
		case len(n.reduced) > 0 && n.free:
			busy = true
			return n.shared(x, n.sideBySide(), items, square)
		}
		return n.serial(nil)
	})
	if !busy {
		return nil
	}
	return band(x.eachGroup(common), inLocal(local, body))
}

// reducesSquares reports whether all that the items of a group do together is to reduce along two indices.
func (x *subject) reducesSquares(common int, items int64) bool {
	some := false
	for _, n := range x.nests {
		if reduces := len(n.reduced) > 0 && n.free; len(n.results) > common || reduces && n.second(n.sideBySide(), items) == nil {
			return false
		} else if reduces {
			some = true
		}
	}
	return some
}

// spreadOver spreads the last of some results over the items of a group; they go through the others one after the other.
func (n *nest) spreadOver(rest []*ein.Index, items int64) schedule.Node {
	own := n.loop(rest[len(rest)-1])
	own.Items = items
	return schedule.BandOver(n.statement, rest[:len(rest)-1], band([]*schedule.Member{own}, n.serial(nil)))
}

// sideBySide is the reduced index along which most of what is read lies side by side; the last one of several.
func (n *nest) sideBySide() *ein.Index {
	best, most := n.reduced[len(n.reduced)-1], -1
	for k := len(n.reduced) - 1; k >= 0; k-- {
		count := 0
		for _, r := range n.reads {
			if r.steps[n.reduced[k]] == 1 {
				count++
			}
		}
		if count > most {
			best, most = n.reduced[k], count
		}
	}
	return best
}
