package lower

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/loop"
)

// How what belongs to a row stays in registers: scalar replacement
//
// In a loop over the vectors of one row of several, the partial results of the row, and what was
// computed of it before, are elements of small blocks, chosen by the loop over the rows. Where vectors
// are stored past the caches C compilers do not see that such an element stays the same, and read and
// write it for each vector. So it gets a name before the loop, and partial results a variable of their
// own.

// inPiece is a common loop in loops over pieces of rows, with what moves out of it.
func (l *lowerer) inPiece(f *loop.For, around []pieceLoop) []loop.Stmt {
	bound, written := map[*loop.Var]bool{f.Var: true}, map[*loop.Buffer]*loop.Store{}
	for _, s := range f.Body {
		switch s := s.(type) {
		case *loop.Let:
			bound[s.Var] = true
		case *loop.Store:
			written[s.Buffer] = s
		case *loop.Prefetch, *loop.Comment:
		default:
			return []loop.Stmt{f}
		}
	}
	stays := func(e loop.Expr) bool {
		load, ok := e.(*loop.Load)
		return ok && load.Mask == nil && (load.Buffer.Region == loop.Private || load.Buffer.Region == loop.Register) && written[load.Buffer] == nil && !loop.Mentions(load.Index, bound)
	}
	_, order := loop.Occurrences(f.Body, stays)
	lets, references := l.fresh.Lets("same", order)
	sub := &loop.Substitution{Values: map[*loop.Var]loop.Expr{}, NewVar: loop.SameVar, Whole: func(e loop.Expr) loop.Expr { return references.Of(e, stays) }}
	body, ok := sub.WithTests(f.Body)
	if !ok {
		return []loop.Stmt{f}
	}
	f.Body = body
	list := []loop.Stmt{f}
	for k := range body {
		if store, ok := f.Body[k].(*loop.Store); ok && !loop.Mentions(store.Index, bound) {
			list = l.replacedByScalar(f, store, list)
		}
	}
	return append(append(l.prefetchPieces(f, around), lets...), list...)
}

// replacedByScalar lets a loop add up in a variable what it would in an element of a buffer in registers,
// where it uses no other one of it. Around the loop are the statements of a list.
func (l *lowerer) replacedByScalar(f *loop.For, store *loop.Store, list []loop.Stmt) []loop.Stmt {
	b, index := store.Buffer, loop.ExprText(store.Index)
	if _, known := store.Index.(*loop.Const); known || b.Region != loop.Register || store.Mask != nil {
		return list
	}
	alone := true
	loop.Walk(f.Body, loop.Visitor{
		Stmt: func(s loop.Stmt) {
			other, ok := s.(*loop.Store)
			alone = alone && (!ok || other == store || other.Buffer != b)
		},
		Expr: func(e loop.Expr) {
			load, ok := e.(*loop.Load)
			alone = alone && (!ok || load.Buffer != b || load.Mask == nil && loop.ExprText(load.Index) == index)
		},
	})
	if !alone {
		return list
	}
	one := l.fresh.Buffer(b.Name, b.Type, 1, loop.Register)
	at := func(b *loop.Buffer, index loop.Expr) *loop.Load {
		return &loop.Load{Buffer: b, Index: index, Lanes: store.Value.Type().Lanes}
	}
	sub := &loop.Substitution{Values: map[*loop.Var]loop.Expr{}, NewVar: loop.SameVar, Loads: func(load *loop.Load) loop.Expr {
		if load.Buffer == b {
			return at(one, int64Const(0))
		}
		return nil
	}}
	body, ok := sub.Stmts(f.Body)
	if !ok {
		return list
	}
	for _, s := range body {
		if s, ok := s.(*loop.Store); ok && s.Buffer == b {
			s.Buffer, s.Index = one, int64Const(0)
		}
	}
	f.Body = body
	before := &loop.Store{Buffer: one, Index: int64Const(0), Value: at(b, store.Index)}
	behind := &loop.Store{Buffer: b, Index: store.Index, Value: at(one, int64Const(0))}
	return []loop.Stmt{&loop.Alloc{Buffer: one, Body: slices.Concat([]loop.Stmt{before}, list, []loop.Stmt{behind})}}
}
