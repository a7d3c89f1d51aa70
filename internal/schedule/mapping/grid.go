package mapping

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/standard"
)

// How options make grids
//
// On a machine with groups of items blocks are groups and threads are items (section 5.4 of the paper). Statements that are fused are one
// launch: the band of what they have in common is cut into tiles, which are mapped to the axes of groups. In each branch the
// innermost band, of the points of a tile, is mapped to the items; all branches have the same numbers of them, and where one has fewer
// parallel dimensions, only the first items along the axes in front work. A result that stands alone is reduced by all items
// together. Shared memory has copies of what a tile reads several times, made right above the loops of items (section 5.5), as
// far as it has room; private memory are accumulators in registers.
//
// Where the dependences refuse the launch of a group, fewer columns are tried, then launches of each statement, with and without
// copies. What is not legal at last is run by one item.

// A mapper makes the launches of a function.
type mapper struct {
	f       *ein.Func
	o       Options
	grid    machine.Grid
	threads []int64 // of all launches, x first
	plain   []schedule.Node
	made    *Made
}

// A variant is a way to make a launch.
type variant struct {
	columns  int  // so many are those of groups
	pad      bool // tiles at the ends have the same code
	shared   sharing
	together bool // items reduce a result that stands alone
}

// sharing says where copies in shared memory are made.
type sharing uint8

const (
	noCopies    sharing = iota
	aboveItems          // right above the loops over items, whose accumulators the items hold together
	insideItems         // right above the loops over what is reduced
)

// onGrid is Explain for machines with groups and items.
func onGrid(f *ein.Func, g machine.Grid, o Options) (*Made, error) {
	tree := schedule.Canonical(f)
	mk := &mapper{f: f, o: o, grid: g, made: &Made{Tree: tree}}
	for _, r := range o.Idle {
		if !r.OfLanes {
			mk.made.Idle = append(mk.made.Idle, r)
		}
	}
	root, ok := tree.Root.(*schedule.Sequence)
	if !ok {
		return mk.made, schedule.Check(f, tree)
	}
	for _, child := range root.Children {
		mk.plain = append(mk.plain, child.Child)
	}
	mk.chooseThreads()
	mk.made.say("mapping options %s", o)
	mk.made.say("  threads: groups of %s items", times(mk.threads))
	var done []*schedule.Filter
	groups := fused(f, o)
	for k := 0; k < len(groups); k++ {
		group := groups[k]
		for o.Fusion == Max && k+1 < len(groups) {
			both, ok := joined(group, groups[k+1])
			if l, _ := mk.first(done, both); !ok || l == nil {
				break
			}
			group = both
			k++
		}
		done = append(done, mk.launches(done, group)...)
	}
	tree.Root = &schedule.Sequence{Children: done}
	return mk.made, schedule.Check(f, tree)
}

// fused are the statements that share loops.
func fused(f *ein.Func, o Options) []standard.Group {
	return standard.Fuse(f, func(before, joined standard.Group) bool {
		kept := len(joined.Columns)
		switch o.Fusion {
		case Min:
			return false
		case Preserve3Coincident:
			return kept >= min(3, len(before.Columns))
		}
		return true
	})
}

// chooseThreads takes the numbers of items that are asked for, or 32 by 8, as far as the machine has them.
func (mk *mapper) chooseThreads() {
	asked, left := slices.Clone(mk.o.Threads), mk.grid.Items
	if len(asked) == 0 {
		asked = []int64{32, 8}
	}
	for axis, n := range asked {
		most := left
		if along := mk.grid.Along[axis]; along > 0 {
			most = min(most, along)
		}
		if n > most && mk.o.Given["threads"] {
			mk.idle("mapToThreads asks for %d threads along %c, and a group has %d there", n, "xyz"[axis], most)
		}
		n = max(1, min(n, most))
		mk.threads = append(mk.threads, n)
		left /= n
	}
}

func (mk *mapper) idle(format string, args ...any) {
	mk.made.Idle = append(mk.made.Idle, Remark{Text: fmt.Sprintf(format, args...)})
}

func times(list []int64) string {
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = fmt.Sprint(n)
	}
	return strings.Join(words, " × ")
}

// joined are two groups that have nothing to do with each other, in one launch over what has the same ranges in front: a
// comprehension is one launch where it can be (section 5.2).
func joined(a, b standard.Group) (both standard.Group, ok bool) {
	both.Statements = append(slices.Clone(a.Statements), b.Statements...)
	for c := range min(len(a.Columns), len(b.Columns)) {
		x, y := a.Columns[c], b.Columns[c]
		if !x[0].Extent.Equal(y[0].Extent) || !x[0].Min.Equal(y[0].Min) {
			break
		}
		both.Columns = append(both.Columns, append(slices.Clone(x), y...))
	}
	return both, len(both.Columns) > 0
}

// first makes the first legal launch of a group behind others; nil where there is none.
func (mk *mapper) first(before []*schedule.Filter, group standard.Group) (*schedule.Filter, variant) {
	for _, v := range mk.variants(group) {
		if l := mk.launch(group, v); l != nil && mk.legal(before, l) {
			return l, v
		}
	}
	return nil, variant{}
}

// launches makes the launch of a group behind others, or those of its statements one by one.
func (mk *mapper) launches(before []*schedule.Filter, group standard.Group) []*schedule.Filter {
	if l, v := mk.first(before, group); l != nil {
		mk.say(group, v)
		return []*schedule.Filter{l}
	}
	if len(group.Statements) == 1 {
		s := group.Statements[0]
		mk.made.say("  S%d: one item, in the order of the program", s)
		mk.idle("the options do not fit S%d, which is computed in the order of the program by one item", s)
		return []*schedule.Filter{{Statements: []int{s}, Child: mk.plain[s]}}
	}
	var list []*schedule.Filter
	for _, s := range group.Statements {
		list = append(list, mk.launches(append(before[:len(before):len(before)], list...), mk.alone(s))...)
	}
	return list
}

// alone is the group of one statement.
func (mk *mapper) alone(s int) (g standard.Group) {
	g.Statements = []int{s}
	for _, i := range mk.f.Body[s].ByKind(ein.Concat) {
		g.Columns = append(g.Columns, []*ein.Index{i})
	}
	return g
}

// legal checks a launch with those before it; what is behind is in the order of the program.
func (mk *mapper) legal(before []*schedule.Filter, l *schedule.Filter) bool {
	list := append(before[:len(before):len(before)], l)
	for s := l.Statements[len(l.Statements)-1] + 1; s < len(mk.f.Body); s++ {
		list = append(list, &schedule.Filter{Statements: []int{s}, Child: mk.plain[s]})
	}
	t := schedule.Canonical(mk.f)
	t.Root = &schedule.Sequence{Children: list}
	return schedule.Check(mk.f, t) == nil
}

// variants lists the ways to make a launch, the best first.
func (mk *mapper) variants(group standard.Group) (list []variant) {
	shares := []sharing{noCopies}
	if mk.o.Shared {
		shares = []sharing{aboveItems, insideItems, noCopies}
	}
	least := len(group.Columns)
	if len(group.Statements) > 1 {
		least = min(least, 1)
	}
	for columns := len(group.Columns); columns >= least; columns-- {
		for _, s := range shares {
			for _, together := range []bool{true, false} {
				for _, pad := range []bool{true, false} {
					list = append(list, variant{columns, pad, s, together})
				}
			}
		}
	}
	return list
}

// say says what a launch is.
func (mk *mapper) say(group standard.Group, v variant) {
	var names []string
	for _, s := range group.Statements {
		names = append(names, fmt.Sprintf("S%d", s))
	}
	var cut []string
	for c := range v.columns {
		task, _ := mk.cut(group, c)
		cut = append(cut, fmt.Sprintf("%d of %s", task, group.Columns[c][0].Name))
	}
	text := "one group"
	if cut != nil {
		text = "groups have " + strings.Join(cut, " × ")
	}
	mk.made.say("  %s: one launch, %s", strings.Join(names, ", "), text)
	if mk.o.Shared && v.shared == noCopies && mk.o.Given["shared"] {
		mk.idle("useSharedMemory has no effect on %s: nothing is read several times, or its block has no room, or copies are not legal there", strings.Join(names, ", "))
	}
}
