// Package tc is the front end of Tensor Comprehensions: it resolves names, types
// expressions, infers the ranges of indices, proves accesses in bounds and lowers
// every def to a function of ein.
package tc

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/callee"
	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// How it works
//
// Compile parses a file and its imports, then checks def by def; a def that is
// called is checked before its caller, because calls are inlined (calls.go).
// Within a def (def.go) the tensors are declared, roles and types are decided for
// the whole body (roles.go, typing.go), and then the statements are taken in
// order: each is lowered with open ranges (value.go, subscript.go, boundary.go),
// its ranges are inferred in rounds from its accesses (infer.go), what the rounds
// did not settle is proved or becomes a condition (prove.go), and the comprehension
// is completed (statement.go, arg.go). A statement whose tensors have no shape yet
// waits until another has given them one. The rules are written for users in
// docs/tc.md; code and page must agree.

// What all notations have in common, under the names that this package has used
// for it from the start.
type (
	Options       = lang.Options
	Unit          = lang.Unit
	DefInfo       = lang.Def
	StatementInfo = lang.Statement
	IndexInfo     = lang.Index
)

// Compile checks a file and lowers it. The Unit is never nil and holds the defs
// that have no errors; warnings are among the diagnostics.
func Compile(file *source.File, options Options) (*Unit, *source.Diagnostics) {
	c := &compiler{
		diags: &source.Diagnostics{}, defs: map[string]*defState{}, unit: &Unit{Program: &ein.Program{}},
	}
	c.imports = options.Imports(file, extension, c.diags)
	c.load(file)
	c.foreign()
	if c.diags.HasErrors() {
		c.imports.Finish(c.diags)
		return c.unit, c.diags
	}
	for _, state := range c.order {
		c.check(state)
	}
	c.imports.Finish(c.diags)
	for _, state := range c.order {
		if state.info != nil {
			state.info.Warnings = c.warningsOf(state, map[*defState]bool{})
			c.unit.Defs = append(c.unit.Defs, state.info)
			c.unit.Program.Funcs = append(c.unit.Program.Funcs, state.info.Func)
		}
	}
	c.imports.Join(c.unit)
	return c.unit, c.diags
}

// warningsOf returns the warnings in the text of a def and of those that it calls.
func (c *compiler) warningsOf(state *defState, seen map[*defState]bool) (list []*source.Diagnostic) {
	seen[state] = true
	for _, d := range c.diags.List {
		if d.Severity == source.Warning && c.defAt(d.Span) == state {
			list = append(list, d)
		}
	}
	list = append(list, state.foreign...)
	for _, callee := range state.calls {
		if callee.imported == nil && !seen[callee] {
			list = append(list, c.warningsOf(callee, seen)...)
		}
	}
	return list
}

// defAt returns the def whose text a place is in: the last one that begins before, or nil.
func (c *compiler) defAt(at source.Span) (last *defState) {
	for _, state := range c.order {
		if p := state.syntax.Pos; p.File == at.File && p.Start <= at.Start && (last == nil || p.Start > last.syntax.Pos.Start) {
			last = state
		}
	}
	return last
}

// compiler is the state of one Compile.
type compiler struct {
	diags   *source.Diagnostics
	imports *lang.Imports
	unit    *Unit
	defs    map[string]*defState
	table   *callee.Table // of defs in other notations
	order   []*defState
	stack   []*defState // the defs being checked, callers first
}

// A defState is a def and how far its check has come.
type defState struct {
	syntax   *syntax.Def
	imported *callee.Group // of a def in another notation, which has no syntax
	started  bool
	done     bool
	info     *DefInfo // nil until done, and when the def has errors
	calls    []*defState
	foreign  []*source.Diagnostic // warnings of callees in other notations
}

// load parses a file, notes its defs and loads what it imports.
func (c *compiler) load(file *source.File) {
	c.unit.Files = append(c.unit.Files, file)
	parsed, diags := syntax.Parse(file)
	c.diags.List = append(c.diags.List, diags.List...)
	for _, def := range parsed.Defs {
		c.declare(def)
	}
	for _, imported := range parsed.Imports {
		c.imports.Load(file, imported.Path, imported.Pos, c.load)
	}
}

func (c *compiler) declare(def *syntax.Def) {
	if first, ok := c.defs[def.Name.Name]; ok {
		c.diags.Errorf(source.CodeDuplicateDef, def.Name.Pos, "the def %s exists already", def.Name.Name).
			WithNote(first.syntax.Name.Pos, "the first %s is here", def.Name.Name).
			WithHelp("rename one of them; defs of imported files share one space of names")
		return
	}
	state := &defState{syntax: def}
	c.defs[def.Name.Name] = state
	c.order = append(c.order, state)
}

// check compiles a def once.
func (c *compiler) check(state *defState) {
	if state.started {
		return
	}
	state.started = true
	c.stack = append(c.stack, state)
	// Which sizes may be zero is known when the ranges are: a second pass proves
	// the rest under that weaker assumption.
	zero := map[string]bool{}
	for {
		d := newDef(c, state.syntax, zero)
		d.compile()
		if len(d.zeroFound) > len(zero) {
			zero = d.zeroFound
			continue
		}
		c.diags.List = append(c.diags.List, d.diags.List...)
		if !d.incomplete && !d.diags.HasErrors() {
			state.info, state.foreign = d.info(), d.foreignWarnings()
		}
		break
	}
	c.stack = c.stack[:len(c.stack)-1]
	state.done = true
}
