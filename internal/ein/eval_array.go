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
	// demand computes an element when it is read; nil where the elements are here.
	demand func(at int64) value
}

func (a *array) allocate(shape []int, bounds bool) error {
	length, err := a.measure(shape)
	if err != nil {
		return err
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

// measure says where the elements would be.
func (a *array) measure(shape []int) (length int64, err error) {
	a.shape, a.stride = shape, make([]int64, len(shape))
	length = 1
	for i := len(shape) - 1; i >= 0; i-- {
		a.stride[i] = length
		if shape[i] > 0 && length > math.MaxInt64/16/int64(shape[i]) {
			return 0, fmt.Errorf("a tensor of shape %v is larger than the address space", shape)
		}
		length *= int64(shape[i])
	}
	return length, nil
}

// fill copies a tensor of the same type and shape.
func (a *array) fill(t *tensor.Tensor) {
	at := int64(0)
	for offset := range t.Offsets() {
		v := numberAt(t, offset)
		if a.floats != nil {
			a.floats[at] = v.f
		} else {
			a.ints[at] = v.i
		}
		at++
	}
}

// numberAt reads an element of a tensor.
func numberAt(t *tensor.Tensor, offset int) value {
	switch t.DType().Kind() {
	case tensor.KindFloat:
		return value{f: t.FloatAt(offset)}
	case tensor.KindUint:
		return value{i: int64(t.UintAt(offset))}
	}
	return value{i: t.IntAt(offset)}
}

func (a *array) load(at int64) value {
	if a.demand != nil {
		return a.demand(at)
	}
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
		setNumber(t, at, value{i: v})
	}
	for at, v := range a.floats {
		t.SetFloatAt(at, v)
	}
	return t, nil
}

// setNumber writes an element of a tensor.
func setNumber(t *tensor.Tensor, offset int, v value) {
	switch t.DType().Kind() {
	case tensor.KindFloat:
		t.SetFloatAt(offset, v.f)
	case tensor.KindUint:
		t.SetUintAt(offset, uint64(v.i))
	default:
		t.SetIntAt(offset, v.i)
	}
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
