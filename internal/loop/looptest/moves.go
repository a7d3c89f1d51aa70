package looptest

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
)

// How moves are made
//
// Moves are faults of order and of room: a barrier a statement too early or too late, or in a branch, passes in the wrong order, what is forgotten,
// and memory that is too short.

// moves are the kinds of faults of order and of room.
var moves = []fault{
	{"a barrier comes one statement later", movedBarriers(1)},
	{"a barrier comes one statement earlier", movedBarriers(-1)},
	{"a barrier moves into the branch beside it", func(grids []*loop.Grid) (list []func()) {
		eachBody(grids, func(body []loop.Stmt) {
			for i, s := range body {
				if _, ok := s.(*loop.Barrier); !ok {
					continue
				}
				if i > 0 {
					if branch, ok := body[i-1].(*loop.If); ok {
						list = append(list, func() { branch.Then, body[i] = append(branch.Then, s), gone() })
					}
				}
				if i+1 < len(body) {
					if branch, ok := body[i+1].(*loop.If); ok {
						list = append(list, func() { branch.Then, body[i] = slices.Insert(branch.Then, 0, s), gone() })
					}
				}
			}
		})
		return list
	}},
	{"a barrier is of local memory alone", func(grids []*loop.Grid) (list []func()) {
		eachStmt(grids, func(s loop.Stmt) {
			if s, ok := s.(*loop.Barrier); ok && s.Global {
				list = append(list, func() { s.Global = false })
			}
		})
		return list
	}},
	{"two passes change places", func(grids []*loop.Grid) (list []func()) {
		for k := 1; k < len(grids); k++ {
			list = append(list, func() { *grids[k-1], *grids[k] = *grids[k], *grids[k-1] })
		}
		return list
	}},
	{"a store is left out", replaced(func(s loop.Stmt) bool { _, ok := s.(*loop.Store); return ok })},
	{"a loop begins one too late", func(grids []*loop.Grid) (list []func()) {
		eachStmt(grids, func(s loop.Stmt) {
			if s, ok := s.(*loop.For); ok {
				list = append(list, func() { s.Lo = plus(s.Lo, number(s.Step)) })
			}
		})
		return list
	}},
	{"a mask is left out", func(grids []*loop.Grid) (list []func()) {
		for _, g := range grids {
			loop.Walk(g.Body, loop.Visitor{
				Stmt: func(s loop.Stmt) {
					if s, ok := s.(*loop.Store); ok && s.Mask != nil {
						list = append(list, func() { s.Mask = nil })
					}
				},
				Expr: func(e loop.Expr) {
					if l, ok := e.(*loop.Load); ok && l.Mask != nil {
						list = append(list, func() { l.Mask = nil })
					}
				},
			})
		}
		return list
	}},
	{"a block in local memory is one element too short", func(grids []*loop.Grid) (list []func()) {
		for _, g := range grids {
			for _, b := range g.Local {
				list = append(list, func() { b.Length-- })
			}
		}
		return list
	}},
	{"a subscript of global memory lacks a part", func(grids []*loop.Grid) (list []func()) {
		eachIndex(grids, func(b *loop.Buffer, index *loop.Expr) {
			if b.Region == loop.Argument || b.Region == loop.Workspace {
				for _, without := range lacking(*index) {
					list = append(list, func() { *index = without })
				}
			}
		})
		return list
	}},
	{"the block of another step is taken", func(grids []*loop.Grid) (list []func()) {
		eachIndex(grids, func(b *loop.Buffer, index *loop.Expr) {
			if b.Region != loop.Local {
				return
			}
			loop.WalkExpr(*index, loop.Visitor{Expr: func(e loop.Expr) {
				if turn, ok := e.(*loop.Binary); ok && turn.Op == ein.Mod {
					list = append(list, func() { turn.X = plus(turn.X, number(1)) })
				}
			}})
		})
		return list
	}},
	{"a copy brings the neighbour", func(grids []*loop.Grid) (list []func()) {
		eachStmt(grids, func(s loop.Stmt) {
			if s, ok := s.(*loop.Copy); ok {
				list = append(list, func() { s.Index = plus(s.Index, number(1)) })
			}
		})
		return list
	}},
}

// gone stands where something was.
func gone() loop.Stmt { return &loop.Comment{Text: "something was here"} }

// movedBarriers lets a barrier change places with the next statement that does something, or with the one before.
func movedBarriers(by int) func([]*loop.Grid) []func() {
	return func(grids []*loop.Grid) (list []func()) {
		eachBody(grids, func(body []loop.Stmt) {
			for i, s := range body {
				if _, ok := s.(*loop.Barrier); !ok {
					continue
				}
				at := i + by
				for at >= 0 && at < len(body) && doesNothing(body[at]) {
					at += by
				}
				if at >= 0 && at < len(body) {
					list = append(list, func() {
						for k := i; k != at; k += by {
							body[k], body[k+by] = body[k+by], body[k]
						}
					})
				}
			}
		})
		return list
	}
}

// doesNothing reports whether a statement touches no memory that items share.
func doesNothing(s loop.Stmt) bool {
	switch s.(type) {
	case *loop.Let, *loop.Comment:
		return true
	}
	return false
}

// eachIndex visits the subscripts of all that items read, write, update and copy.
func eachIndex(grids []*loop.Grid, visit func(*loop.Buffer, *loop.Expr)) {
	for _, g := range grids {
		loop.Walk(g.Body, loop.Visitor{
			Stmt: func(s loop.Stmt) {
				switch s := s.(type) {
				case *loop.Store:
					visit(s.Buffer, &s.Index)
				case *loop.Atomic:
					visit(s.Buffer, &s.Index)
				case *loop.Copy:
					visit(s.To, &s.At)
					visit(s.From, &s.Index)
				}
			},
			Expr: func(e loop.Expr) {
				if l, ok := e.(*loop.Load); ok {
					visit(l.Buffer, &l.Index)
				}
			},
		})
	}
}

// Moves returns all programs with a fault of order or of room, each of which is a copy.
func Moves(f *loop.Func) ([]Mutant, error) { return mutantsOf(f, moves) }

// ArriveAtOnce makes stores of the copies of a program, as targets without such copies do; false: it has none.
func ArriveAtOnce(f *loop.Func) (found bool) {
	eachBody(loop.Grids(f), func(body []loop.Stmt) {
		for i, s := range body {
			switch s := s.(type) {
			case *loop.Copy:
				body[i], found = &loop.Store{Buffer: s.To, Index: s.At, Value: &loop.Load{Buffer: s.From, Index: s.Index, Lanes: s.Lanes}}, true
			case *loop.Commit, *loop.Wait:
				body[i] = gone()
			}
		}
	})
	return found
}
