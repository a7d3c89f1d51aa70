package mdh

import (
	"errors"
	"fmt"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
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
	// Placed are the tensors that the members compute and that live, inside of the shared
	// loops, in blocks of their own.
	Placed []Placed
	// Inner are runs of members that have more in common inside of the shared loops. The
	// members that are in none of them go on alone.
	Inner []*Group

	line int // of its heading in the text that it was read from; 0 in none
}

// A Placed tensor has a region, "" for the memory of a core, and perhaps a layout.
type Placed struct {
	Name   string
	Region string
	Layout []int
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
func PlainPlan(f *ein.Func, m *machine.Processor) *Plan {
	p := &Plan{}
	for s := range f.Body {
		c := ComputationOf(f, s)
		p.Groups = append(p.Groups, Single(s, Plain(c, ModelOf(m, c.ElementBytes()))))
	}
	return p
}

// Validate checks the configurations of a plan, and that the shared loops of its groups
// fit together. Each is checked against its own model; the error joins those of all statements, and
// is a ForeignError where nothing is wrong but that a model is not the host.
func (p *Plan) Validate(f *ein.Func) error {
	var covered []int
	var errs []error
	var foreign *ForeignError
	for _, g := range p.Groups {
		covered = append(covered, g.Statements()...)
		for _, m := range g.Members {
			if m.Statement < 0 || m.Statement >= len(f.Body) {
				return &StatementError{fmt.Sprintf("S%d", m.Statement), fmt.Errorf("there is no statement S%d in %s", m.Statement, f.Name)}
			}
			c := ComputationOf(f, m.Statement)
			model := m.Configuration.Model
			if list := Validate(c, m.Configuration, Options{}); len(list) > 0 {
				errs = append(errs, &InvalidError{c.Name, model.Name, list})
			}
			switch {
			case onHost(model):
			case !m.Configuration.onGrid():
				if foreign == nil {
					foreign = &ForeignError{c.Name, model.Name}
				}
			case len(errs) == 0:
				if list := expressible(c, m.Configuration); len(list) > 0 {
					errs = append(errs, &InvalidError{c.Name, model.Name, list})
				}
			}
		}
		if len(errs) == 0 && foreign == nil {
			if err := g.fits(f, 0); err != nil {
				errs = append(errs, err)
			}
		}
	}
	times := make([]int, len(f.Body))
	for _, s := range covered {
		times[s]++
	}
	for s, n := range times {
		switch {
		case n == 0:
			errs = append(errs, fmt.Errorf("statement S%d of %s has no parameters; every statement is in one group", s, f.Name))
		case n > 1:
			errs = append(errs, &StatementError{fmt.Sprintf("S%d", s), fmt.Errorf("statement S%d has parameters %d times; every statement is in one group", s, n)})
		}
	}
	if len(errs) == 0 && foreign != nil {
		return foreign
	}
	return errors.Join(errs...)
}

// A StatementError says that a statement should not have the parameters that it has.
type StatementError struct {
	Statement string
	Err       error
}

// Error returns the message.
func (e *StatementError) Error() string { return e.Err.Error() }

// Line returns the number of the heading of the first configuration in a text, which was parsed.
func (e *StatementError) Line(text string) int { return lineOf(text, e.Statement, Level{}) }

// A ForeignError says that the configuration of a statement is valid, but for a model other than
// the host, the only one that trees and code are made for.
type ForeignError struct{ Statement, Model string }

// Error names the two models.
func (e *ForeignError) Error() string {
	return fmt.Sprintf("the configuration of %s is valid for the model %s, but code is made for the model %s only", e.Statement, e.Model, machine.HostName)
}

// Line returns the number of the heading of the configuration in a text, which was parsed.
func (e *ForeignError) Line(text string) int { return lineOf(text, e.Statement, Level{}) }

func statements(f *ein.Func) []int {
	list := make([]int, len(f.Body))
	for s := range list {
		list[s] = s
	}
	return list
}
