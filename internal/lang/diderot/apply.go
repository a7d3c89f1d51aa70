package diderot

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/tensor"
)

// apply lowers the use of an operator or builtin.
func (l *lowering) apply(e *typed.Apply) value {
	if e.Row.Means == typed.Short {
		return l.short(e)
	}
	args := make([]value, len(e.Args))
	for k, a := range e.Args {
		args[k] = l.expr(a)
	}
	if e.Row.Swap {
		args[0], args[1] = args[1], args[0]
	}
	switch e.Row.Means {
	case typed.Generic:
		return l.operation(e.Pos, e.Row.With, e.Numbers, args)
	case typed.Scalar:
		return l.scalarOperation(e.Pos, e.Row.With, args)
	case typed.Clerp:
		return l.clerp(e.Pos, e.Row.With, args)
	case typed.Eigen:
		return l.eigen(e, args[0])
	case typed.Joined:
		pieces := make([]piece, len(args))
		for k, a := range args {
			pieces[k] = piece{a, !e.Args[k].Type().Equal(e.T)}
		}
		return l.concat(e.Pos, typeOf(e.T.Element), pieces...)
	case typed.Length:
		return l.length(e.Pos, args[0])
	case typed.Query:
		return l.query(e, args)
	case typed.Count:
		set := map[string]strand.Set{"active": strand.Active, "stable": strand.Stable, "all": strand.All}[e.Row.With]
		v := l.temp(e.Pos, "count", strand.Type{Elem: strand.Int})
		l.emit(&strand.Count{Pos: e.Pos, To: v.Parts[0], Set: set})
		return of(v)
	case typed.Sizes, typed.Border, typed.Convolve, typed.Inside, typed.Compose:
		return l.applySymbol(e, args)
	}
	panic(source.Internalf("diderot", e.Pos, "the meaning of %s is not known", e.Row.Name))
}

// short evaluates the right operand if it matters.
func (l *lowering) short(e *typed.Apply) value {
	left := l.expr(e.Args[0])
	var right value
	needs := l.into(func() { right = l.expr(e.Args[1]) })
	op := ein.And
	if e.Row.With == "||" {
		op = ein.Or
	}
	if len(needs) == 0 {
		return scalar(strand.Bool, binary(e.Pos, op, left.parts[0], right.parts[0]))
	}
	v := l.temp(e.Pos, "holds", strand.Type{Elem: strand.Bool})
	l.set(e.Pos, v, left)
	cond := of(v).parts[0]
	if op == ein.Or {
		cond = &ein.Unary{Pos: e.Pos, Op: ein.Not, X: cond}
	}
	l.emit(&strand.If{Pos: e.Pos, Cond: cond, Then: append(needs, l.into(func() { l.set(e.Pos, v, right) })...)})
	return of(v)
}

// componentOperators are the generic operators whose components depend on the same components of the
// operands: they keep the order of evaluation that the text has.
var componentOperators = map[string]string{"add": "+", "sub": "-", "scale": "*", "div": "/", "modulate": "*"}

// operation applies a generic operator to tensors and fields.
func (l *lowering) operation(pos source.Span, name string, numbers []int, args []value) value {
	if slices.ContainsFunc(args, func(a value) bool { return a.field != nil }) {
		return l.fieldOperation(pos, name, numbers, args...)
	}
	x := value{}
	switch op, ok := componentOperators[name]; {
	case ok:
		x = l.componentwise(pos, op, args[0], args[1])
	case name == "power":
		return l.powerOf(pos, args[0], l.integer(int64(numbers[0])))
	case name == "neg":
		x = args[0].each(func(e ein.Expr) ein.Expr { return negative(pos, e) })
	default:
		x = l.generic(pos, name, numbers, args...)
	}
	x.constant = l.known(name, numbers, args...)
	return x
}

// scalarOperation applies an operation of bools, ints, reals or strings.
func (l *lowering) scalarOperation(pos source.Span, with string, args []value) value {
	x := args[0].parts[0]
	switch with {
	case "!":
		return scalar(strand.Bool, fold(&ein.Unary{Pos: pos, Op: ein.Not, X: x}))
	case "neg":
		return args[0].each(func(e ein.Expr) ein.Expr { return negative(pos, e) })
	case "real":
		return l.toReal(pos, args[0])
	case "abs":
		x = l.name(pos, "a", args[0].typ, x)
		zero := ein.IntConst(x.Type(), 0)
		return scalar(strand.Int, fold(&ein.Select{Pos: pos, Cond: binary(pos, ein.Lt, x, zero), Then: negative(pos, x), Else: x}))
	case "power":
		return l.powerOf(pos, args[0], args[1].parts[0])
	}
	if _, ok := arithmetic[with]; ok {
		return l.componentwise(pos, with, args[0], args[1])
	}
	parts := make([]ein.Expr, len(args))
	for k, a := range args {
		parts[k] = a.parts[0]
	}
	return scalar(strand.Real, call(pos, with, parts...))
}

// powerOf raises a real to an int.
func (l *lowering) powerOf(pos source.Span, x value, n ein.Expr) value {
	if c, ok := n.(*ein.Const); ok {
		y := l.power(pos, x, c.Int())
		if c.Int() >= 0 && c.Int() <= mostFactors {
			y.constant = l.known("power", []int{int(c.Int())}, x)
		}
		return y
	}
	return scalar(strand.Real, call(pos, "pow", x.parts[0], &ein.Cast{Pos: pos, To: l.p.Real, X: n}))
}

// clerp is lerp with the place between its ends.
func (l *lowering) clerp(pos source.Span, with string, args []value) value {
	args = slices.Clone(args)
	if with == "lerp" {
		args[2] = l.generic(pos, "clamp", nil, scalar(strand.Real, l.real(0)), scalar(strand.Real, l.real(1)), args[2])
	} else {
		for k := 2; k < 5; k++ {
			args[k] = l.bind(pos, "x", args[k])
		}
		low := l.componentwise(pos, "min", args[2], args[4])
		high := l.componentwise(pos, "max", args[2], args[4])
		args[3] = l.generic(pos, "clamp", nil, low, high, args[3])
	}
	return l.generic(pos, with, nil, args...)
}

// query finds strands that are near.
func (l *lowering) query(e *typed.Apply, args []value) value {
	v := l.temp(e.Pos, "near", strand.Type{Elem: strand.Ref, Dynamic: true})
	q := &strand.Query{Pos: e.Pos, To: v, Radius: args[len(args)-1].parts[0]}
	if len(args) == 2 {
		q.Center = args[0].parts
	}
	l.emit(q)
	return of(v)
}

// truth is a literal.
func truth(b bool) ein.Expr {
	if b {
		return ein.IntConst(tensor.Bool, 1)
	}
	return ein.IntConst(tensor.Bool, 0)
}
