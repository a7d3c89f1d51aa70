package mdh

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
)

// Idle says, for each configuration of a function, which parameters have values that change nothing of the
// tree: values pass through registers, the caller fixes the layout of outputs, and where phases are one
// nest it is that of the scalar function.
func (p *Plan) Idle(f *ein.Func) []string {
	var list []string
	for _, g := range p.Groups {
		for _, m := range g.Members {
			k := m.Configuration
			if names := k.idleLayouts(); len(names) > 0 {
				list = append(list, fmt.Sprintf("the layouts of S%d in %s have no effect: values pass through registers, and the caller fixes the layout of outputs", m.Statement, strings.Join(names, ", ")))
			}
			if names := k.idleRegions(); len(names) > 0 {
				list = append(list, fmt.Sprintf("the regions of S%d in %s have no effect: values pass through registers", m.Statement, strings.Join(names, ", ")))
			}
			list = append(list, nestOf(ComputationOf(f, m.Statement), k).idle()...)
		}
	}
	return list
}

// idleLayouts lists parameters whose layouts are no rows.
func (c *Configuration) idleLayouts() []string {
	var names []string
	other := func(name string, places []Place) {
		turned := func(p Place) bool { return !slices.Equal(p.Layout, rowMajor(len(p.Layout))) }
		if slices.ContainsFunc(places, turned) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	other("S4", c.ScalarInputs)
	other("S6", c.ScalarOutputs)
	for _, r := range c.Rows {
		other("R4", r.Out)
	}
	return names
}

// idleRegions lists the parameters that want values of the scalar function elsewhere than in registers.
func (c *Configuration) idleRegions() (names []string) {
	elsewhere := func(p Place) bool { return p.Region != c.Model.Memories() }
	if slices.ContainsFunc(c.ScalarInputs, elsewhere) {
		names = append(names, "S3")
	}
	if slices.ContainsFunc(c.ScalarOutputs, elsewhere) {
		names = append(names, "S5")
	}
	return names
}

// idle says which parameters change nothing of a nest.
func (n *nestOrder) idle() (list []string) {
	at := func(what string, levels []Level, why string) {
		if len(levels) == 0 {
			return
		}
		words := make([]string, len(levels))
		for i, l := range levels {
			words[i] = l.String()
		}
		list = append(list, fmt.Sprintf("%s of %s has no effect at %s: %s", what, n.c.Name, strings.Join(words, ", "), why))
	}
	at("S1", n.those(func(l Level) bool { return n.c.Ordered && n.reduced(l) && n.outOfOrder() }), "what is combined in order is computed in the order of R1")
	alone := n.those(func(l Level) bool { return n.k.kind(l) == coresLoop && !n.isParallel(l) })
	if n.k.onGrid() {
		at("cores in S2", alone, "the item walks them that gets there, since groups and items around follow each other in S1, or what is reduced has a fixed order")
		at(n.k.Model.RegionName(2)+" in R3", n.nearItems(), "what is in an item is in its own memory")
	} else {
		at("COR in S2", alone, "the thread walks them that gets there, since a loop around is parallel, or the results would be those of several threads")
	}
	at("D2", n.those(func(l Level) bool { return n.k.kindIn(Decompose, l) != n.k.kind(l) }), "copies are made by those that compute")
	at("R2", n.those(func(l Level) bool {
		apart := n.keep[l] > 0 || n.reduced(l) && (n.isParallel(l) || n.k.kind(l) == lanesLoop)
		return !apart && n.k.kindIn(Recompose, l) != n.k.kind(l)
	}), "results are combined by those that compute")
	at("R3", n.slower(), "what is inside is combined where the results around it are")
	for _, b := range n.unread {
		list = append(list, fmt.Sprintf("D3 of %s has copies of %s that nobody reads before they are copied back: they are not made", n.c.Name, n.k.Inputs[b]))
	}
	for _, b := range slices.Compact(n.back) {
		list = append(list, fmt.Sprintf("D3 of %s has copies of %s to a slower memory than the one where they are: they are not made", n.c.Name, n.k.Inputs[b]))
	}
	return list
}

// those lists loops for which something holds.
func (n *nestOrder) those(holds func(l Level) bool) []Level {
	return slices.DeleteFunc(slices.Clone(n.loops), func(l Level) bool { return !holds(l) })
}

// outOfOrder reports whether S1 and R1 differ in the order of the reduced levels.
func (n *nestOrder) outOfOrder() bool {
	return !slices.Equal(slices.DeleteFunc(n.k.Active(Scalar), n.isConcat), slices.DeleteFunc(n.k.Active(Recompose), n.isConcat))
}

func (n *nestOrder) isConcat(l Level) bool { return !n.reduced(l) }

// slower lists levels whose partial results R3 wants in a slower region than those around.
func (n *nestOrder) slower() (list []Level) {
	nearest := delivered
	for _, l := range n.k.Active(Recompose) {
		w := n.k.wanted(l)
		if w < nearest && n.c.Op != nil && !n.c.Ordered {
			list = append(list, l)
		}
		nearest = max(nearest, w)
	}
	return list
}
