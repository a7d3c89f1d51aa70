package lower

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
)

// expr lowers an expression. It has one lane where nothing in it differs from strand to strand.
func (g *generator) expr(e ein.Expr) loop.Expr {
	switch e := e.(type) {
	case *ein.Const:
		return &loop.Const{Elem: e.DType, Bits: e.Bits}
	case *ein.LocalRef:
		return g.read(e.Local)
	case *ein.Unary:
		return &loop.Unary{Op: e.Op, X: g.expr(e.X)}
	case *ein.Binary:
		return binary(e.Op, g.expr(e.X), g.expr(e.Y))
	case *ein.Call:
		args := make([]loop.Expr, len(e.Args))
		for k, a := range e.Args {
			args[k] = g.expr(a)
		}
		return &loop.Call{Func: e.Func, Args: loop.EquallyWide(args...)}
	case *ein.Select:
		return choose(g.expr(e.Cond), g.expr(e.Then), g.expr(e.Else))
	case *ein.Cast:
		return cast(e.To, g.expr(e.X))
	case *ein.Let:
		g.values[e.Var] = g.let(e.Var.Name, g.expr(e.Value))
		return g.expr(e.Body)
	}
	g.fail("no lowering for %T", e)
	return nil
}

// named lowers an expression and names its value.
func (g *generator) named(name string, e ein.Expr) loop.Expr { return g.let(name, g.expr(e)) }
