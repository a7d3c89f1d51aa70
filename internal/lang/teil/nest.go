package teil

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
	"github.com/ricci-lang/ricci/tensor"
)

// How nesting works
//
// A contraction of a product of many factors, such as
//
//	contr 4 5 (contr 3 6 (contr 2 7 (prod (prod A (prod B C)) u)))
//
// costs a product of all sizes. Each sum is needed only over the smallest part of the
// product that has its dimensions, so nest moves it there. First all sums are taken out
// of the product (flatten, the sinkings read from the right). Then, for every way to
// cut the product in two (which prod_assoc allows), sums that lie in one part are moved
// inside past those that do not (the exchanges) and into the part (the sinkings), and
// the parts are nested in the same way. The cheapest way is taken, where every sum
// inside of a product will be lifted: that is also the order of a chain of matrix
// products. What is no cheaper than the expression as it was written is dropped.

// A Step is one use of an equation: the expression before and after.
type Step struct {
	Equation      *Equation
	Before, After syntax.Expr
}

// A rewriter applies equations and notes them.
type rewriter struct {
	*Context
	element func(e syntax.Expr) tensor.DType // the type of an expression's elements
	steps   []Step
	trial   bool // sums of sums are not tried inside of a trial, which would be exponential
}

// use applies an equation to one operation; it returns nil where it does not match.
func (r *rewriter) use(q *Equation, e *syntax.Operation) syntax.Expr {
	if q.Integers && !r.element(e).IsInteger() {
		return nil
	}
	after := q.apply(r.Context, e)
	if after != nil {
		r.steps = append(r.steps, Step{q, e, after})
	}
	return after
}

// simplify applies the simplifications from below until none matches.
func (r *rewriter) simplify(e syntax.Expr) syntax.Expr {
	o, ok := e.(*syntax.Operation)
	if !ok {
		return e
	}
	operands := make([]syntax.Expr, len(o.Operands))
	for n, c := range o.Operands {
		operands[n] = r.simplify(c)
	}
	o = o.WithOperands(operands...)
	for n := range simplifications {
		if after := r.use(&simplifications[n], o); after != nil {
			return r.simplify(after)
		}
	}
	if r.trial {
		return o
	}
	attempt := r.fork()
	attempt.trial = true
	if after := attempt.use(sumOfSums, o); after != nil {
		after = attempt.simplify(after)
		if r.cost(r.fork().nest(after)) < r.cost(r.fork().nest(o)) {
			r.steps = append(r.steps, attempt.steps...)
			return r.simplify(after)
		}
	}
	return o
}

// fork returns a rewriter whose steps may be dropped.
func (r *rewriter) fork() *rewriter { return &rewriter{Context: r.Context, element: r.element} }

// cost estimates the operations of an expression that is lifted.
func (r *rewriter) cost(e syntax.Expr) float64 { return estimate(r.liftedCount(e)) }

// nest moves the sums of an expression into the products inside of them, from above.
func (r *rewriter) nest(e syntax.Expr) syntax.Expr {
	o, ok := e.(*syntax.Operation)
	if !ok {
		return e
	}
	if isSum(o) || o.Op.Name == "prod" {
		flat := r.fork()
		flattened := flat.flatten(o)
		chain, product := sumsOf(flattened)
		if product != nil && len(chain) > 0 && len(factorsOf(product)) <= maxFactors {
			return r.cheapest(o, flattened, flat.steps)
		}
	}
	return r.nestOperands(o)
}

func (r *rewriter) nestOperands(o *syntax.Operation) syntax.Expr {
	operands := make([]syntax.Expr, len(o.Operands))
	for n, c := range o.Operands {
		operands[n] = r.nest(c)
	}
	return o.WithOperands(operands...)
}

// isSum reports whether an operation is a sum or contraction.
func isSum(o *syntax.Operation) bool { return o.Op.Name == "red+" || o.Op.Name == "contr" }

// flatten takes the sums out of the factors of a product.
func (r *rewriter) flatten(e syntax.Expr) syntax.Expr {
	o, ok := e.(*syntax.Operation)
	switch {
	case ok && isSum(o):
		return o.WithOperands(r.flatten(o.Operands[0]))
	case ok && o.Op.Name == "prod":
		return r.takeOut(o.WithOperands(r.flatten(o.Operands[0]), r.flatten(o.Operands[1])))
	}
	return e
}

// takeOut takes the sums out of the two operands of a product, if they stand around
// products.
func (r *rewriter) takeOut(p *syntax.Operation) syntax.Expr {
	for factor, operand := range p.Operands {
		sum, ok := operand.(*syntax.Operation)
		if !ok || !isSum(sum) {
			continue
		}
		if _, product := sumsOf(sum); product == nil {
			continue
		}
		operands := slices.Clone(p.Operands)
		operands[factor] = sum.Operands[0]
		positions := acting(sum)
		for k := range positions {
			positions[k] += factor * r.rank(p.Operands[0])
		}
		inner := p.WithOperands(operands...)
		for n := range sinkings {
			if q := &sinkings[n]; q.apply(r.Context, moved(sum, positions, inner)) != nil {
				r.steps = append(r.steps, Step{q, p, moved(sum, positions, inner)})
			}
		}
		return moved(sum, positions, r.takeOut(inner))
	}
	return p
}

// maxFactors bounds the products for which all orders are tried.
const maxFactors = 7

// sumsOf returns the sums and contractions that stand around a product, outermost
// first, and the product.
func sumsOf(e syntax.Expr) (chain []*syntax.Operation, product *syntax.Operation) {
	for {
		o, ok := e.(*syntax.Operation)
		switch {
		case ok && isSum(o):
			chain = append(chain, o)
			e = o.Operands[0]
		case ok && o.Op.Name == "prod":
			return chain, o
		default:
			return chain, nil
		}
	}
}

// factorsOf lists the factors of an outer product.
func factorsOf(e syntax.Expr) []syntax.Expr {
	if p, ok := operation(e, "prod"); ok {
		return append(factorsOf(p.Operands[0]), factorsOf(p.Operands[1])...)
	}
	return []syntax.Expr{e}
}

// cheapest returns the cheapest nesting of a flattened expression; it is the expression
// as it was if none is cheaper.
func (r *rewriter) cheapest(e *syntax.Operation, flattened syntax.Expr, steps []Step) syntax.Expr {
	plain := r.fork()
	result := plain.nestOperands(e)
	best, cost := plain.steps, r.cost(result)
	_, product := sumsOf(flattened)
	for at := 1; at < len(factorsOf(product)); at++ {
		attempt := r.fork()
		nested := attempt.nestAt(flattened, at)
		if c := r.cost(nested); c < cost {
			best, result, cost = append(slices.Clone(steps), attempt.steps...), nested, c
		}
	}
	r.steps = append(r.steps, best...)
	return result
}

// nestAt cuts the product behind a number of factors and moves the sums inside.
func (r *rewriter) nestAt(e syntax.Expr, at int) syntax.Expr {
	chain, product := sumsOf(e)
	e = rebuild(chain, r.split(product, at))
	for {
		next := r.moveInside(e)
		if next == nil {
			break
		}
		e = next
	}
	chain, product = sumsOf(e)
	return rebuild(chain, product.WithOperands(r.nest(product.Operands[0]), r.nest(product.Operands[1])))
}

// rebuild puts sums around another expression.
func rebuild(chain []*syntax.Operation, e syntax.Expr) syntax.Expr {
	for n := len(chain) - 1; n >= 0; n-- {
		e = chain[n].WithOperands(e)
	}
	return e
}

// split associates a product so that the first operand has the first factors.
func (r *rewriter) split(p *syntax.Operation, at int) *syntax.Operation {
	left := len(factorsOf(p.Operands[0]))
	switch {
	case left > at:
		l := r.split(p.Operands[0].(*syntax.Operation), at)
		p = p.WithOperands(l, p.Operands[1])
		after := p.WithOperands(l.Operands[0], p.WithOperands(l.Operands[1], p.Operands[1]))
		r.steps = append(r.steps, Step{prodAssociates, p, after})
		return after
	case left < at:
		right := r.split(p.Operands[1].(*syntax.Operation), at-left)
		p = p.WithOperands(p.Operands[0], right)
		after := p.WithOperands(p.WithOperands(p.Operands[0], right.Operands[0]), right.Operands[1])
		r.steps = append(r.steps, Step{prodAssociates, p, after})
		return after
	}
	return p
}

// moveInside moves the innermost sum that lies in one part of the product into it;
// nil when all lie across.
func (r *rewriter) moveInside(e syntax.Expr) syntax.Expr {
	chain, product := sumsOf(e)
	for n := len(chain) - 1; n >= 0; n-- {
		attempt := r.fork()
		if after := attempt.sink(rebuild(chain[n:], product).(*syntax.Operation)); after != nil {
			r.steps = append(r.steps, attempt.steps...)
			return rebuild(chain[:n], after)
		}
	}
	return nil
}

// sink moves the outermost sum past those below it and into a factor.
func (r *rewriter) sink(e *syntax.Operation) syntax.Expr {
	for n := range sinkings {
		if after := r.use(&sinkings[n], e); after != nil {
			return after
		}
	}
	for _, q := range exchanges {
		if after, ok := r.use(q, e).(*syntax.Operation); ok {
			if below := r.sink(after.Operands[0].(*syntax.Operation)); below != nil {
				return after.WithOperands(below)
			}
			return nil
		}
	}
	return nil
}
