package ein

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/tensor"
)

// How indicators are found
//
// The terms of a reduction often are the identity of its operator but where an equality holds:
//
//	count[v] ⊕= key[e] == v ? t(e) : identity
//
// Such terms need no loop over v: for every e there is one value of v, key[e], at which the
// term may be another one than the identity, if it is in the range of v. Where v is an index
// of results that is a scatter, and where it is reduced, a gather.
//
// To leave terms out that are the identity changes no bit of a result, since folds start from
// the identity (operator.go) and x ⊕ identity is x for whatever comes up in between:
//
//   - +: only −0 + 0 differs from its left operand, and a sum that starts from +0 is never −0
//     when it is rounded to nearest; NaN and ±∞ stay what they are;
//   - *: x·1 is x, also of NaN, ±∞ and −0;
//   - min, max: Min(x, +∞) is "+∞ < x ? +∞ : x", which is x, also of a NaN; Max alike;
//   - &&, ||: bools have two values;
//   - argmin, argmax: the identity is the last pair of the order, and loses against all;
//   - user-defined: the program says that the value is an identity, on which the splitting of
//     reductions rests, too.
//
// What is not exact is a product with an indicator of floats, 0·NaN, so that only products of
// integers are taken for indicators.

// A Guard of an indicator: Expr, which is a bool, has the value Holds.
type Guard struct {
	Expr  Expr
	Holds bool
}

// Guards returns conditions without all of which all values of a comprehension are the
// identity of an operator; none where nothing is known. Conditions that occur in several
// values are there several times, those that do not occur in all of them not at all.
func (c *Comprehension) Guards(op *Operator) []Guard {
	if op == nil || len(op.Identity) != len(c.Values) {
		return nil
	}
	var all [][]Guard
	for k, v := range c.Values {
		identity, ok := op.Identity[k].(*Const)
		if !ok {
			return nil
		}
		all = append(all, guardsOf(v, identity))
	}
	var list []Guard
	for _, guards := range all {
		for _, g := range guards {
			everywhere := !slices.ContainsFunc(all, func(other []Guard) bool {
				return !slices.ContainsFunc(other, func(o Guard) bool { return o.Holds == g.Holds && SameExpr(o.Expr, g.Expr) })
			})
			if everywhere {
				list = append(list, g)
			}
		}
	}
	return list
}

// guardsOf returns the conditions without all of which a value is the identity. A test of a
// subscript in a condition would be left out with the points: then there are none.
func guardsOf(e Expr, identity *Const) []Guard {
	switch e := e.(type) {
	case *Let:
		if !hasChecked(e.Value) {
			return guardsOf(e.Body, identity)
		}
	case *Select:
		switch {
		case hasChecked(e.Cond):
		case isIdentity(e.Else, identity):
			return append(conjuncts(e.Cond, true), guardsOf(e.Then, identity)...)
		case isIdentity(e.Then, identity):
			return append(conjuncts(e.Cond, false), guardsOf(e.Else, identity)...)
		}
	case *Cast:
		if isIdentity(zeroOf(e.To), identity) {
			return guardsOf(e.X, zeroOf(e.X.Type()))
		}
	case *Binary:
		if e.Op == Mul && e.Type().IsInteger() && identity.Bits == 0 && !hasChecked(e) {
			return append(guardsOf(e.X, identity), guardsOf(e.Y, identity)...)
		}
	}
	if e.Type() == tensor.Bool && !hasChecked(e) {
		if _, isConst := e.(*Const); !isConst {
			return conjuncts(e, identity.Bits == 0)
		}
	}
	return nil
}

// zeroOf is zero, which every cast turns into zero.
func zeroOf(t tensor.DType) *Const {
	if t.IsFloat() {
		return FloatConst(t, 0)
	}
	return IntConst(t, 0)
}

// isIdentity reports whether an expression is the value of a constant, bit by bit.
func isIdentity(e Expr, identity *Const) bool {
	c, ok := e.(*Const)
	return ok && c.DType == identity.DType && c.Bits == identity.Bits
}

// conjuncts splits a condition that has a value into those that all have theirs.
func conjuncts(e Expr, holds bool) []Guard {
	switch e := e.(type) {
	case *Unary:
		if e.Op == Not {
			return conjuncts(e.X, !holds)
		}
	case *Binary:
		if e.Op == And && holds || e.Op == Or && !holds {
			return append(conjuncts(e.X, holds), conjuncts(e.Y, holds)...)
		}
	}
	return []Guard{{e, holds}}
}

func hasChecked(e Expr) bool {
	found := false
	Walk(e, func(e Expr) bool {
		a, ok := e.(*Access)
		found = found || ok && a.Checked
		return !found
	})
	return found
}

// A Determination says which value of an index the terms of a reduction may have that are not
// the identity: Sign·(Other − Rest), where neither uses the index. It may be out of the range of
// the index. There the guards have their values.
type Determination struct {
	Index  *Index
	Other  Expr // an integer of any type
	Rest   affine.Expr
	Sign   int64
	Guards []Guard
}

// Determined returns what determines an index of a comprehension whose reductions are all by
// an operator, or nil.
func (c *Comprehension) Determined(op *Operator, index *Index) *Determination {
	guards := c.Guards(op)
	for _, g := range guards {
		d := c.solve(g, index)
		if d == nil {
			continue
		}
		for _, o := range guards {
			if o.Holds == g.Holds && SameExpr(o.Expr, g.Expr) {
				d.Guards = append(d.Guards, o)
			}
		}
		return d
	}
	return nil
}

// onlyOperator returns the operator of all reductions, if they may be taken in any order.
func (c *Comprehension) onlyOperator() (op *Operator) {
	for _, i := range c.Indices {
		o := i.Combine.Op
		switch {
		case i.Combine.Kind == Concat:
		case i.Combine.Kind != Reduce || !o.Associative || !o.Commutative || op != nil && op != o && (op.Kind == UserDefined || op.Kind != o.Kind):
			return nil
		default:
			op = o
		}
	}
	return op
}

// visited is the comprehension with one value, or none, of the indices over which its terms need not
// be computed.
func (c *Comprehension) visited() *Comprehension {
	op := c.onlyOperator()
	guards := c.Guards(op)
	if len(guards) == 0 {
		return c
	}
	fewer := map[*Index]int64{}
	for _, i := range c.Indices {
		if d := c.Determined(op, i); d != nil && !dependsOnAny(d.Other, fewer) {
			fewer[i] = 1
		}
	}
	for _, k := range c.Keyed(op) {
		for _, i := range k.Found {
			fewer[i] = 1
		}
	}
	for _, g := range guards {
		used, reads, plain := usesOf(g.Expr)
		isOutside := reads && plain
		for i := range used {
			isOutside = isOutside && i.Combine.Kind == Concat
		}
		for _, i := range c.Indices {
			if isOutside && i.Combine.Kind != Concat {
				fewer[i] = 0
			}
		}
	}
	return c.withExtents(fewer)
}

// withExtents changes the extents of some indices.
func (c *Comprehension) withExtents(extents map[*Index]int64) *Comprehension {
	changed := *c
	env := map[*Index]Expr{}
	changed.Indices = make([]*Index, len(c.Indices))
	for n, i := range c.Indices {
		copied := *i
		if extent, ok := extents[i]; ok {
			copied.Extent = affine.Const(extent)
		}
		changed.Indices[n], env[i] = &copied, &IndexRef{Pos: i.Pos, Index: &copied}
	}
	changed.Values = make([]Expr, len(c.Values))
	for n, v := range c.Values {
		changed.Values[n] = Map(v, func(e Expr) Expr {
			if r, ok := e.(*IndexRef); ok {
				return env[r.Index]
			}
			return e
		})
	}
	return &changed
}

func dependsOnAny(e Expr, indices map[*Index]int64) bool {
	used, _, _ := usesOf(e)
	for i := range used {
		if _, found := indices[i]; found {
			return true
		}
	}
	return false
}

// solve finds the value of an index for which a condition holds, if that is an equality.
func (c *Comprehension) solve(g Guard, index *Index) *Determination {
	e, ok := g.Expr.(*Binary)
	if !ok || !(e.Op == Eq && g.Holds || e.Op == Ne && !g.Holds) || !e.X.Type().IsInteger() {
		return nil
	}
	for _, sides := range [][2]Expr{{e.X, e.Y}, {e.Y, e.X}} {
		own, other := sides[0], sides[1]
		side, ok := c.affineWithin(own)
		factor, rest, linear := side.Linear(index.Name)
		if !ok || !linear || factor != 1 && factor != -1 || mentions(other, index) {
			continue
		}
		return &Determination{Index: index, Other: other, Rest: rest, Sign: factor}
	}
	return nil
}

// affineWithin is AffineOf, also of what is computed in a narrower type of integers that holds
// all of its values.
func (c *Comprehension) affineWithin(e Expr) (affine.Expr, bool) {
	side, ok := AffineOf(uncast(e))
	if to := e.Type(); !ok || !to.IsInteger() || to == tensor.Int64 {
		return side, ok
	}
	var box []affine.Range
	for _, i := range c.Indices {
		box = append(box, affine.Range{Symbol: i.Name, Min: i.Min, Extent: i.Extent})
	}
	lo, hi, bounded := affine.NewFacts().Extremes(side, box)
	low, isLow := lo.IsConst()
	high, isHigh := hi.IsConst()
	least, greatest := Smallest(e.Type()).(*Const), Largest(e.Type()).(*Const)
	fits := low >= least.Int() && (high <= greatest.Int() || e.Type() == tensor.Uint64)
	return side, bounded && isLow && isHigh && fits
}

// uncast replaces casts of an index expression to another type of integers by their operands, where
// only sums, differences and products are made of them. In every type these are those of all
// integers, but for multiples of a power of two.
func uncast(e Expr) Expr {
	switch e := e.(type) {
	case *Cast:
		if e.To.IsInteger() && e.X.Type() == tensor.Int64 {
			return e.X
		}
	case *Const:
		if e.DType.IsInteger() {
			return &Const{Pos: e.Pos, DType: tensor.Int64, Bits: uint64(e.Int())}
		}
	case *Binary:
		if e.Op == Add || e.Op == Sub || e.Op == Mul {
			return &Binary{Pos: e.Pos, Op: e.Op, X: uncast(e.X), Y: uncast(e.Y)}
		}
	}
	return e
}

// mentions reports whether an expression may depend on an index; a local may on any.
func mentions(e Expr, index *Index) bool {
	found := false
	Walk(e, func(e Expr) bool {
		switch e := e.(type) {
		case *IndexRef:
			found = found || e.Index == index
		case *SizeRef:
		case *LocalRef:
			found = true
		}
		return !found
	})
	return found
}
