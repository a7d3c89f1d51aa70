package tensor

import "unsafe"

// Must returns the tensor, or panics with the error: for programs that are short, and values that
// are known to be right.
//
//	a := tensor.Must(tensor.FromSlice([]float32{1, 2, 3, 4}, 2, 2))
func Must(t *Tensor, err error) *Tensor {
	if err != nil {
		panic(err)
	}
	return t
}

// Retarget makes a tensor that FromPointer has made look at other memory, with as many dimensions
// of these extents in row-major order; it allocates nothing. Of other tensors it reports false, and
// changes nothing. The caller vouches for the address, as with FromPointer.
func (t *Tensor) Retarget(p unsafe.Pointer, shape ...int) bool {
	s := t.storage
	if s == nil || s.mapping != nil || s.keep != nil || len(shape) != len(t.shape) || uintptr(p)%uintptr(t.dtype.Size()) != 0 {
		return false
	}
	n := 1
	for _, extent := range shape {
		n *= extent
	}
	if n < 0 || p == nil && n > 0 {
		return false
	}
	t.base = p
	for i, step := len(shape)-1, 1; i >= 0; i-- {
		t.shape[i], t.strides[i] = shape[i], step
		step *= shape[i]
	}
	return true
}
