package estimate

import (
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// heldTogether is a block that the items of a group hold, each the elements of its points: what statements leave for each other costs nothing but the
// registers. What others read as well is stored by the last statement that writes it.
func (g *gridWalk) heldTogether(n *schedule.Place, t int) groupWork {
	g.held[t] = true
	if s, ok := g.passedOn(t); ok {
		g.passed[t] = s
	}
	g.loops = append(g.loops, enclosing{boundary: true})
	u := g.node(n.Child)
	g.loops = g.loops[:len(g.loops)-1]
	delete(g.held, t)
	delete(g.passed, t)
	if first := g.firstOf(t); first >= 0 && !slices.Contains(g.statements[first].reduced, true) { // else they are where the sums were
		u.registers += g.heldElements(n, t) * math.Ceil(float64(g.tensors[t].Type.Size())/wordBytes)
	}
	return u
}

// firstOf is the first of the statements at hand that uses a tensor; less than 0: none does.
func (g *gridWalk) firstOf(t int) int {
	for _, s := range g.active {
		if slices.ContainsFunc(g.statements[s].all, func(a *access) bool { return a.tensor == t }) {
			return s
		}
	}
	return -1
}

// passedOn is the last of the statements at hand that writes a tensor, if somebody else knows it.
func (g *gridWalk) passedOn(t int) (last int, ok bool) {
	for s := range g.statements {
		st := &g.statements[s]
		uses := slices.ContainsFunc(st.all, func(a *access) bool { return a.tensor == t })
		if !slices.Contains(g.active, s) {
			ok = ok || uses
			continue
		}
		if slices.ContainsFunc(st.writes, func(a access) bool { return a.tensor == t }) {
			last = s
		}
	}
	return last, ok || g.tensors[t].Role != ein.Temp
}

// isKept reports whether an access stays in the registers of an item.
func (g *gridWalk) isKept(s int, a *access) bool {
	last, passed := g.passed[a.tensor]
	if !g.held[a.tensor] || !passed || s != last {
		return g.held[a.tensor]
	}
	st := &g.statements[s]
	for k := range st.writes {
		if &st.writes[k] == a {
			return false
		}
	}
	return true
}

// heldElements is how many elements of a block an item holds.
func (g *gridWalk) heldElements(n *schedule.Place, t int) float64 {
	for _, s := range g.active {
		st := &g.statements[s]
		for k := range st.writes {
			w := st.c.Writes[k%len(st.c.Writes)]
			if st.writes[k].tensor != t || g.number[w.Tensor] != t {
				continue
			}
			dims, _, ok := schedule.HeldDims(st.c, s, w.Subscripts, n.Child)
			if !ok {
				continue
			}
			elements := 1.0
			for _, d := range dims {
				i := slices.IndexFunc(st.c.Indices, func(i *ein.Index) bool { return i.Name == d.Index })
				points := g.rooms[s][i]
				if d.Items != nil {
					points = float64(schedule.ItemShare(int64(points), d.Items))
				}
				elements *= points
			}
			return elements
		}
	}
	return 1
}
