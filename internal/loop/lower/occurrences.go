package lower

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
)

// How what statements have in common is computed once: common subexpressions
//
// A compiler sees that two loads are of the same elements only where no store between them may
// have changed these, and moves none out of a loop behind a test. So what occurs several times in a
// list, or stays the same in a loop (hoist.go), gets a name before it. Expressions are equal if their
// texts are: names are given once in a kernel.

// shared gives names to what statements load, and convert, more than once: stores are behind all
// of that, but a target may not see it. Nothing is loaded earlier that only one branch needs.
func (l *lowerer) shared(list []loop.Stmt) []loop.Stmt {
	var lets []loop.Stmt
	for _, isShared := range []func(loop.Expr) bool{isVectorLoad, isCastOfName} {
		counts, order := occurrences(list, isShared)
		order = slices.DeleteFunc(order, func(e loop.Expr) bool { return counts[loop.ExprText(e)] == 1 })
		if len(order) == 0 {
			break
		}
		more, references := l.named("shared", order)
		sub := &loop.Substitution{Values: map[*loop.Var]loop.Expr{}, NewVar: sameVar, Whole: func(e loop.Expr) loop.Expr { return references.of(e, isShared) }}
		copies, ok := sub.Stmts(list)
		if !ok {
			break
		}
		lets, list = append(lets, more...), copies
	}
	return append(lets, list...)
}

// references are the names that stand for expressions, by the texts of these.
type references map[string]loop.Expr

// of returns the name of an expression that is wanted, if it has one; else nil.
func (r references) of(e loop.Expr, wanted func(loop.Expr) bool) loop.Expr {
	if !wanted(e) {
		return nil
	}
	return r[loop.ExprText(e)]
}

// named gives names to expressions of different texts.
func (l *lowerer) named(name string, list []loop.Expr) (lets []loop.Stmt, r references) {
	r = references{}
	for _, e := range list {
		v := &loop.Var{Name: l.fresh(name), Type: e.Type()}
		l.vars[v.Name] = v
		r[loop.ExprText(e)] = &loop.VarRef{Var: v}
		lets = append(lets, &loop.Let{Var: v, Value: e})
	}
	return lets, r
}

// sameVar keeps the variables that copies assign, where what is copied is not kept.
func sameVar(v *loop.Var) *loop.Var { return v }

func isVectorLoad(e loop.Expr) bool {
	load, ok := e.(*loop.Load)
	return ok && load.Lanes > 1 && load.Buffer.Type.Lanes == 1
}

// isCastOfName reports whether an expression makes bytes or words of what has a name. Wider numbers
// that were words are left where they are: a target multiplies them as words only where it sees it.
func isCastOfName(e loop.Expr) bool {
	c, ok := e.(*loop.Cast)
	if !ok || c.Type().Lanes == 1 || c.To.Size() > 2 {
		return false
	}
	_, ok = c.X.(*loop.VarRef)
	return ok
}

// occurrences counts expressions by their texts, and lists each once; those that depend on what
// the statements name are left out, and those of which only some branches are evaluated.
func occurrences(list []loop.Stmt, wanted func(loop.Expr) bool) (counts map[string]int, order []loop.Expr) {
	counts = map[string]int{}
	inside := map[*loop.Var]bool{}
	for _, s := range list {
		if let, ok := s.(*loop.Let); ok {
			inside[let.Var] = true
		}
	}
	var visit func(e loop.Expr)
	visit = func(e loop.Expr) {
		if wanted(e) && !names(e, inside) {
			text := loop.ExprText(e)
			if counts[text]++; counts[text] == 1 {
				order = append(order, e)
			}
			return
		}
		if condition := conditionOf(e); condition != nil {
			visit(condition)
			return
		}
		for _, part := range loop.Children(e) {
			visit(part)
		}
	}
	for _, s := range list {
		for _, e := range loop.StmtExprs(s) {
			visit(e)
		}
	}
	return counts, order
}

// conditionOf returns the part of an expression that decides whether the others are computed; nil where all are.
func conditionOf(e loop.Expr) loop.Expr {
	switch e := e.(type) {
	case *loop.Select:
		if e.Cond.Type().Lanes == 1 {
			return e.Cond
		}
	case *loop.Binary:
		if (e.Op == ein.And || e.Op == ein.Or) && e.Type().Lanes == 1 {
			return e.X
		}
	}
	return nil
}

// names reports whether an expression has one of some variables.
func names(e loop.Expr, vars map[*loop.Var]bool) bool {
	found := false
	loop.WalkExpr(e, loop.Visitor{Expr: func(e loop.Expr) {
		ref, ok := e.(*loop.VarRef)
		found = found || ok && vars[ref.Var]
	}})
	return found
}
