package syntax

import "github.com/ricci-lang/ricci/internal/lang/expression"

// Walk visits an expression and all that it is made of, the whole before its parts.
func Walk(e Expr, visit func(Expr)) {
	if e == nil {
		return
	}
	visit(e)
	for _, part := range parts(e) {
		Walk(part, visit)
	}
}

// parts lists the operands of an expression.
func parts(e Expr) []Expr {
	switch e := e.(type) {
	case *Tuple:
		return e.Parts
	case *Table:
		return e.Items
	case *Select:
		return []Expr{e.X}
	case *Numbered:
		return []Expr{e.X, e.Number}
	case *Let:
		return []Expr{e.Value, e.Body}
	case *Iterate:
		list := []Expr{e.Count, e.Next}
		if e.While != nil {
			list = append(list, e.While)
		}
		for _, v := range e.Vars {
			list = append(list, v.Value)
		}
		return list
	}
	return expression.Parts(e)
}
