package rewrite

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/tensor"
)

// How laws of operators follow the mode
//
// Folds of floats are associative, commutative and distributive only on paper. What later rooms
// may make of that, schedules and the lowering above all, stands in the operator:
//
//	strict    rounding operators (sums, products, and a user's operators on floats) are ordered:
//	          neither associative nor commutative, so that every rule of a fixed order holds for them;
//	default   they may be reordered; factors leave a sum only where keepsRange proves it harmless;
//	fast      they are distributive as well.
//
// Minima and maxima, and what else only chooses among its operands, are exact in any order and
// keep their laws; so do all operators on integers, which wrap.

// Laws gives the operators of a function the laws that a mode allows.
func Laws(f *ein.Func, mode numerics.Mode) *ein.Func {
	f = f.Clone()
	for _, c := range f.Body {
		changed := map[*ein.Operator]*ein.Operator{}
		for _, i := range c.Indices {
			if i.Combine.Op == nil || !rounds(i.Combine.Op) {
				continue
			}
			if changed[i.Combine.Op] == nil {
				changed[i.Combine.Op] = withLaws(i.Combine.Op, c, mode)
			}
			i.Combine.Op = changed[i.Combine.Op]
		}
	}
	return f
}

// rounds reports whether an operator computes with floats, and not merely chooses among them.
func rounds(o *ein.Operator) bool {
	switch o.Kind {
	case ein.MinOp, ein.MaxOp, ein.ArgMinOp, ein.ArgMaxOp:
		return false
	}
	return slices.ContainsFunc(o.Types(), tensor.DType.IsFloat) && slices.ContainsFunc(o.Body, computesFloat)
}

// computesFloat reports whether an expression has an operation that may round.
func computesFloat(e ein.Expr) (found bool) {
	ein.Walk(e, func(e ein.Expr) bool {
		switch e := e.(type) {
		case *ein.Binary:
			switch e.Op {
			case ein.Add, ein.Sub, ein.Mul, ein.Div, ein.Mod:
				found = found || e.Type().IsFloat()
			}
		case *ein.Call, *ein.Cast:
			found = found || e.Type().IsFloat()
		}
		return !found
	})
	return found
}

// withLaws returns the operator with the laws that a mode allows it in a comprehension.
func withLaws(o *ein.Operator, c *ein.Comprehension, mode numerics.Mode) *ein.Operator {
	copied := *o
	switch mode {
	case numerics.Strict:
		copied.Associative, copied.Commutative, copied.Distributive = false, false, false
	case numerics.Fast:
		copied.Distributive = o.Kind == ein.SumOp && len(leaving(c)) > 0
	default:
		copied.Distributive = o.Kind == ein.SumOp && len(leaving(c)) > 0 && keepsRange(leaving(c))
	}
	return &copied
}

// leastFactor is the least magnitude of a factor that leaves a sum unguarded: where the sum of the
// magnitudes of all terms is below a quarter of the largest number, that of the terms without
// the factor is no greater than the largest number.
const leastFactor = 0.25

// leaving lists the factors of a term that may leave its sum, or a part of it: those that not
// every reduced index is in.
func leaving(c *ein.Comprehension) (list []ein.Expr) {
	if len(c.Values) != 1 {
		return nil
	}
	for _, f := range ein.Factors(c.Values[0]) {
		if slices.ContainsFunc(c.ByKind(ein.Reduce), func(i *ein.Index) bool { return !ein.DependsOn(f, i) }) {
			list = append(list, f)
		}
	}
	return list
}

// keepsRange reports whether partial sums without some of the factors overflow no earlier than those
// with them: they are constants of sufficient magnitude.
func keepsRange(factors []ein.Expr) bool {
	product := 1.0
	for _, f := range factors {
		constant, ok := f.(*ein.Const)
		if !ok || !constant.DType.IsFloat() {
			return false
		}
		v := max(constant.Float(), -constant.Float())
		if product *= v; !(v >= leastFactor && product >= leastFactor) {
			return false
		}
	}
	return true
}
