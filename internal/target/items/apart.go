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
	for _, side := range []struct {
		head string
		body []loop.Stmt
	}{{"if (" + first + ") ", s.Then}, {"if (!" + first + ") ", s.Else}} {
		if len(side.body) > 0 {
			k.line("%s", k.unit.dialect.LocalBarrier)
			k.nested(side.head, append(slices.Clip(side.body), &loop.Barrier{}))
		}
	}
}
