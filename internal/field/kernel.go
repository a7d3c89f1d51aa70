package field

import (
	"math/big"
	"slices"
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

// Taps are the weights of the samples around a place, or those of a derivative of the field. At n+f, 0 ≤ f < 1, the sample
// n+m+1−Support has the weight Σ_k Taps[m][k]·(f−½)^k: the pieces of the kernel about the middles of their intervals.
//
// That is the form to compute weights in. With q = (f−½)², tap m is E(q) + (f−½)·O(q), of its even and its odd coefficients,
// and where the kernel is symmetric the tap on the other side is ±(E(q) − (f−½)·O(q)), + for even derivatives: two weights
// for one and a half multiplications each of a degree. In float32 the weights of c4hexic, of size 1, then have errors of 1.7
// units in the last place of 1, at most, those of its third derivative of 11; by Horner's rule in f 2 and 35, and in the
// distance from the sample, as tables of kernels have them, 500 and 320.
func (k *Kernel) Taps(order int) [][]*big.Rat {
	pieces := k.Derivative(order)
	taps := make([][]*big.Rat, len(pieces))
	for m := range taps {
		// f − i is in piece Support − i, where i is m+1−Support.
		i := m + 1 - k.Support
		taps[m] = shifted(pieces[k.Support-i], big.NewRat(int64(1-2*i), 2))
	}
	return taps
}

// shifted is p(x + by).
func shifted(p []*big.Rat, by *big.Rat) []*big.Rat {
	var r []*big.Rat
	for n := len(p) - 1; n >= 0; n-- { // r·(x + by) + p[n]
		r = append([]*big.Rat{new(big.Rat).Set(p[n])}, r...)
		for k := 1; k < len(r); k++ {
			r[k-1].Add(r[k-1], new(big.Rat).Mul(by, r[k]))
		}
	}
	return r
}

// equal reports whether two kernels have the same pieces.
func (k *Kernel) equal(other *Kernel) bool {
	return slices.EqualFunc(k.Pieces, other.Pieces, func(a, b []*big.Rat) bool {
		return slices.EqualFunc(a, b, func(x, y *big.Rat) bool { return x.Cmp(y) == 0 })
	})
}
