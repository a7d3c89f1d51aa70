package integer

import (
	"math/bits"
	"strconv"
)

// widened returns the row with coefficients for n variables.
func (r row) widened(n int) row {
	if len(r.coefficients) >= n {
		return r
	}
	wide := make([]int64, n)
	copy(wide, r.coefficients)
	return row{wide, r.constant}
}

// combined returns a·r + b·q.
func (r row) combined(a int64, q row, b int64) row {
	sum := row{coefficients: make([]int64, len(r.coefficients))}
	for v := range sum.coefficients {
		sum.coefficients[v] = add(multiply(a, r.coefficients[v]), multiply(b, q.coefficients[v]))
	}
	sum.constant = add(multiply(a, r.constant), multiply(b, q.constant))
	return sum
}

// substituted replaces variable v by the value of a row in which v does not occur.
func (r row) substituted(v int, value row) row {
	c := r.coefficients[v]
	if c == 0 {
		return r
	}
	sum := r.combined(1, value, c)
	sum.coefficients[v] = add(sum.coefficients[v], -c)
	return sum
}

// value computes the row, in which only variables with a value occur.
func (r row) value(values []int64) int64 {
	sum := r.constant
	for v, c := range r.coefficients {
		if c != 0 {
			sum = add(sum, multiply(c, values[v]))
		}
	}
	return sum
}

// divisor returns the greatest common divisor of the coefficients, 0 when all are 0.
func (r row) divisor() int64 {
	g := int64(0)
	for _, c := range r.coefficients {
		g = gcd(g, c)
	}
	return g
}

// divided returns the row with all coefficients divided by g, which divides them;
// the constant is rounded down.
func (r row) divided(g int64) row {
	if g == 1 {
		return r
	}
	q := row{coefficients: make([]int64, len(r.coefficients)), constant: floorDiv(r.constant, g)}
	for v, c := range r.coefficients {
		q.coefficients[v] = c / g
	}
	return q
}

// key is a text of the coefficients, for finding parallel rows. sign is that of
// the first coefficient, by which all are multiplied.
func (r row) key() (text string, sign int64) {
	var b []byte
	for v, c := range r.coefficients {
		if c == 0 {
			continue
		}
		if sign == 0 {
			if sign = 1; c < 0 {
				sign = -1
			}
		}
		b = strconv.AppendInt(b, int64(v), 10)
		b = append(b, ':')
		b = strconv.AppendInt(b, c*sign, 10)
		b = append(b, ' ')
	}
	return string(b), sign
}

func add(x, y int64) int64 {
	sum := x + y
	if (sum > x) != (y > 0) && y != 0 {
		panic(errLimit)
	}
	return sum
}

func multiply(x, y int64) int64 {
	high, low := bits.Mul64(magnitude(x), magnitude(y))
	if high != 0 || low >= 1<<62 {
		panic(errLimit)
	}
	if (x < 0) != (y < 0) {
		return -int64(low)
	}
	return int64(low)
}

func magnitude(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

func gcd(x, y int64) int64 {
	a, b := magnitude(x), magnitude(y)
	for b != 0 {
		a, b = b, a%b
	}
	return int64(a)
}

func floorDiv(x, y int64) int64 {
	q := x / y
	if x%y != 0 && (x < 0) != (y < 0) {
		q--
	}
	return q
}

func ceilDiv(x, y int64) int64 { return -floorDiv(-x, y) }
