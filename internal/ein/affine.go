package ein

import (
	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// FromAffine turns an affine expression over indices, by their names, and sizes into
// an int64 expression. Terms that use no index become one size.
func FromAffine(e affine.Expr, indices map[string]*Index, pos source.Span) Expr {
	return (&fromAffine{indices, pos}).expr(e)
}

type fromAffine struct {
	indices map[string]*Index
	pos     source.Span
}

func (s *fromAffine) usesIndex(e affine.Expr) bool {
	used := map[string]bool{}
	e.Symbols(used)
	for name := range used {
		if s.indices[name] != nil {
			return true
		}
	}
	return false
}

func (s *fromAffine) binary(op BinaryOp, x, y Expr) Expr {
	if x == nil {
		return y
	}
	return &Binary{Pos: s.pos, Op: op, X: x, Y: y}
}

func (s *fromAffine) expr(e affine.Expr) Expr {
	var sum Expr
	rest := e
	for _, t := range e.Terms() {
		term := affine.Const(t.Coefficient)
		var product Expr
		free := affine.Const(t.Coefficient)
		for _, a := range t.Atoms {
			atom := exprOfAtom(a)
			term = term.Mul(atom)
			if s.usesIndex(atom) {
				product = s.binary(Mul, product, s.atom(a))
			} else {
				free = free.Mul(atom)
			}
		}
		if product == nil {
			continue
		}
		rest = rest.Sub(term)
		if n, ok := free.IsConst(); !ok || n != 1 {
			product = s.binary(Mul, s.size(free), product)
		}
		sum = s.binary(Add, sum, product)
	}
	if n, ok := rest.IsConst(); ok && n == 0 && sum != nil {
		return sum
	}
	return s.binary(Add, sum, s.size(rest))
}

func (s *fromAffine) size(e affine.Expr) Expr {
	if n, ok := e.IsConst(); ok {
		return &Const{Pos: s.pos, DType: tensor.Int64, Bits: uint64(n)}
	}
	return &SizeRef{Pos: s.pos, Size: e}
}

func (s *fromAffine) atom(a affine.Atom) Expr {
	if a.Op == "" {
		return &IndexRef{Pos: s.pos, Index: s.indices[a.Symbol]}
	}
	op := map[affine.Op]BinaryOp{affine.FloorDiv: Div, affine.Mod: Mod, affine.Min: Min, affine.Max: Max}[a.Op]
	return &Binary{Pos: s.pos, Op: op, X: s.expr(a.X), Y: s.expr(a.Y)}
}

func exprOfAtom(a affine.Atom) affine.Expr {
	if a.Op == "" {
		return affine.Symbol(a.Symbol)
	}
	return affine.Apply(a.Op, a.X, a.Y)
}
