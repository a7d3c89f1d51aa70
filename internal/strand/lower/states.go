package lower

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/tensor"
)

// loadStates reads what an earlier call has left of strands.
func (g *generator) loadStates(roles ...strand.Role) {
	from := func(b *loop.Buffer) loop.Expr {
		return &loop.Load{Buffer: b, Index: g.first, Lanes: g.lanes, Mask: g.valid}
	}
	for _, role := range roles {
		for _, v := range g.p.ByRole(role) {
			for _, l := range v.Parts {
				g.store(g.registers[l], from(g.states[l]))
			}
		}
	}
	for _, v := range g.listed() {
		l, kept := g.lists[v], g.kept[v]
		if kept == nil || !slices.Contains(roles, v.Role) {
			continue
		}
		g.store(l.length, loop.Int(0))
		width := len(kept.columns)
		g.putAll(l, g.let("length", from(kept.lengths)), func(k loop.Expr) []loop.Expr { return g.elementOf(kept, k, width) })
	}
}

// storeStates writes strands, unless they are Full, and of those that ended in this call how and when.
func (g *generator) storeStates(k *packet) {
	to := func(b *loop.Buffer, value, mask loop.Expr) {
		g.emit(&loop.Store{Buffer: b, Index: k.n, Value: value, Mask: mask})
	}
	is := func(how int64) loop.Expr { return binary(ein.Eq, g.load(g.end), integer(tensor.Int32, how)) }
	done := g.valid
	if g.mayFill {
		g.mask = g.valid
		g.storeLists()
		done = g.let("done", both(g.valid, not(is(Full))))
		g.storeLeft(done)
	}
	for _, role := range []strand.Role{strand.Parameter, strand.State} {
		for _, v := range g.p.ByRole(role) {
			for _, l := range v.Parts {
				to(g.states[l], g.load(g.registers[l]), done)
			}
		}
	}
	to(g.status, cast(tensor.Uint8, g.load(g.end)), g.valid)
	isFresh := loop.Wide(binary(ein.Ne, k.fresh, loop.Int(0)), g.lanes)
	ended := g.let("isEnded", both(done, binary(ein.Or, isFresh, binary(ein.Ne, g.load(g.last), integer(tensor.Int32, 0)))))
	to(g.ended, binary(ein.Add, k.from, cast(tensor.Int64, g.load(g.last))), ended)
	failed := g.let("failed", both(g.valid, is(Failed)))
	if g.mayFill {
		failed = g.let("failed", both(g.valid, binary(ein.Or, is(Failed), is(Full))))
	}
	g.emit(&loop.If{Cond: anyLane(failed), Then: g.block(func() {
		to(g.which, g.load(g.site), failed)
		for axis, b := range g.positions {
			to(b, g.load(g.places[axis]), failed)
		}
		for k, b := range g.numbers {
			to(b, g.load(g.noted[k]), failed)
		}
	})})
}

// storeLists writes the sequences that strands keep. All of them find room, or none is written.
func (g *generator) storeLists() {
	var kept []*strand.Variable
	for _, v := range g.listed() {
		if g.kept[v] != nil {
			kept = append(kept, v)
		}
	}
	for _, v := range kept {
		g.lack(g.kept[v], binary(ein.Gt, g.load(g.lists[v].length), g.kept[v].room))
	}
	for _, v := range kept {
		g.where(g.let("sound", g.isSound()), func() {
			l, to := g.lists[v], g.kept[v]
			length := g.countOf(l)
			g.turns("element", length, nil, func(k loop.Expr) { g.set(to, k, g.elementOf(l, k, len(to.columns))...) })
			g.emit(&loop.Store{Buffer: to.lengths, Index: g.first, Value: length, Mask: g.mask})
		})
	}
}
