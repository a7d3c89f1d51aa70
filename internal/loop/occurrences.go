package loop

import "github.com/ricci-lang/ricci/internal/ein"

// How what statements have in common is computed once: common subexpressions
//
// A compiler sees that two loads are of the same elements only where no store between them may
// have changed these, and moves none out of a loop behind a test. So what occurs several times in a
// list, or stays the same in a loop, gets a name before it. Expressions are equal if their
// texts are: names are given once in a kernel (Fresh).

// References are the names that stand for expressions, by the texts of these.
type References map[string]Expr

// Of returns the name of an expression that is wanted, if it has one; else nil.
func (r References) Of(e Expr, wanted func(Expr) bool) Expr {
	if !wanted(e) {
		return nil
	}
	return r[ExprText(e)]
}

// Lets gives names to expressions of different texts.
func (n *Fresh) Lets(name string, list []Expr) (lets []Stmt, r References) {
	r = References{}
	for _, e := range list {
		v := n.Var(name, e.Type())
		r[ExprText(e)] = &VarRef{Var: v}
		lets = append(lets, &Let{Var: v, Value: e})
	}
	return lets, r
}

// SameVar keeps the variables that copies assign, where what is copied is not kept.
func SameVar(v *Var) *Var { return v }

// Occurrences counts expressions by their texts, and lists each once; those that depend on what
// the statements name are left out, and those of which only some branches are evaluated.
func Occurrences(list []Stmt, wanted func(Expr) bool) (counts map[string]int, order []Expr) {
	counts = map[string]int{}
	inside := map[*Var]bool{}
	for _, s := range list {
		if let, ok := s.(*Let); ok {
			inside[let.Var] = true
		}
	}
	var visit func(e Expr)
	visit = func(e Expr) {
		if wanted(e) && !Mentions(e, inside) {
			text := ExprText(e)
			if counts[text]++; counts[text] == 1 {
				order = append(order, e)
			}
			return
		}
		if condition := ConditionOf(e); condition != nil {
			visit(condition)
			return
		}
		for _, part := range Children(e) {
			visit(part)
		}
	}
	for _, s := range list {
		for _, e := range StmtExprs(s) {
			visit(e)
		}
	}
	return counts, order
}

// ConditionOf returns the part of an expression that decides whether the others are computed; nil where all are.
func ConditionOf(e Expr) Expr {
	switch e := e.(type) {
	case *Select:
		if e.Cond.Type().Lanes == 1 {
			return e.Cond
		}
	case *Binary:
		if (e.Op == ein.And || e.Op == ein.Or) && e.Type().Lanes == 1 {
			return e.X
		}
	}
	return nil
}

// Mentions reports whether an expression has one of some variables.
func Mentions(e Expr, vars map[*Var]bool) bool {
	found := false
	WalkExpr(e, Visitor{Expr: func(e Expr) {
		ref, ok := e.(*VarRef)
		found = found || ok && vars[ref.Var]
	}})
	return found
}
