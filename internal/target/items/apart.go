package items

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/loop"
)

// How items wait under conditions
//
// Barriers may stand under a condition that is the same for all items of a group. Drivers whose items are iterations of loops, as PoCL's
// are, cut the code at its barriers into regions, each of which is such a loop. PoCL 3.1 does not cope with barriers on both sides of a
// condition, nor where there is none before such a condition, or at the end of a side: what it makes crashes, never ends, or computes
// something else. So in its dialect the sides of such a condition stand one behind the other, the condition is evaluated once, and there
// is a barrier before and at the end of each:
//
//	const bool first = i_g < 2;
//	barrier(…);
//	if (first) { …; barrier(…); }
//	barrier(…);
//	if (!first) { …; barrier(…); }
//
// Loops in these sides in which items wait end by a barrier, and go on to a bound that a compiler does not know: where PoCL writes out one of a few
// turns, barriers and all, or there is none at the end, or two follow each other there, the items do nothing of what is there. So bounds that are known get a number that is 0, of an address:
//
//	const i64 none = workspace_at < 0;
//	for (i64 k = 0; k < 2 + none; k++) { …; barrier(…); …; barrier(…); }

// waits reports whether items wait somewhere in a statement.
func waits(s loop.Stmt) (found bool) {
	loop.Walk([]loop.Stmt{s}, loop.Visitor{Stmt: func(s loop.Stmt) {
		_, isBarrier := s.(*loop.Barrier)
		found = found || isBarrier
	}})
	return found
}

// apart prints the sides of a condition in which items wait.
func (k *kernel) apart(s *loop.If) {
	first := k.scope.declare(new(loop.Var), "first")
	k.line("const bool %s = %s;", first, k.text(s.Cond))
	defer func(before string, side bool) { k.none, k.side = before, side }(k.none, k.side)
	k.side = true
	if k.none == "" && slices.ContainsFunc(loopsIn(s), isCounted) {
		k.none = k.scope.declare(new(loop.Var), "none")
		k.line("const i64 %s = workspace_at < 0;", k.none)
	}
	for _, side := range []struct {
		head string
		body []loop.Stmt
	}{{"if (" + first + ") ", s.Then}, {"if (!" + first + ") ", s.Else}} {
		if len(side.body) > 0 {
			k.line("%s", k.unit.dialect.LocalBarrier)
			k.nested(side.head, waitingAtEnd(side.body))
		}
	}
}

// loopsIn are the loops in a statement.
func loopsIn(s loop.Stmt) (list []*loop.For) {
	loop.Walk([]loop.Stmt{s}, loop.Visitor{Stmt: func(s loop.Stmt) {
		if l, ok := s.(*loop.For); ok {
			list = append(list, l)
		}
	}})
	return list
}

// isCounted reports whether the number of turns of a loop is known in which items wait.
func isCounted(s *loop.For) bool {
	_, known := s.Hi.(*loop.Const)
	return known && waits(s)
}

// inSide is the body, and what is added to the bound, of a loop of a side.
func (k *kernel) inSide(s *loop.For) (body []loop.Stmt, more string) {
	if !k.side || !waits(s) {
		return s.Body, ""
	}
	if isCounted(s) {
		more = " + " + k.none
	}
	return waitingAtEnd(s.Body), more
}

// waitingAtEnd are statements with a barrier behind them, unless the last one is a loop, which ends by one.
func waitingAtEnd(body []loop.Stmt) []loop.Stmt {
	if len(body) > 0 {
		if l, ok := body[len(body)-1].(*loop.For); ok && waits(l) {
			return body
		}
	}
	return append(slices.Clip(body), &loop.Barrier{})
}
