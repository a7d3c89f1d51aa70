package field

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ricci-lang/ricci/internal/sweep"
)

// components calls visit with the indices of all components of a shape.
func components(shape []int, visit func([]int)) {
	var each func(list []int)
	each = func(list []int) {
		if len(list) == len(shape) {
			visit(list)
			return
		}
		for v := range shape[len(list)] {
			each(append(list[:len(list):len(list)], v))
		}
	}
	each(nil)
}

// some calls visit with the indices of components that are drawn: one, of a small operator, or three in a sweep, of one that
// is not so large that Taylor arithmetic takes minutes.
func (d *drawer) some(t *testing.T, o *Operator, visit func([]int)) bool {
	if SizeOf("", o).Unrolled > float64(sweep.Draws(t, 2000, 15000)) {
		return false
	}
	var all [][]int
	components(o.Shape, func(alpha []int) { all = append(all, alpha) })
	d.random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, alpha := range all[:min(len(all), sweep.Draws(t, 1, 3))] {
		visit(alpha)
	}
	return true
}

// TestNormaliseExactly draws field expressions and compares their values before and after normalisation in rational
// numbers: what has a value before has the same after. The values are by Taylor arithmetic, which knows no rule.
func TestNormaliseExactly(t *testing.T) {
	fields, compared, undefined := 0, 0, 0
	smallest, reason := "", ""
	for seed := range sweep.Draws(t, 310, 10300) {
		if seed%1000 == 999 {
			t.Logf("%d fields, %d components compared, %d undefined", fields, compared, undefined)
		}
		d := newDrawer(uint64(seed), true)
		before := d.probed(3 + seed%3)
		after, _, err := d.Normalise(before, NormaliseOptions{})
		wrong := ""
		switch {
		case err != nil:
			wrong = err.Error()
		case !Normal(after):
			wrong = "it is not normal"
		default:
			isLarge := !d.some(t, before, func(alpha []int) {
				want, err := Evaluate(Exact{}, polynomials[*big.Rat]{Exact{}}, before, alpha...)
				if err != nil {
					undefined++
					return
				}
				compared++
				got, err := Evaluate(Exact{}, polynomials[*big.Rat]{Exact{}}, after, alpha...)
				if err != nil || got.Cmp(want) != 0 {
					wrong = fmt.Sprintf("component %v is %v (%v), want %s", alpha, got, err, want.RatString())
				}
			})
			if !isLarge {
				fields++
			}
		}
		if text := before.String(); wrong != "" && (smallest == "" || len(text) < len(smallest)) {
			smallest, reason = text, fmt.Sprintf("draw %d, normal form\n%v\n%s", seed, after, wrong)
		}
	}
	if smallest != "" {
		t.Errorf("%s\n%s", smallest, reason)
	}
	t.Logf("%d fields, %d components compared, %d undefined", fields, compared, undefined)
	if compared < 2*undefined {
		t.Errorf("%d components were compared and %d have no value: the draws say little", compared, undefined)
	}
}

// shaken is an environment whose numbers are off by parts in 10¹².
type shaken struct {
	polynomials[float64]
	random *rand.Rand
}

func (e shaken) shake(v float64, err error) (float64, error) {
	return v * (1 + 1e-12*(e.random.Float64()-0.5)), err
}

func (e shaken) Tensor(p *Param, alpha []int) (float64, error) {
	return e.shake(e.polynomials.Tensor(p, alpha))
}

func (e shaken) Field(p, k *Param, alpha, beta []int, at []float64) (float64, error) {
	return e.shake(e.polynomials.Field(p, k, alpha, beta, at))
}

// TestNormaliseFloats is TestNormaliseExactly with all functions, in float64. What rounding may do is what small changes of
// the numbers do.
func TestNormaliseFloats(t *testing.T) {
	env := polynomials[float64]{Floats{}}
	compared := 0
	for seed := range sweep.Draws(t, 40, 5000) {
		d := newDrawer(uint64(seed), false)
		before := d.probed(3 + seed%2)
		after, _, err := d.Normalise(before, NormaliseOptions{})
		if err != nil || !Normal(after) {
			t.Fatalf("%s: %v, %v", before, after, err)
		}
		d.some(t, before, func(alpha []int) {
			want, err := Evaluate(Floats{}, env, before, alpha...)
			if err != nil || math.IsNaN(want) || math.IsInf(want, 0) {
				return
			}
			allowed := 1e-9 * math.Abs(want)
			for n := range uint64(4) {
				random := shaken{env, rand.New(rand.NewPCG(uint64(seed), n))}
				for _, o := range []*Operator{before, after} {
					if other, err := Evaluate(Floats{}, random, o, alpha...); err == nil {
						allowed = max(allowed, 100*math.Abs(other-want))
					}
				}
			}
			if math.IsNaN(allowed) {
				return // one small change more, and it has no value
			}
			compared++
			got, err := Evaluate(Floats{}, env, after, alpha...)
			if err != nil || !(math.Abs(got-want) <= allowed) {
				t.Errorf("draw %d: %s\n%s\ncomponent %v is %g (%v), want %g ± %g", seed, before, after, alpha, got, err, want, allowed)
			}
		})
	}
	t.Logf("%d components compared", compared)
	if compared < 20 {
		t.Errorf("%d components were compared: the draws say little", compared)
	}
}

// TestFiniteDifferences compares the derivatives of the fields of the paper, by the rules, with differences of what is
// differentiated, at two points.
func TestFiniteDifferences(t *testing.T) {
	for _, study := range append(slices.Clone(studies), everyFunction) {
		orders := sweep.Draws(t, 1, 3)
		if study.name == "mode" || study.name == everyFunction.name {
			orders = max(orders, 2)
		}
		for order := 1; order <= min(study.orders(newBuilder(t)), orders); order++ {
			b := newBuilder(t)
			normal := func(order int) *Operator {
				o, _, err := b.Normalise(b.probe(b.nth(order, study.field(b))), NormaliseOptions{})
				if err != nil {
					t.Fatal(err)
				}
				return o
			}
			below, derivative := normal(order-1), normal(order)
			components(derivative.Shape, func(alpha []int) {
				at := []float64{0.31, -0.27, 0.44}
				last := len(alpha) - 1
				value := func(o *Operator, alpha []int, step float64) float64 {
					moved := slices.Clone(at)
					moved[alpha[last]%3] += step
					parts := b.Split(o)
					env := newSplit(Floats{}, point3{polynomials[float64]{Floats{}}, moved}, parts)
					v, err := Evaluate(Floats{}, env, parts.Result, alpha[:len(o.Shape)]...)
					if err != nil {
						t.Fatal(err)
					}
					return v
				}
				const h = 1e-4
				difference := (8*(value(below, alpha, h)-value(below, alpha, -h)) - (value(below, alpha, 2*h) - value(below, alpha, -2*h))) / (12 * h)
				got := value(derivative, alpha, 0)
				if math.Abs(got-difference) > 1e-6*(1+math.Abs(got)) {
					t.Errorf("derivative %d of %s: component %v is %g, by differences %g", order, study.name, alpha, got, difference)
				}
			})
		}
	}
}

// everyFunction has the chain rules that the fields of the paper have not.
var everyFunction = study{"every function", func(b *builder) *Operator {
	s := b.of("scale", b.number(1, 2), b.of("sin", b.image()))
	sum := b.of("exp", s)
	for _, name := range []string{"tan", "asin", "acos", "atan", "norm"} {
		sum = b.of("add", sum, b.of(name, s))
	}
	return b.of("add", sum, b.of("add", b.numbered("power", []int{-3}, s), b.of("cos", s)))
}}

// point3 is an environment whose positions are one point.
type point3 struct {
	polynomials[float64]
	at []float64
}

func (e point3) Tensor(_ *Param, alpha []int) (float64, error) { return e.at[alpha[0]], nil }

// TestDeterminants: det(AB) = det A · det B and A⁻¹ A = 1, by value of normal forms.
func TestDeterminants(t *testing.T) {
	for _, n := range []int{2, 3} {
		b := newBuilder(t)
		matrix := func(name string) *Operator {
			return b.of("conv", b.Variable(b.Param(name, ImageOf(3, n, n))), b.Variable(b.Param("H", KernelOf(4))))
		}
		value := func(o *Operator, alpha ...int) *big.Rat {
			normal, _, err := b.Normalise(b.probe(o), NormaliseOptions{})
			if err != nil {
				t.Fatal(err)
			}
			v, err := Evaluate(Exact{}, polynomials[*big.Rat]{Exact{}}, normal, alpha...)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		det := func(o *Operator) *big.Rat { return value(b.of("det", o)) }
		want := new(big.Rat).Mul(det(matrix("A")), det(matrix("B")))
		if got := det(b.of("inner", matrix("A"), matrix("B"))); got.Cmp(want) != 0 || want.Sign() == 0 {
			t.Errorf("det(AB) is %s, det A · det B %s", got, want)
		}
		for i := range n {
			for j := range n {
				if got := value(b.of("inner", b.of("inv", matrix("A")), matrix("A")), i, j); got.Cmp(big.NewRat(int64(btoi(i == j)), 1)) != 0 {
					t.Errorf("component %d,%d of A⁻¹ A is %s", i, j, got)
				}
			}
		}
	}
}

// TestNormal has operators that are normal, and others.
func TestNormal(t *testing.T) {
	for text, want := range map[string]bool{
		"λ H:kernel#4, V:image(3)[], x:tensor[3]! ⟨ (V ⊛ H^{0}) @ x + x[1] ⟩":       true,
		"λ F:field(3)[], x:tensor[3]! ⟨ ∂[0,1] ⋄ F @ x*(F @ x) ⟩":                   true,
		"λ H:kernel#4, V:image(3)[] ⟨ sqrt(V ⊛ H) ⟩":                                true,
		"λ F:field(3)[], x:tensor[3]! ⟨ (F + F) @ x ⟩":                              false,
		"λ F:field(3)[], x:tensor[3]! ⟨ exp(∂[0] ⋄ sqrt(F) @ x) ⟩":                  false,
		"λ H:kernel#4, V:image(3)[], x:tensor[3]! ⟨ (∂[0] ⋄ (V ⊛ H)) @ x ⟩":         false,
		"λ T:tensor[], x:tensor[3]! ⟨ lift(T) @ x ⟩":                                false,
		"λ x:tensor[3]! ⟨ pos3[0] @ x ⟩":                                            false,
		"λ F:field(3)[3], T:tensor[], x:tensor[3]! ⟨ Σ_{i:3} ∂[i] ⋄ F[i] @ x + T ⟩": true,
	} {
		s := NewStore()
		o, err := s.ParseOperator(text)
		if err != nil {
			t.Fatal(err)
		}
		if Normal(o) != want {
			t.Errorf("%s is normal: %t", text, !want)
		}
		if after, _, err := s.Normalise(o, NormaliseOptions{}); err != nil || !Normal(after) {
			t.Errorf("%s becomes %v, %v", text, after, err)
		}
	}
}

// TestFuel: rewriting is stopped where it takes too long, with an error.
func TestFuel(t *testing.T) {
	b := newBuilder(t)
	o := b.probe(b.nth(2, studies[len(studies)-1].field(b)))
	_, counters, err := b.Normalise(o, NormaliseOptions{Fuel: 100})
	if !errors.Is(err, ErrFuel) || counters.Steps != 101 {
		t.Errorf("after %d rewritings: %v", counters.Steps, err)
	}
	// Without sharing the same terms are made, by more rewritings.
	shared, few, err := b.Normalise(o, NormaliseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	same, many, err := b.Normalise(o, NormaliseOptions{Without: Sharing})
	if err != nil || same.Body != shared.Body || many.Steps < 5*few.Steps {
		t.Errorf("%d rewritings with sharing, %d without: %v", few.Steps, many.Steps, err)
	}
}
