package tc

import (
	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/tensor"
)

// How phases keep their digits
//
// cos(2*3.14159265*k*n/N) of a program in float32 has the argument 1.5 million where k and n are 500, of which 24
// bits leave errors of 0.06. C and NumPy compute such arguments in double, since their literals are. So functions,
// remainders, comparisons and conversions to integers of what is made of literals, indices, sizes and integer scalars alone are
// computed in float64 here, whatever their result meets; + - * / alone lose no more than the last digit.

// takesPhase reports whether an expression is a function or a remainder of that kind.
func (s *statement) takesPhase(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.Apply:
		return s.isPhase(e)
	case *syntax.Binary:
		return e.Op == "%" && s.isPhase(e)
	}
	return false
}

// isPhase reports whether an expression is made of literals, indices, sizes and integer scalars alone.
func (s *statement) isPhase(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.Name:
		if found := s.lets[e.Name]; found != nil {
			return once(&found.phase, func() bool { return s.isPhase(found.clause.Value) })
		}
		t := s.def.symbols[e.Name]
		return t == nil || t.size != nil || t.scalar != nil && t.Type.IsInteger()
	case *syntax.Apply:
		if _, moves := boundaryFunctions[e.Func.Name]; moves || s.def.symbols[e.Func.Name] != nil {
			return false
		}
		if s.def.length(e) != nil {
			return true
		}
	case *syntax.CastExpr:
		if to, _ := syntax.ScalarType(e.To); !to.IsInteger() || to == tensor.Bool {
			return false // float(i) is a float32
		}
	}
	for _, x := range operands(e) {
		if !s.isPhase(x) {
			return false
		}
	}
	return true
}
