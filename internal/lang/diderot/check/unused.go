package check

import (
	"github.com/ricci-lang/ricci/internal/lang/diderot/syntax"
	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
	"github.com/ricci-lang/ricci/internal/source"
)

// warnUnused warns of variables that nothing reads. Every creation has an iterator, so that strands may have a parameter
// just to be many.
func (c *checker) warnUnused() {
	if c.diagnostics.HasErrors() {
		return
	}
	for _, v := range c.locals {
		if c.used[v] || v.Role == typed.Position || v.Role == typed.Iterator || v.Role == typed.Parameter {
			continue
		}
		d := c.diagnostics.Warnf(source.CodeDiderotUnused, v.Pos, "the %s %s is never read", v.Role, v.Name)
		switch {
		case v.Role == typed.State:
			d.WithHelp("write output before it if it is a result, or leave it out")
		case v.Assigned:
			d.WithHelp("leave it and its assignments out")
		default:
			d.WithHelp("leave it out")
		}
	}
}

// warnEndless warns of strands that never end.
func (c *checker) warnEndless(g *syntax.Strand) {
	s := c.program.Strand
	blocks := []*typed.Block{s.Start, s.Update, c.program.Start, c.program.Update}
	for _, b := range blocks {
		if b != nil && leaves(b) {
			return
		}
	}
	if s.Update != nil && !c.diagnostics.HasErrors() {
		c.diagnostics.Warnf(source.CodeDiderotEndless, s.Pos, "strands of %s neither stabilize nor die", s.Name).
			WithHelp("write stabilize where a strand has its result; without it the program ends at a limit of steps only, and has no output")
	}
}

// leaves reports whether a block has stabilize or die.
func leaves(b *typed.Block) bool {
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *typed.Leave:
			if s.Exit != typed.Continue {
				return true
			}
		case *typed.Block:
			if leaves(s) {
				return true
			}
		case *typed.If:
			if leaves(s.Then) || leaves(s.Else) {
				return true
			}
		case *typed.Foreach:
			if leaves(s.Body) {
				return true
			}
		}
	}
	return false
}
