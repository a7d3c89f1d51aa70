package mdh

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/system"
)

// A Plan has a configuration for every statement of a function. Statements of one
// group share their outermost loops, which goes beyond the paper: there a
// computation has one statement.
type Plan struct{ Groups []*Group }

// A Group is a run of statements with common loops.
type Group struct {
	Members []Member
	// Shared is how many of the levels with more than one part, from the outermost on,
	// are loops that the members have in common.
	Shared int
	// Placed names the temporaries that live in the blocks of the shared loops.
	Placed []string
}

// A Member is a statement with its configuration.
type Member struct {
	Statement     int
	Configuration *Configuration
}

// Statements lists the numbers of the members.
func (g *Group) Statements() []int {
	list := make([]int, len(g.Members))
	for i, m := range g.Members {
		list[i] = m.Statement
	}
	return list
}

// PlainPlan returns the plan that computes one statement after the other, point after
// point, on the host.
func PlainPlan(f *ein.Func, m *schedule.Machine) *Plan {
	p := &Plan{}
	for s := range f.Body {
		c := ComputationOf(f, s)
		p.Groups = append(p.Groups, &Group{Members: []Member{{s, Plain(c, system.Of(m, c.ElementBytes()))}}})
	}
	return p
}

// Validate checks the configurations of a plan, and that the shared loops of its groups
// fit together. The error joins one for each broken constraint.
func (p *Plan) Validate(f *ein.Func) error {
	var covered []int
	var errs []error
	for _, g := range p.Groups {
		covered = append(covered, g.Statements()...)
		for _, m := range g.Members {
			if m.Statement < 0 || m.Statement >= len(f.Body) {
				return fmt.Errorf("there is no statement S%d in %s", m.Statement, f.Name)
			}
			c := ComputationOf(f, m.Statement)
			if !onHost(m.Configuration.Model) {
				return fmt.Errorf("the configuration of %s is for the model %s; trees are made for the model %s", c.Name, m.Configuration.Model.Name, system.HostName)
			}
			if list := Validate(c, m.Configuration, Options{}); len(list) > 0 {
				errs = append(errs, invalid(c.Name, list))
			}
		}
		if len(errs) == 0 {
			if err := g.fits(f); err != nil {
				errs = append(errs, err)
			}
		}
	}
	if slices.Sort(covered); !slices.Equal(covered, statements(f)) {
		errs = append(errs, fmt.Errorf("the statements of %s are S0 to S%d, each in one group", f.Name, len(f.Body)-1))
	}
	return errors.Join(errs...)
}

func statements(f *ein.Func) []int {
	list := make([]int, len(f.Body))
	for s := range list {
		list[s] = s
	}
	return list
}

// fits checks that the shared loops are the same for all members.
func (g *Group) fits(f *ein.Func) error {
	if len(g.Members) == 1 {
		if g.Shared != 0 || len(g.Placed) != 0 {
			return fmt.Errorf("the group of S%d has one statement, which shares nothing", g.Members[0].Statement)
		}
		return nil
	}
	first := g.Members[0]
	levels := first.Configuration.Active(Decompose)
	for _, m := range g.Members {
		own := m.Configuration.Active(Decompose)
		if g.Shared < 0 || g.Shared > len(own) {
			return fmt.Errorf("the group of S%d shares %d loops, and S%d has %d", first.Statement, g.Shared, m.Statement, len(own))
		}
		c := ComputationOf(f, m.Statement)
		for at := range g.Shared {
			a, b := levels[at], own[at]
			ka, kb := first.Configuration, m.Configuration
			if ka.Row(a).Parts != kb.Row(b).Parts || ka.Tile(a) != kb.Tile(b) || ka.kind(a) != kb.kind(b) {
				return fmt.Errorf("shared loop %d: S%d has %d parts of %d on %s, S%d has %d parts of %d on %s", at+1,
					first.Statement, ka.Row(a).Parts, ka.Tile(a), ka.Model.LevelName(ka.Row(a).Assign[0]),
					m.Statement, kb.Row(b).Parts, kb.Tile(b), kb.Model.LevelName(kb.Row(b).Assign[0]))
			}
			i, j := ComputationOf(f, first.Statement).Dims[a.Dim-1].Index, c.Dims[b.Dim-1].Index
			if !i.Min.Equal(j.Min) || !i.Extent.Equal(j.Extent) {
				return fmt.Errorf("shared loop %d: the ranges of S%d.%s and S%d.%s differ", at+1, first.Statement, i.Name, m.Statement, j.Name)
			}
			if c.Dims[b.Dim-1].Reduced() || kb.kind(b) == lanesLoop {
				return fmt.Errorf("shared loop %d of S%d is over %s: shared loops are over concatenated dimensions, without lanes", at+1, m.Statement, c.Dims[b.Dim-1].Name())
			}
			for _, p := range kb.Row(b).In {
				if kb.Model.Layer(p.Region).Copied {
					return fmt.Errorf("shared loop %d of S%d: copies belong to the loops of one statement", at+1, m.Statement)
				}
			}
			if n := newNest(c, kb); c.Op != nil && n.wanted(b) > delivered {
				return fmt.Errorf("shared loop %d of S%d: partial results belong to the loops of one statement", at+1, m.Statement)
			}
		}
		for _, l := range own[g.Shared:] {
			if m.Configuration.kind(own[0]) == coresLoop && m.Configuration.kind(l) == coresLoop {
				return fmt.Errorf("the loop of S%d over %s is parallel inside of a shared loop that is", m.Statement, c.Dims[l.Dim-1].Name())
			}
		}
	}
	return nil
}

// node makes the subtree of a group.
func (g *Group) node(f *ein.Func) schedule.Node {
	nests := make([]*nest, len(g.Members))
	for i, m := range g.Members {
		nests[i] = newNest(ComputationOf(f, m.Statement), m.Configuration)
	}
	if len(nests) == 1 {
		nests[0].levels(nests[0].k.Active(Decompose))
		return nests[0].finish()
	}
	outer := newNest(nests[0].c, nests[0].k)
	for at := range g.Shared {
		outer.member(nests[0].k.Active(Decompose)[at])
		m := outer.band.Members[len(outer.band.Members)-1]
		for _, n := range nests[1:] {
			l := n.k.Active(Decompose)[at]
			m.Loops = append(m.Loops, schedule.Loop{Statement: n.c.Statement, Index: n.c.Dims[l.Dim-1].Name()})
		}
	}
	for _, name := range g.Placed {
		place := &schedule.Place{Tensor: name, Region: schedule.Private}
		outer.put(place, &place.Child)
	}
	seq := &schedule.Sequence{}
	for _, n := range nests {
		n.levels(n.k.Active(Decompose)[g.Shared:])
		seq.Children = append(seq.Children, &schedule.Filter{Statements: []int{n.c.Statement}, Child: n.finish()})
	}
	*outer.hole = seq
	return outer.first
}
