package tc

import (
	"math"

	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
)

// How products and shifts by literals are judged that become 64 bits or floats
//
// Of a product of two int32 nothing is known, and somebody wanted room for it. d(i)*86400 needs room, too, for days that are no
// rare ones, and 3*A(i) does not, for nearly all A. Data are taken for numbers up to 2²⁴, as float32 has them, where a literal
// scales them: from a factor of 128, or x << 7, on there is a warning. What masks and remainders keep small stays silent.

// likely bounds data in products with literals.
const likely = 1 << 24

// joinsBits reports whether an operator puts bits beside each other.
func joinsBits(op string) bool { return op == "<<" || op == "|" || op == "^" }

// leavesRoom reports whether a product or a shift of 32 bits stays within them, as far as that is known.
func (s *statement) leavesRoom(e *syntax.Binary) bool {
	x, y := s.reach(e.X), s.reach(e.Y)
	switch e.Op {
	case "*":
		if math.IsInf(x, 1) != math.IsInf(y, 1) {
			if !s.types[e.X].constant && !s.types[e.Y].constant { // i*b(i) of bytes
				return true
			}
			x, y = s.likelyReach(e.X), s.likelyReach(e.Y)
		}
		return x*y < math.Ldexp(1, 31)
	case "<<":
		places := s.most(e.Y)
		if places >= 32 && !math.IsInf(places, 1) { // CodeShiftedOut tells of it where it is a literal
			return s.types[e.Y].constant
		}
		return !math.IsInf(places, 1) && math.Ldexp(s.likelyReach(e.X), int(places)) < math.Ldexp(1, 31)
	}
	return true
}

// likelyReach is the reach of an expression whose data are likely.
func (s *statement) likelyReach(e syntax.Expr) float64 {
	e = withoutParens(e)
	if known := s.reach(e); !math.IsInf(known, 1) {
		return known
	}
	switch e := e.(type) {
	case *syntax.Name:
		if found := s.lets[e.Name]; found != nil {
			return s.likelyReach(found.clause.Value)
		}
	case *syntax.Unary:
		return s.likelyReach(e.X)
	case *syntax.Conditional:
		return max(s.likelyReach(e.Then), s.likelyReach(e.Else))
	case *syntax.Binary:
		switch e.Op {
		case "+", "-":
			return s.likelyReach(e.X) + s.likelyReach(e.Y)
		case "*":
			return s.likelyReach(e.X) * s.likelyReach(e.Y)
		}
	}
	return likely
}
