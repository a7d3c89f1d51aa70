package rewrite

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// ranges knows which integers the expressions of a function may be.
type ranges struct {
	f       *ein.Func
	values  map[ein.Expr]interval
	locals  map[*ein.Local]interval
	tensors map[*ein.Tensor]interval
}

func newRanges(f *ein.Func) *ranges {
	return &ranges{f: f, values: map[ein.Expr]interval{}, locals: map[*ein.Local]interval{}, tensors: map[*ein.Tensor]interval{}}
}

// of returns what the value of an expression may be.
func (r *ranges) of(e ein.Expr) interval {
	if known, ok := r.values[e]; ok {
		return known
	}
	found := r.exact(e)
	if !found.fits(e.Type()) { // it wraps
		found = typeRange(e.Type())
	}
	r.values[e] = found
	return found
}

// exact is the range of a value before it wraps.
func (r *ranges) exact(e ein.Expr) interval {
	all := typeRange(e.Type())
	switch e := e.(type) {
	case *ein.Const:
		if e.DType == tensor.Uint64 && e.Int() < 0 || e.DType.IsFloat() {
			return all
		}
		return interval{e.Int(), e.Int()}
	case *ein.IndexRef:
		return indexRange(e.Index)
	case *ein.LocalRef:
		if known, ok := r.locals[e.Local]; ok {
			return known
		}
	case *ein.Access:
		return r.tensor(e.Tensor)
	case *ein.Unary:
		switch e.Op {
		case ein.Neg:
			return r.of(e.X).negated()
		case ein.Popcount, ein.Clz:
			return interval{0, int64(8 * e.Type().Size())}
		}
	case *ein.Binary:
		if e.Type().IsInteger() && e.Type() != tensor.Uint64 {
			found, _ := binaryRange(e.Op, r.of(e.X), r.of(e.Y))
			if e.Op == ein.Max && (isNegative(e.X, e.Y) || isNegative(e.Y, e.X)) && found.lo > all.lo { // but of the least number
				found.lo = max(found.lo, 0)
			}
			return found
		}
	case *ein.Select:
		return r.of(e.Then).union(r.of(e.Else))
	case *ein.Cast:
		if x := e.X.Type(); (x.IsInteger() || x == tensor.Bool) && e.To != tensor.Bool {
			return r.of(e.X)
		}
	case *ein.Let:
		r.locals[e.Var] = r.of(e.Value)
		return r.of(e.Body)
	}
	return all
}

// isNegative reports whether y is written as the negative of x.
func isNegative(x, y ein.Expr) bool {
	if u, ok := y.(*ein.Unary); ok && u.Op == ein.Neg {
		return ein.SameExpr(x, u.X)
	}
	a, okA := x.(*ein.Binary)
	b, okB := y.(*ein.Binary)
	return okA && okB && a.Op == ein.Sub && b.Op == ein.Sub && ein.SameExpr(a.X, b.Y) && ein.SameExpr(a.Y, b.X)
}

func indexRange(i *ein.Index) interval {
	lo, known := i.Min.IsConst()
	n, alsoKnown := i.Extent.IsConst()
	if !known || !alsoKnown || n < 1 || !hull(lo, n).isSmall() {
		return anything
	}
	return interval{lo, lo + n - 1}
}

// tensor returns what the elements of a tensor may be: anything for arguments, and for the
// others what the statements write.
func (r *ranges) tensor(t *ein.Tensor) interval {
	if known, ok := r.tensors[t]; ok {
		return known
	}
	all := typeRange(t.Type)
	r.tensors[t] = all // while those are looked at that write it, which may read it
	if t.Role != ein.Temp || !t.Type.IsInteger() {
		return all
	}
	var found []interval
	for _, c := range r.f.Body {
		for k, w := range c.Writes {
			if w.Tensor == t {
				found = append(found, r.result(c, k))
			}
		}
	}
	if len(found) == 0 {
		return all
	}
	joined := found[0]
	for _, other := range found[1:] {
		joined = joined.union(other)
	}
	r.tensors[t] = joined
	return joined
}

// result is what a statement's value number k may be after its reductions.
func (r *ranges) result(c *ein.Comprehension, k int) interval {
	t := c.Values[k].Type()
	all := typeRange(t)
	value := r.of(c.Values[k])
	if c.Accumulate != nil || t != c.Writes[k].Tensor.Type {
		return all
	}
	for _, i := range c.Indices {
		if i.Combine.Kind == ein.Concat {
			continue
		}
		n, known := i.Extent.IsConst()
		if !known || n < 1 || i.Combine.Kind == ein.Scan {
			return all
		}
		switch i.Combine.Op.Kind {
		case ein.MinOp, ein.MaxOp:
		case ein.SumOp:
			sum, _ := binaryRange(ein.Mul, value, interval{n, n})
			value = sum
		default:
			return all
		}
	}
	if !value.fits(t) {
		return all
	}
	return value
}
