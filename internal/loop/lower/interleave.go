package lower

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
)

// How the stages of a pipeline become one loop
//
// Each stage has a loop that takes most of its time, over the vectors of a row. As the stages of a
// step are independent, what is before these loops may run first, then an iteration of each in
// turns, and then what is behind them. So are the iterations of loops over pieces of several rows,
// in which there are loops over rows and their vectors.
//
// Within an iteration over vectors all loads are before the stores: a load
// behind a store to an address that differs by a multiple of 4096 would wait for it, on processors
// that compare the low bits first, and rows are often so far apart.

// A stageLoop is a stage as far as it takes part.
type stageLoop struct {
	allocs []*loop.Buffer // around the loop
	before []loop.Stmt
	loop   *loop.For // nil: all is behind
	behind []loop.Stmt
	inner  *stageLoop // of the body of the loop, where loops in it take turns, too; nil elsewhere
}

// interleave makes one list of the stages of a step, and tells of which of the blocks one copy is
// enough; lines says how many lines of the next piece of a row are asked for at once.
func (l *lowerer) interleave(stages [][]loop.Stmt, at []*blockAt, step *loop.Var, lines int64) (list []loop.Stmt, near map[*loop.Buffer]bool) {
	list, turns := l.interleaveStages(stages, []pieceLoop{{v: step, step: 1, lines: lines}})
	return list, singleBuffered(turns, at)
}

// interleaveStages makes one list of stages, or of what they do in loops around over pieces of rows.
func (l *lowerer) interleaveStages(stages [][]loop.Stmt, around []pieceLoop) (list []loop.Stmt, turns []*stageLoop) {
	turns = make([]*stageLoop, len(stages))
	for k, stage := range stages {
		turns[k] = stageLoopOf(stage)
	}
	var end loop.Expr
	var rest []loop.Stmt
	v := l.newVar("n")
	body, step := l.interleaveIterations(turns, v, around)
	if step > 0 {
		end = l.firstEnd(turns, &rest)
	}
	if end == nil {
		turns = turns[:0]
		for _, stage := range stages {
			turns = append(turns, &stageLoop{behind: stage})
		}
	}
	for _, t := range slices.Backward(turns) {
		list = append(list, t.before...)
	}
	if end != nil {
		f := &loop.For{Var: v, Lo: int64Const(0), Hi: end, Step: step, Kind: loop.Serial, Body: body}
		if list = append(list, rest...); len(around) > 1 {
			list = append(list, l.inPiece(f, around)...)
		} else {
			list = append(list, f)
		}
	}
	for _, t := range slices.Backward(turns) {
		if t.loop != nil && loop.ExprText(t.loop.Hi) != loop.ExprText(end) {
			remainder := *t.loop
			remainder.Lo = end
			list = append(list, &remainder)
		}
		list = append(list, t.behind...)
	}
	for _, t := range turns {
		for _, b := range slices.Backward(t.allocs) {
			list = []loop.Stmt{&loop.Alloc{Buffer: b, Body: list}}
		}
	}
	return list, turns
}

// stageLoopOf finds the loop of a stage.
func stageLoopOf(stage []loop.Stmt) *stageLoop {
	t := &stageLoop{}
	for {
		at, alloc := -1, -1
		for k, s := range stage {
			switch s := s.(type) {
			case *loop.For:
				if isInterleavable(s) && (at < 0 || s.Iterations() > stage[at].(*loop.For).Iterations()) {
					at = k
				}
			case *loop.Alloc:
				alloc = k
			}
		}
		switch {
		case at >= 0:
			t.before, t.loop = append(t.before, stage[:at]...), stage[at].(*loop.For)
			t.behind = append(slices.Clone(stage[at+1:]), t.behind...)
			return t
		case alloc < 0:
			t.behind = append(slices.Clone(stage), t.behind...)
			return t
		}
		inner := stage[alloc].(*loop.Alloc)
		t.allocs = append(t.allocs, inner.Buffer)
		t.before = append(t.before, stage[:alloc]...)
		t.behind = append(slices.Clone(stage[alloc+1:]), t.behind...)
		stage = inner.Body
	}
}

// isInterleavable reports whether iterations of a loop may stand between others.
func isInterleavable(f *loop.For) bool {
	lo, known := f.Lo.(*loop.Const)
	return f.Kind == loop.Serial && known && lo.Bits == 0
}

// interleaveIterations makes the body of the common loop and tells its step, which is 0 where less than two
// stages have a part in it. The others keep what they have behind it.
func (l *lowerer) interleaveIterations(turns []*stageLoop, v *loop.Var, around []pieceLoop) (body []loop.Stmt, step int64) {
	var parts [][]loop.Stmt
	var shared []*stageLoop
	var hi loop.Expr
	for _, t := range slices.Backward(turns) {
		if t.loop == nil {
			continue
		}
		sub := &loop.Substitution{Values: map[*loop.Var]loop.Expr{t.loop.Var: &loop.VarRef{Var: v}}, NewVar: l.copyOf, Branches: true}
		part, ok := sub.Stmts(t.loop.Body)
		if !ok || step > 0 && t.loop.Step != step {
			t.behind, t.loop = append([]loop.Stmt{t.loop}, t.behind...), nil
			continue
		}
		step, hi = t.loop.Step, t.loop.Hi
		parts, shared = append(parts, part), append(shared, t)
	}
	switch {
	case len(parts) < 2:
		return nil, 0
	case !slices.ContainsFunc(parts, func(part []loop.Stmt) bool { return stageLoopOf(part).loop == nil }):
		slices.Reverse(parts)
		slices.Reverse(shared)
		body, inner := l.interleaveStages(parts, append(around[:len(around):len(around)], pieceLoop{v: v, step: step, hi: hi}))
		for k, t := range shared {
			t.inner = inner[k]
		}
		return body, step
	}
	var stores []loop.Stmt
	for _, part := range parts {
		now, later := l.storesLast(part)
		body, stores = append(body, now...), append(stores, later...)
	}
	return append(body, stores...), step
}

// copyOf is a new variable of the type of another one.
func (l *lowerer) copyOf(v *loop.Var) *loop.Var {
	c := l.fresh.CopyOf(v)
	l.vars[c.Name] = c
	return c
}

// storesLast parts statements into those that compute values and those that store them, as far as
// nothing behind a store reads what it wrote but the vector itself.
func (l *lowerer) storesLast(list []loop.Stmt) (now, later []loop.Stmt) {
	for k, s := range list {
		store, ok := s.(*loop.Store)
		if !ok || store.Buffer.Region == loop.Register || store.Mask != nil || !isFlat(list[k+1:]) {
			now = append(now, s)
			continue
		}
		v := l.fresh.Var(store.Buffer.Name+"_new", store.Value.Type())
		forwarded, ok := forward(list[k+1:], store, v)
		if !ok || store.Buffer.Type.Elem.Compute() != store.Buffer.Type.Elem {
			now = append(now, s)
			continue
		}
		copy(list[k+1:], forwarded)
		c := *store
		c.Value = &loop.VarRef{Var: v}
		now, later = append(now, &loop.Let{Var: v, Value: store.Value}), append(later, &c)
	}
	return now, later
}

// isFlat reports whether statements are without others inside.
func isFlat(list []loop.Stmt) bool {
	return !slices.ContainsFunc(list, func(s loop.Stmt) bool { return len(loop.StmtBodies(s)) > 0 })
}

// forward replaces loads of what a store writes by its value; ok is false where other elements of
// the buffer are read, or written.
func forward(list []loop.Stmt, store *loop.Store, v *loop.Var) (forwarded []loop.Stmt, ok bool) {
	index, ok := loop.ExprText(store.Index), true
	same := map[loop.Expr]bool{}
	loop.Walk(list, loop.Visitor{
		Stmt: func(s loop.Stmt) {
			if other, isStore := s.(*loop.Store); isStore && other.Buffer == store.Buffer {
				ok = false
			}
		},
		Expr: func(e loop.Expr) {
			load, isLoad := e.(*loop.Load)
			if !isLoad || load.Buffer != store.Buffer {
				return
			}
			same[e] = load.Mask == nil && load.Lanes == v.Type.Lanes && loop.ExprText(load.Index) == index
			ok = ok && same[e]
		},
	})
	if !ok || len(same) == 0 {
		return list, ok
	}
	sub := &loop.Substitution{Values: map[*loop.Var]loop.Expr{}, NewVar: loop.SameVar, Loads: func(e *loop.Load) loop.Expr {
		if e.Buffer == store.Buffer {
			return &loop.VarRef{Var: v}
		}
		return nil
	}}
	return sub.Stmts(list)
}

// firstEnd is how many iterations all loops of turns have; what it names goes to list.
func (l *lowerer) firstEnd(turns []*stageLoop, list *[]loop.Stmt) loop.Expr {
	var ends []loop.Expr
	for _, t := range turns {
		if t.loop != nil && !slices.ContainsFunc(ends, func(e loop.Expr) bool { return loop.ExprText(e) == loop.ExprText(t.loop.Hi) }) {
			ends = append(ends, t.loop.Hi)
		}
	}
	end := ends[0]
	for _, e := range ends[1:] {
		end = &loop.Binary{Op: ein.Min, X: end, Y: e}
	}
	if len(ends) > 1 {
		v := l.newVar("turns")
		*list = append(*list, &loop.Let{Var: v, Value: end})
		end = &loop.VarRef{Var: v}
	}
	return end
}
