package field

import "testing"

func newBuilder(t testing.TB) *builder {
	return &builder{NewStore(), func(err error) { t.Helper(); t.Fatal(err) }}
}

// TestIdentities are laws of vector calculus that follow from the rules: one normal form for both sides.
func TestIdentities(t *testing.T) {
	for _, law := range []struct {
		name        string
		left, right func(b *builder) *Operator
	}{
		{"∇×∇F = 0", func(b *builder) *Operator { return b.of("∇×", b.of("∇", b.image())) }, zero},
		{"∇•∇×V = 0", func(b *builder) *Operator { return b.of("∇•", b.of("∇×", b.image(3))) }, zero},
		{"∇×∇(√F exp(F)/F) = 0", func(b *builder) *Operator {
			f := b.image()
			return b.of("∇×", b.of("∇", b.of("div", b.of("scale", b.of("sqrt", f), b.of("exp", f)), f)))
		}, zero},
		{"∇•∇×(F V) = 0", func(b *builder) *Operator {
			return b.of("∇•", b.of("∇×", b.of("scale", b.image(), b.image(3))))
		}, zero},
		{"(∇F)×(∇F) = 0", func(b *builder) *Operator {
			g := b.of("∇", b.image())
			return b.of("cross", g, g)
		}, zero},
		{"V•(V×W) = 0", func(b *builder) *Operator {
			return b.of("inner", b.vector("V"), b.of("cross", b.vector("V"), b.vector("W")))
		}, zero},
		{"trace(V⊗W) = V•W", func(b *builder) *Operator { return b.of("trace", b.of("outer", b.vector("V"), b.vector("W"))) },
			func(b *builder) *Operator { return b.of("inner", b.vector("V"), b.vector("W")) }},
		{"trace(∇⊗∇F) = ∇•∇F", func(b *builder) *Operator { return b.of("trace", b.of("∇⊗", b.of("∇", b.image()))) },
			func(b *builder) *Operator { return b.of("∇•", b.of("∇", b.image())) }},
		{"(A×B)•(C×D) = (A•C)(B•D) − (A•D)(B•C)",
			func(b *builder) *Operator {
				return b.of("inner", b.of("cross", b.vector("A"), b.vector("B")), b.of("cross", b.vector("C"), b.vector("D")))
			},
			func(b *builder) *Operator {
				dot := func(x, y string) *Operator { return b.of("inner", b.vector(x), b.vector(y)) }
				return b.of("sub", b.of("scale", dot("A", "C"), dot("B", "D")), b.of("scale", dot("A", "D"), dot("B", "C")))
			}},
		{"|∇F|² = ∇F•∇F", func(b *builder) *Operator {
			n := b.of("norm", b.of("∇", b.image()))
			return b.of("scale", n, n)
		}, func(b *builder) *Operator { return b.of("inner", b.of("∇", b.image()), b.of("∇", b.image())) }},
		{"∇(F/F) = 0", func(b *builder) *Operator {
			return b.of("∇", b.of("sub", b.of("div", b.image(), b.image()), b.of("div", b.image(), b.image())))
		}, zero},
		{"identity A = A", func(b *builder) *Operator {
			return b.of("inner", b.numbered("identity", []int{3}), b.of("∇⊗", b.image(3)))
		}, func(b *builder) *Operator { return b.of("∇⊗", b.image(3)) }},
		{"identity : A = trace A", func(b *builder) *Operator {
			return b.of("colon", b.numbered("identity", []int{3}), b.of("∇⊗", b.image(3)))
		}, func(b *builder) *Operator { return b.of("∇•", b.image(3)) }},
	} {
		b := newBuilder(t)
		var sides [2]*Term
		for n, side := range []func(*builder) *Operator{law.left, law.right} {
			normal, _, err := b.Normalise(b.probe(side(b)), NormaliseOptions{})
			if err != nil {
				t.Fatal(err)
			}
			sides[n] = normal.Body
		}
		if sides[0] != sides[1] {
			t.Errorf("%s: the left side is %s, the right one %s", law.name, sides[0], sides[1])
		}
	}
}

func zero(b *builder) *Operator { return b.number(0, 1) }

func (b *builder) vector(name string) *Operator {
	return b.of("conv", b.Variable(b.Param(name, ImageOf(3, 3))), b.Variable(b.Param("H", KernelOf(4))))
}
