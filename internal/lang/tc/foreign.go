package tc

import (
	"maps"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/callee"
	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// How defs of other notations are called
//
// To the check of a def they are defs like others, but for their text: what is asked of a
// def before it is compiled (its name, its place, the ranks of its parameters) is answered
// by its finished function. A name may mean several instances for different types; which
// one a call means is decided when the types of its arguments are known.

// foreign makes the defs of other notations known.
func (c *compiler) foreign() {
	c.table = callee.NewTable(c.imports, func(name string) (source.Span, bool) {
		if state := c.defs[name]; state != nil {
			return state.syntax.Name.Pos, true
		}
		return source.Span{}, false
	}, c.diags)
}

// named returns the def of that name, or nil.
func (c *compiler) named(name string) *defState {
	if state := c.defs[name]; state != nil {
		return state
	}
	group := c.table.Lookup(name)
	if group == nil {
		return nil
	}
	state := &defState{imported: group, started: true, done: true}
	c.defs[name] = state
	return state
}

// defNames lists the names of all defs.
func (c *compiler) defNames() []string {
	return append(slices.Sorted(maps.Keys(c.defs)), c.table.Names()...)
}

// name is that of the def.
func (state *defState) name() string {
	if state.imported != nil {
		return state.imported.Name
	}
	return state.syntax.Name.Name
}

// pos is where the def is defined.
func (state *defState) pos() source.Span {
	if state.imported != nil {
		return state.imported.Defs[0].Pos
	}
	return state.syntax.Name.Pos
}

// isOf reports whether the def is the one that is checked.
func (state *defState) isOf(d *def) bool { return state.syntax == d.syntax }

// results is the number of results.
func (state *defState) results() int {
	if state.imported != nil {
		return len(state.function().Outputs())
	}
	return len(state.syntax.Outputs)
}

// function is the finished function of a def in another notation.
func (state *defState) function() *ein.Func { return state.imported.Defs[0].Func }

// resultRank is the rank of the first result; -1 where it is not known.
func (state *defState) resultRank() int {
	if state.imported == nil {
		return outputRank(state.syntax)
	}
	if outputs := state.function().Outputs(); len(outputs) > 0 {
		return len(outputs[0].Dims)
	}
	return -1
}

// inputRank is the rank of an input; -1 where it is not known.
func (state *defState) inputRank(n int) int {
	switch {
	case state.imported == nil && n < len(state.syntax.Inputs):
		return rankOf(state.syntax.Inputs[n].Type)
	case state.imported != nil && n < len(state.function().Inputs()):
		return len(state.function().Inputs()[n].Dims)
	}
	return -1
}

// chooseInstance takes the instance of the callee that has the types of the arguments, as
// far as they are known. Where none has them, the first is compared with the arguments.
func (s *statement) chooseInstance() {
	if s.group == nil || len(s.group.Defs) == 1 || s.failed {
		return
	}
	if chosen := s.group.Choose(s.argumentTypes()); chosen != nil {
		s.callee = chosen
	}
}

// argumentTypes are the types of the arguments of a call; Invalid stands for that of an expression.
func (s *statement) argumentTypes() []tensor.DType {
	types := make([]tensor.DType, len(s.apply.Args))
	for n, arg := range s.apply.Args {
		name, isName := nameOf(arg)
		if apply, ok := arg.(*syntax.Apply); ok {
			name, isName = apply.Func.Name, true
		}
		if of := s.def.symbols[name]; isName && of != nil {
			types[n] = of.Type
		}
	}
	return types
}

// foreignWarnings are those of the defs in other notations that a def calls.
func (d *def) foreignWarnings() (list []*source.Diagnostic) {
	for _, s := range d.statements {
		if s.group == nil {
			continue
		}
		for _, w := range callee.Warnings(s.callee, s.apply.Pos) {
			if !w.IsAmong(list) {
				list = append(list, w)
			}
		}
	}
	return list
}
