package ein

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
)

// Children returns the direct sub-expressions of e in the order of the text.
func Children(e Expr) []Expr {
	switch e := e.(type) {
	case *Access:
		return e.Subscripts
	case *Unary:
		return []Expr{e.X}
	case *Binary:
		return []Expr{e.X, e.Y}
	case *Call:
		return e.Args
	case *Select:
		return []Expr{e.Cond, e.Then, e.Else}
	case *Cast:
		return []Expr{e.X}
	case *Let:
		return []Expr{e.Value, e.Body}
	}
	return nil
}

// Walk calls visit for e and, where visit returns true, for everything below it.
func Walk(e Expr, visit func(Expr) bool) {
	if !visit(e) {
		return
	}
	for _, child := range Children(e) {
		Walk(child, visit)
	}
}

// Map rebuilds e bottom-up: every node whose children changed is copied, then
// replaced by what change returns. The original is not modified.
func Map(e Expr, change func(Expr) Expr) Expr {
	switch n := e.(type) {
	case *Access:
		c := *n
		c.Subscripts = mapList(n.Subscripts, change)
		e = &c
	case *Unary:
		c := *n
		c.X = Map(n.X, change)
		e = &c
	case *Binary:
		c := *n
		c.X, c.Y = Map(n.X, change), Map(n.Y, change)
		e = &c
	case *Call:
		c := *n
		c.Args = mapList(n.Args, change)
		e = &c
	case *Select:
		c := *n
		c.Cond, c.Then, c.Else = Map(n.Cond, change), Map(n.Then, change), Map(n.Else, change)
		e = &c
	case *Cast:
		c := *n
		c.X = Map(n.X, change)
		e = &c
	case *Let:
		c := *n
		c.Value, c.Body = Map(n.Value, change), Map(n.Body, change)
		e = &c
	}
	return change(e)
}

func mapList(list []Expr, change func(Expr) Expr) []Expr {
	mapped := make([]Expr, len(list))
	for i, e := range list {
		mapped[i] = Map(e, change)
	}
	return mapped
}

// Accesses returns every access in the values of the comprehension, subscripts
// of subscripts included, in the order of the text.
func (c *Comprehension) Accesses() []*Access {
	var list []*Access
	for _, v := range c.Values {
		Walk(v, func(e Expr) bool {
			if a, ok := e.(*Access); ok {
				list = append(list, a)
			}
			return true
		})
	}
	return list
}

// Contains reports whether an expression, or one in it, has a property.
func Contains(e Expr, property func(Expr) bool) bool {
	found := false
	Walk(e, func(e Expr) bool {
		found = found || property(e)
		return !found
	})
	return found
}

// AffineOf returns an integer expression as an affine.Expr over index and size
// names; ok is false for anything that reads a tensor, selects or casts to a
// narrower type, and for numbers so large that sums may wrap around, which those of
// package affine never do.
func AffineOf(e Expr) (result affine.Expr, ok bool) {
	return AffineWhere(e, func(affine.Expr) bool { return false })
}

// AffineWhere is AffineOf, with quotients by sizes that are known to be positive, too.
func AffineWhere(e Expr, positive func(divisor affine.Expr) bool) (result affine.Expr, ok bool) {
	result, ok = affineOf(e, positive)
	return result, ok && !slices.ContainsFunc(result.Terms(), mayWrap)
}

// mayWrap is beyond all extents of arrays.
func mayWrap(t affine.Term) bool {
	const most = 1 << 48
	return t.Coefficient > most || t.Coefficient < -most
}

func affineOf(e Expr, positive func(affine.Expr) bool) (result affine.Expr, ok bool) {
	switch e := e.(type) {
	case *Const:
		return affine.Const(e.Int()), e.DType.IsInteger()
	case *IndexRef:
		return affine.Symbol(e.Index.Name), true
	case *SizeRef:
		return e.Size, true
	case *Unary:
		x, ok := AffineWhere(e.X, positive)
		return x.Scale(-1), ok && e.Op == Neg && e.Type().IsInteger()
	case *Binary:
		if !e.Type().IsInteger() {
			return affine.Expr{}, false
		}
		x, okX := AffineWhere(e.X, positive)
		y, okY := AffineWhere(e.Y, positive)
		if !okX || !okY {
			return affine.Expr{}, false
		}
		return affineBinary(e.Op, x, y, positive)
	}
	return affine.Expr{}, false
}

func affineBinary(op BinaryOp, x, y affine.Expr, positive func(affine.Expr) bool) (affine.Expr, bool) {
	switch op {
	case Add:
		return x.Add(y), true
	case Sub:
		return x.Sub(y), true
	case Mul:
		return x.Mul(y), true
	case Min:
		return affine.MinOf(x, y), true
	case Max:
		return affine.MaxOf(x, y), true
	}
	// ein defines x/0 = 0, affine leaves it undefined: a divisor that is not 0 is the same in both.
	if n, ok := y.IsConst(); !(ok && n != 0) && !positive(y) {
		return affine.Expr{}, false
	}
	switch op {
	case Div:
		return affine.Div(x, y), true
	case Mod:
		return affine.Rem(x, y), true
	}
	return affine.Expr{}, false
}
