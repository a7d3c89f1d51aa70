package rewrite

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/numerics"
)

// How factors leave sums
//
// Factors of a term that not every reduced index is in may be multiplied with a sum instead of with
// its terms: Σ s·a·b = s·Σ a·b, and of the sum over k and l of b(k,l)·d(l)·c(k) those over l may come
// first, Σ_k c(k)·Σ_l b(k,l)·d(l). Which of them do follows from where a schedule has accumulators; that they
// may is a law of the operator (ein.Operator.Distributive). It is given
//
//   - in the mode fast, always;
//   - where the factors are constants of which partial sums only become smaller: with a magnitude of
//     leastFactor and more, partial sums are finite as long as the sum of the magnitudes of the terms is
//     below a quarter of the largest number;
//   - with a guard (guard.go), where that costs little: sums of many terms, whose operands are read many times,
//     so that multiplications count.
//
// Elsewhere products stay as they are written, which takes one more multiplication for each factor, and for a
// single one at most twice as long.

const (
	leastFactor = 0.25
	leastReuse  = 16 // terms for each element of an operand
)

// Factors lets factors leave sums where a mode of numerics allows it.
func Factors(f *ein.Func, mode numerics.Mode) *ein.Func {
	f = f.Clone()
	if f.Direct || mode == numerics.Strict {
		return f
	}
	var body []*ein.Comprehension
	for _, c := range f.Body {
		switch list := leaving(c); {
		case len(list) == 0:
			body = append(body, c)
		case mode == numerics.Fast || keepsRange(list):
			distribute(c)
			body = append(body, c)
		case mayGuardFactors(c):
			statements := guarded(f, c, c.Indices, c.Values[0])
			distribute(statements[0])
			body = append(body, statements...)
		default:
			body = append(body, c)
		}
	}
	f.Body = body
	return f
}

// leaving lists the factors of the terms of a sum of floats that may leave it, or a part of it.
func leaving(c *ein.Comprehension) (list []ein.Expr) {
	op := onlyOperator(c)
	if op == nil || op.Kind != ein.SumOp || !op.Types()[0].IsFloat() || len(c.Values) != 1 {
		return nil
	}
	factors := ein.Factors(c.Values[0])
	for _, f := range factors {
		if len(factors) > 1 && slices.ContainsFunc(c.ByKind(ein.Reduce), func(i *ein.Index) bool { return !ein.DependsOn(f, i) }) {
			list = append(list, f)
		}
	}
	if len(list) == len(factors) && !slices.ContainsFunc(c.ByKind(ein.Reduce), func(i *ein.Index) bool { return leavesAlone(factors, i) }) {
		return nil // a product such as a(k)·b(l)
	}
	return list
}

// leavesAlone reports whether some factors do not depend on a reduced index, and some do.
func leavesAlone(factors []ein.Expr, i *ein.Index) bool {
	n := 0
	for _, f := range factors {
		if ein.DependsOn(f, i) {
			n++
		}
	}
	return n > 0 && n < len(factors)
}

// keepsRange reports whether partial sums without some of the factors overflow no earlier than those
// with them.
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

// mayGuardFactors reports whether a sum may be guarded, and it is worth it.
func mayGuardFactors(c *ein.Comprehension) bool {
	if !isPlain(c) || len(c.Writes) != 1 || contains(c, isChecked) || contains(c, isSelect) || c.Values[0].Type() != onlyOperator(c).Types()[0].Compute() {
		return false
	}
	n := points(c.Indices)
	for _, a := range c.Accesses() {
		elements := 1.0
		for _, d := range a.Tensor.Dims {
			extent, _ := d.Extent.IsConst()
			elements *= float64(extent)
		}
		if elements*leastReuse > n {
			return false
		}
	}
	return n > smallKernel && guardCosts(c) <= guardShare*n
}

func isSelect(e ein.Expr) bool {
	_, ok := e.(*ein.Select)
	return ok
}

// distribute gives the operators of a sum the law that lets factors leave it.
func distribute(c *ein.Comprehension) {
	changed := map[*ein.Operator]*ein.Operator{}
	for _, i := range c.ByKind(ein.Reduce) {
		op := i.Combine.Op
		if changed[op] == nil {
			copied := *op
			copied.Distributive = true
			changed[op] = &copied
		}
		i.Combine.Op = changed[op]
	}
}
