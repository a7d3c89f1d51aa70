package check

import (
	"maps"

	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
	"github.com/ricci-lang/ricci/internal/source"
)

// A flow is what is known behind a statement: which variables have got a value since they were declared without one, and
// whether this place is never reached.
type flow struct {
	set   map[*typed.Variable]bool
	ended bool
}

func newFlow() flow { return flow{set: map[*typed.Variable]bool{}} }

func (f flow) clone() flow { return flow{set: maps.Clone(f.set), ended: f.ended} }

// meet is what is known behind two branches. One that never gets there knows everything.
func (f flow) meet(g flow) flow {
	switch {
	case f.ended:
		return g
	case g.ended:
		return f
	}
	both := newFlow()
	for v := range f.set {
		if g.set[v] {
			both.set[v] = true
		}
	}
	return both
}

// hasValue reports whether a variable certainly has a value here.
func (c *checker) hasValue(v *typed.Variable) bool {
	switch {
	case v.Value != nil || v.Type.Kind == typed.Nothing || c.flow.ended || c.flow.set[v]:
		return true
	case v.Role == typed.Global || v.Role == typed.State || v.Role == typed.Local:
		return false
	}
	return true
}

// reads notes that a variable is read, and reports one that may have no value.
func (c *checker) reads(v *typed.Variable, pos source.Span) {
	c.used[v] = true
	if c.hasValue(v) {
		return
	}
	if c.function != nil && v.Role == typed.Global {
		// What calls the function must have given it its value.
		c.read[c.function] = append(c.read[c.function], v)
		return
	}
	c.unset(v, pos, "is read where it may have no value")
}

func (c *checker) unset(v *typed.Variable, pos source.Span, what string) {
	d := c.errorf(source.CodeDiderotUnset, pos, "the %s %s %s", v.Role, v.Name, what)
	if pos != v.Pos {
		d.WithNote(v.Pos, "it is declared without a value")
	}
	switch v.Role {
	case typed.Global:
		d.WithHelp("give it a value where it is declared, or on every path of the global initialize")
	case typed.State:
		d.WithHelp("give it a value where it is declared, or on every path of the strand's initialize")
	default:
		d.WithHelp("give it a value where it is declared, or on every path before")
	}
	c.flow.set[v] = true
}
