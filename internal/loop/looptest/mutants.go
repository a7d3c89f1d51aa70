package looptest

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// How mutants of grids are made
//
// A mutant is a program of grids with one fault of the kinds that kernels have: what is ordered no more, or read and written in
// different places. Every place where a fault can be is a mutant. Judges of kernels must notice all that are not the same program.

// A Mutant is a program with a fault.
type Mutant struct {
	Name  string
	F     *loop.Func
	Right *loop.Func // without it
}

// A fault is a kind of mutants: the changes that make one each of a program.
type fault struct {
	name    string
	changes func(grids []*loop.Grid) []func()
}

// faults is the table of all kinds.
var faults = []fault{
	{"a barrier is left out", replaced(func(s loop.Stmt) bool { _, ok := s.(*loop.Barrier); return ok })},
	{"a wait for copies is left out", replaced(func(s loop.Stmt) bool { _, ok := s.(*loop.Wait); return ok })},
	{"a batch of copies is not committed", replaced(func(s loop.Stmt) bool { _, ok := s.(*loop.Commit); return ok })},
	{"a wait leaves one batch more on its way", func(grids []*loop.Grid) (list []func()) {
		eachStmt(grids, func(s loop.Stmt) {
			if s, ok := s.(*loop.Wait); ok {
				list = append(list, func() { s.Batches++ })
			}
		})
		return list
	}},
	{"a loop goes one too far", func(grids []*loop.Grid) (list []func()) {
		eachStmt(grids, func(s loop.Stmt) {
			if s, ok := s.(*loop.For); ok {
				list = append(list, func() { s.Hi = plus(s.Hi, number(s.Step)) })
			}
		})
		return list
	}},
	{"a condition always holds", func(grids []*loop.Grid) (list []func()) {
		eachStmt(grids, func(s loop.Stmt) {
			if s, ok := s.(*loop.If); ok {
				list = append(list, func() { s.Cond = &loop.Const{Elem: tensor.Bool, Bits: 1} })
			}
		})
		return list
	}},
	{"a block in local memory is written one further", localStores(func(*loop.Grid) loop.Expr { return number(1) })},
	{"rows in local memory are longer where they are written", localStores(lastItem)},
	{"rows in local memory are longer where they are read", func(grids []*loop.Grid) (list []func()) {
		for _, g := range grids {
			loop.Walk(g.Body, loop.Visitor{Expr: func(e loop.Expr) {
				if l, ok := e.(*loop.Load); ok && l.Buffer.Region == loop.Local && l.Index.Type().Lanes == 1 {
					list = append(list, func() { l.Index = plus(l.Index, lastItem(g)) })
				}
			}})
		}
		return list
	}},
	{"a pass is missing", func(grids []*loop.Grid) (list []func()) {
		for _, g := range grids {
			if len(grids) > 1 {
				list = append(list, func() { g.Body = nil })
			}
		}
		return list
	}},
	{"a shuffle asks another lane", func(grids []*loop.Grid) (list []func()) {
		eachStmt(grids, func(s loop.Stmt) {
			if s, ok := s.(*loop.Shuffle); ok {
				list = append(list, func() { s.By = s.By%2 + 1 })
			}
		})
		return list
	}},
	{"an update is not atomic", func(grids []*loop.Grid) (list []func()) {
		eachBody(grids, func(body []loop.Stmt) {
			for i, s := range body {
				if s, ok := s.(*loop.Atomic); ok {
					old := &loop.Load{Buffer: s.Buffer, Index: s.Index, Lanes: 1}
					list = append(list, func() {
						body[i] = &loop.Store{Buffer: s.Buffer, Index: s.Index, Value: &loop.Binary{Op: s.Op, X: old, Y: s.Value}}
					})
				}
			}
		})
		return list
	}},
	{"a lane asks those below", func(grids []*loop.Grid) (list []func()) {
		eachStmt(grids, func(s loop.Stmt) {
			if s, ok := s.(*loop.Shuffle); ok {
				list = append(list, func() { s.Kind = loop.Up })
			}
		})
		return list
	}},
}

// Mutants returns all mutants of a program, each of which is a copy.
func Mutants(f *loop.Func) ([]Mutant, error) {
	return mutantsOf(f, slices.Concat(faults, fragmentFaults, swizzleFaults, orderFaults))
}

// mutantsOf makes the mutants of some kinds.
func mutantsOf(f *loop.Func, faults []fault) (list []Mutant, err error) {
	text := loop.Print(f)
	for _, fault := range faults {
		for n := 0; ; n++ {
			g, err := loop.Parse(source.NewFile("mutant", text))
			if err != nil {
				return nil, err
			}
			changes := fault.changes(loop.Grids(g))
			if n >= len(changes) {
				break
			}
			changes[n]()
			list = append(list, Mutant{fmt.Sprintf("%s (%d)", fault.name, n), g, f})
		}
	}
	return list, nil
}

// replaced leaves out statements.
func replaced(is func(loop.Stmt) bool) func([]*loop.Grid) []func() {
	return func(grids []*loop.Grid) (list []func()) {
		eachBody(grids, func(body []loop.Stmt) {
			for i, s := range body {
				if is(s) {
					list = append(list, func() { body[i] = gone() })
				}
			}
		})
		return list
	}
}

// localStores moves what is stored in local memory.
func localStores(by func(*loop.Grid) loop.Expr) func([]*loop.Grid) []func() {
	return func(grids []*loop.Grid) (list []func()) {
		for _, g := range grids {
			loop.Walk(g.Body, loop.Visitor{Stmt: func(s loop.Stmt) {
				if s, ok := s.(*loop.Store); ok && s.Buffer.Region == loop.Local && s.Index.Type().Lanes == 1 {
					list = append(list, func() { s.Index = plus(s.Index, by(g)) })
				}
				if s, ok := s.(*loop.Copy); ok {
					list = append(list, func() { s.At = plus(s.At, by(g)) })
				}
			}})
		}
		return list
	}
}

// lastItem is the number of an item along the last axis.
func lastItem(g *loop.Grid) loop.Expr { return &loop.VarRef{Var: g.Items[len(g.Items)-1].Var} }

func plus(x, y loop.Expr) loop.Expr { return &loop.Binary{Op: ein.Add, X: x, Y: y} }

func number(n int64) loop.Expr { return &loop.Const{Elem: tensor.Int64, Bits: uint64(n)} }

func eachStmt(grids []*loop.Grid, do func(loop.Stmt)) {
	for _, g := range grids {
		loop.Walk(g.Body, loop.Visitor{Stmt: do})
	}
}

func eachBody(grids []*loop.Grid, do func([]loop.Stmt)) {
	for _, g := range grids {
		do(g.Body)
		eachStmt([]*loop.Grid{g}, func(s loop.Stmt) {
			for _, body := range loop.StmtBodies(s) {
				do(body)
			}
		})
	}
}
