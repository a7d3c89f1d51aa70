package tc

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/tensor"
)

// How sums of weighted and chosen indices get room
//
// sx +=! x*I(y,x), b(i) ? i : 0 and min(i, K) are int32 as indices are, and nobody has asked for that: a moment of a picture of
// bytes is beyond 2³¹. Where indices, sizes and scalars meet conditions and numbers of few bits only, their sums and products
// are int64 as those of indices alone are (exact.go), unless a type is declared. Elements of 32 bits have been
// chosen by somebody, and so has a cast of anything else than few bits.

// sumsIndices reports whether a sum without a declared type is one of weighted or chosen indices.
func (s *statement) sumsIndices() bool {
	if s.targets[0].typed || !s.sums() {
		return false
	}
	few, indices := s.weighsIndices(s.syntax.Value)
	return few && indices
}

// weighsIndices reports whether an integer value has nothing in it but indices, sizes, scalars and numbers of few bits, and
// whether it has any of the former.
func (s *statement) weighsIndices(e syntax.Expr) (few, indices bool) {
	own := s.types[e]
	if own.constant && own.weak == weakInt {
		return true, false
	}
	if own.dtype == tensor.Bool || isSmall(own) {
		return true, false
	}
	if !own.isInteger() || own.weak == strong && own.dtype != tensor.Int32 {
		return false, false
	}
	var parts []syntax.Expr
	switch e := e.(type) {
	case *syntax.Name:
		if found := s.lets[e.Name]; found != nil {
			parts = []syntax.Expr{found.clause.Value}
			break
		}
		t := s.def.symbols[e.Name]
		return t == nil || t.rank == 0, true
	case *syntax.SizeAccess:
		return true, true
	case *syntax.Conditional:
		parts = []syntax.Expr{e.Then, e.Else}
	case *syntax.CastExpr:
		x := s.types[e.X]
		return x.dtype == tensor.Bool || isSmall(x), false
	case *syntax.Apply:
		if s.def.length(e) != nil {
			return true, true
		}
		if s.def.symbols[e.Func.Name] != nil || !slices.Contains([]string{"min", "max", ein.AbsoluteName}, e.Func.Name) {
			return false, false
		}
		parts = e.Args
	case *syntax.Binary:
		if binaryOperators[e.Op] > ein.Mod {
			return false, false
		}
		parts = operands(e)
		if e.Op == "/" || e.Op == "%" { // by a size, a number of few bits stays one
			few, _ := s.weighsIndices(e.Y)
			if !few {
				return false, false
			}
			parts = parts[:1]
		}
	default:
		parts = operands(e)
	}
	for _, x := range parts {
		isFew, isIndex := s.weighsIndices(x)
		if !isFew {
			return false, false
		}
		indices = indices || isIndex
	}
	return len(parts) > 0, indices
}

// wideSum computes such a value in 64 bits.
func (l *lowering) wideSum(e syntax.Expr) ein.Expr {
	switch x := withoutParens(e).(type) {
	case *syntax.Name:
		if found := l.lets[x.Name]; found != nil && l.spend(x.Pos) {
			return l.wideSum(found.clause.Value)
		}
	case *syntax.Conditional:
		return l.conditional(x, l.wideSum)
	case *syntax.Binary:
		if op := binaryOperators[x.Op]; op <= ein.Mod && !l.ofSizes(x) {
			return &ein.Binary{Pos: x.Pos, Op: op, X: l.wideSum(x.X), Y: l.wideSum(x.Y)}
		}
	}
	return l.value(e, tensor.Int64)
}
