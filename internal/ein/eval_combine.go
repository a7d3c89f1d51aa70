package ein

import "math"

// A combiner applies an operator to blocks.
type combiner struct {
	of             *Operator
	left, right    []int // the places of the parameters
	body, identity []code

	// sums is set where errors are bounded and the operator adds floats: then
	// cells keep what the bound of a sum in any order needs; products likewise.
	sums, products *precision
	// fromIdentity says that folds have to start from the identity, whose first step may change a value.
	fromIdentity bool
	// disorder is set where errors are bounded and the operator is a user's.
	disorder *disorder
}

func (c *compiler) combiner(o *Operator, arity int) *combiner {
	if o == nil {
		return nil
	}
	if len(o.Left) != arity || len(o.Right) != arity || len(o.Body) != arity || o.Identity != nil && len(o.Identity) != arity {
		c.fail(c.of.Pos, "the operator %s does not combine %d values", o.Name, arity)
		return nil
	}
	b := &combiner{of: o}
	for k := range arity {
		b.left, b.right = append(b.left, c.slot(o.Left[k])), append(b.right, c.slot(o.Right[k]))
	}
	b.body, b.identity, b.fromIdentity = c.list(o.Body), c.list(o.Identity), o.LosesNaN()
	if o.Kind == SumOp && o.Left[0].DType.IsFloat() && !c.ev.arithmetic.bounds() {
		b.fromIdentity = true // 0 + -0 is 0: sums start from the identity, as kernels do
	}
	if c.ev.arithmetic.bounds() && o.Kind == UserDefined {
		b.disorder = c.disorderOf(o)
	}
	if c.ev.arithmetic.bounds() && o.Left[0].DType.IsFloat() {
		switch o.Kind {
		case SumOp:
			b.sums = precisionOf(o.Left[0].DType)
		case ProductOp:
			b.products = precisionOf(o.Left[0].DType)
		}
	}
	return b
}

// apply combines two blocks element by element; out may be one of them.
func (b *combiner) apply(m *machine, points int64, left, right, out view) {
	for p := range points {
		switch {
		case b.sums != nil:
			out.cells[out.start+p] = b.sums.join(left.cells[left.start+p], right.cells[right.start+p])
			continue
		case b.products != nil:
			out.cells[out.start+p] = b.products.joinFactors(left.cells[left.start+p], right.cells[right.start+p])
			continue
		case b.disorder != nil:
			b.applyWidened(m, at(left, p), at(right, p), at(out, p))
			continue
		}
		for k := range b.body {
			x := left.cells[left.start+int64(k)*left.step+p].closed()
			y := right.cells[right.start+int64(k)*right.step+p].closed()
			m.local[b.left[k]], m.local[b.right[k]] = x, y
		}
		for k, body := range b.body {
			out.cells[out.start+int64(k)*out.step+p] = cell{value: body(m)}
		}
	}
}

// at is the view of the tuple at a point of a block.
func at(v view, p int64) view {
	v.start += p
	return v
}

// applyWidened combines two tuples by a user-defined operator; the errors of the result
// are those of any order.
func (b *combiner) applyWidened(m *machine, left, right, out view) {
	types := b.of.Types()
	x, y := make([]cell, len(types)), make([]cell, len(types))
	terms, infinite := 1.0, false
	for k, t := range types {
		x[k], y[k] = left.cells[left.start+int64(k)*left.step], right.cells[right.start+int64(k)*right.step]
		if t.IsFloat() {
			x[k].weigh()
			y[k].weigh()
			terms, infinite = x[k].terms+y[k].terms, infinite || x[k].infinite || y[k].infinite
		}
		m.local[b.left[k]], m.local[b.right[k]] = x[k].value, y[k].value
	}
	result := make([]cell, len(types))
	for k, body := range b.body {
		result[k].value = body(m)
	}
	for k := range types {
		m.local[b.left[k]], m.local[b.right[k]] = x[k].majorant(), y[k].majorant()
	}
	for k, t := range types {
		if t.IsFloat() {
			v := b.disorder.body[k](m)
			result[k].terms, result[k].infinite, result[k].magnitude, result[k].grid = terms, infinite, v.e, v.i
			b.disorder.widen(&result[k], t)
		}
		out.cells[out.start+int64(k)*out.step] = result[k]
	}
}

// A cell is a partial result. Where errors are bounded a sum stays open, because
// the error of a sum in any order follows from the magnitudes of all its terms. A
// product does, because its partial products may leave the range of the type.
type cell struct {
	value
	sum       *precision // nil for a plain value
	factors   *factors   // of an open product
	terms     float64    // how many numbers were added or combined
	magnitude float64    // Σ|x|, of a user-defined operator its majorant
	lowest    float64    // a power of two that divides every term; 0 where a term has an error
	infinite  bool       // some term is
	unsigned  bool       // some term is a zero of either sign
	grid      int64      // of a user-defined operator: the exponent of a power of two that divides every product
}

// join adds two partial sums.
func (p *precision) join(a, b cell) cell {
	a.open(p)
	b.open(p)
	a.f += b.f
	a.e += b.e
	a.terms += b.terms
	a.magnitude += b.magnitude
	a.lowest = min(a.lowest, b.lowest)
	a.infinite = a.infinite || b.infinite
	a.unsigned = a.unsigned || b.unsigned
	return a
}

func (c *cell) open(p *precision) {
	if c.sum != nil {
		return
	}
	c.sum, c.terms, c.magnitude, c.infinite = p, 1, math.Abs(c.f), math.IsInf(c.f, 0)
	if c.isEitherZero() {
		c.unsigned, c.e = true, 0
	}
	if c.e == 0 {
		c.lowest = lowestBit(c.f)
	}
}

// closed returns the value. The partial sums of any order are integer multiples
// of lowest below magnitude: when all of those are numbers of the type, nothing
// is ever rounded.
func (c *cell) closed() value {
	p := c.sum
	switch {
	case c.factors != nil:
		return c.factors.closed(c.value)
	case c.unsigned && c.f == 0 && c.e == 0 && c.magnitude == 0:
		return value{e: eitherZero}
	case p == nil || c.terms < 2:
		return c.value
	}
	if !finite(c.f) {
		// Not a number because of infinite terms: ∞·x + ∞·y may be ∞·(x + y).
		return value{f: c.f, e: certain(c.e < unbounded && !(c.infinite && c.f != c.f))}
	}
	if c.e == 0 && c.magnitude <= c.lowest/p.unit {
		return c.value
	}
	if c.magnitude > p.largest {
		return value{f: c.f, e: unbounded} // overflows in some order
	}
	return p.settle(c.f, c.e+(c.terms-1)*p.unit*(c.magnitude+c.e))
}

// lowestBit is the value of the last bit of x that is set, +∞ for 0.
func lowestBit(x float64) float64 {
	if x == 0 {
		return unbounded
	}
	bits := math.Float64bits(x)
	if bits<<12 == 0 || !finite(x) {
		return math.Abs(x)
	}
	return math.Abs(x - math.Float64frombits(bits&(bits-1)))
}
