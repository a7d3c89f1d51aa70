package tensor

import (
	"fmt"
	"slices"
	"unsafe"
)

// CopyFrom writes the elements of src, which has the same shape, to t. Types are
// converted: a float becomes an integer by truncation and saturation, NaN gives
// 0; an integer wraps in a narrower one; a bool is x != 0; floats round once, to
// nearest, ties to even. The two may share memory, and each may be on the host or
// on a device. Between the host and a device, dense tensors of one type and order
// are copied at once; otherwise a write to a device takes as many transfers as t has
// pieces without gaps. Between two devices, or on one, the way is over the host.
func (t *Tensor) CopyFrom(src *Tensor) error {
	switch {
	case t.dtype == Invalid || src.dtype == Invalid:
		return errClosed
	case !slices.Equal(t.shape, src.shape):
		return fmt.Errorf("a copy from shape %v to shape %v; Broadcast or Reshape the source", src.shape, t.shape)
	case t.repeats():
		return fmt.Errorf("a copy to a tensor of shape %v with strides %v, whose elements share memory", t.shape, t.strides)
	}
	if t.foreign || src.foreign {
		return t.copyForeign(src)
	}
	if t.overlaps(src) {
		c, err := New(src.dtype, src.shape...)
		if err != nil {
			return err
		}
		c.copyDisjoint(src)
		src = c
	}
	t.copyDisjoint(src)
	return nil
}

// repeats reports whether a dimension visits one element several times.
func (t *Tensor) repeats() bool {
	for dim, extent := range t.shape {
		if extent > 1 && t.strides[dim] == 0 {
			return true
		}
	}
	return false
}

// extent returns the lowest address and the one after the highest.
func (t *Tensor) extent() (lo, hi uintptr) {
	low, high := 0, 1
	for dim, n := range t.shape {
		if reach := (n - 1) * t.strides[dim]; reach < 0 {
			low += reach
		} else {
			high += reach
		}
	}
	size := t.dtype.Size()
	return uintptr(t.base) + uintptr(low*size), uintptr(t.base) + uintptr(high*size)
}

// overlaps reports whether the address ranges of two tensors meet.
func (t *Tensor) overlaps(o *Tensor) bool {
	if t.Len() == 0 || o.Len() == 0 {
		return false
	}
	lo, hi := t.extent()
	oLo, oHi := o.extent()
	return lo < oHi && oLo < hi
}

func (t *Tensor) copyDisjoint(src *Tensor) {
	defer t.keepAlive()
	defer src.keepAlive()
	if t.dtype == src.dtype && t.IsContiguous() && src.IsContiguous() {
		copy(t.bytes(), src.bytes())
		return
	}
	convert := conversion(t.dtype, src.dtype)
	size, srcSize := t.dtype.Size(), src.dtype.Size()
	for r := range rows(t.shape, t.strides, src.strides) {
		to := unsafe.Add(t.base, r.a*size)
		from := unsafe.Add(src.base, r.b*srcSize)
		for i := range r.n {
			b := loadBits(unsafe.Add(from, i*r.stepB*srcSize), srcSize)
			storeBits(unsafe.Add(to, i*r.stepA*size), size, convert(b))
		}
	}
}

// conversion returns the function from storage bits of one type to those of
// another.
func conversion(to, from DType) func(uint64) uint64 {
	switch {
	case to == from:
		return func(b uint64) uint64 { return b }
	case from.IsFloat():
		return func(b uint64) uint64 { return bitsOfFloat(to, floatOf(from, b)) }
	case from.Kind() == KindInt:
		return func(b uint64) uint64 { return bitsOfInt(to, signExtend(from, b)) }
	}
	return func(b uint64) uint64 { return bitsOfUint(to, b) }
}
