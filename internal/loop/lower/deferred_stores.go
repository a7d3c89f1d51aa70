package lower

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How unrolled loops over a map are written out: their stores are deferred
//
// Neighbouring points of a stencil read many elements in common. A nest of unrolled loops
// over a map, with nothing inside but its points, is a burst: all of its values are computed
// before the first is stored. No store then stands between two reads of an element, so
// that compilers load it once and keep it in a register; a store between them might change
// it, as far as they know.

// deferredStores collect the stores of the points of unrolled loops.
type deferredStores struct{ stores []loop.Stmt }

// defersStores reports whether the members of a nest and what is below are unrolled loops over the
// points of one map, which reads a tensor in several places, and none that it writes.
func (l *lowerer) defersStores(list []*schedule.Member, below schedule.Node, sc *scope) bool {
	if sc.deferred != nil || below == nil || len(sc.statements) != 1 || !list[0].Unroll {
		return false
	}
	s := sc.statements[0]
	c := l.f.Body[s]
	if len(ein.Reduced(c)) > 0 || c.Accumulate != nil || sc.accumulator(s) != nil || l.levels.Mutual(s) {
		return false
	}
	for _, i := range c.Indices {
		if b := sc.blocks[point{s, i.Name}]; b.value != nil || b.ragged || l.frames.Involved(s, c, i) {
			return false
		}
	}
	reads, several := map[*ein.Tensor]bool{}, false
	for _, a := range c.Accesses() {
		several = several || reads[a.Tensor]
		reads[a.Tensor] = true
	}
	if !several || slices.ContainsFunc(c.Writes, func(w *ein.Write) bool { return reads[w.Tensor] }) {
		return false
	}
	members := list
	for {
		b, isBand := below.(*schedule.Band)
		if !isBand {
			break
		}
		members, below = append(members[:len(members):len(members)], b.Members...), b.Child
	}
	_, isLeaf := below.(*schedule.Leaf)
	size := l.deferredValues(members, s, sc)
	return isLeaf && size > 1 && size <= loop.MostOfBurst
}

// deferredValues returns how many values the points of a nest have, vectors counting as one; more than
// fit in a burst where a loop is not unrolled.
func (l *lowerer) deferredValues(members []*schedule.Member, s int, sc *scope) int64 {
	total := int64(1)
	left := map[string]int64{}
	for _, m := range members {
		lp, ok := m.IndexOf(s)
		if !ok {
			continue
		}
		n, seen := left[lp.Index]
		if !seen {
			n, seen = sc.blocks[point{s, lp.Index}].points().IsConst()
		}
		step := max(m.Tile, int64(m.Vector))
		pieces := (n + step - 1) / step
		if !seen || m.IsConcurrent() || m.Reverse || m.Pad || l.levels.Counted(m) || pieces > 1 && !m.Unroll || pieces > loop.MostOfBurst {
			return loop.MostOfBurst + 1
		}
		left[lp.Index] = min(n, step)
		total *= pieces
	}
	return total
}

// withDeferredStores lowers a nest whose stores stand at its end.
func (l *lowerer) withDeferredStores(list []*schedule.Member, below schedule.Node, sc *scope, body func(*scope) []loop.Stmt) []loop.Stmt {
	c := *sc
	c.deferred = &deferredStores{}
	return append(l.nest(list, below, &c, body), c.deferred.stores...)
}

// writtenOut lowers the pieces of a segment one after the other.
func (l *lowerer) writtenOut(m *schedule.Member, seg segment, count int64, sc *scope, body func(*scope) []loop.Stmt) []loop.Stmt {
	var stmts []loop.Stmt
	for k := range count {
		offset := seg.start.AddConst(k * seg.tile)
		stmts = append(stmts, body(sc.enter(m, seg, offset, offset))...)
	}
	return stmts
}
