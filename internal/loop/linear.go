package loop

import (
	"fmt"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
)

// A linear is Σ coefficient·term + constant, in the arithmetic of int64. Terms are
// variables and what is not linear, told apart by text.
type linear struct {
	terms    map[string]int64
	constant int64
}

// Distance returns x - y, where that is the same number whatever the variables are.
func Distance(x, y Expr) (distance int64, known bool) {
	sum := linear{terms: map[string]int64{}}
	sum.add(x, 1)
	sum.add(y, -1)
	for _, c := range sum.terms {
		if c != 0 {
			return 0, false
		}
	}
	return sum.constant, true
}

// Residue returns e modulo m, where that is the same number whatever the variables are.
func Residue(e Expr, m int64) (residue int64, known bool) {
	sum := linear{terms: map[string]int64{}}
	sum.add(e, 1)
	for _, c := range sum.terms {
		if c%m != 0 {
			return 0, false
		}
	}
	return (sum.constant%m + m) % m, true
}

// add adds a multiple of an expression.
func (s *linear) add(e Expr, factor int64) {
	switch e := e.(type) {
	case *Const:
		s.constant += factor * int64(e.Bits)
		return
	case *Binary:
		switch e.Op {
		case ein.Add:
			s.add(e.X, factor)
			s.add(e.Y, factor)
			return
		case ein.Sub:
			s.add(e.X, factor)
			s.add(e.Y, -factor)
			return
		case ein.Mul:
			if c, ok := e.Y.(*Const); ok {
				s.add(e.X, factor*int64(c.Bits))
				return
			}
			if c, ok := e.X.(*Const); ok {
				s.add(e.Y, factor*int64(c.Bits))
				return
			}
		}
	}
	s.terms[termText(e)] += factor
}

// termText is a text that only equal expressions over the same variables have.
func termText(e Expr) string {
	if v, ok := e.(*VarRef); ok {
		return fmt.Sprintf("%p", v.Var)
	}
	var b strings.Builder
	b.WriteString(ExprText(e))
	WalkExpr(e, Visitor{Expr: func(e Expr) {
		if v, ok := e.(*VarRef); ok {
			fmt.Fprintf(&b, " %p", v.Var)
		}
	}})
	return b.String()
}
