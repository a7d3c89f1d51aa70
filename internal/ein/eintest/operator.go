package eintest

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// values draws the values of c and the operators of its indices, which depend on
// the types; old says that the targets have values to accumulate into.
func (g *generator) values(c *ein.Comprehension, old bool) {
	types := make([]tensor.DType, len(c.Writes))
	for n, w := range c.Writes {
		types[n] = w.Tensor.Type.Compute()
	}
	for _, i := range c.Indices {
		if i.Combine.Kind != ein.Concat {
			i.Combine.Op = g.operator(types, i.MayBeEmpty)
		}
	}
	if g.options.Exact || g.chance("one operator", 2) {
		keepOneOperator(c)
	}
	if old && g.chance("accumulate", 2) {
		c.Accumulate = g.operator(types, false)
	}
	for _, t := range types {
		c.Values = append(c.Values, g.value(t, 3))
	}
	g.indicators(c)
}

// keepOneOperator gives all indices one operator, that of an index that may be empty
// where there is one. It keeps sums of maxima of sums small, and an operator that is
// not associative over two indices tells a fold of folds from one fold.
func keepOneOperator(c *ein.Comprehension) {
	var chosen *ein.Operator
	for _, i := range c.Indices {
		if i.Combine.Op != nil && (chosen == nil || i.MayBeEmpty) {
			chosen = i.Combine.Op
		}
	}
	for _, i := range c.Indices {
		if i.Combine.Op != nil {
			i.Combine.Op = chosen
		}
	}
}

// operator draws an operator on values of the types. With identity it has one.
func (g *generator) operator(types []tensor.DType, identity bool) *ein.Operator {
	if len(types) == 2 {
		return g.pairOperator(types, identity)
	}
	t := types[0]
	var list []*ein.Operator
	builtin := func(kinds ...ein.OperatorKind) {
		for _, k := range kinds {
			list = append(list, ein.BuiltinOperator(k, t))
		}
	}
	switch {
	case t == tensor.Bool:
		builtin(ein.AndOp, ein.OrOp)
	case g.options.Exact && t.IsFloat() && identity:
		builtin(ein.SumOp) // an extreme of nothing is infinite
	default:
		builtin(ein.SumOp, ein.MaxOp, ein.MinOp)
		if !g.options.Exact || t.IsInteger() {
			builtin(ein.ProductOp)
		}
		if t.IsInteger() {
			builtin(ein.BitAndOp, ein.BitOrOp, ein.BitXorOp)
		}
	}
	if !g.options.NoUserOperators {
		list = append(list, userOperators(t, identity, g.options.Exact)...)
	}
	return pick(g, "operator", list...)
}

// userOperators are the ones on one value: declared properties are true.
func userOperators(t tensor.DType, identity, exact bool) []*ein.Operator {
	a, b := &ein.Local{Name: "a", DType: t}, &ein.Local{Name: "b", DType: t}
	x, y := ein.Expr(&ein.LocalRef{Local: a}), ein.Expr(&ein.LocalRef{Local: b})
	make := func(name string, body ein.Expr) *ein.Operator {
		return &ein.Operator{Name: name, Left: []*ein.Local{a}, Right: []*ein.Local{b}, Body: []ein.Expr{body}}
	}
	if t == tensor.Bool {
		xor := make("xor", &ein.Binary{Op: ein.Ne, X: x, Y: y})
		xor.Identity = []ein.Expr{ein.IntConst(tensor.Bool, 0)}
		xor.Associative, xor.Commutative = true, true
		return []*ein.Operator{xor}
	}
	if identity {
		return nil
	}
	last := make("last", y)
	last.Associative = true
	d := &ein.Local{Name: "a", DType: t} // a let that shadows by name only
	dref := &ein.LocalRef{Local: d}
	apart := make("apart", &ein.Let{Var: d, Value: &ein.Binary{Op: ein.Sub, X: x, Y: y},
		Body: &ein.Select{Cond: &ein.Binary{Op: ein.Lt, X: dref, Y: zero(t)}, Then: &ein.Binary{Op: ein.Max, X: x, Y: dref}, Else: y}})
	list := []*ein.Operator{last, make("less", &ein.Binary{Op: ein.Sub, X: x, Y: y}), apart}
	if t.IsInteger() || !exact {
		list = append(list, make("hash", &ein.Binary{Op: ein.Add, X: &ein.Binary{Op: ein.Mul, X: x, Y: number(t, 31)}, Y: y}))
	}
	return list
}

// pairOperator draws an operator on two values; all have an identity, that of an
// arg operator being no number.
func (g *generator) pairOperator(types []tensor.DType, mayBeEmpty bool) *ein.Operator {
	t, u := types[0], types[1]
	var list []*ein.Operator
	if !g.options.NoUserOperators {
		list = append(list, componentwise(t, u))
	}
	if finite := !g.options.Exact || !t.IsFloat() || !mayBeEmpty; finite && t != tensor.Bool && u == tensor.Int64 {
		list = append(list, ein.BuiltinOperator(ein.ArgMinOp, t), ein.BuiltinOperator(ein.ArgMaxOp, t))
	}
	if !g.options.NoUserOperators && t == u && t.IsInteger() {
		list = append(list, composition(t))
	}
	return pick(g, "operator", list...)
}

func pair(name string, t, u tensor.DType, body func(a, b, c, d ein.Expr) []ein.Expr, identity ...ein.Expr) *ein.Operator {
	local := func(name string, t tensor.DType) *ein.Local { return &ein.Local{Name: name, DType: t} }
	a, b, c, d := local("a", t), local("b", u), local("c", t), local("d", u)
	ref := func(l *ein.Local) ein.Expr { return &ein.LocalRef{Local: l} }
	return &ein.Operator{
		Name: name, Left: []*ein.Local{a, b}, Right: []*ein.Local{c, d},
		Body: body(ref(a), ref(b), ref(c), ref(d)), Identity: identity, Associative: true,
	}
}

// componentwise adds numbers and joins bools; it is commutative.
func componentwise(t, u tensor.DType) *ein.Operator {
	join := func(t tensor.DType, x, y ein.Expr) ein.Expr {
		if t == tensor.Bool {
			return &ein.Binary{Op: ein.Or, X: x, Y: y}
		}
		return &ein.Binary{Op: ein.Add, X: x, Y: y}
	}
	o := pair("both", t, u, func(a, b, c, d ein.Expr) []ein.Expr {
		return []ein.Expr{join(t, a, c), join(u, b, d)}
	}, zero(t), zero(u))
	o.Commutative = true
	return o
}

// composition composes the maps x ↦ a·x + b; it is not commutative.
func composition(t tensor.DType) *ein.Operator {
	return pair("compose", t, t, func(a, b, c, d ein.Expr) []ein.Expr {
		return []ein.Expr{
			&ein.Binary{Op: ein.Mul, X: a, Y: c},
			&ein.Binary{Op: ein.Add, X: &ein.Binary{Op: ein.Mul, X: b, Y: c}, Y: d},
		}
	}, number(t, 1), zero(t))
}

func zero(t tensor.DType) ein.Expr { return number(t, 0) }

func number(t tensor.DType, v int64) ein.Expr {
	if t.IsFloat() {
		return ein.FloatConst(t, float64(v))
	}
	return ein.IntConst(t, v)
}
