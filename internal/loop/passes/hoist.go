package passes

import "github.com/ricci-lang/ricci/internal/loop"

// How what stays the same beside gathered elements is read once
//
// A loop that gathers elements tests their places first, and what stands behind a test is not moved
// before the loop by a compiler: it might not be there. What an argument has at a place that does not
// depend on the loop is there, though. Where lanes lie apart, a vector of them takes several loads and
// shuffles, so it is made before the loop: the forces of six springs at 30011 points in space, whose
// coordinates and velocities were read again for each spring, take 0.86 of the time.

func hoist(p *pass) { p.f.Body = p.hoist(p.f.Body) }

// hoist moves such vectors before the loops in statements and all that is inside of them.
func (p *pass) hoist(list []loop.Stmt) (moved []loop.Stmt) {
	for _, s := range list {
		loop.ReplaceBodies(s, p.hoist)
		if f, isLoop := s.(*loop.For); isLoop && f.Kind == loop.Serial && f.RunsOnce() && tests(f.Body) {
			moved = append(moved, p.hoistFrom(f)...)
		}
		moved = append(moved, s)
	}
	return moved
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
func (p *pass) hoistFrom(s *loop.For) []loop.Stmt {
	bound := map[*loop.Var]bool{s.Var: true}
	body, ok := p.fewWrittenOut(s.Body)
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
	stays := func(e loop.Expr) bool { return isApart(e) && !loop.Mentions(e, bound) }
	_, order := loop.Occurrences(body, stays)
	if len(order) == 0 || len(order) > loop.MostHoisted {
		return nil
	}
	lets, references := p.fresh.Lets("same", order)
	sub := &loop.Substitution{Values: map[*loop.Var]loop.Expr{}, NewVar: loop.SameVar, Whole: func(e loop.Expr) loop.Expr { return references.Of(e, stays) }}
	if body, ok = sub.WithTests(body); !ok {
		return nil
	}
	s.Body = body
	return lets
}

// fewWrittenOut writes out loops over a few values in statements.
func (p *pass) fewWrittenOut(list []loop.Stmt) (out []loop.Stmt, ok bool) {
	for _, s := range list {
		f, isLoop := s.(*loop.For)
		if !isLoop || f.Kind != loop.Unrolled || f.Step != 1 || !f.RunsOnce() {
			out = append(out, s)
			continue
		}
		lo, hi := int64(f.Lo.(*loop.Const).Bits), int64(f.Hi.(*loop.Const).Bits)
		if hi-lo > loop.MostWoven {
			out = append(out, s)
			continue
		}
		for v := lo; v < hi; v++ {
			sub := &loop.Substitution{Values: map[*loop.Var]loop.Expr{f.Var: loop.Int(v)}, NewVar: p.fresh.CopyOf}
			copies, ok := sub.WithTests(f.Body)
			if !ok {
				return nil, false
			}
			if copies, ok = p.fewWrittenOut(copies); !ok {
				return nil, false
			}
			out = append(out, copies...)
		}
	}
	return out, true
}

// isApart reports whether an expression is a whole vector of an argument that nobody writes, with a
// few elements between its lanes, at a place that is not read itself.
func isApart(e loop.Expr) bool {
	load, ok := e.(*loop.Load)
	if !ok || load.Lanes == 1 || load.Mask != nil || load.Buffer.Type.Lanes > 1 || load.Buffer.Region != loop.Argument || !load.Buffer.ReadOnly {
		return false
	}
	ramp, ok := load.Index.(*loop.Ramp)
	if !ok || ramp.Stride < 2 || ramp.Stride > loop.MostWoven {
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
