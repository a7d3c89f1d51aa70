package diderot

import (
	"math/big"
	"slices"
)

// exactly computes the operations on literals that the factors and summands of fields are made of,
// as sqrt(3.0/2.0)*F is not: numbers of fields are exact until code is made of them. The result is
// nil where an operand is not known, or an operation not exact.
func exactly(name string, args []value) []*big.Rat {
	if slices.ContainsFunc(args, func(a value) bool { return len(a.exact) != 1 || len(a.parts) != 1 }) {
		return nil
	}
	r := new(big.Rat)
	switch name {
	case "add":
		r.Add(args[0].exact[0], args[1].exact[0])
	case "sub":
		r.Sub(args[0].exact[0], args[1].exact[0])
	case "scale", "modulate":
		r.Mul(args[0].exact[0], args[1].exact[0])
	case "neg":
		r.Neg(args[0].exact[0])
	case "div":
		if args[1].exact[0].Sign() == 0 {
			return nil
		}
		r.Quo(args[0].exact[0], args[1].exact[0])
	default:
		return nil
	}
	if r.Sign() == 0 || r.Num().BitLen()+r.Denom().BitLen() > 256 { // -0.0 is 0 and more, and numbers stay short
		return nil
	}
	return []*big.Rat{r}
}

// exactPower is x^n.
func exactPower(x *big.Rat, n int64) []*big.Rat {
	r := big.NewRat(1, 1)
	for range n {
		r.Mul(r, x)
	}
	return []*big.Rat{r}
}
