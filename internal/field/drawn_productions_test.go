package field

import "slices"

// allProductions are those of the operators of the language.
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
	"unit": func(d *drawer, n int, s []int) *Operator {
		if len(s) != 1 {
			return nil
		}
		return d.numbered("slice", []int{d.random.IntN(s[0]), -1}, d.numbered("identity", s))
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
	"compose": func(d *drawer, n int, s []int) *Operator { // with a field over a space of another dimension
		if d.composed >= 2 {
			return nil
		}
		d.composed++
		defer func() { d.composed-- }()
		dim := d.dim
		d.dim = 1 + d.random.IntN(3)
		f := d.draw(n-1, s)
		var place []*Term
		for range d.dim {
			place = append(place, d.coordinate(n-1, dim))
		}
		d.dim = dim
		return d.Operator(s, d.Compose(f.Body, place...))
	},
	"function": func(d *drawer, n int, s []int) *Operator {
		if len(s) > 0 || d.exact {
			return nil
		}
		name := []string{"sqrt", "exp", "sin", "cos", "tan", "asin", "acos", "atan"}[d.random.IntN(8)]
		return d.of(name, d.draw(n, nil))
	},
}
