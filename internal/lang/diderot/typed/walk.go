package typed

import "slices"

// Operands are the expressions directly in an expression, in the order in which they are written. Bodies of iterations are
// among them.
func Operands(e Expr) []Expr {
	switch e := e.(type) {
	case *Coerce:
		return []Expr{e.X}
	case *Apply:
		return e.Args
	case *Call:
		return e.Args
	case *Probe:
		return []Expr{e.Field, e.At}
	case *ClosedForm:
		return []Expr{e.Body}
	case *Construct:
		return e.Elements
	case *Slice:
		return []Expr{e.X}
	case *Subscript:
		return []Expr{e.X, e.At}
	case *Sequenced:
		return e.Elements
	case *Range:
		return []Expr{e.Low, e.High}
	case *Comprehension:
		return []Expr{e.Each.In, e.Body}
	case *Reduce:
		return []Expr{e.Each.In, e.Body}
	case *Conditional:
		return []Expr{e.Cond, e.Then, e.Else}
	case *StateOf:
		return []Expr{e.Strand}
	}
	return nil
}

// Targets are the variables that statements assign, those of blocks in them included.
func Targets(stmts []Stmt) map[*Variable]bool {
	targets := map[*Variable]bool{}
	var visit func(stmts []Stmt)
	visit = func(stmts []Stmt) {
		for _, s := range stmts {
			switch s := s.(type) {
			case *Assign:
				targets[s.To] = true
			case *Block:
				visit(s.Stmts)
			case *If:
				visit(s.Then.Stmts)
				visit(s.Else.Stmts)
			case *Foreach:
				visit(s.Body.Stmts)
			}
		}
	}
	visit(stmts)
	return targets
}

// Reads reports whether an expression may read one of the variables. Functions may read any global.
func Reads(e Expr, variables map[*Variable]bool) bool {
	switch e := e.(type) {
	case *Ref:
		return variables[e.Variable]
	case *Call:
		for v := range variables {
			if v.Role == Global || v.Role == Input {
				return true
			}
		}
	}
	return slices.ContainsFunc(Operands(e), func(e Expr) bool { return Reads(e, variables) })
}
