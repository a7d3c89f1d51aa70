package judge

import (
	"errors"
	"maps"
	"math/bits"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// Smaller returns sizes at which all elements of a program can be evaluated. Sizes of which every
// argument of the case must keep its own values, the values of scalars, stay. legal tells whether a
// program may be called with sizes. Sizes keep what they are beyond a multiple of 16, so that the
// tails of loops stay what they are.
func Smaller(f *ein.Func, sizes map[string]int64, o Options, legal func(map[string]int64) bool) (map[string]int64, error) {
	small := maps.Clone(sizes)
	fits := func() bool { return f.Points(small) <= o.points()/2 }
	names := slices.Sorted(maps.Keys(sizes))
	names = slices.DeleteFunc(names, func(name string) bool {
		return slices.ContainsFunc(f.Sizes, func(s *ein.Size) bool { return s.Name == name && s.Dim == ein.ScalarValue })
	})
	for halvings := 1; halvings < bits.UintSize && !fits(); halvings++ {
		before := maps.Clone(small)
		for _, name := range names {
			small[name] = halved(sizes[name], halvings)
		}
		if !legal(small) {
			small = before
			shrinkEach(small, sizes, names, halvings, legal)
		}
	}
	if !fits() || maps.Equal(small, sizes) {
		return nil, errors.New("it has no smaller sizes that would do")
	}
	return small, nil
}

// shrinkEach makes those sizes smaller that may be on their own.
func shrinkEach(small, sizes map[string]int64, names []string, halvings int, legal func(map[string]int64) bool) {
	for _, name := range names {
		old := small[name]
		if small[name] = halved(sizes[name], halvings); !legal(small) {
			small[name] = old
		}
	}
}

// halved is a size after some halvings.
func halved(n int64, halvings int) int64 {
	const tail = 16
	if n <= tail {
		return n
	}
	return max(n/tail>>halvings*tail+n%tail, min(n, 2))
}

// Random makes arguments of a call with other sizes, of the kind that the command line draws:
// integers that subscript lie in their dimension.
func Random(f *ein.Func, sizes map[string]int64, seed uint64, indices func(name string, sizes map[string]int64) (low, high int64, ok bool)) (map[string]*tensor.Tensor, error) {
	shapes, err := f.Shapes(sizes)
	if err != nil {
		return nil, err
	}
	args := map[string]*tensor.Tensor{}
	for n, t := range append(f.Inputs(), f.ByRole(ein.InOut)...) {
		var shape []int
		for _, extent := range shapes[t.Name] {
			shape = append(shape, int(extent))
		}
		a, err := tensor.New(t.Type, shape...)
		if err != nil {
			return nil, err
		}
		args[t.Name] = a
		tensor.FillRandom(a, mix(seed+uint64(n)))
		if low, high, ok := indices(t.Name, sizes); ok {
			for at := range a.Len() {
				a.SetIntAt(at, low+int64(mix(seed+uint64(at))%uint64(high-low)))
			}
		}
		for _, s := range f.Sizes {
			if s.Tensor == t && s.Dim == ein.ScalarValue {
				a.SetInt(sizes[s.Name])
			}
		}
	}
	return args, nil
}
