package field

import (
	"errors"
	"fmt"
	"math"
	"math/big"
)

// Numbers are what an evaluator computes with.
type Numbers[N any] interface {
	Of(v *big.Rat) N
	Add(a, b N) N
	Mul(a, b N) N
	Div(a, b N) (N, error)
	Sign(a N) int
	Function(op Op, a N) (N, error) // Sqrt … Atan
}

// ErrInexact says that a value is no rational number, or that there is none.
var ErrInexact = errors.New("no exact value")

// Exact computes with rational numbers. Functions have values where these are rational: the root of a square.
type Exact struct{}

// Of is the number itself.
func (Exact) Of(v *big.Rat) *big.Rat { return v }

// Add is a + b.
func (Exact) Add(a, b *big.Rat) *big.Rat { return new(big.Rat).Add(a, b) }

// Mul is a · b.
func (Exact) Mul(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }

// Div is a / b, where b is not 0.
func (Exact) Div(a, b *big.Rat) (*big.Rat, error) {
	if b.Sign() == 0 {
		return nil, fmt.Errorf("division by zero: %w", ErrInexact)
	}
	return new(big.Rat).Quo(a, b), nil
}

// Sign is −1, 0 or 1.
func (Exact) Sign(a *big.Rat) int { return a.Sign() }

// Function has the roots of squares, and what all functions are at the one place where that is rational.
func (Exact) Function(op Op, a *big.Rat) (*big.Rat, error) {
	switch {
	case op == Sqrt && a.Sign() >= 0:
		n, d := new(big.Int).Sqrt(a.Num()), new(big.Int).Sqrt(a.Denom())
		root := new(big.Rat).SetFrac(n, d)
		if new(big.Rat).Mul(root, root).Cmp(a) == 0 {
			return root, nil
		}
	case a.Sign() == 0 && (op == Exp || op == Cos):
		return big.NewRat(1, 1), nil
	case a.Sign() == 0 && op != Acos:
		return new(big.Rat), nil
	case op == Acos && a.Cmp(big.NewRat(1, 1)) == 0:
		return new(big.Rat), nil
	}
	return nil, fmt.Errorf("%s(%s): %w", op, a.RatString(), ErrInexact)
}

// Floats computes with float64.
type Floats struct{}

// Of is the closest float64.
func (Floats) Of(v *big.Rat) float64 { f, _ := v.Float64(); return f }

// Add is a + b.
func (Floats) Add(a, b float64) float64 { return a + b }

// Mul is a · b.
func (Floats) Mul(a, b float64) float64 { return a * b }

// Div is a / b.
func (Floats) Div(a, b float64) (float64, error) { return a / b, nil }

// Sign is −1, 0 or 1; what is no number is no 0.
func (Floats) Sign(a float64) int {
	switch {
	case a < 0:
		return -1
	case a == 0:
		return 0
	}
	return 1
}

// Function is that of package math.
func (Floats) Function(op Op, a float64) (float64, error) {
	f := map[Op]func(float64) float64{Sqrt: math.Sqrt, Exp: math.Exp, Sin: math.Sin, Cos: math.Cos, Tan: math.Tan, Asin: math.Asin,
		Acos: math.Acos, Atan: math.Atan}[op]
	return f(a), nil
}
