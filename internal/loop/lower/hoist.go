package lower

import (
	"github.com/ricci-lang/ricci/internal/loop"
)

// How what stays the same beside gathered elements is read once
//
// A loop that gathers elements tests their places first, and what stands behind a test is not moved
// before the loop by a compiler: it might not be there. What an argument has at a place that does not
// depend on the loop is there, though. Where lanes lie apart, a vector of them takes several loads and
// shuffles, so it is made before the loop: the forces of six springs at 30011 points in space, whose
// coordinates and velocities were read again for each spring, take 0.86 of the time.

const mostHoisted = 8 // vectors that stay in registers

// hoist moves such vectors before the loops in statements and all that is inside of them.
func (l *lowerer) hoist(list []loop.Stmt) (moved []loop.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *loop.For:
			s.Body = l.hoist(s.Body)
			if s.Kind == loop.Serial && runsOnce(s) && tests(s.Body) {
				moved = append(moved, l.hoistFrom(s)...)
			}
		case *loop.If:
			s.Then, s.Else = l.hoist(s.Then), l.hoist(s.Else)
		case *loop.Alloc:
			s.Body = l.hoist(s.Body)
		case *loop.Turn:
			s.Body = l.hoist(s.Body)
		}
		moved = append(moved, s)
	}
	return moved
}

// runsOnce reports whether a loop has an iteration at least.
func runsOnce(s *loop.For) bool {
	lo, ok1 := s.Lo.(*loop.Const)
	hi, ok2 := s.Hi.(*loop.Const)
	return ok1 && ok2 && int64(lo.Bits) < int64(hi.Bits)
}

// tests reports whether there is a test among statements, or in loops that are written out.
func tests(list []loop.Stmt) bool {
	for _, s := range list {
		switch s := s.(type) {
		case *loop.Check:
			return true
		case *loop.For:
			if s.Kind == loop.Unrolled && tests(s.Body) {
				return true
			}
		}
	}
	return false
}

// hoistFrom replaces in a loop what does not depend on it by names, and returns what they are.
func (l *lowerer) hoistFrom(s *loop.For) []loop.Stmt {
	bound := map[*loop.Var]bool{s.Var: true}
	body, ok := l.fewWrittenOut(s.Body)
	if !ok {
		return nil
	}
	loop.Walk(body, loop.Visitor{Stmt: func(inner loop.Stmt) {
		switch inner := inner.(type) {
		case *loop.For:
			bound[inner.Var] = true
		case *loop.Let:
			bound[inner.Var] = true
		}
	}})
	stays := func(e loop.Expr) bool { return isApart(e) && !names(e, bound) }
	_, order := occurrences(body, stays)
	if len(order) == 0 || len(order) > mostHoisted {
		return nil
	}
	lets, references := l.named("same", order)
	sub := &loop.Substitution{Values: map[*loop.Var]loop.Expr{}, NewVar: sameVar}
	if body, ok = copied(sub, func(e loop.Expr) loop.Expr { return references.of(e, stays) }, body); !ok {
		return nil
	}
	s.Body = body
	return lets
}

// fewWrittenOut writes out loops over a few values in statements.
func (l *lowerer) fewWrittenOut(list []loop.Stmt) (out []loop.Stmt, ok bool) {
	for _, s := range list {
		f, isLoop := s.(*loop.For)
		if !isLoop || f.Kind != loop.Unrolled || f.Step != 1 || !runsOnce(f) {
			out = append(out, s)
			continue
		}
		lo, hi := int64(f.Lo.(*loop.Const).Bits), int64(f.Hi.(*loop.Const).Bits)
		if hi-lo > mostWoven {
			out = append(out, s)
			continue
		}
		for v := lo; v < hi; v++ {
			sub := &loop.Substitution{Values: map[*loop.Var]loop.Expr{f.Var: loop.Int(v)}, NewVar: l.copyOf}
			copies, ok := copied(sub, func(loop.Expr) loop.Expr { return nil }, f.Body)
			if !ok {
				return nil, false
			}
			if copies, ok = l.fewWrittenOut(copies); !ok {
				return nil, false
			}
			out = append(out, copies...)
		}
	}
	return out, true
}

// copied copies statements, tests and folds of lanes among them, where an expression may be replaced
// as a whole.
func copied(sub *loop.Substitution, whole func(loop.Expr) loop.Expr, list []loop.Stmt) (copies []loop.Stmt, ok bool) {
	sub.Whole = func(e loop.Expr) loop.Expr {
		fold, isFold := e.(*loop.Fold)
		if !isFold {
			return whole(e)
		}
		if x := sub.Expr(fold.X); x != nil {
			return &loop.Fold{Op: fold.Op, X: x}
		}
		return nil
	}
	for _, s := range list {
		if test, isTest := s.(*loop.Check); isTest {
			c := &loop.Check{Cond: sub.Expr(test.Cond), Site: test.Site, Value: sub.Expr(test.Value)}
			if c.Cond == nil || c.Value == nil {
				return nil, false
			}
			copies = append(copies, c)
			continue
		}
		c, ok := sub.Stmts([]loop.Stmt{s})
		if !ok {
			return nil, false
		}
		copies = append(copies, c...)
	}
	return copies, true
}

// isApart reports whether an expression is a whole vector of an argument that nobody writes, with a
// few elements between its lanes, at a place that is not read itself.
func isApart(e loop.Expr) bool {
	load, ok := e.(*loop.Load)
	if !ok || load.Lanes == 1 || load.Mask != nil || load.Buffer.Type.Lanes > 1 || load.Buffer.Region != loop.Argument || !load.Buffer.ReadOnly {
		return false
	}
	ramp, ok := load.Index.(*loop.Ramp)
	if !ok || ramp.Stride < 2 || ramp.Stride > mostWoven {
		return false
	}
	reads := false
	loop.WalkExpr(ramp, loop.Visitor{Expr: func(e loop.Expr) {
		if _, ok := e.(*loop.Load); ok {
			reads = true
		}
	}})
	return !reads
}
