package tc

import (
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// How products of sizes stay what they are
//
// A size or an index is an int32 in a value, and that each fits is a condition of
// the call. Their products do not: 1.0/(H*W) of a picture of 65536 × 65536 would
// divide by 0. Arithmetic of sizes, indices and literals alone is therefore done in
// 64 bits, as in subscripts, where it has a product. Where such a value becomes a
// float or an int64 it is exact; where it meets other int32 it must fit, which is
// a condition again. What later passes know to be small they compute in few bits.
//
// A scalar that one statement makes of sizes alone, as n = H*W, is such a value itself, in subscripts and ranges,
// too. Integer scalars of another origin have bounds that nobody knows: their products are done in 64 bits where they become
// a float or an int64, and are int32 otherwise.

// An exactUse is an exact value that must fit in int32.
type exactUse struct {
	value ein.Expr
	pos   source.Span
}

// exactProduct reports whether e is arithmetic of sizes, indices and literals with
// a product.
func (s *statement) exactProduct(e syntax.Expr) bool {
	return s.spelledProduct(e) && s.ofSizes(e)
}

// spelledProduct reports whether a product of other than two literals is written in e.
func (s *statement) spelledProduct(e syntax.Expr) bool {
	if b, ok := e.(*syntax.Binary); ok && b.Op == "*" && !s.types[b].constant {
		return true
	}
	if name, ok := e.(*syntax.Name); ok {
		if found := s.lets[name.Name]; found != nil {
			return once(&found.product, func() bool { return s.spelledProduct(found.clause.Value) })
		}
	}
	for _, x := range operands(e) {
		if s.spelledProduct(x) {
			return true
		}
	}
	return false
}

// ofSizes reports whether e is integer arithmetic of sizes, indices and literals.
func (s *statement) ofSizes(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.Number:
		return s.types[e].isInteger() && s.types[e].weak == weakInt
	case *syntax.SizeAccess:
		return true
	case *syntax.Apply:
		return s.def.length(e) != nil
	case *syntax.Name:
		if found := s.lets[e.Name]; found != nil {
			return once(&found.sizes, func() bool { return s.ofSizes(found.clause.Value) })
		}
		t := s.def.symbols[e.Name]
		return t == nil || t.size != nil
	case *syntax.Paren:
		return s.ofSizes(e.X)
	case *syntax.Unary:
		return e.Op == "-" && s.ofSizes(e.X)
	case *syntax.Binary:
		return binaryOperators[e.Op] <= ein.Mod && s.ofSizes(e.X) && s.ofSizes(e.Y)
	}
	return false
}

// noteSize finds out whether the statement makes a scalar of sizes alone.
func (l *lowering) noteSize(p *prover) {
	s, t := l.statement, l.targets[0]
	if s.kind != comprehension || s.syntax.Assign.Op != "" || len(s.syntax.Where) > 0 || t.rank != 0 || t.writers != 1 || t.Role == ein.InOut || !t.Type.IsInteger() || t.Type == tensor.Bool {
		return
	}
	if s.readsOther(s.syntax.Value) {
		return
	}
	trial := &prover{facts: p.facts.Clone(), inside: p.inside.Clone(), box: p.box}
	if size, bad := l.sizeExpr(s.syntax.Value, trial); bad == nil && moderate(size) && len(trial.conditions) == 0 {
		t.size = &size
		if t.Type.Size() == 4 {
			p.require(affine.Const(math.MaxInt32).Sub(size), s.syntax.Value.Span(), oneLine(s.syntax.Value.Span().Text())+" is stored in "+t.Name+", which is an int32")
		}
	}
}

// readsOther reports whether an expression reads a tensor or a scalar that is not made of sizes alone.
func (s *statement) readsOther(e syntax.Expr) bool {
	if name, ok := e.(*syntax.Name); ok {
		t := s.def.symbols[name.Name]
		return t != nil && t.size == nil
	}
	if call, ok := e.(*syntax.Apply); ok && (s.def.length(call) != nil || s.def.symbols[call.Func.Name] != nil) {
		return s.def.length(call) == nil
	}
	return slices.ContainsFunc(operands(e), s.readsOther)
}

// scalarProduct reports whether e is 32-bit arithmetic of integer scalars, sizes, indices and literals with a product.
func (s *statement) scalarProduct(e syntax.Expr) bool {
	return s.types[e].dtype == tensor.Int32 && s.spelledProduct(e) && s.ofScalars(e)
}

func (s *statement) ofScalars(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.Name:
		if found := s.lets[e.Name]; found != nil {
			return once(&found.scalars, func() bool { return s.ofScalars(found.clause.Value) })
		}
		t := s.def.symbols[e.Name]
		return t == nil || t.rank == 0 && t.Type.IsInteger() && t.Type != tensor.Bool && t.Type.Size() <= 4
	case *syntax.Paren:
		return s.ofScalars(e.X)
	case *syntax.Unary:
		return e.Op == "-" && s.ofScalars(e.X)
	case *syntax.Binary:
		return binaryOperators[e.Op] <= ein.Mod && s.ofScalars(e.X) && s.ofScalars(e.Y)
	}
	return s.ofSizes(e)
}

// wide computes integer arithmetic of scalars in 64 bits.
func (l *lowering) wide(e syntax.Expr) ein.Expr {
	switch e := e.(type) {
	case *syntax.Name:
		if found := l.lets[e.Name]; found != nil && l.spend(e.Pos) {
			return l.wide(found.clause.Value)
		}
	case *syntax.Paren:
		return l.wide(e.X)
	case *syntax.Unary:
		return &ein.Unary{Pos: e.Pos, Op: ein.Neg, X: l.wide(e.X)}
	case *syntax.Binary:
		return &ein.Binary{Pos: e.Pos, Op: binaryOperators[e.Op], X: l.wide(e.X), Y: l.wide(e.Y)}
	}
	return l.value(e, tensor.Int64)
}

// holdsMore reports whether a type has room for products that int32 has not.
func holdsMore(t tensor.DType) bool { return t.IsFloat() || t.IsInteger() && t.Size() == 8 }

// once asks a question about a let that other lets repeat: lets of lets double it
// again and again.
func once[T any](known **T, ask func() T) T {
	if *known == nil {
		answer := ask()
		*known = &answer
	}
	return **known
}

// exactValue computes in 64 bits; what becomes narrower must fit in int32.
func (l *lowering) exactValue(e syntax.Expr, want tensor.DType) ein.Expr {
	for paren, ok := e.(*syntax.Paren); ok; paren, ok = e.(*syntax.Paren) {
		e = paren.X
	}
	if want.IsFloat() && l.placesOf(e) > 63 {
		return convert(l.becomesFloat(e), want, e.Span())
	}
	value := l.subscript(e)
	if want.IsInteger() && want.Size() <= 4 && !l.exists {
		l.exacts = append(l.exacts, exactUse{value, e.Span()})
	}
	return convert(value, want, e.Span())
}

// checkExact requires that exact values which meet int32 fit.
func (l *lowering) checkExact(p *prover) {
	for _, use := range l.exacts {
		e, ok := p.affineOf(use.value)
		if !ok {
			continue
		}
		lo, hi, ok := p.inside.Extremes(e, p.box)
		if !ok {
			if lo, hi, ok = p.monotone(e); !ok {
				continue
			}
		}
		reason := oneLine(use.pos.Text()) + " is used as a value, which is an int32"
		for _, need := range []affine.Expr{affine.Const(math.MaxInt32).Sub(hi), lo.AddConst(-math.MinInt32)} {
			if p.requireUnder(p.inside, need, use.pos, reason) == affine.Never {
				l.errorf(source.CodeLiteral, use.pos, "%s, and is larger for all sizes", reason).WithHelp("convert an operand: int64(…)")
				return
			}
		}
	}
}
