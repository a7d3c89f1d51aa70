package c

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

// How sums stay in order
//
// Scalar floating-point sums over the iterations of a loop are not for the C compiler to make
// vectors of: they are in order, and vectors of Ricci are written out. gcc before 12.4 and 13.2
// does it all the same where some iterations are side by side, and takes elements that are read
// in another order than they lie in memory twice (its bug 110381). An empty instruction in the
// loop prevents it.

// inOrder prevents vectors of the loop whose body is being printed.
const inOrder = `__asm__ volatile (""); // a sum in order, not in vectors`

// addsInOrder reports whether a loop is the innermost one over the terms of a scalar
// floating-point result: its body stores an element that does not move with it, in a buffer
// from outside that it reads.
func addsInOrder(s *loop.For) bool {
	read := map[*loop.Buffer]bool{}
	loop.Walk(s.Body, loop.Visitor{Expr: func(e loop.Expr) {
		if l, ok := e.(*loop.Load); ok {
			read[l.Buffer] = true
		}
	}})
	loop.Walk(s.Body, loop.Visitor{Stmt: func(inner loop.Stmt) {
		if a, ok := inner.(*loop.Alloc); ok {
			delete(read, a.Buffer)
		}
	}})
	return slices.ContainsFunc(s.Body, func(inner loop.Stmt) bool { return storesTerm(inner, []*loop.Var{s.Var}, read) })
}

// storesTerm reports whether a statement stores a scalar of one of some buffers, whose index
// does not have the first of some variables, and has all others, those of the loops inside of it.
func storesTerm(s loop.Stmt, loops []*loop.Var, buffers map[*loop.Buffer]bool) bool {
	switch s := s.(type) {
	case *loop.Store:
		t := s.Value.Type()
		return t.Lanes == 1 && (t.Elem == tensor.Float32 || t.Elem == tensor.Float64) && buffers[s.Buffer] &&
			!mentions(s.Index, loops[0]) && !slices.ContainsFunc(loops[1:], func(v *loop.Var) bool { return !mentions(s.Index, v) })
	case *loop.For:
		loops = append(loops[:len(loops):len(loops)], s.Var)
	}
	return slices.ContainsFunc(loop.StmtBodies(s), func(body []loop.Stmt) bool {
		return slices.ContainsFunc(body, func(inner loop.Stmt) bool { return storesTerm(inner, loops, buffers) })
	})
}

// mentions reports whether a variable occurs in an expression.
func mentions(e loop.Expr, v *loop.Var) (found bool) {
	loop.WalkExpr(e, loop.Visitor{Expr: func(x loop.Expr) {
		if r, ok := x.(*loop.VarRef); ok && r.Var == v {
			found = true
		}
	}})
	return found
}
