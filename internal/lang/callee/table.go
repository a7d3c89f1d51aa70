package callee

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// A Table has the defs of other notations that the files of a unit import.
type Table struct {
	defs    []*lang.Def
	refused []*lang.Refused
}

// A Group is what a name means: a def, or several for different types of their arguments.
type Group struct {
	Name string
	Defs []*lang.Def
}

// NewTable collects what files import. Own finds where the unit declares a name itself:
// a name that is declared twice is reported.
func NewTable(imports *lang.Imports, own func(name string) (source.Span, bool), diagnostics *source.Diagnostics) *Table {
	t := &Table{refused: imports.Refused}
	for _, d := range imports.Defs {
		first, twice := own(d.Name)
		if !twice {
			if n := slices.IndexFunc(t.defs, func(other *lang.Def) bool { return other.Name == d.Name }); n >= 0 {
				first, twice = t.defs[n].Pos, true
			}
		}
		switch {
		case !twice:
			t.defs = append(t.defs, d)
		case first.File != d.Pos.File: // a file of the unit may be imported by others, too
			diagnostics.Errorf(source.CodeDuplicateDef, d.Pos, "the def %s exists already", d.Name).
				WithNote(first, "the first %s is here", d.Name).
				WithHelp("rename one of them; defs of imported files share one space of names")
		}
	}
	return t
}

// TableOf makes a table of defs.
func TableOf(defs []*lang.Def) *Table { return &Table{defs: defs} }

// Defs are the defs, each once.
func (t *Table) Defs() []*lang.Def { return t.defs }

// Lookup returns what a name means, or nil.
func (t *Table) Lookup(name string) *Group {
	g := &Group{Name: name}
	for _, d := range t.defs {
		switch {
		case d.Generic != name:
		case d.Name == name: // the first choice of types
			g.Defs = append([]*lang.Def{d}, g.Defs...)
		default:
			g.Defs = append(g.Defs, d)
		}
	}
	if g.Defs != nil {
		return g
	}
	for _, d := range t.defs {
		if d.Name == name {
			return &Group{name, []*lang.Def{d}}
		}
	}
	for _, d := range t.defs {
		if d.Alias == name {
			return &Group{name, []*lang.Def{d}}
		}
	}
	return nil
}

// Explain says of an error about an unknown name that a def of that name was refused.
func (t *Table) Explain(name string, d *source.Diagnostic) {
	for _, r := range t.refused {
		if r.Name == name {
			d.WithNote(r.Errors[0].Span, "the def %s is refused: %s", name, r.Errors[0].Message)
			d.WithHelp("mend its loops, or leave them out: codegen %s()", name)
			return
		}
	}
}

// Names lists the names of defs.
func (t *Table) Names() []string {
	var names []string
	for _, d := range t.defs {
		names = append(names, d.Name)
	}
	return names
}

// Choose returns the def whose inputs have these types; Invalid stands for one that is not
// known, or may be any. Where none has them it returns nil.
func (g *Group) Choose(types []tensor.DType) *lang.Def {
	for _, d := range g.Defs {
		inputs := d.Func.Inputs()
		fits := len(inputs) == len(types)
		for n, t := range types {
			fits = fits && (t == tensor.Invalid || inputs[n].Type == t)
		}
		if fits {
			return d
		}
	}
	return nil
}

// Pick chooses the def for arguments of these types, or reports that there is none. The only
// def of a group is compared with the arguments one by one, which says more.
func (g *Group) Pick(types []tensor.DType, at source.Span, report func(source.Code, source.Span, string, ...any) *source.Diagnostic) *lang.Def {
	if len(g.Defs) == 1 {
		return g.Defs[0]
	}
	if len(types) != len(g.Defs[0].Func.Inputs()) {
		return g.Defs[0] // their number is wrong for all of them
	}
	if chosen := g.Choose(types); chosen != nil {
		return chosen
	}
	names := make([]string, len(types))
	for n, t := range types {
		if names[n] = t.String(); t == tensor.Invalid {
			names[n] = "a number"
		}
	}
	report(source.CodeCallArguments, at, "%s does not take arguments of type %s", g.Name, strings.Join(names, ", ")).
		WithNote(g.Defs[0].Pos, "%s", g.Signatures()).
		WithHelp("convert the arguments to the types of one of them")
	return nil
}

// Signatures lists the heads of the defs, for help.
func (g *Group) Signatures() string {
	var list []string
	for _, d := range g.Defs {
		list = append(list, Signature(d))
	}
	return strings.Join(list, "; ")
}

// Warnings are what the caller of a def is told: the warnings of the def, and that its loops stay behind.
func Warnings(d *lang.Def, call source.Span) []*source.Diagnostic {
	list := slices.Clone(d.Warnings)
	if d.Script != "" {
		w := (&source.Diagnostics{}).Warnf(source.CodeLoopsStay, call, "the loops that %s has in %s are not those of its caller", d.Name, filepath.Base(d.Pos.File.Name)).
			WithNote(d.Pos, "they are made here").
			WithHelp("Ricci schedules the caller as a whole, with what it calls; a script for the caller, --schedule, says otherwise; let codegen %s() make the def without loops where it is called", d.Name)
		list = append(list, w)
	}
	return list
}
