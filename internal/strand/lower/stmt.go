package lower

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/tensor"
)

// mayExit reports whether lanes that begin a statement may not run what follows.
func mayExit(s strand.Stmt) bool {
	found := false
	strand.Walk(strand.Block{s}, func(s strand.Stmt) {
		_, exits := s.(*strand.Exit)
		found = found || exits
	})
	return found
}

// ends reports whether no lane runs what follows a statement.
func ends(s strand.Stmt) bool {
	switch s := s.(type) {
	case *strand.Exit:
		return true
	case *strand.If:
		return endsBlock(s.Then) && endsBlock(s.Else)
	}
	return false
}

func endsBlock(b strand.Block) bool {
	for _, s := range b {
		if ends(s) {
			return true
		}
	}
	return false
}

// stmts emits a block. What follows an exit runs where there was none.
func (g *generator) stmts(b strand.Block) {
	for k, s := range b {
		rest := b[k+1:]
		if branch, ok := s.(*strand.If); ok && len(rest) > 0 && g.isWholly(branch) {
			// the rest belongs to the other side
			g.branch(branch.Cond, branch.Then, append(append(strand.Block{}, branch.Else...), rest...))
			return
		}
		g.stmt(s)
		if ends(s) || len(rest) == 0 {
			return
		}
		if mayExit(s) {
			g.goOn(func() { g.stmts(rest) })
			return
		}
	}
}

// isWholly reports whether an if without lanes that disagree ends on one side, and nowhere else.
func (g *generator) isWholly(s *strand.If) bool {
	for _, inner := range s.Else {
		if mayExit(inner) {
			return false
		}
	}
	return g.lanes == 1 && endsBlock(s.Then)
}

// isOn is the condition that a lane has not ended.
func (g *generator) isOn() loop.Expr {
	return binary(ein.Eq, g.load(g.end), integer(tensor.Int32, Running))
}

// goOn emits what lanes run that have not ended.
func (g *generator) goOn(emit func()) { g.where(g.isOn(), emit) }

// where emits what runs for the lanes of which a condition holds.
func (g *generator) where(cond loop.Expr, emit func()) {
	if cond.Type().Lanes == 1 {
		g.emit(&loop.If{Cond: cond, Then: g.block(emit)})
		return
	}
	mask := g.let("mask", both(g.mask, cond))
	g.emit(&loop.If{Cond: anyLane(mask), Then: g.under(mask, emit)})
}

func (g *generator) stmt(s strand.Stmt) {
	switch s := s.(type) {
	case *strand.Assign:
		g.assign(s.To, g.expr(s.Value))
	case *strand.If:
		g.branch(s.Cond, s.Then, s.Else)
	case *strand.ForRange:
		g.forRange(s)
	case *strand.ForEach:
		g.forEach(s)
	case *strand.Length:
		g.assign(s.To, cast(s.To.DType, g.length(s.Sequence)))
	case *strand.Element:
		g.element(s)
	case *strand.Count:
		g.assign(s.To, cast(s.To.DType, g.members[s.Set]))
	case *strand.Exit:
		g.exit(map[strand.ExitKind]int64{strand.Continue: Continued, strand.Stabilize: Stabilized, strand.Die: Died}[s.Kind])
	case *strand.Sample:
		g.sample(s)
	case *strand.Build:
		g.build(s)
	case *strand.Query:
		g.query(s)
	case *strand.Get:
		g.get(s)
	case *strand.New:
		g.bear(s)
	case *strand.Message:
		g.message(s)
	default:
		g.fail("no lowering for %T", s)
	}
}

// exit ends the lanes that run, but for those that have failed.
func (g *generator) exit(how int64) {
	g.storeWhere(g.end, integer(tensor.Int32, how), both(g.mask, g.isOn()))
}

// branch emits the sides of a condition.
func (g *generator) branch(e ein.Expr, yes, no strand.Block) {
	cond := g.named("cond", e)
	if cond.Type().Lanes == 1 {
		g.emit(&loop.If{Cond: cond, Then: g.block(func() { g.stmts(yes) }), Else: g.block(func() { g.stmts(no) })})
		return
	}
	g.where(cond, func() { g.stmts(yes) })
	if len(no) > 0 {
		g.where(not(cond), func() { g.stmts(no) })
	}
}

// forRange runs as often as the lane with most turns wants.
func (g *generator) forRange(s *strand.ForRange) {
	low := g.named("low", s.Low)
	turns := g.let("turns", binary(ein.Add, binary(ein.Sub, cast(tensor.Int64, g.expr(s.High)), cast(tensor.Int64, low)), loop.Int(1)))
	g.turns(s.Variable.Name, turns, g.goesOn(s.Body), func(k loop.Expr) {
		l := s.Variable.Parts[0]
		g.assign(l, binary(ein.Add, low, cast(l.DType, k)))
		g.stmts(s.Body)
	})
}

// goesOn returns the condition that lanes run a block another time; nil where it always holds.
func (g *generator) goesOn(b strand.Block) func() loop.Expr {
	fills := false
	strand.Walk(b, func(s strand.Stmt) {
		switch s := s.(type) {
		case *strand.Build, *strand.Query, *strand.New, *strand.Message:
			fills = true
		case *strand.Get:
			fills = fills || s.State.Type.Dynamic
		}
	})
	switch {
	case slices.ContainsFunc(b, mayExit):
		return g.isOn
	case fills: // a range may be longer than there is patience for a lane that is Full
		return g.isSound
	}
	return nil
}

// turns emits what runs some times, for the number of the turn, from 0; where on is not nil, only for lanes for which that holds.
func (g *generator) turns(name string, turns loop.Expr, on func() loop.Expr, do func(k loop.Expr)) {
	most := turns
	if turns.Type().Lanes > 1 {
		wanted := turns
		if g.mask != nil {
			wanted = choose(g.mask, turns, loop.Int(0))
		}
		most = g.let("most", &loop.Fold{Op: ein.Max, X: wanted})
	}
	turn := func(k loop.Expr) {
		if turns.Type().Lanes > 1 {
			g.where(binary(ein.Lt, k, turns), func() { do(k) })
		} else {
			do(k)
		}
	}
	if on == nil {
		v := g.fresh.Var(name, loop.Scalar(tensor.Int64))
		g.emit(&loop.For{Var: v, Lo: loop.Int(0), Hi: most, Step: 1, Body: g.block(func() { turn(&loop.VarRef{Var: v}) })})
		return
	}
	count := g.fresh.Buffer("turn", loop.Scalar(tensor.Int64), 1, loop.Register)
	g.emit(allocate([]*loop.Buffer{count}, g.block(func() {
		g.storeWhere(count, loop.Int(0), nil)
		g.emit(&loop.While{Cond: binary(ein.And, binary(ein.Lt, g.load(count), most), anyLane(both(g.mask, on()))), Body: g.block(func() {
			k := g.let("k", g.load(count))
			if g.lanes == 1 {
				turn(k)
			} else {
				g.where(on(), func() { turn(k) })
			}
			g.storeWhere(count, binary(ein.Add, k, loop.Int(1)), nil)
		})})
	}))...)
}
