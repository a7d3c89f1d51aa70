package lower

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/tensor"
)

// uniforms adds the arrays of what is the same for all strands, and reads them. It returns the
// lowest value of each iterator, and how many it has.
func (g *generator) uniforms() (grid []loop.Expr) {
	var all []*ein.Local
	for _, v := range g.p.Variables {
		if v.Role != strand.Parameter && v.Role != strand.State && v.Role != strand.Temporary {
			all = append(all, v.Parts...)
		}
	}
	for _, i := range g.p.Images {
		all = append(all, i.Locals()...)
	}
	before := assignedIn(g.p.Create.Before)
	used := g.used()
	var reals, integers []*ein.Local
	seen := map[*ein.Local]bool{}
	for _, l := range append(all, before...) {
		switch {
		case !used[l] || seen[l]:
		case l.DType == g.p.Real:
			reals = append(reals, l)
		default:
			integers = append(integers, l)
		}
		seen[l] = true
	}
	set := func(l *ein.Local, e loop.Expr) {
		if slices.Contains(before, l) {
			g.before[l] = g.let(l.Name, e)
		} else {
			g.uniform[l] = g.let(l.Name, e)
		}
	}
	if len(reals) > 0 {
		b := g.array(Argument{Kind: Reals, Name: "reals", Type: g.p.Real, Locals: reals}, int64(len(reals)), nil)
		for k, l := range reals {
			set(l, &loop.Load{Buffer: b, Index: loop.Int(int64(k)), Lanes: 1})
		}
	}
	iterators := len(g.p.Create.Iterators)
	length := len(integers) + 2*iterators
	sets := Sets(g.p)
	if length += len(sets); length > 0 {
		b := g.array(Argument{Kind: Integers, Name: "integers", Type: tensor.Int64, Locals: integers}, int64(length), nil)
		at := func(k int) loop.Expr { return &loop.Load{Buffer: b, Index: loop.Int(int64(k)), Lanes: 1} }
		for k, l := range integers {
			set(l, cast(l.DType, at(k)))
		}
		for k := range 2 * iterators {
			grid = append(grid, g.let(fmt.Sprintf("grid%d", k), at(len(integers)+k)))
		}
		g.members = map[strand.Set]loop.Expr{}
		for k, set := range sets {
			g.members[set] = g.let(set.String(), at(length-len(sets)+k))
		}
	}
	return grid
}

// Sets are those whose numbers of strands stand at the end of Integers: all of them, or none where strands do not ask.
func Sets(p *strand.Program) []strand.Set {
	if !p.Uses().Counts {
		return nil
	}
	return []strand.Set{strand.Active, strand.Stable, strand.All}
}

// used has the locals that the blocks of strands read.
func (g *generator) used() map[*ein.Local]bool {
	used := map[*ein.Local]bool{}
	note := func(list ...ein.Expr) {
		for _, e := range list {
			ein.Walk(e, func(e ein.Expr) bool {
				if ref, ok := e.(*ein.LocalRef); ok {
					used[ref.Local] = true
				}
				return true
			})
		}
	}
	note(g.p.Create.Arguments...)
	for _, b := range strandBlocks(g.p) {
		strand.Walk(b, func(s strand.Stmt) {
			exprs, locals := reads(s)
			note(exprs...)
			for _, l := range locals {
				used[l] = true
			}
		})
	}
	return used
}

// assignedIn lists the scalars that a block of the world assigns.
func assignedIn(b strand.Block) (list []*ein.Local) {
	strand.Walk(b, func(s strand.Stmt) { list = append(list, assigns(s)...) })
	return list
}
