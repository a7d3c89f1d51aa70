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
// may make of that, schedules and the lowering above all, stands in the operator. In the mode
// strict those that round (sums, products, and a user's operators on floats) are ordered:
// neither associative nor commutative, so that every rule of a fixed order holds for them. In the
// mode default products are: parts of them may overflow where, from the first to the last, they do
// not. Sums may be reordered, and whether factors leave them is decided when statements have been
// fused (factors.go). A user's operator has the laws that the program states.
//
// Minima and maxima, and what else only chooses among its operands, are exact in any order and
// keep their laws; so do all operators on integers, which wrap.

// Laws gives the operators of a function the laws that a mode allows.
func Laws(f *ein.Func, mode numerics.Mode) *ein.Func {
	f = f.Clone()
	for _, c := range f.Body {
		changed := map[*ein.Operator]*ein.Operator{}
		for _, i := range c.Indices {
			if i.Combine.Op == nil || mayReorder(i.Combine.Op, mode) {
				continue
			}
			if changed[i.Combine.Op] == nil {
				copied := *i.Combine.Op
				copied.Associative, copied.Commutative, copied.Distributive = false, false, false
				changed[i.Combine.Op] = &copied
			}
			i.Combine.Op = changed[i.Combine.Op]
		}
	}
	return f
}

// mayReorder reports whether a mode lets folds with an operator run in any order.
func mayReorder(o *ein.Operator, mode numerics.Mode) bool {
	switch mode {
	case numerics.Strict:
		return !rounds(o)
	case numerics.Default:
		return !rounds(o) || o.Kind != ein.ProductOp
	}
	return true
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
