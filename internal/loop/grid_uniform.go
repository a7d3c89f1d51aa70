package loop

import "github.com/ricci-lang/ricci/tensor"

// How it is known that items meet
//
// All items of a group come to a barrier together if every condition, and every end of a loop, around it has one value for all of
// them. A value does that is computed of nothing but the numbers of groups, sizes, and what is read from memory that nobody writes
// while the kernel runs. Values are the same for all items of a group, for those of a sub-group, or for none; an operation has
// what the least uniform of its operands has. Where it is not known, it is not so: what Evaluate would run is refused then.

// A uniformity knows for whom the variables of a grid have one value.
type uniformity struct {
	v    *verifier
	grid *Grid
	vars map[*Var]meeting // those of outside are missing: they are the same for all
	most meeting          // of all statements of the grid
}

func newUniformity(v *verifier, g *Grid) *uniformity {
	u := &uniformity{v: v, grid: g, vars: map[*Var]meeting{}}
	for _, s := range g.Body {
		u.most = max(u.most, meets(s))
	}
	inside := int64(1) // items along the axes that run faster
	for i := len(g.Items) - 1; i >= 0; i-- {
		a := g.Items[i]
		switch {
		case a.Count == 1:
			u.vars[a.Var] = groups
		case g.Width > 0 && inside%g.Width == 0:
			u.vars[a.Var] = subGroups
		default:
			u.vars[a.Var] = nobody
		}
		inside *= a.Count
	}
	return u
}

// block checks statements that all items of a group come to, those of a sub-group, or some.
func (u *uniformity) block(body []Stmt, here meeting) {
	for _, s := range body {
		u.stmt(s, here)
	}
}

func (u *uniformity) stmt(s Stmt, here meeting) {
	inner := here
	switch s := s.(type) {
	case *Barrier:
		u.v.require(here == groups, "not all items of a group meet a barrier: a condition, or the end of a loop, around it hangs on the item")
	case *Commit, *Wait:
		u.v.require(here == groups, "not all items of a group meet %s: a condition, or the end of a loop, around it hangs on the item", headText(s))
	case *Shuffle:
		u.v.require(u.grid.Width > 0, "a shuffle in a grid without sub-groups")
		u.v.require(here >= subGroups, "not all items of a sub-group meet %s", headText(s))
		u.vars[s.Var] = nobody
	case *Fragments:
		u.v.require(here >= subGroups, "not all items of a sub-group meet %s", headText(s))
	case *Check:
		u.v.require(s.Notes || min(here, u.of(s.Cond)) >= u.most, "%s ends some of the items that meet elsewhere in the grid", headText(s))
	case *Let:
		u.vars[s.Var] = u.of(s.Value)
	case *For:
		u.vars[s.Var] = u.of(s.Lo)
		inner = min(here, u.of(s.Lo), u.of(s.Hi))
	case *If:
		inner = min(here, u.of(s.Cond))
	case *While:
		inner = min(here, u.of(s.Cond))
	}
	for _, body := range StmtBodies(s) {
		u.block(body, inner)
	}
}

// of returns for whom an expression has one value.
func (u *uniformity) of(e Expr) meeting {
	least := groups
	switch e := e.(type) {
	case *VarRef:
		if m, known := u.vars[e.Var]; known {
			return m
		}
	case *Load:
		if !e.Buffer.ReadOnly {
			return nobody
		}
	case *Lead:
		return nobody // a question about addresses
	}
	for _, c := range Children(e) {
		least = min(least, u.of(c))
	}
	return least
}

// shuffle checks a Shuffle; who meets it is checked before.
func (v *verifier) shuffle(s *Shuffle) func() {
	t := v.expr(s.X)
	v.require(s.Var != nil && s.Var.Type == t && t.Lanes == 1 && t.Elem != tensor.Bool, "a shuffle of %s", t)
	v.require(s.By >= 1 && s.By < v.inGrid.Width && int(s.Kind) < len(shuffleNames), "a shuffle by %d in sub-groups of %d", s.By, v.inGrid.Width)
	v.assign(s.Var)
	return func() { delete(v.scope, s.Var) }
}
