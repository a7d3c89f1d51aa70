package check

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/field"
	"github.com/ricci-lang/ricci/internal/lang/diderot/syntax"
	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
	"github.com/ricci-lang/ricci/internal/source"
)

func (c *checker) ref(e *syntax.Ref) typed.Expr {
	if v := c.find(e.Name); v != nil {
		c.reads(v, e.Pos)
		return &typed.Ref{Node: typed.Node{Pos: e.Pos, T: v.Type}, Variable: v}
	}
	if k := field.LookupKernel(e.Name); k != nil {
		return &typed.KernelRef{Node: typed.Node{Pos: e.Pos, T: &typed.Type{Kind: typed.Kernel, Continuity: k.Continuity}}, Kernel: k}
	}
	d := c.errorf(source.CodeDiderotName, e.Pos, "there is no variable %s", e.Name)
	switch {
	case c.findFunction(e.Name) != nil || isBuiltin(e.Name):
		d.Message = e.Name + " is a function, and no value"
		d.WithHelp("apply it: %s(x)", e.Name)
	case c.file.Program.Strand != nil && c.file.Program.Strand.Name.Name == e.Name:
		d.Message = e.Name + " is the strand, and no value"
		d.WithHelp("%s.active, %s.stable and %s.all are its sets; new %s(…) makes one", e.Name, e.Name, e.Name, e.Name)
	case foreignNames[e.Name] != "":
		d.WithHelp("write %s", foreignNames[e.Name])
	case c.declaredLater(e.Name):
		d.WithHelp("%s is declared below: a name is known behind its declaration", e.Name)
	case c.program.Strand != nil && c.region.allows&seesSets != 0 && slices.ContainsFunc(c.program.Strand.State, func(v *typed.Variable) bool { return v.Name == e.Name }):
		d.WithHelp("%s is a state of each strand: fold it, sum{ t.%s | t in %s.all }", e.Name, e.Name, c.program.Strand.Name)
	case c.region == &regions[inCreate] && slices.ContainsFunc(c.file.Program.Create.Iterators, func(i *syntax.Iterator) bool { return i.Name.Name == e.Name }):
		d.WithHelp("iterators do not see each other: there is a strand for each combination; leave some out by die, in a collection")
	default:
		d.Message += source.DidYouMean(e.Name, c.variableNames())
	}
	return nothing(e.Pos)
}

// foreignNames are what other languages call things.
var foreignNames = map[string]string{
	"pi": "π", "PI": "π", "M_PI": "π", "True": "true", "False": "false", "infinity": "inf, or ∞", "INFINITY": "inf, or ∞", "NaN": "nan",
	"self": "the names of the state variables alone", "this": "the names of the state variables alone", "null": "a value of the type",
}

// declaredLater reports whether a global, or a state variable, of that name stands further below.
func (c *checker) declaredLater(name string) bool {
	p := c.file.Program
	for _, g := range p.Globals {
		switch g := g.(type) {
		case *syntax.Variable:
			if g.Name.Name == name {
				return true
			}
		case *syntax.ClosedForm:
			if g.Name.Name == name {
				return true
			}
		}
	}
	return c.region == &regions[inState] && slices.ContainsFunc(p.Strand.State, func(v *syntax.Variable) bool { return v.Name.Name == name })
}

// variableNames are all that could stand where a variable does.
func (c *checker) variableNames() []string {
	var names []string
	for s := c.scope; s != nil; s = s.outer {
		for _, v := range s.variables {
			names = append(names, v.Name)
		}
	}
	for _, k := range field.Kernels() {
		names = append(names, k.Name)
	}
	return names
}

func (c *checker) kernelAt(e *syntax.KernelAt) typed.Expr {
	k := c.continuity(e.Continuity)
	x := c.ref(&syntax.Ref{Pos: e.Name.Pos, Name: e.Name.Name})
	t := &typed.Type{Kind: typed.Kernel, Continuity: k}
	switch kernel, ok := x.(*typed.KernelRef); {
	case k < 0 || x.Type().Kind == typed.Nothing:
	case ok:
		return &typed.KernelRef{Node: typed.Node{Pos: e.Pos, T: t}, Kernel: kernel.Kernel}
	case x.Type().Kind != typed.Kernel:
		c.errorf(source.CodeDiderotType, e.Pos, "%s is of type %v, and # says how smooth a kernel is taken to be", e.Name.Name, x.Type()).WithHelp("write %s alone", e.Name.Name)
	default:
		return &typed.Coerce{Node: typed.Node{Pos: e.Pos, T: t}, How: typed.ToSmoothness, X: x}
	}
	return nothing(e.Pos)
}
