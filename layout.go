package ricci

import (
	"errors"
	"sort"
	"unsafe"

	"github.com/ricci-lang/ricci/tensor"
)

// span returns how many bytes elements lie before the first element, and how
// many at and behind it; both are 0 for an empty array.
func span(dtype tensor.DType, shape, strides []int) (low, high uintptr) {
	first, last := 0, 1
	for i, n := range shape {
		switch reach := (n - 1) * strides[i]; {
		case n == 0:
			return 0, 0
		case reach < 0:
			first += reach
		default:
			last += reach
		}
	}
	return uintptr(-first * dtype.Size()), uintptr(last * dtype.Size())
}

// distinct reports whether all elements have places of their own: every stride
// steps over all that the smaller ones reach. Layouts that interleave in other
// ways are refused, too; no view of package tensor is such.
func distinct(shape, strides []int) bool {
	var dims []int
	for i, n := range shape {
		if n == 0 {
			return true
		}
		if n > 1 {
			dims = append(dims, i)
		}
	}
	size := func(i int) int { return max(strides[dims[i]], -strides[dims[i]]) }
	sort.Slice(dims, func(i, j int) bool { return size(i) < size(j) })
	reach := 0
	for i, d := range dims {
		if size(i) <= reach {
			return false
		}
		reach += size(i) * (shape[d] - 1)
	}
	return true
}

// copyOf copies a tensor into new memory with the strides that the kernel wants.
// The memory belongs to owner, which must outlive the copy.
func (a *argument) copyOf(t *tensor.Tensor) (same, owner *tensor.Tensor, err error) {
	shape, strides, low, high := a.shape, a.strides, a.low, a.high
	if shape == nil {
		shape = t.Shape()
		strides = tensor.RowMajor(shape)
		low, high = span(a.dtype, shape, strides)
	}
	if owner, err = tensor.New(tensor.Uint8, int(low+high)); err != nil {
		return nil, nil, err
	}
	same, err = tensor.FromPointer(a.dtype, unsafe.Add(owner.Pointer(), low), shape, strides)
	if err == nil {
		err = same.CopyFrom(t)
	}
	if err != nil {
		return nil, nil, errors.Join(err, owner.Close())
	}
	return same, owner, nil
}
