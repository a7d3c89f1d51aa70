package guard

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
)

// sizeFacts is what a call tests before it runs a function: sizes are at least 1
// where the empty case is not allowed, and conditions hold.
func sizeFacts(f *ein.Func, conditions []*ein.Condition) *affine.Facts {
	facts := affine.NewFacts()
	for _, s := range f.Sizes {
		switch {
		case s.Dim == ein.ScalarValue && s.Tensor != nil:
		case s.MayBeZero:
			facts.AtLeast(s.Name, 0)
		default:
			facts.AtLeast(s.Name, 1)
		}
	}
	for _, c := range conditions {
		facts.Assume(c.Expr)
	}
	return facts
}

// equal reports whether two sizes are the same for all sizes of a call.
func (l *lowering) equal(x, y affine.Expr) bool { return same(l.sizes, x, y) }

// inside is what holds at every point of the statement's box at which the present
// expression is evaluated.
func (s *statement) inside() *affine.Facts {
	facts := s.sizes.Clone()
	for _, i := range s.c.Indices {
		offset := affine.Symbol(i.Name).Sub(i.Min)
		facts.Assume(offset)
		facts.Assume(i.Extent.AddConst(-1).Sub(offset))
	}
	if len(s.path) == 1 {
		for _, e := range s.path[0] {
			facts.Assume(e)
		}
	}
	return facts
}

// holdsInside reports whether e ≥ 0 at every point at which the present expression is evaluated.
func (s *statement) holdsInside(e affine.Expr) bool {
	var box []affine.Range
	for _, i := range s.c.Indices {
		box = append(box, affine.Range{Symbol: i.Name, Min: i.Min, Extent: i.Extent})
	}
	return !slices.ContainsFunc(s.path, func(facts []affine.Expr) bool { return !s.sizes.ProvesWhere(e, facts, box) })
}

// isSpokenOf reports whether conditions around the present expression say something about an index of x.
func (s *statement) isSpokenOf(x affine.Expr) bool {
	return slices.ContainsFunc(s.c.Indices, func(i *ein.Index) bool {
		return x.Uses(i.Name) && slices.ContainsFunc(s.path, func(facts []affine.Expr) bool {
			return slices.ContainsFunc(facts, func(f affine.Expr) bool { return f.Uses(i.Name) })
		})
	})
}

// decided replaces each minimum and maximum by the operand that it is at all points, quotients
// and remainders where the divisor is always larger, and what there is nothing to hold in a range or to reflect of.
func (s *statement) decided(x affine.Expr) affine.Expr {
	facts := s.inside()
	var decide func(x affine.Expr) affine.Expr
	atom := func(a affine.Atom) affine.Expr {
		if a.Op == "" {
			return affine.Symbol(a.Symbol)
		}
		if inner, size, ok := mirrored(a); ok {
			if inner = decide(inner); facts.Proves(inner) && facts.Proves(size.AddConst(-1).Sub(inner)) {
				return inner
			}
			around := affine.Rem(inner, size.Scale(2))
			return affine.MinOf(around, size.Scale(2).AddConst(-1).Sub(around))
		}
		if inner, ends, ok := s.held(a); ok && len(ends) == 2 {
			first, last := ends[affine.Max], ends[affine.Min]
			if inner = decide(inner); !facts.Proves(inner.Sub(first)) || !facts.Proves(last.Sub(inner)) {
				return affine.MaxOf(first, affine.MinOf(inner, last)) // both ends stay
			}
			return inner
		}
		first, second := decide(a.X), decide(a.Y)
		switch {
		case a.Op == affine.Min || a.Op == affine.Max:
			for _, pair := range [][2]affine.Expr{{first, second}, {second, first}} {
				if small, large := pair[0], pair[1]; facts.Proves(large.Sub(small)) {
					if a.Op == affine.Min {
						return small
					}
					return large
				}
			}
		case facts.Proves(first) && facts.Proves(second.AddConst(-1).Sub(first)):
			if a.Op == affine.FloorDiv {
				return affine.Expr{}
			}
			return first
		}
		return affine.Apply(a.Op, first, second)
	}
	decide = func(x affine.Expr) affine.Expr {
		sum := affine.Expr{}
		for _, t := range x.Terms() {
			product := affine.Const(t.Coefficient)
			for _, a := range t.Atoms {
				product = product.Mul(atom(a))
			}
			sum = sum.Add(product)
		}
		return sum
	}
	return decide(x)
}
