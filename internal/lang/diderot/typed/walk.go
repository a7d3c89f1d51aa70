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
	case *Made:
		var images []Expr
		for _, a := range e.Args {
			if a.Image != nil {
				images = append(images, a.Image)
			}
		}
		return images
	}
	return nil
}

// WalkStmts visits a statement, and those in it.
func WalkStmts(s Stmt, visit func(Stmt)) {
	visit(s)
	switch s := s.(type) {
	case *Block:
		for _, inner := range s.Stmts {
			WalkStmts(inner, visit)
		}
	case *If:
		WalkStmts(s.Then, visit)
		WalkStmts(s.Else, visit)
	case *Foreach:
		WalkStmts(s.Body, visit)
	}
}

// Expressions are those that stand in a statement, but for what stands in the statements in it.
func Expressions(s Stmt) []Expr {
	switch s := s.(type) {
	case *Declare:
		return []Expr{s.Variable.Value}
	case *Assign:
		return []Expr{s.Value}
	case *If:
		return []Expr{s.Cond}
	case *Foreach:
		return []Expr{s.Each.In}
	case *Print:
		return s.Args
	case *New:
		return s.Args
	case *Return:
		return []Expr{s.Value}
	}
	return nil
}

// Targets are the variables that statements assign, those of blocks in them included.
func Targets(stmts []Stmt) map[*Variable]bool {
	targets := map[*Variable]bool{}
	WalkStmts(&Block{Stmts: stmts}, func(s Stmt) {
		if a, is := s.(*Assign); is {
			targets[a.To] = true
		}
	})
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
