package rewrite

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/numerics"
)

// How operations are minimised
//
// A sum over products of several factors,
//
//	O[i,l,m] = Σ j,k  A[i,j,k]·B[j,l]·C[k,m]
//
// has a term for every point of all indices, i·j·k·l·m. Multiplication distributes over
// addition, so it may as well be two contractions with fewer:
//
//	T[i,l,k] = Σ j  A[i,j,k]·B[j,l]        i·j·k·l
//	O[i,l,m] = Σ k  T[i,l,k]·C[k,m]        i·k·l·m
//
// In which order factors are joined decides how many (minimise_order.go finds the best one).
// Sums of floats are then rounded in another order, and their partial products are others, for
// which they are guarded (guard.go); integers wrap, and keep every bit. Factors that a loop can take out of its sum need no statement of their
// own: what counts is the number of points.

const (
	minimiseGain = 2  // how many times fewer operations there have to be
	mostFactors  = 10 // of a product that is parted
)

// MinimiseOperations parts sums over products into contractions of fewer factors where
// that takes much fewer operations and a mode of numerics allows it.
func MinimiseOperations(f *ein.Func, mode numerics.Mode) *ein.Func {
	f = f.Clone()
	if f.Direct {
		return f
	}
	var body []*ein.Comprehension
	changed := false
	for _, c := range f.Body {
		statements := (&minimiser{f: f, c: c, fast: mode == numerics.Fast}).statements()
		changed = changed || len(statements) > 1
		body = append(body, statements...)
	}
	f.Body = body
	if !changed {
		return f
	}
	return Fuse(f)
}

// A minimiser parts one comprehension.
type minimiser struct {
	f       *ein.Func
	c       *ein.Comprehension
	fast    bool       // the laws of real numbers hold
	scalars []ein.Expr // factors without indices, which the last statement multiplies with
	factors []*factor
	parts   []*ein.Comprehension // the statements before c
}

// A factor is a product that is read at the points of its indices, in the order in which
// they walk through memory.
type factor struct {
	value   ein.Expr
	indices []*ein.Index
}

// statements returns the comprehension, or the contractions that take its place.
func (m *minimiser) statements() []*ein.Comprehension {
	if !m.applies() {
		return []*ein.Comprehension{m.c}
	}
	m.flatten(m.c.Values[0])
	if len(m.factors) < 2 || len(m.factors) > mostFactors || !m.coversIndices() {
		return []*ein.Comprehension{m.c}
	}
	o := newOrder(m)
	if o.best()*minimiseGain > points(m.c.Indices) {
		return []*ein.Comprehension{m.c}
	}
	whole := *m.c
	whole.Indices = slices.Clone(m.c.Indices)
	m.finish(m.emit(o, o.all()))
	switch {
	case len(m.parts) == 0:
		return []*ein.Comprehension{&whole}
	case m.exact():
	case o.best() <= smallKernel || guardCosts(m.c) <= guardShare*o.best():
		return append(m.parts, guarded(m.f, &whole, m.c.Indices, m.c.Values[0])...)
	default:
		remark(m.f, m.c, "minimise")
	}
	return append(m.parts, m.c)
}

// exact reports whether parted sums are as good as whole ones: integers wrap, and in a mode of
// the laws of real numbers it does not matter.
func (m *minimiser) exact() bool {
	return m.fast || !m.c.Values[0].Type().IsFloat()
}

// applies reports whether the comprehension is a plain sum of known extents. Terms that a
// condition leaves out are not counted by points, and stay.
func (m *minimiser) applies() bool {
	c := m.c
	if len(c.Writes) != 1 || !isPlain(c) || len(c.ByKind(ein.Reduce)) == 0 {
		return false
	}
	for _, i := range c.Indices {
		if i.Combine.Kind != ein.Concat && (i.Combine.Kind != ein.Reduce || i.Combine.Op.Kind != ein.SumOp || i.Combine.Op.Ordered()) {
			return false
		}
	}
	return !contains(c, func(e ein.Expr) bool {
		_, isSelect := e.(*ein.Select)
		return isSelect
	})
}

// flatten collects the factors of a product.
func (m *minimiser) flatten(e ein.Expr) {
	if b, ok := e.(*ein.Binary); ok && b.Op == ein.Mul {
		m.flatten(b.X)
		m.flatten(b.Y)
		return
	}
	if f := (&factor{value: e, indices: indicesOf(e)}); len(f.indices) > 0 {
		m.factors = append(m.factors, f)
	} else {
		m.scalars = append(m.scalars, e)
	}
}

// indicesOf returns the indices of an expression in the order in which they occur.
func indicesOf(e ein.Expr) (list []*ein.Index) {
	ein.Walk(e, func(e ein.Expr) bool {
		if r, ok := e.(*ein.IndexRef); ok && !slices.Contains(list, r.Index) {
			list = append(list, r.Index)
		}
		return true
	})
	return list
}

// coversIndices reports whether a factor reads every index that is summed over.
func (m *minimiser) coversIndices() bool {
	for _, i := range m.c.ByKind(ein.Reduce) {
		if !slices.ContainsFunc(m.factors, func(f *factor) bool { return slices.Contains(f.indices, i) }) {
			return false
		}
	}
	return true
}

// points returns how many points the indices have.
func points(indices []*ein.Index) float64 {
	n := 1.0
	for _, i := range indices {
		extent, _ := i.Extent.IsConst()
		n *= float64(extent)
	}
	return n
}

// emit makes the statements of a set of factors, and returns what it comes to: a tensor,
// or a product where nothing is summed over. The last statement is c itself.
func (m *minimiser) emit(o *order, s factorSet) *factor {
	product := m.product(o, s)
	kept := o.kept(s)
	if s == o.all() || len(kept) == len(product.indices) {
		return product
	}
	return m.part(product, slices.DeleteFunc(slices.Clone(product.indices), func(i *ein.Index) bool { return !slices.Contains(kept, i) }))
}

// product multiplies the two parts in which a set is computed best.
func (m *minimiser) product(o *order, s factorSet) *factor {
	first := o.split(s)
	if first == 0 {
		return m.factors[s.only()]
	}
	x, y := m.emit(o, first), m.emit(o, s&^first)
	if points(y.indices) > points(x.indices) {
		x, y = y, x
	}
	return &factor{
		value:   &ein.Binary{Pos: m.c.Pos, Op: ein.Mul, X: x.value, Y: y.value},
		indices: joined(x.indices, y.indices),
	}
}

// joined returns the indices of two factors: those of the first, and behind the last one
// that both have the others of the second. A tensor in this order, less what is summed over,
// is walked through as the first factor is.
func joined(x, y []*ein.Index) []*ein.Index {
	at := len(x)
	for k, i := range x {
		if slices.Contains(y, i) {
			at = k + 1
		}
	}
	others := slices.DeleteFunc(slices.Clone(y), func(i *ein.Index) bool { return slices.Contains(x, i) })
	return slices.Concat(x[:at], others, x[at:])
}

// part adds a statement that sums a product into a temporary of its own.
func (m *minimiser) part(p *factor, kept []*ein.Index) *factor {
	t := &ein.Tensor{Pos: m.c.Pos, Name: freshName(m.f, m.c.Writes[0].Tensor.Name+"_part"), Type: p.value.Type(), Role: ein.Temp}
	part := &ein.Comprehension{Pos: m.c.Pos}
	write, read := &ein.Write{Pos: m.c.Pos, Tensor: t}, &ein.Access{Pos: m.c.Pos, Tensor: t}
	env := map[*ein.Index]ein.Expr{}
	add := func(i *ein.Index) ein.Expr {
		copied := *i
		part.Indices = append(part.Indices, &copied)
		env[i] = &ein.IndexRef{Pos: i.Pos, Index: &copied}
		return env[i]
	}
	for _, i := range kept {
		copied := add(i).(*ein.IndexRef).Index
		copied.Combine = ein.Combine{}
		t.Dims = append(t.Dims, ein.Dim{Min: i.Min, Extent: i.Extent})
		write.Subscripts = append(write.Subscripts, env[i])
		read.Subscripts = append(read.Subscripts, &ein.IndexRef{Pos: i.Pos, Index: i})
	}
	// The sum keeps its operators where an index that the result has is summed over in c.
	sum := m.c.ByKind(ein.Reduce)[0].Combine
	for _, i := range p.indices {
		if !slices.Contains(kept, i) {
			add(i).(*ein.IndexRef).Index.Combine = sum
		}
	}
	part.Values = substituteAll([]ein.Expr{p.value}, env)
	part.Writes = []*ein.Write{write}
	m.f.Tensors = append(m.f.Tensors, t)
	m.parts = append(m.parts, part)
	return &factor{value: read, indices: kept}
}

// finish makes c the sum over the last product.
func (m *minimiser) finish(last *factor) {
	for _, s := range m.scalars {
		last.value = &ein.Binary{Pos: m.c.Pos, Op: ein.Mul, X: last.value, Y: s}
	}
	m.c.Values = []ein.Expr{last.value}
	m.c.Indices = slices.DeleteFunc(m.c.Indices, func(i *ein.Index) bool {
		return i.Combine.Kind == ein.Reduce && !slices.Contains(last.indices, i)
	})
}
