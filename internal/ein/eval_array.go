package ein

import (
	"fmt"
	"math"

	"github.com/ricci-lang/ricci/tensor"
)

// A value is what an expression has at one point. Which field counts follows
// from its type: i for bool and integers (an uint64 keeps its bits), f for
// floats. e is the error bound where bounds are asked for, otherwise 0: it bounds
// |f - f'| or |i - i'| for the f', i' of any correct implementation, and is +∞
// where nothing can be said.
type value struct {
	i int64
	f float64
	e float64
}

// An array is the dense row-major storage of a tensor, one number per element.
type array struct {
	dtype       tensor.DType
	min, extent []int64
	shape       []int
	stride      []int64
	ints        []int64   // bool and integers
	floats      []float64 // floats; the 16-bit ones hold their rounded values
	errors      []float64 // nil without bounds
}

func (a *array) allocate(shape []int, bounds bool) error {
	a.shape, a.stride = shape, make([]int64, len(shape))
	length := int64(1)
	for i := len(shape) - 1; i >= 0; i-- {
		a.stride[i] = length
		if shape[i] > 0 && length > math.MaxInt64/16/int64(shape[i]) {
			return fmt.Errorf("a tensor of shape %v is larger than the address space", shape)
		}
		length *= int64(shape[i])
	}
	if a.dtype.IsFloat() {
		a.floats = make([]float64, length)
	} else {
		a.ints = make([]int64, length)
	}
	if bounds {
		a.errors = make([]float64, length)
	}
	return nil
}

// fill copies a tensor of the same type and shape.
func (a *array) fill(t *tensor.Tensor) {
	at := 0
	for offset := range t.Offsets() {
		switch {
		case a.dtype.IsFloat():
			a.floats[at] = t.FloatAt(offset)
		case a.dtype.Kind() == tensor.KindUint:
			a.ints[at] = int64(t.UintAt(offset))
		default:
			a.ints[at] = t.IntAt(offset)
		}
		at++
	}
}

func (a *array) load(at int64) value {
	var v value
	if a.floats != nil {
		v.f = a.floats[at]
	} else {
		v.i = a.ints[at]
	}
	if a.errors != nil {
		v.e = a.errors[at]
	}
	return v
}

func (a *array) store(at int64, v value) {
	if a.floats != nil {
		a.floats[at] = v.f
	} else {
		a.ints[at] = v.i
	}
	if a.errors != nil {
		a.errors[at] = v.e
	}
}

// tensor returns the elements as a new tensor.
func (a *array) tensor() (*tensor.Tensor, error) {
	t, err := tensor.New(a.dtype, a.shape...)
	if err != nil {
		return nil, err
	}
	for at, v := range a.ints {
		if a.dtype.Kind() == tensor.KindUint {
			t.SetUintAt(at, uint64(v))
		} else {
			t.SetIntAt(at, v)
		}
	}
	for at, v := range a.floats {
		t.SetFloatAt(at, v)
	}
	return t, nil
}

// bounds returns the error bounds as a new tensor.
func (a *array) bounds() (*tensor.Tensor, error) {
	t, err := tensor.New(tensor.Float64, a.shape...)
	if err != nil {
		return nil, err
	}
	for at, e := range a.errors {
		if math.IsNaN(e) {
			e = unbounded
		}
		t.SetFloatAt(at, e)
	}
	return t, nil
}
