package loop

// A rational is a rational number in lowest terms; the denominator is positive. It
// is fast, and arithmetic that leaves the range panics with a rangeError: the proof
// that needs such numbers is given up.
type rational struct{ numerator, denominator int64 }

// A rangeError is the panic of ratios that do not fit.
type rangeError struct{}

func whole(n int64) rational { return rational{n, 1} }

func checked(n int64, ok bool) int64 {
	if !ok {
		panic(rangeError{})
	}
	return n
}

func lowest(n, d int64) rational {
	if g := gcd(n, d); g > 1 {
		n, d = n/g, d/g
	}
	if d < 0 {
		n, d = checked(mulExact(n, -1)), checked(mulExact(d, -1))
	}
	return rational{n, d}
}

func (r rational) times(s rational) rational {
	if r.numerator == 0 || s.numerator == 0 {
		return whole(0)
	}
	g, h := gcd(r.numerator, s.denominator), gcd(s.numerator, r.denominator)
	return rational{checked(mulExact(r.numerator/g, s.numerator/h)), checked(mulExact(r.denominator/h, s.denominator/g))}
}

func (r rational) plus(s rational) rational {
	if r.denominator == 1 && s.denominator == 1 {
		return whole(checked(addExact(r.numerator, s.numerator)))
	}
	g := gcd(r.denominator, s.denominator)
	x, y := checked(mulExact(r.numerator, s.denominator/g)), checked(mulExact(s.numerator, r.denominator/g))
	return lowest(checked(addExact(x, y)), checked(mulExact(r.denominator, s.denominator/g)))
}

func (r rational) negative() rational {
	return rational{checked(mulExact(r.numerator, -1)), r.denominator}
}
func (r rational) minus(s rational) rational { return r.plus(s.negative()) }
func (r rational) inverse() rational         { return lowest(r.denominator, r.numerator) }
func (r rational) compare(s rational) int    { return r.minus(s).sign() }
func (r rational) sign() int                 { return sign(r.numerator) }
func (r rational) isInteger() bool           { return r.denominator == 1 }
func (r rational) floor() int64              { return floorDivide(r.numerator, r.denominator) }

func sign(n int64) int {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}
