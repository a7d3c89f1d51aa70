package looptest

import (
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

// orderFaults are those in numbers that groups are given: some groups do what others do, or nobody does.
var orderFaults = []fault{
	{"a number by which groups are ordered is one too large", orders(1)},
	{"a number by which groups are ordered is one too small", orders(-1)},
}

// orders changes the numbers in what follows from the axes of groups alone.
func orders(by int64) func([]*loop.Grid) []func() {
	return func(grids []*loop.Grid) (list []func()) {
		for _, g := range grids {
			known := map[*loop.Var]bool{}
			for _, a := range g.Groups {
				known[a.Var] = true
			}
			for _, s := range g.Body {
				let, ok := s.(*loop.Let)
				if !ok || !ofGroups(let.Value, known) {
					continue
				}
				known[let.Var] = true
				loop.WalkExpr(let.Value, loop.Visitor{Expr: func(e loop.Expr) {
					if c, ok := e.(*loop.Const); ok && c.Elem == tensor.Int64 && int64(c.Bits)+by > 0 {
						list = append(list, func() { c.Bits += uint64(by) })
					}
				}})
			}
		}
		return list
	}
}

// ofGroups reports whether a value is made of numbers of groups, and of nothing else.
func ofGroups(e loop.Expr, known map[*loop.Var]bool) bool {
	some, only := false, true
	loop.WalkExpr(e, loop.Visitor{Expr: func(e loop.Expr) {
		switch e := e.(type) {
		case *loop.VarRef:
			some, only = true, only && known[e.Var]
		case *loop.Load:
			only = false
		}
	}})
	return some && only
}
