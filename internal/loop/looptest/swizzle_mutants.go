package looptest

import "github.com/ricci-lang/ricci/internal/loop"

// swizzleFaults are the kinds of faults in where blocks have their elements: a swizzle on one side only, or another one.
var swizzleFaults = []fault{
	{"a swizzle is missing where local memory is written", swizzles(true, func(s *loop.Swizzle) loop.Expr { return s.X })},
	{"a swizzle is missing where local memory is read", swizzles(false, func(s *loop.Swizzle) loop.Expr { return s.X })},
	{"half of the units are exchanged where local memory is written", swizzles(true, func(s *loop.Swizzle) loop.Expr { return otherwise(s, func(s *loop.Swizzle) { s.Units /= 2 }) })},
	{"half of the units are exchanged where local memory is read", swizzles(false, func(s *loop.Swizzle) loop.Expr { return otherwise(s, func(s *loop.Swizzle) { s.Units /= 2 }) })},
	{"units are exchanged by another row where local memory is read", swizzles(false, func(s *loop.Swizzle) loop.Expr { return otherwise(s, func(s *loop.Swizzle) { s.Every *= 2 }) })},
}

// otherwise is a swizzle with other numbers.
func otherwise(s *loop.Swizzle, change func(*loop.Swizzle)) loop.Expr {
	c := *s
	change(&c)
	return &c
}

// swizzles changes those of subscripts where something is written, or read.
func swizzles(written bool, change func(*loop.Swizzle) loop.Expr) func([]*loop.Grid) []func() {
	return func(grids []*loop.Grid) (list []func()) {
		note := func(index *loop.Expr) {
			if s, ok := (*index).(*loop.Swizzle); ok {
				list = append(list, func() { *index = change(s) })
			}
		}
		for _, g := range grids {
			loop.Walk(g.Body, loop.Visitor{
				Stmt: func(s loop.Stmt) {
					switch s := s.(type) {
					case *loop.Store:
						if written {
							note(&s.Index)
						}
					case *loop.Copy:
						if written {
							note(&s.At)
						}
					}
				},
				Expr: func(e loop.Expr) {
					if l, ok := e.(*loop.Load); ok && !written {
						note(&l.Index)
					}
				},
			})
		}
		return list
	}
}
