package looptest

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

// How slips are made
//
// Slips are faults that writers of kernels make with numbers: one too many or too few, a dimension that is forgotten, two names that are taken
// for each other. Each is a change of one expression or one statement.

// slips are the kinds of faults in numbers.
var slips = []fault{
	{"a barrier is for the first item alone", func(grids []*loop.Grid) (list []func()) {
		for _, g := range grids {
			first := itemBelow(g, 1)
			eachBody([]*loop.Grid{g}, func(body []loop.Stmt) {
				for i, s := range body {
					if _, ok := s.(*loop.Barrier); ok && first != nil {
						list = append(list, func() { body[i] = &loop.If{Cond: first, Then: []loop.Stmt{s}} })
					}
				}
			})
		}
		return list
	}},
	{"a loop ends one too early", func(grids []*loop.Grid) (list []func()) {
		eachStmt(grids, func(s loop.Stmt) {
			if s, ok := s.(*loop.For); ok {
				list = append(list, func() { s.Hi = plus(s.Hi, number(-s.Step)) })
			}
		})
		return list
	}},
	{"a condition holds for one more", func(grids []*loop.Grid) []func() { return conditions(grids, 1) }},
	{"a condition holds for one less", func(grids []*loop.Grid) []func() { return conditions(grids, -1) }},
	{"a step of the items is one too short", func(grids []*loop.Grid) (list []func()) {
		for _, g := range grids {
			loop.Walk(g.Body, loop.Visitor{Expr: func(e loop.Expr) {
				if b, ok := e.(*loop.Binary); ok && b.Op == ein.Mul {
					if c, ok := b.Y.(*loop.Const); ok && c.Elem == tensor.Int64 && int64(c.Bits) == g.GroupItems() && c.Bits > 1 {
						list = append(list, func() { b.Y = number(int64(c.Bits) - 1) })
					}
				}
			}})
		}
		return list
	}},
	{"a subscript of local memory lacks a part", func(grids []*loop.Grid) (list []func()) {
		eachLocal(grids, func(_ *loop.Grid, index *loop.Expr, _ *loop.Load) {
			for _, without := range lacking(*index) {
				list = append(list, func() { *index = without })
			}
		})
		return list
	}},
	{"another buffer in local memory is read", func(grids []*loop.Grid) (list []func()) {
		eachLocal(grids, func(g *loop.Grid, _ *loop.Expr, read *loop.Load) {
			for _, b := range g.Local {
				if read != nil && b != read.Buffer && b.Type == read.Buffer.Type {
					list = append(list, func() { read.Buffer = b })
				}
			}
		})
		return list
	}},
	{"two axes are exchanged where something is stored", func(grids []*loop.Grid) (list []func()) {
		for _, g := range grids {
			var pairs [][2]*loop.Var
			for k := 1; k < len(g.Items); k++ {
				pairs = append(pairs, [2]*loop.Var{g.Items[k-1].Var, g.Items[k].Var})
			}
			for k := 1; k < len(g.Groups); k++ {
				pairs = append(pairs, [2]*loop.Var{g.Groups[k-1].Var, g.Groups[k].Var})
			}
			for _, p := range pairs {
				eachStmt([]*loop.Grid{g}, func(s loop.Stmt) {
					if s, ok := s.(*loop.Store); ok && uses(s.Index, p[0], p[1]) {
						list = append(list, func() { exchange(s.Index, p[0], p[1]) })
					}
				})
			}
		}
		return list
	}},
}

// conditions moves the bounds of conditions.
func conditions(grids []*loop.Grid, by int64) (list []func()) {
	eachStmt(grids, func(s loop.Stmt) {
		if s, ok := s.(*loop.If); ok {
			loop.WalkExpr(s.Cond, loop.Visitor{Expr: func(e loop.Expr) {
				if b, ok := e.(*loop.Binary); ok && b.Op == ein.Lt && b.Y.Type() == loop.Scalar(tensor.Int64) {
					list = append(list, func() { b.Y = plus(b.Y, number(by)) })
				}
			}})
		}
	})
	return list
}

// itemBelow is the condition that the last item along the axis with several is below a number; nil: there is one item.
func itemBelow(g *loop.Grid, n int64) loop.Expr {
	for _, a := range g.Items {
		if a.Count > n {
			return &loop.Binary{Op: ein.Lt, X: &loop.VarRef{Var: a.Var}, Y: number(n)}
		}
	}
	return nil
}

// eachLocal visits what is stored in local memory, and read there.
func eachLocal(grids []*loop.Grid, visit func(g *loop.Grid, index *loop.Expr, read *loop.Load)) {
	for _, g := range grids {
		loop.Walk(g.Body, loop.Visitor{
			Stmt: func(s loop.Stmt) {
				if s, ok := s.(*loop.Store); ok && s.Buffer.Region == loop.Local && s.Index.Type().Lanes == 1 {
					visit(g, &s.Index, nil)
				}
			},
			Expr: func(e loop.Expr) {
				if l, ok := e.(*loop.Load); ok && l.Buffer.Region == loop.Local && l.Index.Type().Lanes == 1 {
					visit(g, &l.Index, l)
				}
			},
		})
	}
}

// lacking lists a sum without one of its parts each.
func lacking(e loop.Expr) (list []loop.Expr) {
	if s, ok := e.(*loop.Swizzle); ok {
		for _, x := range lacking(s.X) {
			list = append(list, otherwise(s, func(s *loop.Swizzle) { s.X = x }))
		}
		return list
	}
	b, ok := e.(*loop.Binary)
	if !ok || b.Op != ein.Add {
		return nil
	}
	list = []loop.Expr{b.X, b.Y}
	for _, x := range lacking(b.X) {
		list = append(list, plus(x, b.Y))
	}
	return list
}

// uses reports whether an expression has one of two variables.
func uses(e loop.Expr, x, y *loop.Var) (found bool) {
	loop.WalkExpr(e, loop.Visitor{Expr: func(e loop.Expr) {
		r, ok := e.(*loop.VarRef)
		found = found || ok && (r.Var == x || r.Var == y)
	}})
	return found
}

// exchange puts two variables for each other.
func exchange(e loop.Expr, x, y *loop.Var) {
	loop.WalkExpr(e, loop.Visitor{Expr: func(e loop.Expr) {
		switch r, ok := e.(*loop.VarRef); {
		case ok && r.Var == x:
			r.Var = y
		case ok && r.Var == y:
			r.Var = x
		}
	}})
}

// Slips returns all programs with a slip, each of which is a copy.
func Slips(f *loop.Func) ([]Mutant, error) { return mutantsOf(f, slips) }
