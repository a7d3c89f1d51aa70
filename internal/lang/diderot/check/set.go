package check

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/lang/diderot/syntax"
	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
	"github.com/ricci-lang/ricci/internal/source"
)

var strandSets = map[string]typed.StrandSet{"active": typed.Active, "stable": typed.Stable, "all": typed.All}

// setOf reads S.active, where S is the strand and no variable hides it.
func (c *checker) setOf(e syntax.Expr) (*syntax.Select, bool) {
	s, ok := e.(*syntax.Select)
	if !ok {
		return nil, false
	}
	name, ok := s.X.(*syntax.Ref)
	return s, ok && c.find(name.Name) == nil && c.file.Program.Strand != nil && c.file.Program.Strand.Name.Name == name.Name
}

// domain is what is iterated over: a sequence, or, where sets may stand, a set of strands.
func (c *checker) domain(e syntax.Expr, sets bool) typed.Expr {
	s, ok := c.setOf(e)
	if !ok {
		return c.expr(e, nil)
	}
	if !c.only(seesSets, e.Span(), "a set of strands", "sets of strands are folded in the global start and update") {
		return nothing(e.Span())
	}
	set, known := strandSets[s.Field.Name]
	switch {
	case !known:
		c.errorf(source.CodeDiderotName, s.Field.Pos, "there is no set %s%s", s.Field.Name, source.DidYouMean(s.Field.Name, []string{"active", "stable", "all"})).
			WithHelp("the sets of strands are active, stable and all")
	case !sets:
		c.errorf(source.CodeDiderotSet, e.Span(), "foreach does not run over a set of strands").WithHelp("fold it: sum{ t.x | t in %s.all }", c.strand().Name)
	case c.iterating > 0:
		c.errorf(source.CodeDiderotSet, e.Span(), "a set of strands is folded in a loop").WithHelp("fold it once before the loop, into a variable")
	default:
		t := &typed.Type{Kind: typed.Set, Strand: c.strand()}
		return &typed.SetOf{Node: typed.Node{Pos: e.Span(), T: t}, Set: set}
	}
	return nothing(e.Span())
}

// selection is t.x, a state of another strand.
func (c *checker) selection(e *syntax.Select) typed.Expr {
	if _, ok := c.setOf(e); ok {
		c.errorf(source.CodeDiderotSet, e.Pos, "a set of strands is no value").WithHelp("fold it in the global start or update: sum{ t.x | t in %s.all }", c.file.Program.Strand.Name.Name)
		return nothing(e.Pos)
	}
	x := c.expr(e.X, nil)
	switch t := x.Type(); t.Kind {
	case typed.Nothing:
	case typed.Reference:
		return c.stateOf(e, x)
	default:
		d := c.errorf(source.CodeDiderotType, e.Pos, "%v has no variables", t)
		if t.Kind == typed.Tensor && len(t.Shape) > 0 {
			d.WithHelp("components are numbered: v[0]")
		} else {
			d.WithHelp("a strand has: t.x in foreach (s t in sphere(r))")
		}
	}
	return nothing(e.Pos)
}

func (c *checker) stateOf(e *syntax.Select, x typed.Expr) typed.Expr {
	s := x.Type().Strand
	named := func(v *typed.Variable) bool { return v.Name == e.Field.Name }
	n := slices.IndexFunc(s.State, named)
	if n >= 0 {
		v := s.State[n]
		v.Seen, c.used[v] = true, true
		return &typed.StateOf{Node: typed.Node{Pos: e.Pos, T: v.Type}, Strand: x, State: v}
	}
	var names []string
	for _, v := range s.State {
		names = append(names, v.Name)
	}
	d := c.errorf(source.CodeDiderotName, e.Field.Pos, "the strand %s has no state variable %s%s", s.Name, e.Field.Name, source.DidYouMean(e.Field.Name, names))
	if slices.ContainsFunc(s.Params, named) {
		d.WithHelp("a parameter is not seen by others: keep it in a state variable")
	}
	return nothing(e.Pos)
}

// query checks where strands look for others, and that they have a place.
func (c *checker) query(a *typed.Apply) bool {
	if !c.only(seesStrands, a.Pos, "sphere", "strands look for others in their start, update and stabilize") {
		return false
	}
	s := c.strand()
	n := slices.IndexFunc(s.State, func(v *typed.Variable) bool { return v.Name == "pos" })
	if n < 0 {
		c.errorf(source.CodeDiderotSet, a.Pos, "strands without a state variable pos cannot be found").WithHelp("declare it: vec2 pos = [0.0, 0.0];")
		return false
	}
	pos := s.State[n]
	if t := pos.Type; t.Kind != typed.Nothing && (t.Kind != typed.Tensor || len(t.Shape) > 1 || len(t.Shape) == 1 && t.Shape[0] > 3) {
		c.errorf(source.CodeDiderotSet, a.Pos, "pos is of type %v, and no place", t).WithNote(pos.Pos, "it is declared here").WithHelp("places are of type real, vec2 or vec3")
		return false
	}
	if len(a.Args) == 2 && !a.Args[0].Type().Equal(pos.Type) {
		c.errorf(source.CodeDiderotType, a.Args[0].Span(), "the place of a query is of type %v, as pos, but this is %v", pos.Type, a.Args[0].Type()).WithNote(pos.Pos, "it is declared here")
		return false
	}
	pos.Seen, c.used[pos] = true, true
	s.Place = pos
	c.program.Uses.Queries = true
	return true
}
