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

// sharedResults makes the loops over the results of an accumulate that is in no item; body is what is done for each. A launch for them
// has as many items in a group, one for each result, as the launches below have.
func (l *lowerer) sharedResults(n *schedule.Accumulate, sc *scope, body func(*scope) []loop.Stmt) []loop.Stmt {
	s := n.Statement
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
		return l.launched(g, []int64{1}, nil, &only, func(sc *scope) []loop.Stmt { return body(sc.asItem()) })
	case sc.launch == nil:
		for _, m := range list {
			m.Groups = true
		}
		items := int64(1)
		for _, count := range schedule.ItemsOf(nil, n.Child) {
			items *= count
		}
		last := list[len(list)-1]
		last.Tile = items
		list = append(list, &schedule.Member{Loops: last.Loops, Tile: 1, Items: items})
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
