package eintest

import (
	"math"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// value draws an expression of a type that values can have.
func (g *generator) value(t tensor.DType, depth int) ein.Expr {
	if depth <= 0 || g.chance("leaf", 4) {
		return g.leaf(t, depth)
	}
	if g.chance("compound", 4) {
		return g.choice(t, depth)
	}
	switch {
	case t == tensor.Bool:
		return g.condition(depth)
	case t.IsFloat() && g.chance("call", 4):
		return g.call(t, depth)
	case g.chance("cast", 5):
		return g.cast(t, depth)
	case t.IsInteger() && g.chance("bits", 5):
		return g.bits(t, depth)
	case g.chance("negate", 6):
		return &ein.Unary{Op: ein.Neg, X: g.value(t, depth-1)}
	}
	return g.arithmetic(t, depth)
}

func (g *generator) arithmetic(t tensor.DType, depth int) ein.Expr {
	op := pick(g, "operator", ein.Add, ein.Mul, ein.Sub, ein.Max, ein.Min, ein.Div, ein.Mod)
	if !g.options.Exact || !t.IsFloat() {
		return &ein.Binary{Op: op, X: g.value(t, depth-1), Y: g.value(t, depth-1)}
	}
	switch op {
	case ein.Mul:
		return &ein.Binary{Op: op, X: g.leaf(t, 0), Y: g.leaf(t, 0)}
	case ein.Div, ein.Mod:
		return &ein.Binary{Op: ein.Mod, X: g.value(t, depth-1), Y: number(t, 5)}
	}
	return &ein.Binary{Op: op, X: g.value(t, depth-1), Y: g.value(t, depth-1)}
}

// bits draws an operator on bits. Half of the counts are those of the type, the others any number.
func (g *generator) bits(t tensor.DType, depth int) ein.Expr {
	if g.chance("count", 4) {
		return &ein.Unary{Op: pick(g, "operator", ein.Popcount, ein.Clz), X: g.value(t, depth-1)}
	}
	e := &ein.Binary{Op: pick(g, "operator", ein.BitAnd, ein.BitOr, ein.BitXor, ein.Shl, ein.Shr), X: g.value(t, depth-1)}
	if (e.Op == ein.Shl || e.Op == ein.Shr) && g.chance("in range", 2) {
		e.Y = number(t, int64(rapid.IntRange(0, 8*t.Size()-1).Draw(g.t, "shift")))
	} else {
		e.Y = g.value(t, depth-1)
	}
	return e
}

// choice draws a select or a let.
func (g *generator) choice(t tensor.DType, depth int) ein.Expr {
	if g.chance("let", 2) {
		u := g.computeType()
		value := g.value(u, depth-1)
		l := &ein.Local{Name: pick(g, "local", "x", "y", "x", "i1"), DType: u}
		g.locals = append(g.locals, l)
		body := g.value(t, depth-1)
		g.locals = g.locals[:len(g.locals)-1]
		return &ein.Let{Var: l, Value: value, Body: body}
	}
	return &ein.Select{Cond: g.value(tensor.Bool, depth-1), Then: g.value(t, depth-1), Else: g.value(t, depth-1)}
}

func (g *generator) computeType() tensor.DType { return g.elementType().Compute() }

func (g *generator) condition(depth int) ein.Expr {
	switch rapid.IntRange(0, 3).Draw(g.t, "condition") {
	case 0:
		return &ein.Unary{Op: ein.Not, X: g.value(tensor.Bool, depth-1)}
	case 1:
		return &ein.Binary{Op: pick(g, "operator", ein.And, ein.Or, ein.Eq, ein.Ne), X: g.value(tensor.Bool, depth-1), Y: g.value(tensor.Bool, depth-1)}
	}
	t := g.computeType()
	for t == tensor.Bool {
		t = tensor.Int64
	}
	op := pick(g, "operator", ein.Lt, ein.Le, ein.Gt, ein.Ge, ein.Eq, ein.Ne)
	return &ein.Binary{Op: op, X: g.value(t, depth-1), Y: g.value(t, depth-1)}
}

// exactFunctions take integers of any magnitude to integers no larger.
var exactFunctions = []string{"fabs", "floor", "ceil", "trunc", "round", "fmax", "fmin"}

func (g *generator) call(t tensor.DType, depth int) ein.Expr {
	f := rapid.SampledFrom(ein.Builtins()).Draw(g.t, "function")
	if g.options.Exact {
		f, _ = ein.LookupBuiltin(rapid.SampledFrom(exactFunctions).Draw(g.t, "exact"))
	}
	e := &ein.Call{Func: f}
	for range f.Arity {
		e.Args = append(e.Args, g.value(t, depth-1))
	}
	return e
}

func (g *generator) cast(t tensor.DType, depth int) ein.Expr {
	u := g.computeType()
	return &ein.Cast{To: t, X: g.small(t, u, g.value(u, depth-1))}
}

// small reduces x of type u when it is about to become a float that has to stay
// exact.
func (g *generator) small(t, u tensor.DType, x ein.Expr) ein.Expr {
	if !g.options.Exact || !t.IsFloat() || u == tensor.Bool {
		return x
	}
	return &ein.Binary{Op: ein.Mod, X: x, Y: number(u, 5)}
}

func (g *generator) leaf(t tensor.DType, depth int) ein.Expr {
	for i := len(g.locals) - 1; i >= 0; i-- {
		if l := g.locals[i]; l.DType == t && g.chance("local", 2) {
			return g.small(t, t, &ein.LocalRef{Local: l})
		}
	}
	switch rapid.IntRange(0, 3).Draw(g.t, "leaf") {
	case 0:
		return g.constant(t)
	case 1:
		if len(g.indices) > 0 {
			return g.converted(t, &ein.IndexRef{Index: pick(g, "index", g.indices...)})
		}
		return g.converted(t, &ein.SizeRef{Size: pick(g, "size", size("N"), size("s"), size("N").Mul(size("K")).AddConst(-1), affine.Div(size("M"), size("K")))})
	}
	return g.read(t, depth)
}

func (g *generator) converted(t tensor.DType, e ein.Expr) ein.Expr {
	if e.Type() == t {
		return e
	}
	return &ein.Cast{To: t, X: g.small(t, e.Type(), e)}
}

func (g *generator) constant(t tensor.DType) ein.Expr {
	if g.options.Exact || !g.chance("special", 4) {
		if t == tensor.Bool || t.Kind() == tensor.KindUint {
			return ein.IntConst(t, rapid.Int64Range(0, 1).Draw(g.t, "constant"))
		}
		return number(t, rapid.Int64Range(-4, 4).Draw(g.t, "constant"))
	}
	if t.IsFloat() {
		return ein.FloatConst(t, pick(g, "constant", 0.1, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1e-40, -3.4e38))
	}
	return pick(g, "constant", ein.Largest(t), ein.Smallest(t))
}

// read draws an access, converted to t.
func (g *generator) read(t tensor.DType, depth int) ein.Expr {
	x := pick(g, "tensor", g.readable...)
	a := &ein.Access{Tensor: x, Checked: g.chance("checked", 4)}
	var guard ein.Expr
	for _, d := range x.Dims {
		subscript, cond := g.subscript(d, depth)
		a.Subscripts = append(a.Subscripts, subscript)
		if cond != nil && guard != nil {
			cond = &ein.Binary{Op: ein.And, X: guard, Y: cond}
		}
		if cond != nil {
			guard = cond
		}
	}
	var e ein.Expr = a
	if x.Type != t || x.Type.IsHalf() {
		if u := x.Type.Compute(); u != x.Type {
			e = &ein.Cast{To: u, X: e}
		}
		if e.Type() != t {
			e = &ein.Cast{To: t, X: g.small(t, e.Type(), e)}
		}
	}
	if x.Role != ein.Input {
		e = g.small(t, t, e)
	}
	if guard != nil {
		e = &ein.Select{Cond: guard, Then: e, Else: g.constant(t)}
	}
	return e
}

// matching returns the subscripts that stay in the dimension by their ranges.
func (g *generator) matching(d ein.Dim) []ein.Expr {
	var list []ein.Expr
	for _, i := range g.indices {
		if !i.Extent.Equal(d.Extent) {
			continue
		}
		at := ein.Expr(&ein.IndexRef{Index: i})
		list = append(list,
			shifted(at, d.Min.Sub(i.Min)),
			&ein.Binary{Op: ein.Sub, X: &ein.SizeRef{Size: d.Min.Add(i.Min).Add(i.Extent).AddConst(-1)}, Y: at},
			shifted(&ein.Binary{Op: ein.Div, X: shifted(at, i.Min.Scale(-1)), Y: ein.IntConst(tensor.Int64, 2)}, d.Min))
	}
	for _, i := range g.indices {
		for _, k := range g.indices {
			if i != k && i.Extent.Add(k.Extent).AddConst(-1).Equal(d.Extent) {
				sum := &ein.Binary{Op: ein.Add, X: &ein.IndexRef{Index: i}, Y: &ein.IndexRef{Index: k}}
				list = append(list, shifted(sum, d.Min.Sub(i.Min).Sub(k.Min)))
			}
		}
	}
	return list
}

func shifted(e ein.Expr, by affine.Expr) ein.Expr {
	if n, ok := by.IsConst(); ok {
		if n == 0 {
			return e
		}
		return &ein.Binary{Op: ein.Add, X: e, Y: ein.IntConst(tensor.Int64, n)}
	}
	return &ein.Binary{Op: ein.Add, X: e, Y: &ein.SizeRef{Size: by}}
}

// subscript draws a subscript for a dimension, with the condition under which
// it is in bounds when it is not always.
func (g *generator) subscript(d ein.Dim, depth int) (at, guard ein.Expr) {
	last := &ein.SizeRef{Size: d.Min.Add(d.Extent).AddConst(-1)}
	first := &ein.SizeRef{Size: d.Min}
	if list := g.matching(d); len(list) > 0 && !g.chance("other subscript", 3) {
		return pick(g, "subscript", list...), nil
	}
	how := rapid.IntRange(0, 3).Draw(g.t, "bounds")
	if d.Extent.Uses("Z") && how != 0 || g.chance("guard", 4) {
		how = 0
	}
	switch how {
	case 0:
		at := g.position()
		return at, &ein.Binary{Op: ein.And, X: &ein.Binary{Op: ein.Ge, X: at, Y: first}, Y: &ein.Binary{Op: ein.Le, X: at, Y: last}}
	case 1:
		return &ein.Binary{Op: ein.Max, X: first, Y: &ein.Binary{Op: ein.Min, X: last, Y: g.integer(depth)}}, nil
	case 2:
		return shifted(&ein.Binary{Op: ein.Mod, X: g.integer(depth), Y: &ein.SizeRef{Size: d.Extent}}, d.Min), nil
	}
	return pick[ein.Expr](g, "end", first, last), nil
}

// position draws a subscript near the ranges of the indices.
func (g *generator) position() ein.Expr {
	if len(g.indices) == 0 {
		return &ein.SizeRef{Size: size("s")}
	}
	i := ein.Expr(&ein.IndexRef{Index: pick(g, "index", g.indices...)})
	return shifted(i, pick(g, "shift", affine.Const(-1), affine.Const(1), size("s")))
}

// integer draws any int64; with depth it may depend on data.
func (g *generator) integer(depth int) ein.Expr {
	if depth <= 0 {
		return g.position()
	}
	return g.value(tensor.Int64, depth-1)
}
