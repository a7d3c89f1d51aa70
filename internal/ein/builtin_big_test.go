package ein

import (
	"math/big"
	"sync"
)

// Slow functions of arbitrary precision, from their power series: the oracle of
// the tests of the builtins.

const bigPrecision = 2400

func bigOf(x float64) *big.Float { return new(big.Float).SetPrec(bigPrecision).SetFloat64(x) }

func bigNew() *big.Float { return new(big.Float).SetPrec(bigPrecision) }

// bigSeries adds first, first·ratio(1), first·ratio(1)·ratio(2), … where ratio
// multiplies a term in place.
func bigSeries(first *big.Float, next func(term *big.Float, k int64)) *big.Float {
	sum, term := bigNew().Set(first), bigNew().Set(first)
	for k := int64(1); term.Sign() != 0 && term.MantExp(nil) > sum.MantExp(nil)-bigPrecision && k < 100000; k++ {
		next(term, k)
		sum.Add(sum, term)
	}
	return sum
}

func bigExp(x *big.Float) *big.Float {
	if x.Sign() < 0 {
		return bigNew().Quo(bigOf(1), bigExp(bigNew().Neg(x)))
	}
	halvings := max(0, x.MantExp(nil)+20)
	small := bigNew().SetMantExp(x, -halvings)
	sum := bigSeries(bigOf(1), func(term *big.Float, k int64) {
		term.Mul(term, small)
		term.Quo(term, bigNew().SetInt64(k))
	})
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

// bigLog solves exp(y) = x by Newton's method from a float64 start.
func bigLog(x float64) *big.Float {
	y := bigOf(log2(x) * 0.6931471805599453)
	for range 7 { // 50, 100, … bits
		ratio := bigNew().Quo(bigOf(x), bigExp(y))
		y.Add(y, ratio.Sub(ratio, bigOf(1)))
	}
	return y
}

var bigPi = sync.OnceValue(func() *big.Float {
	// Machin: π = 16 arctan(1/5) - 4 arctan(1/239)
	arctan := func(n int64) *big.Float {
		power := bigNew().Quo(bigOf(1), bigNew().SetInt64(n))
		square := bigNew().SetInt64(n * n)
		sum := bigNew().Set(power)
		for k := int64(3); k < 4000; k += 2 {
			power.Quo(power, square)
			power.Neg(power)
			sum.Add(sum, bigNew().Quo(power, bigNew().SetInt64(k)))
		}
		return sum
	}
	a := bigNew().Mul(bigOf(16), arctan(5))
	return a.Sub(a, bigNew().Mul(bigOf(4), arctan(239)))
})

// bigErfc is 1 - 2/√π Σ (-1)ᵏ x²ᵏ⁺¹ / (k! (2k+1)); the precision covers the
// cancellation up to |x| = 28.
func bigErfc(x *big.Float) *big.Float {
	square := bigNew().Mul(x, x)
	sum, power := bigNew(), bigNew().Set(x)
	for k := int64(0); k < 6000; k++ {
		sum.Add(sum, bigNew().Quo(power, bigNew().SetInt64(2*k+1)))
		power.Mul(power, square)
		power.Quo(power, bigNew().SetInt64(-(k + 1)))
		if power.Sign() == 0 || power.MantExp(nil) < -bigPrecision {
			break
		}
	}
	sum.Mul(sum, bigOf(2))
	sum.Quo(sum, bigNew().Sqrt(bigPi()))
	return sum.Sub(bigOf(1), sum)
}

// bigBesselI is Σ (x/2)²ᵏ⁺ⁿ / (k! (k+n)!) for n = 0 or 1.
func bigBesselI(x float64, order int64) *big.Float {
	quarter := bigNew().Mul(bigOf(x/2), bigOf(x/2))
	first := bigOf(1)
	if order == 1 {
		first = bigOf(x / 2)
	}
	return bigSeries(first, func(term *big.Float, k int64) {
		term.Mul(term, quarter)
		term.Quo(term, bigNew().SetInt64(k*(k+order)))
	})
}

// bigSin reduces by a multiple of 2π and adds the power series of sin, or from
// its first term 1 that of cos.
func bigSin(x float64, cos bool) *big.Float {
	turn := bigNew().Mul(bigOf(2), bigPi())
	turns, _ := bigNew().Quo(bigOf(x), turn).Int(nil)
	rest := bigOf(x)
	rest.Sub(rest, turn.Mul(turn, bigNew().SetInt(turns)))
	square, first, odd := bigNew().Mul(rest, rest), rest, int64(1)
	if cos {
		first, odd = bigOf(1), 0
	}
	return bigSeries(first, func(term *big.Float, k int64) {
		term.Mul(term, square)
		term.Quo(term, bigNew().SetInt64(-(2*k-1+odd)*(2*k+odd)))
	})
}
