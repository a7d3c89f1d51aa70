package field

import "slices"

// placeOf orders the indices of an ε. Variables of sums are not ordered among each other: their names mean nothing.
func placeOf(a, b Index) int {
	if a.Class >= Bound && b.Class >= Bound {
		return 0
	}
	return a.compare(b)
}

// inversions counts the pairs of indices that are not in order.
func inversions(indices []Index) int {
	count := 0
	for i := range indices {
		for _, later := range indices[i+1:] {
			count += btoi(placeOf(indices[i], later) > 0)
		}
	}
	return count
}

// product are the factors of a sum's body; factors that are sums with an ε among their factors are opened, too, so the
// variables of all of them are in scope.
func (n *normaliser) product(t *Term) (variables []Index, factors []*Term) {
	variables, body := n.open(t, t)
	low := min(lowest(t), lowestOf(variables))
	open := []*Term{body}
	for len(open) > 0 {
		f := open[0]
		open = open[1:]
		switch {
		case f.Op == Mul:
			open = append(slices.Clone(f.Args), open...)
		case f.Op == Sum && epsilonFactor(f.Args[0]):
			inner, body := n.openBelow(f, low)
			low = lowestOf(inner)
			variables = append(variables, inner...)
			open = append([]*Term{body}, open...)
		default:
			factors = append(factors, f)
		}
	}
	return variables, factors
}

// epsilonFactor reports whether an ε is a factor of a term, also in sums that are factors.
func epsilonFactor(t *Term) bool {
	switch t.Op {
	case Epsilon:
		return true
	case Sum, Mul:
		return t.has(epsilons) && slices.ContainsFunc(t.Args, epsilonFactor)
	}
	return false
}

// antisymmetric is 0 if the product under a sum has an ε with two indices that are summed over, and the other factors are
// symmetric in them.
func (n *normaliser) antisymmetric(t *Term, symmetric func(rest []*Term, a, b Index) bool) *Term {
	if !epsilonFactor(t) {
		return nil
	}
	variables, factors := n.product(t)
	for i, f := range factors {
		if f.Op != Epsilon {
			continue
		}
		rest := slices.Delete(slices.Clone(factors), i, i+1)
		for j, a := range f.Indices {
			for _, b := range f.Indices[j+1:] {
				if slices.Contains(variables, a) && slices.Contains(variables, b) && a != b && symmetric(rest, a, b) {
					return n.Int(0)
				}
			}
		}
	}
	return nil
}

// derivedAlong reports whether a term is differentiated once along each of two axes and has them nowhere else.
func derivedAlong(t *Term, a, b Index) bool {
	switch t.Op {
	case Probe:
		return derivedAlong(t.Args[0], a, b)
	case Partial:
		return !t.Args[0].Has(a) && !t.Args[0].Has(b) && onceEach(t.Indices, a, b)
	case Conv:
		return !slices.Contains(t.Indices, a) && !slices.Contains(t.Indices, b) && onceEach(t.Orders, a, b)
	}
	return false
}

func onceEach(list []Index, a, b Index) bool {
	count := func(i Index) (c int) {
		for _, j := range list {
			c += btoi(i == j)
		}
		return c
	}
	return count(a) == 1 && count(b) == 1
}

// contractDelta replaces a variable of a sum by the index to which a δ makes it equal: one along which a factor is
// differentiated, or one of which that is not so.
func contractDelta(derived bool) func(*normaliser, *Term) *Term {
	return func(n *normaliser, t *Term) *Term {
		if !t.has(deltas) {
			return nil
		}
		variables, body := n.open(t, t)
		factors := []*Term{body}
		if body.Op == Mul {
			factors = body.Args
		}
		for i, f := range factors {
			if f.Op != Delta {
				continue
			}
			for side, from := range f.Indices {
				to := f.Indices[1-side]
				at := slices.Index(variables, from)
				if at < 0 || from == to || to.Class == Constant && to.Number >= from.Range {
					continue
				}
				rest := slices.Delete(slices.Clone(factors), i, i+1)
				if derived == slices.ContainsFunc(rest, func(f *Term) bool { return f.Op == Partial && slices.Contains(f.Indices, from) }) {
					return n.close(slices.Delete(variables, at, at+1), n.Rename(n.Mul(rest...), map[Index]Index{from: to}))
				}
			}
		}
		return nil
	}
}

// epsilonPair is R29. The pairs that remain are those where a cross product is computed for less, as in |a×b|, which is a
// sum of squares and cannot become negative by cancellation.
func epsilonPair(n *normaliser, t *Term) *Term {
	if !epsilonFactor(t) {
		return nil
	}
	variables, factors := n.product(t)
	for i, x := range factors {
		for j, y := range factors[:i] {
			if x.Op != Epsilon || y.Op != Epsilon || len(x.Indices) != len(y.Indices) {
				continue
			}
			rest := slices.Delete(slices.Delete(slices.Clone(factors), i, i+1), j, j+1)
			for p, shared := range x.Indices {
				q, at := slices.Index(y.Indices, shared), slices.Index(variables, shared)
				if q < 0 || at < 0 || n.Mul(rest...).Has(shared) {
					continue
				}
				made := n.deltasFor(rotate(x.Indices, p), rotate(y.Indices, q), (p+q)*(3-len(x.Indices)), slices.Delete(slices.Clone(variables), at, at+1), rest)
				if n.cheaper(made, t) <= 0 {
					return made
				}
			}
		}
	}
	return nil
}

// rotate brings an index of ε to its front; in three dimensions the sign stays.
func rotate(indices []Index, first int) []Index {
	return slices.Concat(indices[first:], indices[:first])
}

// deltasFor is what a product of two ε whose first index is shared becomes, beside other factors and under a sum.
func (n *normaliser) deltasFor(x, y []Index, swaps int, variables []Index, rest []*Term) *Term {
	under := func(deltas ...*Term) *Term { return n.close(variables, n.Mul(append(deltas, rest...)...)) }
	if len(x) == 2 {
		t := under(n.Delta(x[1], y[1]))
		if swaps%2 == 1 {
			return n.Unary(Neg, t)
		}
		return t
	}
	return n.Sub(under(n.Delta(x[1], y[1]), n.Delta(x[2], y[2])), under(n.Delta(x[1], y[2]), n.Delta(x[2], y[1])))
}

// cheaper is below 0 if a sum takes fewer operations than another, 0 if it takes as many: once δ are gone and sums are bound,
// their other parts being given.
func (n *normaliser) cheaper(made, t *Term) int {
	if n.reducer == nil {
		n.reducer = newNormaliser(n.Store, n.table, reduce, NormaliseOptions{})
		n.reducer.reducer = n.reducer
		n.binder = newNormaliser(n.Store, n.table, bind, NormaliseOptions{})
		n.reducer.binder = n.binder
	}
	cost := func(t *Term) int {
		e := unroller{Store: n.Store, shallow: true}
		return e.operations(n.binder.term(t))
	}
	return cost(n.reducer.term(made)) - cost(t)
}
