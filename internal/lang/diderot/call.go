package diderot

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
)

// How functions are inlined
//
// A function becomes the statements of its body at each call. One that returns at its end only gives
// the value of its last expression. Otherwise all returns set one variable, and what stands behind a
// statement that may return goes into the branch that does not; where that would be two branches, or
// a loop, a flag says that the function has returned, and what follows is under its condition.

// inlining is a call whose function returns in several places.
type inlining struct {
	result *strand.Variable
	done   *ein.Local // nil where no flag is needed
}

// call inlines a function.
func (l *lowering) call(e *typed.Call) value {
	defer func(home strand.Role) { l.home = home }(l.home)
	l.home = strand.Temporary
	args := make([]value, len(e.Args))
	for k, a := range e.Args {
		args[k] = l.argument(a.Span(), e.Function.Params[k].Name, l.expr(a))
	}
	for k, p := range e.Function.Params {
		l.values[p] = args[k]
	}
	stmts := e.Function.Body.Stmts
	last := len(stmts) - 1
	if r, ok := stmts[last].(*typed.Return); ok && !slices.ContainsFunc(stmts[:last], mayReturn) {
		l.stmts(stmts[:last])
		return l.result(r.Pos, e, l.expr(r.Value))
	}
	in := &inlining{result: l.temp(e.Pos, e.Function.Name, typeOf(e.Function.Result))}
	defer func(flagged bool) { l.flagged = flagged }(l.flagged)
	if l.flagged = needsFlag(stmts); l.flagged {
		done := l.temp(e.Pos, "returned", strand.Type{Elem: strand.Bool})
		in.done = done.Parts[0]
		l.set(e.Pos, done, scalar(strand.Bool, truth(false)))
		l.set(e.Pos, in.result, l.zero(in.result.Type)) // that no path is without a value is not seen any more
	}
	l.returning(in, stmts)
	return of(in.result)
}

// argument is what a parameter stands for: nothing that would be computed twice, and nothing that
// depends on the variables of another call.
func (l *lowering) argument(pos source.Span, name string, x value) value {
	if x.isSymbol() {
		return l.captured(pos, x)
	}
	return l.settled(pos, name, l.bind(pos, name, x))
}

// settled computes a list that depends on variables that may be bound again.
func (l *lowering) settled(pos source.Span, name string, x value) value {
	if x.list != nil && x.list.domain != nil && x.list.root().set == nil {
		return of(l.sequence(pos, name, x.list))
	}
	return x
}

// result is the value of a call that returns at its end.
func (l *lowering) result(pos source.Span, e *typed.Call, x value) value {
	return l.settled(pos, e.Function.Name, x)
}

// zero is some value of a type.
func (l *lowering) zero(t strand.Type) value {
	if t.Dynamic {
		return dynamic(&list{element: t.Element(), items: []strand.Item{}})
	}
	zero := ein.Expr(number(l.p.DType(t.Elem), 0))
	if t.Elem == strand.String {
		zero = l.p.StringConst("")
	}
	return value{typ: t, parts: repeat(zero, t.Width())}
}

// returning lowers statements of which the last on every path returns, or that may go on where there is a flag.
func (l *lowering) returning(in *inlining, stmts []typed.Stmt) {
	for k, s := range stmts {
		rest := stmts[k+1:]
		switch s := s.(type) {
		case *typed.Return:
			l.set(s.Pos, in.result, l.expr(s.Value))
			if in.done != nil {
				l.assign(s.Pos, in.done, truth(true))
			}
			return
		case *typed.Block:
			if mayReturn(s) {
				l.returning(in, append(slices.Clone(s.Stmts), rest...))
				return
			}
		case *typed.If:
			if mayReturn(s) {
				l.returningIf(in, s, rest)
				return
			}
		case *typed.Foreach:
			if mayReturn(s) {
				l.foreach(s.Pos, s.Each, s.Body.Stmts, func() { l.unlessDone(in, s.Body.Stmts) })
				l.unlessDone(in, rest)
				return
			}
		}
		l.stmt(s)
	}
}

// returningIf puts what stands behind a choice into the branch that goes on, if there is one only.
func (l *lowering) returningIf(in *inlining, s *typed.If, rest []typed.Stmt) {
	cond := l.expr(s.Cond)
	yes, no := s.Then.Stmts, s.Else.Stmts
	both := false
	switch left, right := returns(yes), returns(no); {
	case left && right:
	case left:
		no = append(slices.Clone(no), rest...)
	case right:
		yes = append(slices.Clone(yes), rest...)
	default:
		both = true
	}
	l.choice(s.Pos, cond.parts[0], l.into(func() { l.returning(in, yes) }), l.into(func() { l.returning(in, no) }))
	if both {
		l.unlessDone(in, rest)
	}
}

// unlessDone lowers statements that run if the function has not returned.
func (l *lowering) unlessDone(in *inlining, stmts []typed.Stmt) {
	if len(stmts) == 0 {
		return
	}
	goesOn := &ein.Unary{Op: ein.Not, X: &ein.LocalRef{Local: in.done}}
	l.emit(&strand.If{Pos: stmts[0].Span(), Cond: goesOn, Then: l.into(func() { l.returning(in, stmts) })})
}

// mayReturn reports whether a return stands in a statement.
func mayReturn(s typed.Stmt) bool {
	switch s := s.(type) {
	case *typed.Return:
		return true
	case *typed.Block:
		return slices.ContainsFunc(s.Stmts, mayReturn)
	case *typed.If:
		return mayReturn(s.Then) || mayReturn(s.Else)
	case *typed.Foreach:
		return mayReturn(s.Body)
	}
	return false
}

// returns reports whether statements return on every path.
func returns(stmts []typed.Stmt) bool {
	return slices.ContainsFunc(stmts, func(s typed.Stmt) bool {
		switch s := s.(type) {
		case *typed.Return:
			return true
		case *typed.Block:
			return returns(s.Stmts)
		case *typed.If:
			return returns(s.Then.Stmts) && returns(s.Else.Stmts)
		}
		return false
	})
}

// needsFlag reports whether a return stands where what follows cannot be put into the other branch.
func needsFlag(stmts []typed.Stmt) bool {
	return slices.ContainsFunc(stmts, func(s typed.Stmt) bool {
		switch s := s.(type) {
		case *typed.Block:
			return needsFlag(s.Stmts)
		case *typed.If:
			goesOn := mayReturn(s) && !returns(s.Then.Stmts) && !returns(s.Else.Stmts)
			return goesOn || needsFlag(s.Then.Stmts) || needsFlag(s.Else.Stmts)
		case *typed.Foreach:
			return mayReturn(s)
		}
		return false
	})
}
