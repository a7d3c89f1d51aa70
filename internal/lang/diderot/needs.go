package diderot

import "github.com/ricci-lang/ricci/internal/lang/diderot/typed"

// needs are what one computation depends on of what a program declares: by way of values that fields, images and globals begin
// with, of functions that are called, and of the global initialize block, which runs as a whole or not at all.
type needs struct {
	program    *typed.Program
	declared   map[*typed.Variable]bool // of the program
	targets    map[*typed.Variable]bool // that the initialize block assigns
	variables  map[*typed.Variable]bool
	functions  map[*typed.Function]bool
	initialize bool
}

func newNeeds(program *typed.Program) *needs {
	n := &needs{
		program: program, declared: map[*typed.Variable]bool{}, targets: map[*typed.Variable]bool{},
		variables: map[*typed.Variable]bool{}, functions: map[*typed.Function]bool{},
	}
	for _, v := range program.Variables {
		n.declared[v] = true
	}
	if program.Initialize != nil {
		n.targets = typed.Targets(program.Initialize.Stmts)
	}
	return n
}

func (n *needs) variable(v *typed.Variable) {
	if !n.declared[v] || n.variables[v] {
		return
	}
	n.variables[v] = true
	n.expr(v.Value)
	if n.targets[v] && !n.initialize {
		n.initialize = true
		n.stmt(n.program.Initialize)
	}
}

func (n *needs) function(f *typed.Function) {
	if n.functions[f] {
		return
	}
	n.functions[f] = true
	n.stmt(f.Body)
}

func (n *needs) expr(e typed.Expr) {
	switch e := e.(type) {
	case nil:
		return
	case *typed.Ref:
		n.variable(e.Variable)
	case *typed.Call:
		n.function(e.Function)
	}
	for _, part := range typed.Operands(e) {
		n.expr(part)
	}
}

func (n *needs) stmt(s typed.Stmt) {
	typed.WalkStmts(s, func(s typed.Stmt) {
		if a, is := s.(*typed.Assign); is {
			n.variable(a.To)
		}
		for _, e := range typed.Expressions(s) {
			n.expr(e)
		}
	})
}
