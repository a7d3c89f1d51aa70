package field

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
)

// A scalar is a number that an expansion computes, made of others; equal ones are one pointer. Factors that are constants
// stand outside of it (see scaled), so what differs in them only is one scalar, too.
type scalar struct {
	op    Op       // Tensor for what is given, Add, Mul, Div, Power, Min, Max or a function
	atom  ein.Expr // of Tensor
	args  []scaled // of Add: different scalars, the first with a positive factor; of Mul: factor 1
	power int      // of Power, at least 2
	id    int      // they are numbered as they are made
}

// A scaled is a constant times a scalar, or, where of is nil, a constant.
type scaled struct {
	by *big.Rat
	of *scalar
}

var (
	ratZero     = new(big.Rat)
	ratOne      = big.NewRat(1, 1)
	ratMinusOne = big.NewRat(-1, 1)
)

func constant64(n int64) scaled { return scaled{by: big.NewRat(n, 1)} }

func (v scaled) isConstant() bool { return v.of == nil }
func (v scaled) isZero() bool     { return v.by.Sign() == 0 }

// times is v·c.
func (v scaled) times(c *big.Rat) scaled {
	switch {
	case c.Sign() == 0:
		return scaled{by: ratZero}
	case c.Cmp(ratOne) == 0:
		return v
	}
	return scaled{new(big.Rat).Mul(v.by, c), v.of}
}

// scalars makes them.
type scalars struct {
	known map[string]*scalar
	atoms map[any]*scalar
	made  int
}

func newScalars() *scalars { return &scalars{known: map[string]*scalar{}, atoms: map[any]*scalar{}} }

func (s *scalars) intern(n scalar) *scalar {
	var key strings.Builder
	fmt.Fprintf(&key, "%d^%d", n.op, n.power)
	for _, a := range n.args {
		key.WriteByte(' ')
		if a.of != nil {
			key.WriteString(strconv.Itoa(a.of.id))
		}
		if a.by != ratOne && a.by.Cmp(ratOne) != 0 {
			key.WriteString("*" + a.by.RatString())
		}
	}
	if old, ok := s.known[key.String()]; ok {
		return old
	}
	made := &n
	made.id = s.made
	s.made++
	s.known[key.String()] = made
	return made
}

// atom is a number that is given. Literals are constants.
func (s *scalars) atom(e ein.Expr) scaled {
	key := any(e)
	switch e := e.(type) {
	case *ein.Const:
		if v := new(big.Rat); e.DType.IsFloat() && v.SetFloat64(e.Float()) != nil {
			return scaled{by: v}
		}
	case *ein.LocalRef:
		key = e.Local
	}
	n, ok := s.atoms[key]
	if !ok {
		n = &scalar{op: Tensor, atom: e, id: s.made}
		s.made++
		s.atoms[key] = n
	}
	return scaled{ratOne, n}
}

// add is a sum: equal scalars are put together, and those that cancel each other vanish.
func (s *scalars) add(list []scaled) scaled {
	parts := slices.DeleteFunc(slices.Clone(list), scaled.isZero)
	slices.SortStableFunc(parts, func(a, b scaled) int { return a.order() - b.order() })
	merged := parts[:0]
	for _, p := range parts {
		if n := len(merged); n > 0 && merged[n-1].of == p.of {
			p.by = new(big.Rat).Add(merged[n-1].by, p.by)
			merged = merged[:n-1]
		}
		if !p.isZero() {
			merged = append(merged, p)
		}
	}
	switch len(merged) {
	case 0:
		return scaled{by: ratZero}
	case 1:
		return merged[0]
	}
	// The sign of the first stands outside, so that e and −e are one.
	sign := ratOne
	if merged[0].by.Sign() < 0 {
		sign = ratMinusOne
		for n := range merged {
			merged[n] = merged[n].times(sign)
		}
	}
	return scaled{sign, s.intern(scalar{op: Add, args: slices.Clone(merged)})}
}

// order puts constants last.
func (v scaled) order() int {
	if v.of == nil {
		return math.MaxInt
	}
	return v.of.id
}

// mul is a product: equal factors are powers. A product among the factors stays one, since it may be used elsewhere.
func (s *scalars) mul(list []scaled) scaled {
	by := new(big.Rat).Set(ratOne)
	exponents := map[*scalar]int{}
	var bases []*scalar
	for _, f := range list {
		by.Mul(by, f.by)
		if f.of == nil {
			continue
		}
		base, n := f.of, 1
		if base.op == Power {
			base, n = base.args[0].of, base.power
		}
		if exponents[base] == 0 {
			bases = append(bases, base)
		}
		exponents[base] += n
	}
	if by.Sign() == 0 {
		return scaled{by: ratZero}
	}
	slices.SortFunc(bases, func(a, b *scalar) int { return a.id - b.id })
	var factors []scaled
	for _, b := range bases {
		factors = append(factors, s.raise(b, exponents[b]))
	}
	switch len(factors) {
	case 0:
		return scaled{by: by}
	case 1:
		return scaled{by, factors[0].of}
	}
	return scaled{by, s.intern(scalar{op: Mul, args: factors})}
}

func (s *scalars) raise(base *scalar, n int) scaled {
	if n == 1 {
		return scaled{ratOne, base}
	}
	return scaled{ratOne, s.intern(scalar{op: Power, args: []scaled{{ratOne, base}}, power: n})}
}

// pow is v^n.
func (s *scalars) pow(v scaled, n int) scaled {
	switch {
	case n < 0:
		return s.div(constant64(1), s.pow(v, -n))
	case n == 0:
		return constant64(1)
	}
	by := new(big.Rat).Set(v.by)
	for range n - 1 {
		by.Mul(by, v.by)
	}
	if v.of == nil {
		return scaled{by: by}
	}
	return s.raise(v.of, n).times(by)
}

func (s *scalars) div(a, b scaled) scaled {
	switch {
	case b.isZero(): // what IEEE says of it
		return scaled{ratOne, s.intern(scalar{op: Div, args: []scaled{a, b}})}
	case a.isZero():
		return a
	}
	by := new(big.Rat).Quo(a.by, b.by)
	if b.of == nil {
		return scaled{by, a.of}
	}
	return scaled{by, s.intern(scalar{op: Div, args: []scaled{{ratOne, a.of}, {ratOne, b.of}}})}
}

// call is a function of one number, or Min or Max of two.
func (s *scalars) call(op Op, args ...scaled) scaled {
	if op == Min || op == Max {
		if a, b := args[0], args[1]; a.isConstant() && b.isConstant() {
			if (a.by.Cmp(b.by) < 0) == (op == Min) {
				return a
			}
			return b
		}
		return scaled{ratOne, s.intern(scalar{op: op, args: args})}
	}
	v := args[0]
	if v.isConstant() {
		if exact, ok := exactly(op, v.by); ok {
			return scaled{by: exact}
		}
		return scaled{ratOne, s.intern(scalar{op: op, args: args})}
	}
	switch op {
	case Abs:
		return scaled{new(big.Rat).Abs(v.by), s.intern(scalar{op: op, args: []scaled{{ratOne, v.of}}})}
	case Sgn:
		return scaled{big.NewRat(int64(v.by.Sign()), 1), s.intern(scalar{op: op, args: []scaled{{ratOne, v.of}}})}
	}
	return scaled{ratOne, s.intern(scalar{op: op, args: args})}
}

// exactly is the value of a function where that is rational.
func exactly(op Op, v *big.Rat) (*big.Rat, bool) {
	switch op {
	case Abs:
		return new(big.Rat).Abs(v), true
	case Sgn:
		return big.NewRat(int64(v.Sign()), 1), true
	}
	r, err := Exact{}.Function(op, v)
	return r, err == nil
}
