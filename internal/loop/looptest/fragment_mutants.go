package looptest

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
)

// fragmentFaults are those of programs with fragments of matrix units: parts that are not what the layouts say.
var fragmentFaults = []fault{
	{"two rows of a fragment's layout change places", func(grids []*loop.Grid) (list []func()) {
		return neighbours(grids, func(a, b *loop.Store) { a.Value, b.Value = b.Value, a.Value })
	}},
	{"a lane loads its neighbour's part", func(grids []*loop.Grid) (list []func()) {
		eachFragmentStore(grids, func(s *loop.Store) {
			if l, ok := s.Value.(*loop.Load); ok {
				list = append(list, func() { l.Index = plus(l.Index, number(int64(l.Lanes))) })
			}
		})
		return list
	}},
	{"lanes are numbered along the other side", func(grids []*loop.Grid) (list []func()) {
		eachStmt(grids, func(s loop.Stmt) {
			let, ok := s.(*loop.Let)
			if !ok {
				return
			}
			b, ok := let.Value.(*loop.Binary)
			if ok && (b.Op == ein.Div || b.Op == ein.Mod) && isNumber(b.Y, 4) {
				list = append(list, func() { b.Op = map[ein.BinaryOp]ein.BinaryOp{ein.Div: ein.Mod, ein.Mod: ein.Div}[b.Op] })
			}
		})
		return list
	}},
	{"a product takes another fragment of X", ofFragments(func(s *loop.Fragments) func() {
		return func() { s.XAt = another(s.XAt, s.X, int64(len(s.Shape().X.Lines))) }
	})},
	{"a product takes another fragment of Y", ofFragments(func(s *loop.Fragments) func() {
		return func() { s.YAt = another(s.YAt, s.Y, int64(len(s.Shape().Y.Lines))) }
	})},
	{"the operands of a product change places", ofFragments(func(s *loop.Fragments) func() {
		return func() { s.X, s.Y, s.XAt, s.YAt = s.Y, s.X, s.YAt, s.XAt }
	})},
	{"results of a product lie as one row", ofFragments(func(s *loop.Fragments) func() {
		return func() { s.At, s.Stride = number(0), 2 }
	})},
}

// ofFragments makes a change of each product of fragments.
func ofFragments(change func(*loop.Fragments) func()) func([]*loop.Grid) []func() {
	return func(grids []*loop.Grid) (list []func()) {
		eachStmt(grids, func(s loop.Stmt) {
			if s, ok := s.(*loop.Fragments); ok {
				list = append(list, change(s))
			}
		})
		return list
	}
}

// another is the place of the next fragment, or of the first one behind the last.
func another(at loop.Expr, b *loop.Buffer, size int64) loop.Expr {
	return &loop.Binary{Op: ein.Mod, X: plus(at, number(size)), Y: number(b.Length)}
}

// eachFragmentStore visits what loads operands of products.
func eachFragmentStore(grids []*loop.Grid, do func(*loop.Store)) {
	operand := map[*loop.Buffer]bool{}
	eachStmt(grids, func(s loop.Stmt) {
		if s, ok := s.(*loop.Fragments); ok {
			operand[s.X], operand[s.Y] = true, true
		}
	})
	eachStmt(grids, func(s loop.Stmt) {
		if s, ok := s.(*loop.Store); ok && operand[s.Buffer] {
			do(s)
		}
	})
}

// neighbours makes a change of each two stores to an operand that follow each other.
func neighbours(grids []*loop.Grid, change func(a, b *loop.Store)) (list []func()) {
	var before *loop.Store
	eachFragmentStore(grids, func(s *loop.Store) {
		if a := before; a != nil && a.Buffer == s.Buffer {
			list = append(list, func() { change(a, s) })
		}
		before = s
	})
	return list
}

func isNumber(e loop.Expr, n int64) bool {
	c, ok := e.(*loop.Const)
	return ok && int64(c.Bits) == n
}
