package field

import (
	"math/big"
	"testing"
)

// TestKernels asks the tables for what defines the kernels: they sum to one everywhere, have the moments that make them
// exact for polynomials, and continuous derivatives at their knots; all over the rational numbers.
func TestKernels(t *testing.T) {
	moments := map[string][]string{"tent": {"1", "0"}, "ctmr": {"1", "0", "0"}, "bspln3": {"1", "0", "1/3", "0"},
		"bspln5": {"1", "0", "1/2", "0", "7/10", "0"}, "c4hexic": {"1", "0", "0", "0"}}
	really := map[string]int{"tent": 0, "ctmr": 1, "bspln3": 2, "bspln5": 4, "c4hexic": 4, "c1tent": 0, "c2tent": 0, "c2ctmr": 1}
	if len(Kernels()) != 8 {
		t.Errorf("%d kernels; expected 8", len(Kernels()))
	}
	for _, k := range Kernels() {
		for order := 0; order <= really[k.Name]+1; order++ {
			continuous := continuousAt(k, order)
			if want := order <= really[k.Name]; continuous != want {
				t.Errorf("%s: derivative %d is continuous: %t, want %t", k.Name, order, continuous, want)
			}
		}
		for r, text := range moments[k.Name] {
			want, _ := new(big.Rat).SetString(text)
			for n := range int64(8) { // a polynomial of degree below 8 that is constant at 8 places is constant
				f := big.NewRat(n, 9)
				if got := moment(k, r, f); got.Cmp(want) != 0 {
					t.Errorf("%s: moment %d at %s is %s, want %s", k.Name, r, f, got, want)
				}
			}
		}
	}
}

func continuousAt(k *Kernel, order int) bool {
	pieces := k.Derivative(order)
	for n := 0; n <= len(pieces); n++ {
		x := big.NewRat(int64(n-k.Support), 1)
		left, right := new(big.Rat), new(big.Rat)
		if n > 0 {
			left = polynomialAt(pieces[n-1], x)
		}
		if n < len(pieces) {
			right = polynomialAt(pieces[n], x)
		}
		if left.Cmp(right) != 0 {
			return false
		}
	}
	return true
}

// moment is Σ_i h(f−i) (i−f)^r.
func moment(k *Kernel, r int, f *big.Rat) *big.Rat {
	total := new(big.Rat)
	for i := 1 - k.Support; i <= k.Support; i++ {
		x := new(big.Rat).Sub(f, big.NewRat(int64(i), 1))
		term := k.At(0, x)
		for range r {
			term.Mul(term, new(big.Rat).Neg(x))
		}
		total.Add(total, term)
	}
	return total
}

// TestTaps: taps are the kernel and its derivatives, and those on both sides are each other's mirror images.
func TestTaps(t *testing.T) {
	for _, k := range Kernels() {
		for order := 0; order <= k.Continuity+1; order++ {
			taps := k.Taps(order)
			for m, tap := range taps {
				for n := range int64(7) {
					f := big.NewRat(n, 7)
					i := big.NewRat(int64(m+1-k.Support), 1)
					got, want := polynomialAt(tap, new(big.Rat).Sub(f, big.NewRat(1, 2))), k.At(order, new(big.Rat).Sub(f, i))
					if got.Cmp(want) != 0 {
						t.Errorf("%s: tap %d of derivative %d at %s is %s, want %s", k.Name, m, order, f, got, want)
					}
				}
				mirror := taps[len(taps)-1-m]
				for power, c := range tap {
					if other := new(big.Rat).Set(mirror[power]); (power+order)%2 == 0 && other.Cmp(c) != 0 || (power+order)%2 == 1 && other.Neg(other).Cmp(c) != 0 {
						t.Errorf("%s: taps %d of derivative %d are no mirror images", k.Name, m, order)
					}
				}
			}
		}
	}
}
