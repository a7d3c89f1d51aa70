package typed

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
