package eintest

import (
	"math/rand/v2"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// Sizes draws values for the sizes of a drawn function.
func Sizes(t *rapid.T) map[string]int64 {
	sizes := map[string]int64{}
	for _, s := range sizeRanges {
		sizes[s.name] = rapid.Int64Range(s.lo, s.hi).Draw(t, s.name)
	}
	return sizes
}

var sizeRanges = []struct {
	name   string
	lo, hi int64
}{{"N", 3, 6}, {"M", 3, 6}, {"K", 1, 3}, {"Z", 0, 3}, {"L", 1, 3}, {"s", -3, 3}}

// Elements returns values for all elements of a tensor of a drawn function:
// integers of magnitude up to 4 (0 and 1 for bool, 0 to 8 for unsigned types);
// the scalar that is a size gets the value of the size.
func Elements(seed uint64, f *ein.Func, x *ein.Tensor, sizes map[string]int64) ([]int64, error) {
	shapes, err := f.Shapes(sizes)
	if err != nil {
		return nil, err
	}
	count := int64(1)
	for _, n := range shapes[x.Name] {
		count *= n
	}
	random := rand.New(rand.NewPCG(seed, uint64(len(x.Name))))
	values := make([]int64, count)
	for i := range values {
		switch x.Type.Kind() {
		case tensor.KindBool:
			values[i] = random.Int64N(2)
		case tensor.KindUint:
			values[i] = random.Int64N(9)
		default:
			values[i] = random.Int64N(9) - 4
		}
	}
	for _, s := range f.Sizes {
		if s.Tensor != nil && s.Tensor.Name == x.Name && s.Dim == ein.ScalarValue {
			values[0] = sizes[s.Name]
		}
	}
	return values, nil
}

// Arguments returns arrays with the values of Elements for every input and
// in-out of a drawn function.
func Arguments(seed uint64, f *ein.Func, sizes map[string]int64) (map[string]*tensor.Tensor, error) {
	shapes, err := f.Shapes(sizes)
	if err != nil {
		return nil, err
	}
	args := map[string]*tensor.Tensor{}
	for n, x := range f.ByRole(ein.Input, ein.InOut) {
		values, err := Elements(seed+uint64(n), f, x, sizes)
		if err != nil {
			return nil, err
		}
		shape := make([]int, len(x.Dims))
		for i, n := range shapes[x.Name] {
			shape[i] = int(n)
		}
		array, err := tensor.New(x.Type, shape...)
		if err != nil {
			return nil, err
		}
		at := 0
		for offset := range array.Offsets() {
			array.SetIntAt(offset, values[at])
			at++
		}
		args[x.Name] = array
	}
	return args, nil
}
