package field

import (
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
)

// A drawer draws field expressions over polynomial images, closed forms and tensors by the generic operators.
type drawer struct {
	*Store
	random *rand.Rand
	dim    int
	exact  bool // values are rational: roots of squares only, and no other functions
	used   int  // derivatives

	productions map[string]production
	names       []string
}

// A production makes an expression of a shape; nil where it cannot.
type production func(d *drawer, depth int, shape []int) *Operator

var allProductions = map[string]production{
	"add": func(d *drawer, n int, s []int) *Operator { return d.of("add", d.draw(n, s), d.draw(n, s)) },
	"sub": func(d *drawer, n int, s []int) *Operator { return d.of("sub", d.draw(n, s), d.draw(n, s)) },
	"neg": func(d *drawer, n int, s []int) *Operator { return d.of("neg", d.draw(n, s)) },
	"scale": func(d *drawer, n int, s []int) *Operator {
		return d.of("scale", d.draw(n, nil), d.draw(n, s))
	},
	"div":      func(d *drawer, n int, s []int) *Operator { return d.of("div", d.draw(n, s), d.draw(n, nil)) },
	"modulate": func(d *drawer, n int, s []int) *Operator { return d.of("modulate", d.draw(n, s), d.draw(n, s)) },
	"lerp": func(d *drawer, n int, s []int) *Operator {
		return d.of("lerp", d.draw(n-1, s), d.draw(n-1, s), d.draw(n-1, nil))
	},
	"inner": func(d *drawer, n int, s []int) *Operator {
		k, cut := d.size(), d.random.IntN(len(s)+1)
		return d.of("inner", d.draw(n, append(slices.Clone(s[:cut]), k)), d.draw(n, append([]int{k}, s[cut:]...)))
	},
	"outer": func(d *drawer, n int, s []int) *Operator {
		if len(s) < 2 {
			return nil
		}
		return d.of("outer", d.draw(n, s[:1]), d.draw(n, s[1:]))
	},
	"colon": func(d *drawer, n int, s []int) *Operator {
		if len(s) > 1 {
			return nil
		}
		m := []int{d.size(), d.size()}
		return d.of("colon", d.draw(n-1, slices.Concat(s, m)), d.draw(n-1, m))
	},
	"cross": func(d *drawer, n int, s []int) *Operator {
		if len(s) == 0 {
			return d.of("cross", d.draw(n, []int{2}), d.draw(n, []int{2}))
		}
		if !slices.Equal(s, []int{3}) {
			return nil
		}
		return d.of("cross", d.draw(n, s), d.draw(n, s))
	},
	"box": func(d *drawer, n int, s []int) *Operator { // (a×b)•(c×d)
		if len(s) > 0 || d.dim < 3 {
			return nil
		}
		left := d.of("cross", d.draw(n-2, []int{3}), d.draw(n-2, []int{3}))
		return d.of("inner", left, d.of("cross", d.draw(n-2, []int{3}), d.draw(n-2, []int{3})))
	},
	"trace": func(d *drawer, n int, s []int) *Operator {
		k := d.size()
		return d.of("trace", d.draw(n, slices.Concat(s, []int{k, k})))
	},
	"transpose": func(d *drawer, n int, s []int) *Operator {
		if len(s) != 2 {
			return nil
		}
		return d.of("transpose", d.draw(n, []int{s[1], s[0]}))
	},
	"det": func(d *drawer, n int, s []int) *Operator {
		if len(s) > 0 {
			return nil
		}
		k := d.size()
		return d.of("det", d.draw(n, []int{k, k}))
	},
	"inv": func(d *drawer, n int, s []int) *Operator {
		if len(s) != 2 || s[0] != s[1] || d.used > 1 {
			return nil
		}
		return d.of("inv", d.draw(n-1, s))
	},
	"norm": func(d *drawer, n int, s []int) *Operator {
		if len(s) > 0 {
			return nil
		}
		if !d.exact {
			return d.of("norm", d.draw(n, []int{d.size()}))
		}
		if o := d.draw(n, nil); d.random.IntN(4) > 0 {
			return d.of("norm", o)
		} else {
			return d.Operator(nil, d.Unary(Sgn, o.Body))
		}
	},
	"normalize": func(d *drawer, n int, s []int) *Operator {
		if len(s) != 1 {
			return nil
		}
		return d.of("normalize", d.pythagorean(n, s[0]))
	},
	"sqrt": func(d *drawer, n int, s []int) *Operator {
		if len(s) > 0 {
			return nil
		}
		e := d.draw(n-1, nil)
		return d.of("sqrt", d.of("scale", e, e))
	},
	"power": func(d *drawer, n int, s []int) *Operator {
		if len(s) > 0 {
			return nil
		}
		return d.numbered("power", []int{d.random.IntN(6) - 2}, d.draw(n-1, nil))
	},
	"slice": func(d *drawer, n int, s []int) *Operator {
		if len(s) > 2 {
			return nil
		}
		shape, numbers := slices.Clone(s), slices.Repeat([]int{-1}, len(s))
		at, k := d.random.IntN(len(s)+1), d.size()
		return d.numbered("slice", slices.Insert(numbers, at, d.random.IntN(k)), d.draw(n, slices.Insert(shape, at, k)))
	},
	"construct": func(d *drawer, n int, s []int) *Operator {
		if len(s) == 0 {
			return nil
		}
		var parts []*Operator
		for range s[0] {
			parts = append(parts, d.draw(n-1, s[1:]))
		}
		return d.of("construct", parts...)
	},
	"identity": func(d *drawer, n int, s []int) *Operator {
		if len(s) != 2 || s[0] != s[1] {
			return nil
		}
		return d.of("scale", d.draw(n-1, nil), d.numbered("identity", s[:1]))
	},
	"∇": func(d *drawer, n int, s []int) *Operator {
		if d.dim > 1 && !slices.Equal(s, []int{d.dim}) || d.dim == 1 && len(s) > 0 {
			return nil
		}
		return d.derived("∇", n, nil)
	},
	"∇⊗": func(d *drawer, n int, s []int) *Operator {
		if len(s) < 2 || s[len(s)-1] != d.dim {
			return nil
		}
		return d.derived("∇⊗", n, s[:len(s)-1])
	},
	"∇•": func(d *drawer, n int, s []int) *Operator {
		if d.dim == 1 {
			return nil
		}
		return d.derived("∇•", n, append(slices.Clone(s), d.dim))
	},
	"∇×": func(d *drawer, n int, s []int) *Operator {
		if !(d.dim == 3 && slices.Equal(s, []int{3}) || d.dim == 2 && len(s) == 0) {
			return nil
		}
		return d.derived("∇×", n, []int{d.dim})
	},
	"function": func(d *drawer, n int, s []int) *Operator {
		if len(s) > 0 || d.exact {
			return nil
		}
		name := []string{"sqrt", "exp", "sin", "cos", "tan", "asin", "acos", "atan"}[d.random.IntN(8)]
		return d.of(name, d.draw(n, nil))
	},
}

func newDrawer(seed uint64, exact bool) *drawer {
	random := rand.New(rand.NewPCG(seed, 30))
	names := slices.Sorted(maps.Keys(allProductions))
	names = append(names, "∇", "∇⊗", "∇•", "∇×") // twice as often
	if !exact {
		names = append(names, "function", "function", "function", "function")
	}
	return &drawer{Store: NewStore(), random: random, dim: 1 + random.IntN(3), exact: exact, productions: allProductions, names: names}
}

func (d *drawer) size() int { return 2 + d.random.IntN(2) }

// draw returns a field of a shape.
func (d *drawer) draw(depth int, shape []int) *Operator {
	if depth <= 0 || len(shape) > 3 || d.random.IntN(12) == 0 {
		return d.leaf(shape)
	}
	for {
		used := d.used
		if o := d.productions[d.names[d.random.IntN(len(d.names))]](d, depth-1, shape); o != nil {
			d.used = used
			return o
		}
		d.used = used
	}
}

// derived draws what is differentiated: at most three times.
func (d *drawer) derived(name string, depth int, shape []int) *Operator {
	if d.used >= 3 {
		return nil
	}
	d.used++
	return d.of(name, d.draw(depth, shape))
}

func (d *drawer) leaf(shape []int) *Operator {
	field := FieldOf(6, d.dim, shape...)
	switch d.random.IntN(6) {
	case 0:
		return d.Variable(d.Param(fmt.Sprintf("F%d%d", len(shape), d.random.IntN(3)), field))
	case 1:
		if len(shape) == 1 && shape[0] == d.dim || len(shape) == 0 && d.dim == 1 {
			i := append(Axes(0, shape), At(0))[0]
			return d.Operator(shape, d.Position(d.dim, i))
		}
	case 2:
		t := d.Variable(d.Param(fmt.Sprintf("T%d%d", len(shape), d.random.IntN(2)), TensorOf(shape...)))
		return d.Operator(shape, d.Unary(Lift, t.Body))
	}
	image := d.Variable(d.Param(fmt.Sprintf("V%d%d", len(shape), d.random.IntN(3)), ImageOf(d.dim, shape...)))
	return d.of("conv", image, d.Variable(d.Param("H", KernelOf(6))))
}

// pythagorean is a vector field with a rational norm: a field times a vector of integers.
func (d *drawer) pythagorean(depth, size int) *Operator {
	if !d.exact {
		return d.draw(depth, []int{size})
	}
	numbers := [][]int64{{3, 4}, {2, 3, 6}}[size-2]
	var parts []*Operator
	for _, n := range numbers {
		parts = append(parts, d.Operator(nil, d.Unary(Lift, d.Int(n))))
	}
	return d.of("scale", d.draw(depth, nil), d.of("construct", parts...))
}

func (d *drawer) of(name string, arguments ...*Operator) *Operator {
	return d.numbered(name, nil, arguments...)
}

// numbered applies a row to operators.
func (d *drawer) numbered(name string, numbers []int, arguments ...*Operator) *Operator {
	var types []Type
	for _, a := range arguments {
		t, err := Verify(a)
		if err != nil {
			panic(err)
		}
		if t.Kind == FieldParam || a.Body != nil && name != "probe" && t.Kind == TensorParam && a.Body.Op != Tensor {
			t = FieldOf(t.K, d.dim, t.Shape...) // constants are fields, too
			if t.K == 0 {
				t.K = Smooth
			}
		}
		types = append(types, t)
	}
	row, err := d.Generic(name, types, numbers...)
	if err != nil {
		panic(fmt.Sprintf("%s of %v: %v", name, types, err))
	}
	o, err := d.Apply(row, arguments...)
	if err != nil {
		panic(fmt.Sprintf("%s of %v: %v", name, arguments, err))
	}
	return o
}

// probed draws a field and asks it at a point x.
func (d *drawer) probed(depth int) *Operator {
	shapes := [][]int{nil, nil, {2}, {3}, {d.size(), d.size()}, {d.dim}}
	if d.dim == 1 {
		shapes = shapes[:5]
	}
	o := d.draw(depth, shapes[d.random.IntN(len(shapes))])
	return d.Operator(o.Shape, d.Probe(o.Body, d.at()))
}

func (d *drawer) at() *Param {
	if d.dim == 1 {
		return d.FixedParam("x", TensorOf())
	}
	return d.FixedParam("x", TensorOf(d.dim))
}

// polynomials is an environment in which all images and fields are polynomials of degree 3, whose coefficients depend on
// the parameter and the component only. It computes with any numbers.
type polynomials[N any] struct{ Numbers[N] }

func (e polynomials[N]) number(name string, alpha []int, salt uint64) N {
	h := salt*2654435761 + 97
	for _, c := range name {
		h = h*31 + uint64(c)
	}
	for _, a := range alpha {
		h = h*31 + uint64(a) + 7
	}
	h ^= h >> 29
	h *= 0xbf58476d1ce4e5b9
	h ^= h >> 32
	return e.Of(big.NewRat(int64(h%11)-5, int64(h/11%3)+1))
}

func (e polynomials[N]) Tensor(p *Param, alpha []int) (N, error) {
	return e.number(p.Name, alpha, 1), nil
}

func (e polynomials[N]) Field(p, _ *Param, alpha, beta []int, at []N) (N, error) {
	var order [3]int
	for _, axis := range beta {
		order[axis]++
	}
	total := e.Of(new(big.Rat))
	for salt, exponents := range newBasis(p.Dim, 3).exponents {
		term := e.number(p.Name, alpha, uint64(salt)+2)
		for axis := range p.Dim {
			for n := range exponents[axis] {
				if n < order[axis] {
					term = e.Mul(term, e.Of(big.NewRat(int64(exponents[axis]-n), 1)))
				} else {
					term = e.Mul(term, at[axis])
				}
			}
			if order[axis] > exponents[axis] {
				term = e.Of(new(big.Rat))
			}
		}
		total = e.Add(total, term)
	}
	return total, nil
}
