package guard_test

import (
	"math/rand/v2"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// A mutation makes the kind of mistake that front ends and people make. It changes the
// function in place and returns false where it finds nothing to change.
type mutation struct {
	name   string
	change func(f *ein.Func, random *rand.Rand) bool
}

var mutations = []mutation{
	{"an extent too large", func(f *ein.Func, random *rand.Rand) bool {
		i := anyIndex(f, random)
		if i != nil {
			i.Extent = i.Extent.AddConst(1)
		}
		return i != nil
	}},
	{"the extent of another index", func(f *ein.Func, random *rand.Rand) bool {
		i, k := anyIndex(f, random), anyIndex(f, random)
		if i == nil || k == nil || i.Extent.Equal(k.Extent) {
			return false
		}
		i.Extent = k.Extent
		return true
	}},
	{"a range that begins later", func(f *ein.Func, random *rand.Rand) bool {
		i := anyIndex(f, random)
		if i != nil {
			i.Min = i.Min.AddConst(1)
		}
		return i != nil
	}},
	{"a subscript off by one", func(f *ein.Func, random *rand.Rand) bool {
		a := anyAccess(f, random, 1)
		if a == nil {
			return false
		}
		d := random.IntN(len(a.Subscripts))
		step := ein.IntConst(tensor.Int64, 1-2*random.Int64N(2))
		a.Subscripts = slices.Clone(a.Subscripts)
		a.Subscripts[d] = &ein.Binary{Pos: a.Pos, Op: ein.Add, X: a.Subscripts[d], Y: step}
		return true
	}},
	{"a test that is forgotten", func(f *ein.Func, random *rand.Rand) bool {
		var tested []*ein.Access
		everywhere(f, func(e ein.Expr) {
			if a, ok := e.(*ein.Access); ok && a.Checked {
				tested = append(tested, a)
			}
		})
		if len(tested) == 0 {
			return false
		}
		tested[random.IntN(len(tested))].Checked = false
		return true
	}},
	{"swapped subscripts", func(f *ein.Func, random *rand.Rand) bool {
		a := anyAccess(f, random, 2)
		if a == nil {
			return false
		}
		a.Subscripts = swapped(a.Subscripts, random)
		return true
	}},
	{"swapped dimensions", func(f *ein.Func, random *rand.Rand) bool {
		t := f.Tensors[random.IntN(len(f.Tensors))]
		if len(t.Dims) < 2 {
			return false
		}
		t.Dims = swapped(t.Dims, random)
		return true
	}},
	{"a dimension too small", func(f *ein.Func, random *rand.Rand) bool {
		t := f.Tensors[random.IntN(len(f.Tensors))]
		if len(t.Dims) == 0 {
			return false
		}
		t.Dims = slices.Clone(t.Dims)
		d := random.IntN(len(t.Dims))
		t.Dims[d].Extent = t.Dims[d].Extent.AddConst(-1)
		return true
	}},
	{"a condition that nobody tests", func(f *ein.Func, random *rand.Rand) bool {
		if len(f.Requires) == 0 {
			return false
		}
		n := random.IntN(len(f.Requires))
		f.Requires = slices.Delete(slices.Clone(f.Requires), n, n+1)
		return true
	}},
	{"a write off by one", func(f *ein.Func, random *rand.Rand) bool {
		c := f.Body[random.IntN(len(f.Body))]
		w := c.Writes[random.IntN(len(c.Writes))]
		if len(w.Subscripts) == 0 {
			return false
		}
		d := random.IntN(len(w.Subscripts))
		w.Subscripts = slices.Clone(w.Subscripts)
		w.Subscripts[d] = &ein.Binary{Pos: w.Pos, Op: ein.Add, X: w.Subscripts[d], Y: ein.IntConst(tensor.Int64, 1-2*random.Int64N(2))}
		return true
	}},
	{"swapped subscripts of the target", func(f *ein.Func, random *rand.Rand) bool {
		c := f.Body[random.IntN(len(f.Body))]
		w := c.Writes[random.IntN(len(c.Writes))]
		if len(w.Subscripts) < 2 {
			return false
		}
		w.Subscripts = swapped(w.Subscripts, random)
		return true
	}},
	{"a condition that lets one more through", func(f *ein.Func, random *rand.Rand) bool {
		var comparisons []*ein.Binary
		everywhere(f, func(e ein.Expr) {
			if b, ok := e.(*ein.Binary); ok && b.Op.IsComparison() && b.X.Type() == tensor.Int64 {
				comparisons = append(comparisons, b)
			}
		})
		if len(comparisons) == 0 {
			return false
		}
		b := comparisons[random.IntN(len(comparisons))]
		b.X = &ein.Binary{Op: ein.Add, X: b.X, Y: ein.IntConst(tensor.Int64, 1-2*random.Int64N(2))}
		return true
	}},
}

func swapped[T any](list []T, random *rand.Rand) []T {
	list = slices.Clone(list)
	x := random.IntN(len(list))
	y := (x + 1 + random.IntN(len(list)-1)) % len(list)
	list[x], list[y] = list[y], list[x]
	return list
}

func anyIndex(f *ein.Func, random *rand.Rand) *ein.Index {
	c := f.Body[random.IntN(len(f.Body))]
	if len(c.Indices) == 0 {
		return nil
	}
	return c.Indices[random.IntN(len(c.Indices))]
}

// anyAccess returns an access with at least that many subscripts.
func anyAccess(f *ein.Func, random *rand.Rand, rank int) *ein.Access {
	var list []*ein.Access
	everywhere(f, func(e ein.Expr) {
		if a, ok := e.(*ein.Access); ok && len(a.Subscripts) >= rank {
			list = append(list, a)
		}
	})
	if len(list) == 0 {
		return nil
	}
	return list[random.IntN(len(list))]
}

func everywhere(f *ein.Func, visit func(ein.Expr)) {
	for _, c := range f.Body {
		for _, v := range c.Values {
			ein.Walk(v, func(e ein.Expr) bool {
				visit(e)
				return true
			})
		}
	}
}

// smallSizes returns sizes that a call could have: those that meet what the function
// requires.
func smallSizes(f *ein.Func, random *rand.Rand) []map[string]int64 {
	var list []map[string]int64
	most := int64(6)
	if len(f.Sizes) > 4 { // the points are as many as the product
		most = 3
	}
	for range 60 {
		sizes := map[string]int64{}
		for _, s := range f.Sizes {
			least := int64(1)
			if s.MayBeZero {
				least = 0
			}
			if s.Dim == ein.ScalarValue && s.Tensor != nil {
				least = -3
			}
			sizes[s.Name] = least + random.Int64N(most)
		}
		if meets(f.Requires, sizes) && len(list) < 5 {
			list = append(list, sizes)
		}
	}
	return list
}

func meets(conditions []*ein.Condition, sizes map[string]int64) bool {
	return !slices.ContainsFunc(conditions, func(c *ein.Condition) bool {
		v, err := c.Expr.Eval(sizes)
		return err != nil || v < 0
	})
}
