package loop

import (
	"slices"

	"github.com/ricci-lang/ricci/tensor"
)

// A Visitor is called for every statement and expression of a program, each
// before what is inside it. Either function may be nil.
type Visitor struct {
	Stmt func(Stmt)
	Expr func(Expr)
}

// Walk visits statements in the order of the program.
func Walk(body []Stmt, v Visitor) {
	for _, s := range body {
		if v.Stmt != nil {
			v.Stmt(s)
		}
		for _, e := range StmtExprs(s) {
			WalkExpr(e, v)
		}
		for _, b := range StmtBodies(s) {
			Walk(b, v)
		}
	}
}

// WalkExpr visits an expression and what it is made of.
func WalkExpr(e Expr, v Visitor) {
	if v.Expr != nil {
		v.Expr(e)
	}
	for _, c := range Children(e) {
		WalkExpr(c, v)
	}
}

// StmtExprs returns the expressions that a statement evaluates itself.
func StmtExprs(s Stmt) []Expr {
	switch s := s.(type) {
	case *For:
		return []Expr{s.Lo, s.Hi}
	case *While:
		return []Expr{s.Cond}
	case *If:
		return []Expr{s.Cond}
	case *Let:
		return []Expr{s.Value}
	case *Store:
		list := present(s.Index, s.Value, s.Mask)
		if s.Row != nil {
			list = append(list, s.Row.Slot, s.Row.First)
		}
		return list
	case *EndRow:
		return []Expr{s.Index, s.Slot}
	case *Prefetch:
		return present(s.Index, s.Beyond)
	case *Transpose:
		return []Expr{s.At, s.Stride, s.SrcAt, s.SrcStride, s.Rows, s.Cols}
	case *Multiply:
		return s.operands()
	case *Check:
		return []Expr{s.Cond, s.Value}
	case *Grid:
		list := make([]Expr, len(s.Groups))
		for i, a := range s.Groups {
			list[i] = a.Count
		}
		return list
	case *Shuffle:
		return []Expr{s.X}
	case *Fragments:
		return []Expr{s.At, s.XAt, s.YAt}
	case *Copy:
		return []Expr{s.At, s.Index}
	case *Atomic:
		return []Expr{s.Index, s.Value}
	}
	return nil
}

// StmtBuffers returns the buffers that a statement reads, writes or asks for itself, other than those of its
// expressions.
func StmtBuffers(s Stmt) []*Buffer {
	var list []*Buffer
	switch s := s.(type) {
	case *Store:
		if list = append(list, s.Buffer); s.Row != nil {
			list = append(list, s.Row.Rest, s.Row.Behind, s.Row.Heads)
		}
	case *EndRow:
		list = append(list, s.Buffer, s.Rest, s.Behind, s.Heads)
	case *Prefetch:
		list = append(list, s.Buffer)
	case *Copy:
		list = append(list, s.To, s.From)
	case *Atomic:
		list = append(list, s.Buffer)
	case *Transpose:
		list = append(list, s.Dst, s.Src)
	case *Multiply:
		list = append(list, s.Z, s.X, s.Y, s.Room)
	case *Fragments:
		list = append(list, s.Z, s.X, s.Y)
	}
	return slices.DeleteFunc(list, func(b *Buffer) bool { return b == nil })
}

// ExprBuffer returns the buffer that an expression reads, or measures, itself; nil for none.
func ExprBuffer(e Expr) *Buffer {
	switch e := e.(type) {
	case *Load:
		return e.Buffer
	case *Lead:
		return e.Buffer
	}
	return nil
}

// StmtBodies returns the blocks inside a statement.
func StmtBodies(s Stmt) [][]Stmt {
	switch s := s.(type) {
	case *For:
		return [][]Stmt{s.Body}
	case *While:
		return [][]Stmt{s.Body}
	case *If:
		return [][]Stmt{s.Then, s.Else}
	case *Alloc:
		return [][]Stmt{s.Body}
	case *Turn:
		return [][]Stmt{s.Body}
	case *Grid:
		return [][]Stmt{s.Body}
	}
	return nil
}

// ReplaceBodies replaces the blocks inside a statement by what is made of them.
func ReplaceBodies(s Stmt, change func([]Stmt) []Stmt) {
	switch s := s.(type) {
	case *For:
		s.Body = change(s.Body)
	case *While:
		s.Body = change(s.Body)
	case *If:
		s.Then, s.Else = change(s.Then), change(s.Else)
	case *Alloc:
		s.Body = change(s.Body)
	case *Turn:
		s.Body = change(s.Body)
	case *Grid:
		s.Body = change(s.Body)
	}
}

// Children returns the direct operands of an expression.
func Children(e Expr) []Expr {
	switch e := e.(type) {
	case *Load:
		return present(e.Index, e.Mask)
	case *Unary:
		return []Expr{e.X}
	case *Binary:
		return []Expr{e.X, e.Y}
	case *MulAdd:
		return []Expr{e.X, e.Y, e.Z}
	case *Call:
		return e.Args
	case *Select:
		return []Expr{e.Cond, e.Then, e.Else}
	case *Cast:
		return []Expr{e.X}
	case *Broadcast:
		return []Expr{e.X}
	case *Ramp:
		return []Expr{e.Base}
	case *Fold:
		return []Expr{e.X}
	case *Shift:
		return []Expr{e.X, e.Fill}
	case *Lane:
		return []Expr{e.X}
	case *Hold:
		return []Expr{e.X}
	case *Swizzle:
		return []Expr{e.X}
	case *Lead:
		return []Expr{e.Index}
	case *Dot:
		return []Expr{e.X, e.Y, e.Z}
	case *Distances:
		return []Expr{e.X, e.Y, e.Z}
	}
	return nil
}

// present drops the operands that are nil, such as absent masks.
func present(list ...Expr) []Expr {
	kept := list[:0]
	for _, e := range list {
		if e != nil {
			kept = append(kept, e)
		}
	}
	return kept
}

// Int returns an int64 literal.
func Int(v int64) *Const { return &Const{Elem: tensor.Int64, Bits: uint64(v)} }
