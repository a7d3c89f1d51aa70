package syntax

// Children returns the direct operands of an expression, in the order of the
// text.
func Children(e Expr) []Expr {
	switch e := e.(type) {
	case *Paren:
		return []Expr{e.X}
	case *CastExpr:
		return []Expr{e.X}
	case *Apply:
		return e.Args
	case *Unary:
		return []Expr{e.X}
	case *Binary:
		return []Expr{e.X, e.Y}
	case *Conditional:
		return []Expr{e.Cond, e.Then, e.Else}
	}
	return nil
}

// Walk visits an expression and everything in it from the outside to the inside;
// visit returns false to skip the operands.
func Walk(e Expr, visit func(Expr) bool) {
	if e == nil || !visit(e) {
		return
	}
	for _, child := range Children(e) {
		Walk(child, visit)
	}
}
