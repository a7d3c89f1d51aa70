package teml

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/lang/teml/syntax"
	"github.com/ricci-lang/ricci/internal/schedule/transform"
	"github.com/ricci-lang/ricci/internal/source"
)

// What a run does not see
//
// A function that nobody calls, or a branch that is not taken, is not evaluated. Most names that
// nobody defined mean something, a size or an iterator, and what a name stands for is known
// when it is evaluated only. But a function that is called has to be there, and what a
// transformation is applied to has to be a name of the function or of the program.

// checkNames checks the functions of a program that ran without errors.
func (in *interpreter) checkNames(parsed *syntax.File) {
	for _, s := range parsed.Statements {
		if f, ok := s.(*syntax.Fun); ok {
			n := &nameCheck{in: in, local: map[string]bool{self: true}}
			for _, p := range f.Params {
				n.local[p.Name] = true
			}
			if f.Rest != nil {
				n.local[f.Rest.Name] = true
			}
			for _, s := range f.Body {
				n.statement(s)
			}
			n.expression(f.Result)
		}
	}
}

// A nameCheck walks through a function.
type nameCheck struct {
	in    *interpreter
	local map[string]bool // so far
}

func (n *nameCheck) statement(s syntax.Statement) {
	switch s := s.(type) {
	case *syntax.Assign:
		n.expression(s.Value)
		n.local[s.Target.Name] = true
		for _, more := range s.More {
			n.local[more.Name] = true
		}
		if s.Real != nil {
			n.local[s.Real.Name] = true
		}
	case *syntax.Do:
		if s.Call.Name.Name == "init" && n.in.functions["init"] == nil {
			return // a statement of its own
		}
		n.expression(s.Call)
	case *syntax.Codegen:
		for _, e := range s.Loops {
			n.loop(e)
		}
	}
}

func (n *nameCheck) expression(e syntax.Expr) {
	switch e := e.(type) {
	case *syntax.Unary:
		n.expression(e.X)
	case *syntax.Binary:
		n.expression(e.X)
		n.expression(e.Y)
	case *syntax.List:
		for _, item := range e.Items {
			n.expression(item)
		}
	case *syntax.Arrow:
		n.expression(e.From)
		n.expression(e.To)
	case *syntax.Select:
		n.expression(e.X)
		n.expression(e.Number)
	case *syntax.If:
		n.expression(e.Cond)
		n.expression(e.Then)
		n.expression(e.Else)
	case *syntax.Call:
		n.call(e)
	}
}

func (n *nameCheck) call(e *syntax.Call) {
	name := e.Name.Name
	f, t := n.in.functions[name], (*transform.Transformation)(nil)
	if f == nil || f.standard {
		t, _ = transform.Lookup(name)
	}
	if f == nil && t == nil && n.in.builtins[name] == nil && n.in.imports.Lookup(name) == nil {
		n.in.diagnostics.Errorf(source.CodeTeMLName, e.Name.Pos, "there is no function %s", name).WithHelp("%s", n.in.functionLike(name))
	}
	for k, arg := range e.Args {
		if t != nil && k < t.Nests {
			n.loop(arg)
		} else {
			n.expression(arg)
		}
	}
}

// loop checks an expression that has to be a loop.
func (n *nameCheck) loop(e syntax.Expr) {
	ref, ok := e.(*syntax.Ref)
	if !ok {
		n.expression(e)
		return
	}
	if _, global := n.in.state[ref.Name]; global || n.local[ref.Name] || n.in.reals[ref.Name] != nil {
		return
	}
	help := fmt.Sprintf("define it above: %s = …", ref.Name)
	if near := source.Suggest(ref.Name, slices.Concat(sortedKeys(n.in.state), sortedKeys(n.local))); near != "" {
		help = fmt.Sprintf("did you mean %s?", near)
	}
	n.in.diagnostics.Errorf(source.CodeTeMLName, ref.Pos, "%s is not defined here, expected a loop", ref.Name).WithHelp("%s", help)
}

// functionLike is the help where there is no function of a name.
func (in *interpreter) functionLike(name string) string {
	if here := elsewhere[name]; here != "" {
		return "here it is " + here
	}
	known := slices.Concat(sortedKeys(in.functions), sortedKeys(in.builtins), transform.Names(), in.imports.Names())
	if near := source.Suggest(name, known); near != "" {
		return fmt.Sprintf("did you mean %s?", near)
	}
	return fmt.Sprintf("declare it: fun %s(x) = …", name)
}
