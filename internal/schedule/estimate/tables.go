package estimate

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
)

// How reads through index arrays are judged
//
// A row of a table is where an index array says: items with other points of the subscript are somewhere else, the others side by side as ever.
// Two loads follow one another, and where the subscript is tested a third thing does: compilers begin no load of a later step before the test of
// this one, which may end the item. Blocks that are gathered in local memory are tested before, all subscripts at once, and know of no index array inside.

// A table is a tensor that a statement reads through index arrays.
type table struct {
	tensor  int
	through []int // tensors
	tested  bool
}

// perTest is how many instructions the test of a subscript takes.
const perTest = 4

// tablesOf lists what a statement reads through index arrays, and what it reads directly.
func (m *Model) tablesOf(c *ein.Comprehension) (list []table, direct []bool) {
	direct = make([]bool, len(m.tensors))
	var visit func(e ein.Expr, within int)
	visit = func(e ein.Expr, within int) {
		a, reads := e.(*ein.Access)
		if !reads {
			for _, child := range ein.Children(e) {
				visit(child, within)
			}
			return
		}
		t := m.number[a.Tensor]
		if within < 0 {
			direct[t] = true
		} else if at := &list[within]; !slices.Contains(at.through, t) {
			at.through = append(at.through, t)
		}
		own := slices.IndexFunc(list, func(o table) bool { return o.tensor == t })
		if own < 0 {
			own = len(list)
			list = append(list, table{tensor: t})
		}
		list[own].tested = list[own].tested || a.Checked
		for _, sub := range a.Subscripts {
			visit(sub, own)
		}
	}
	for _, v := range c.Values {
		visit(v, -1)
	}
	return slices.DeleteFunc(list, func(t table) bool { return len(t.through) == 0 }), direct
}

// isGathered reports whether the block of a tensor at hand has what index arrays lead to.
func (g *gridWalk) isGathered(t int) bool { return g.blocksL[t] != nil && g.blocksL[t].numbers != nil }

// isLed reports whether a tensor is read in subscripts of gathered blocks only, so that points do not read it.
func (g *gridWalk) isLed(s, t int) bool {
	st := &g.statements[s]
	if st.direct[t] {
		return false
	}
	return !slices.ContainsFunc(st.tables, func(x table) bool { return slices.Contains(x.through, t) && !g.isGathered(x.tensor) })
}

// leading is how long it takes to come to the element of a table: the index arrays are read one after the other. Two that lead to each other, in two
// reads, are counted once each; within are those that the one at hand leads to.
func (g *gridWalk) leading(s, t int, within ...int) (wait float64) {
	within = append(slices.Clip(within), t)
	for _, x := range g.statements[s].tables {
		if x.tensor != t {
			continue
		}
		for _, o := range x.through {
			switch {
			case g.blocksL[o] != nil:
				wait = max(wait, g.machine.Value(machine.LocalLatency))
			default:
				wait = max(wait, g.machine.Value(machine.DeviceLatency))
			}
			if !slices.Contains(within, o) {
				wait += g.leading(s, o, within...)
			}
		}
	}
	return wait
}

// tests is how many subscripts a point tests.
func (g *gridWalk) tests(s int) (n float64) {
	for _, x := range g.statements[s].tables {
		if x.tested && !g.isGathered(x.tensor) {
			n++
		}
	}
	return n
}

// apart is by how much items are apart that are somewhere else, more than a tensor has bytes.
const apart = float64(1 << 50)

// stepOnDevice is by how many bytes the address of an access moves with an index: apart where a subscript is not affine.
func (a *access) stepOnDevice(index int) float64 {
	if a.loose[index] {
		return apart * float64(1+index)
	}
	return a.along(index) * a.bytes
}

// gatheredBlock lays out the dimensions of a block that are read through index arrays: an element for each point of the subscript, in rows.
func (b *localBlock) gatheredBlock(a *access, room block) {
	b.numbers = make([][]float64, len(a.dims))
	for d, indirect := range a.indirect {
		if !indirect {
			continue
		}
		b.numbers[d] = make([]float64, len(room))
		n := 1.0
		for i := range slices.Backward(room) {
			if a.dims[d].coefficients[i] != 0 {
				b.numbers[d][i] = n
				n *= room[i]
			}
		}
		b.room[d] = n
	}
}

// led adds to the copies of a gathered block what the index arrays take: the tests of its subscripts, each once, and the loads before those of the
// rows.
func (g *gridWalk) led(u *groupWork, s int, a *access, b *localBlock, items, pieces float64) {
	width := float64(g.subGroup())
	points := 1.0
	for d, numbers := range b.numbers {
		if numbers != nil {
			points *= b.room[d]
		}
	}
	wait := g.leading(s, a.tensor)
	turns := (points + items - 1) / items
	u.issued += (points/width + 1) * (perTest + perCopied)
	u.settled += turns*wait + g.machine.Value(machine.Barrier)
	for _, x := range g.statements[s].tables {
		if x.tensor != a.tensor {
			continue
		}
		for _, o := range x.through {
			_, lead := g.useOf(o)
			if lead == nil || g.blocksL[o] != nil {
				u.banks += pieces / width
				continue
			}
			n := lead.sectors(g.together(s), g.machine.Value(machine.Transaction))
			u.transactions += pieces/width + n
			u.moved[o] += pieces/width + n
			u.wanted[o] += points * lead.bytes
			u.sectors[o] += n
			u.references = append(u.references, reference{s, lead, 1, 1})
		}
	}
	u.issued += pieces / width * (1 + perPlace)
}
