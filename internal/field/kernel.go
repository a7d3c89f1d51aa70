package field

import (
	"math/big"
	"strings"
)

// A Kernel is a piecewise polynomial on the unit intervals from −Support to Support.
type Kernel struct {
	Name       string
	Continuity int // how many derivatives are continuous
	Support    int
	Pieces     [][]*big.Rat // Pieces[n] are the coefficients of 1, x, x², … from n−Support to n+1−Support, in x itself
}

// kernelRow has the pieces of the left half as text; the right half is its mirror image.
type kernelRow struct {
	name       string
	continuity int
	left       []string
}

var kernelRows = []kernelRow{
	{"tent", 0, []string{"1 1"}},
	{"ctmr", 1, []string{"2 4 5/2 1/2", "1 0 -5/2 -3/2"}},
	{"bspln3", 2, []string{"4/3 2 1 1/6", "2/3 0 -1 -1/2"}},
	{"bspln5", 4, []string{"81/40 27/8 9/4 3/4 1/8 1/120", "17/40 -5/8 -7/4 -5/4 -3/8 -1/24", "11/20 0 -1/2 0 1/4 1/12"}},
	{"c4hexic", 4, []string{"1539/160 189/8 747/32 12 109/32 61/120 1/32", "3/160 -35/8 -341/32 -10 -147/32 -25/24 -3/32",
		"69/80 0 -23/16 0 19/16 7/12 1/16"}},
	// Those of older programs, which claim more than they have.
	{"c1tent", 1, []string{"1 1"}},
	{"c2tent", 2, []string{"1 1"}},
	{"c2ctmr", 2, []string{"2 4 5/2 1/2", "1 0 -5/2 -3/2"}},
}

// Kernels returns the kernels of the language.
func Kernels() []*Kernel {
	var list []*Kernel
	for _, row := range kernelRows {
		list = append(list, row.kernel())
	}
	return list
}

// LookupKernel returns the kernel of a name, or nil.
func LookupKernel(name string) *Kernel {
	for _, row := range kernelRows {
		if row.name == name {
			return row.kernel()
		}
	}
	return nil
}

func (row kernelRow) kernel() *Kernel {
	k := &Kernel{Name: row.name, Continuity: row.continuity, Support: len(row.left), Pieces: make([][]*big.Rat, 2*len(row.left))}
	for n, text := range row.left {
		for power, word := range strings.Fields(text) {
			c, _ := new(big.Rat).SetString(word)
			mirror := new(big.Rat).Set(c)
			if power%2 == 1 {
				mirror.Neg(c)
			}
			k.Pieces[n] = append(k.Pieces[n], c)
			k.Pieces[len(k.Pieces)-1-n] = append(k.Pieces[len(k.Pieces)-1-n], mirror)
		}
	}
	return k
}

// Derivative returns the pieces of the derivative of an order.
func (k *Kernel) Derivative(order int) [][]*big.Rat {
	pieces := make([][]*big.Rat, len(k.Pieces))
	for n, p := range k.Pieces {
		for range order {
			var d []*big.Rat
			for power := 1; power < len(p); power++ {
				d = append(d, new(big.Rat).Mul(p[power], big.NewRat(int64(power), 1)))
			}
			p = d
		}
		pieces[n] = p
	}
	return pieces
}

// At is the value of a derivative at x; at a knot that of the piece to its right.
func (k *Kernel) At(order int, x *big.Rat) *big.Rat {
	n := int(floor(x)) + k.Support
	if n < 0 || n >= len(k.Pieces) {
		return new(big.Rat)
	}
	return polynomialAt(k.Derivative(order)[n], x)
}

func polynomialAt(p []*big.Rat, x *big.Rat) *big.Rat {
	v := new(big.Rat)
	for n := len(p) - 1; n >= 0; n-- {
		v.Add(v.Mul(v, x), p[n])
	}
	return v
}

func floor(x *big.Rat) int64 {
	return new(big.Int).Div(x.Num(), x.Denom()).Int64() // of a positive divisor, so toward −∞
}
