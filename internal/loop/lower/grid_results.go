package lower

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How accumulators are set and passed on outside of items
//
// Accumulators in the output, or in an array in the workspace, may stand outside of the loops over items, or over groups, where each
// result is one item's: serial loops over what is reduced are then between, on the host or in the group. What happens to all results of
// such an accumulate, before its loops and behind them, is shared like other loops: on the host by a launch of its own, in a group
// by its items.

// resultsOfGroup is how many results a group of such a launch has, one for each item.
const resultsOfGroup = 64

// sharedResults makes the loops over the results of an accumulate that is in no item; body is what is done for each.
func (l *lowerer) sharedResults(s int, sc *scope, body func(*scope) []loop.Stmt) []loop.Stmt {
	only := *sc
	only.statements = []int{s}
	var list []*schedule.Member
	for _, i := range l.f.Body[s].ByKind(ein.Concat) {
		if !sc.blocks[point{s, i.Name}].isPoint() {
			list = append(list, &schedule.Member{Loops: []schedule.Loop{{Statement: s, Index: i.Name}}, Tile: 1})
		}
	}
	switch {
	case sc.launch == nil && len(list) == 0:
		g := &loop.Grid{Groups: []loop.GroupAxis{{Var: l.newVar("g"), Count: int64Const(1)}}}
		return l.launched(g, []int64{1}, &only, func(sc *scope) []loop.Stmt { return body(sc.asItem()) })
	case sc.launch == nil:
		for _, m := range list {
			m.Groups = true
		}
		last := list[len(list)-1]
		last.Tile = resultsOfGroup
		list = append(list, &schedule.Member{Loops: last.Loops, Tile: 1, Items: resultsOfGroup})
	case len(list) < len(sc.launch.counts):
		return together(l.byFirst(sc.launch, l.nest(list, nil, only.asItem(), body)))
	default:
		first := len(list) - len(sc.launch.counts)
		for k, m := range list[first:] {
			m.Items = sc.launch.counts[k]
		}
	}
	return l.nest(list, nil, &only, body)
}
