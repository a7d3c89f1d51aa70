package field

import "slices"

// Rows lists the generic operators.
func Rows() []Row { return slices.Clone(rows) }

// rows are the generic operators; α stands for the axes of the first operand. Where an operand is a field, tensors beside
// it are lifted (generic.at).
var rows = slices.Concat(arithmeticRows, matrixRows, functionRows(), fieldRows)

var arithmeticRows = []Row{
	{"add", 2, func(g *generic) *Operator { // a[α] + b[α]
		return g.each(func(α []Index) *Term { return g.Add(g.at(0, α...), g.at(1, α...)) })
	}},
	{"sub", 2, func(g *generic) *Operator {
		return g.each(func(α []Index) *Term { return g.Sub(g.at(0, α...), g.at(1, α...)) })
	}},
	{"neg", 1, func(g *generic) *Operator {
		return g.each(func(α []Index) *Term { return g.Unary(Neg, g.at(0, α...)) })
	}},
	{"scale", 2, func(g *generic) *Operator { // a * b[α], a scalar
		α := Axes(0, g.shape(1))
		return g.Operator(g.shape(1), g.Mul(g.at(0), g.at(1, α...)))
	}},
	{"div", 2, func(g *generic) *Operator { // a[α] / b, b scalar
		return g.each(func(α []Index) *Term { return g.Binary(Div, g.at(0, α...), g.at(1)) })
	}},
	{"modulate", 2, func(g *generic) *Operator {
		return g.each(func(α []Index) *Term { return g.Mul(g.at(0, α...), g.at(1, α...)) })
	}},
	{"power", 1, func(g *generic) *Operator { // a^n, the number is the exponent
		g.want(len(g.numbers) == 1, "one exponent")
		if g.failed != "" {
			return g.none()
		}
		return g.Operator(nil, g.PowerOf(g.at(0), g.numbers[0]))
	}},
	{"lerp", 3, func(g *generic) *Operator { // a[α] + c*(b[α] − a[α])
		return g.each(func(α []Index) *Term {
			return g.Add(g.at(0, α...), g.Mul(g.at(2), g.Sub(g.at(1, α...), g.at(0, α...))))
		})
	}},
	{"lerp5", 5, func(g *generic) *Operator { // a, b, x0, x, x1
		return g.each(func(α []Index) *Term {
			at := g.Binary(Div, g.Sub(g.at(3), g.at(2)), g.Sub(g.at(4), g.at(2)))
			return g.Add(g.at(0, α...), g.Mul(at, g.Sub(g.at(1, α...), g.at(0, α...))))
		})
	}},
	{"clamp", 3, func(g *generic) *Operator { // low[α] or low, high, x[α]
		α := Axes(0, g.shape(2))
		low, high := α, α
		if len(g.shape(0)) == 0 {
			low = nil
		}
		if len(g.shape(1)) == 0 {
			high = nil
		}
		return g.Operator(g.shape(2), g.Binary(Min, g.Binary(Max, g.at(2, α...), g.at(0, low...)), g.at(1, high...)))
	}},
}

var matrixRows = []Row{
	{"outer", 2, func(g *generic) *Operator { return g.contract(0) }},
	{"inner", 2, func(g *generic) *Operator { return g.contract(1) }},
	{"colon", 2, func(g *generic) *Operator { return g.contract(2) }},
	{"cross", 2, func(g *generic) *Operator { // Σ ε[i,j,k] a[j] b[k]
		if !g.want(slices.Equal(g.shape(0), g.shape(1)), "vectors of one size") {
			return g.none()
		}
		return g.cross(func(j Index) func(*Term) *Term {
			return func(b *Term) *Term { return g.Mul(g.at(0, j), b) }
		}, 1)
	}},
	{"norm", 1, func(g *generic) *Operator { return g.Operator(nil, g.norm(0)) }},
	{"normalize", 1, func(g *generic) *Operator { // a[α] / |a|
		return g.each(func(α []Index) *Term { return g.Binary(Div, g.at(0, α...), g.norm(0)) })
	}},
	{"trace", 1, func(g *generic) *Operator { // Σ_i a[α,i,i]
		s := g.shape(0)
		if !g.want(len(s) >= 2 && s[len(s)-1] == s[len(s)-2], "a square matrix") {
			return g.none()
		}
		outer, i := Axes(0, s[:len(s)-2]), g.Fresh(s[len(s)-1])
		return g.Operator(s[:len(s)-2], g.Sum([]Index{i}, g.at(0, slices.Concat(outer, []Index{i, i})...)))
	}},
	{"transpose", 1, func(g *generic) *Operator {
		s := g.shape(0)
		if !g.want(len(s) == 2, "a matrix") {
			return g.none()
		}
		return g.Operator([]int{s[1], s[0]}, g.at(0, Axis(1, s[0]), Axis(0, s[1])))
	}},
	{"det", 1, func(g *generic) *Operator { return g.Operator(nil, g.det()) }},
	{"inv", 1, func(g *generic) *Operator { return g.inverse() }},
	{"identity", 0, func(g *generic) *Operator {
		if g.want(len(g.numbers) == 1, "one size"); g.failed != "" {
			return g.none()
		}
		n := g.numbers[0]
		return g.Operator([]int{n, n}, g.Delta(Axis(0, n), Axis(1, n)))
	}},
	{"zeros", 0, func(g *generic) *Operator { return g.Operator(g.numbers, g.Int(0)) }},
	{"slice", 1, func(g *generic) *Operator { // numbers: a component, or −1 where the axis stays
		if !g.want(len(g.numbers) == len(g.shape(0)), "an index for each axis") {
			return g.none()
		}
		var shape []int
		var alpha []Index
		for n, c := range g.numbers {
			if c < 0 {
				alpha = append(alpha, Axis(len(shape), g.shape(0)[n]))
				shape = append(shape, g.shape(0)[n])
			} else {
				alpha = append(alpha, At(c))
			}
		}
		return g.Operator(shape, g.at(0, alpha...))
	}},
	{"construct", -1, func(g *generic) *Operator { // Σ_n x_n[α] δ[n,i]
		n := len(g.types)
		if !g.want(n > 1, "two parts or more") {
			return g.none()
		}
		i, alpha := Axis(0, n), Axes(1, g.shape(0))
		var parts []*Term
		for m := range g.types {
			parts = append(parts, g.Mul(g.Delta(At(m), i), g.at(m, alpha...)))
		}
		return g.Operator(append([]int{n}, g.shape(0)...), g.Add(parts...))
	}},
}

// functionRows are the functions of one number that fields have, too.
func functionRows() []Row {
	var list []Row
	for op := Sqrt; op <= Atan; op++ {
		list = append(list, Row{op.String(), 1, func(g *generic) *Operator { return g.Operator(nil, g.Unary(op, g.at(0))) }})
	}
	return list
}

var fieldRows = []Row{
	{"conv", 2, func(g *generic) *Operator { // V[α] ⊛ H
		if !g.want(g.types[0].Kind == ImageParam && g.types[1].Kind == KernelParam, "an image and a kernel") {
			return g.none()
		}
		o := g.Operator(g.shape(0), g.Conv(g.params[0], g.params[1], Axes(0, g.shape(0)), nil))
		o.Params = g.params
		return o
	}},
	{"probe", 2, func(g *generic) *Operator { // F[α] @ x
		if !g.want(g.types[0].Kind == FieldParam && g.types[1].Kind == TensorParam, "a field and a position") {
			return g.none()
		}
		x := g.FixedParam(g.params[1].Name, g.types[1])
		o := g.Operator(g.shape(0), g.Probe(g.at(0, Axes(0, g.shape(0))...), x))
		o.Params = []*Param{g.params[0], x}
		return o
	}},
	{"∇", 1, func(g *generic) *Operator { // ∂[i] ⋄ F; over a line the derivative is a scalar
		if !g.isField() || !g.want(len(g.shape(0)) == 0, "a scalar field") {
			return g.none()
		}
		if g.dim == 1 {
			return g.Operator(nil, g.Partial([]Index{At(0)}, g.at(0)))
		}
		return g.Operator([]int{g.dim}, g.Partial([]Index{Axis(0, g.dim)}, g.at(0)))
	}},
	{"∇⊗", 1, func(g *generic) *Operator { // ∂[n] ⋄ F[α], the derivative last
		if !g.isField() {
			return g.none()
		}
		s := g.shape(0)
		return g.Operator(slices.Concat(s, []int{g.dim}), g.Partial([]Index{Axis(len(s), g.dim)}, g.at(0, Axes(0, s)...)))
	}},
	{"∇•", 1, func(g *generic) *Operator { // Σ_i ∂[i] ⋄ F[α,i]
		s := g.shape(0)
		if !g.isField() || !g.want(len(s) > 0 && s[len(s)-1] == g.dim, "a field of vectors of its space") {
			return g.none()
		}
		α, i := Axes(0, s[:len(s)-1]), g.Fresh(g.dim)
		return g.Operator(s[:len(s)-1], g.Sum([]Index{i}, g.Partial([]Index{i}, g.at(0, slices.Concat(α, []Index{i})...))))
	}},
	{"∇×", 1, func(g *generic) *Operator { // Σ ε[i,j,k] ∂[j] ⋄ F[k]
		if !g.isField() || !g.want(slices.Equal(g.shape(0), []int{g.dim}), "a field of vectors of its space") {
			return g.none()
		}
		return g.cross(func(j Index) func(*Term) *Term {
			return func(f *Term) *Term { return g.Partial([]Index{j}, f) }
		}, 0)
	}},
}
