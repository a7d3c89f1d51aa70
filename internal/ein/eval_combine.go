package ein

// A combiner applies an operator to blocks.
type combiner struct {
	of             *Operator
	left, right    []int // the places of the parameters
	body, identity []code

	// sums is set where errors are bounded and the operator adds floats: then
	// cells keep what the bound of a sum in any order needs; products likewise.
	sums     *summing
	products *precision
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
			b.sums = &summing{precision: precisionOf(o.Left[0].DType), likely: c.ev.options.Likely}
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
