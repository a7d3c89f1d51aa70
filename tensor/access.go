package tensor

import (
	"fmt"
	"iter"
	"math"
	"unsafe"
)

// How it works
//
// An element is addressed by its indices (Int, Float, …) or, in loops, by its
// offset in elements from element [0, …, 0] (IntAt, FloatAt, …, with Offsets).
// Like Go's own indexing, indices out of range panic with an error, and so does
// every access to an element on foreign memory, with a *ForeignError in the chain;
// offsets are not checked and must come from Offsets or Offset, which need no
// memory.
//
// Reads and writes convert as ein's Cast does: a float becomes an integer by
// truncation and saturation, NaN gives 0; an integer wraps in a narrower one;
// a bool is x != 0; floats round once, to nearest, ties to even.

// Offset returns the position of an element relative to element [0, …, 0],
// counted in elements. It panics when the indices are not those of an element.
func (t *Tensor) Offset(index ...int) int {
	if len(index) != len(t.shape) {
		panic(indexError(t, index))
	}
	offset := 0
	for dim, i := range index {
		if uint(i) >= uint(t.shape[dim]) {
			panic(indexError(t, index))
		}
		offset += i * t.strides[dim]
	}
	return offset
}

// indexError copies the index so that the argument of Offset stays on the stack.
func indexError(t *Tensor, index []int) error {
	return fmt.Errorf("tensor: index %v of shape %v", append([]int{}, index...), t.shape)
}

// Offsets yields the offset of every element in row-major order.
func (t *Tensor) Offsets() iter.Seq[int] {
	return func(yield func(int) bool) {
		for r := range rows(t.shape, t.strides, t.strides) {
			for i := range r.n {
				if !yield(r.a + i*r.stepA) {
					return
				}
			}
		}
	}
}

// A row is the part along the last dimension of two tensors of one shape: n
// elements each, with the offset of the first and the distance between them.
type row struct{ n, a, stepA, b, stepB int }

// rows yields every row in row-major order. A scalar is one row of one element.
func rows(shape, stridesA, stridesB []int) iter.Seq[row] {
	return func(yield func(row) bool) {
		for _, extent := range shape {
			if extent == 0 {
				return
			}
		}
		outer := len(shape) - 1
		if outer < 0 {
			yield(row{n: 1})
			return
		}
		index := make([]int, outer)
		r := row{n: shape[outer], stepA: stridesA[outer], stepB: stridesB[outer]}
		for yield(r) {
			dim := outer - 1
			for ; dim >= 0; dim-- {
				index[dim]++
				r.a += stridesA[dim]
				r.b += stridesB[dim]
				if index[dim] < shape[dim] {
					break
				}
				r.a -= shape[dim] * stridesA[dim]
				r.b -= shape[dim] * stridesB[dim]
				index[dim] = 0
			}
			if dim < 0 {
				return
			}
		}
	}
}

// Int returns an element as an int64.
func (t *Tensor) Int(index ...int) int64 { return t.IntAt(t.Offset(index...)) }

// Uint returns an element as a uint64.
func (t *Tensor) Uint(index ...int) uint64 { return t.UintAt(t.Offset(index...)) }

// Float returns an element as a float64.
func (t *Tensor) Float(index ...int) float64 { return t.FloatAt(t.Offset(index...)) }

// Bits returns the storage bits of an element, not extended.
func (t *Tensor) Bits(index ...int) uint64 { return t.BitsAt(t.Offset(index...)) }

// SetInt stores an integer in an element.
func (t *Tensor) SetInt(v int64, index ...int) { t.SetIntAt(t.Offset(index...), v) }

// SetUint stores an unsigned integer in an element.
func (t *Tensor) SetUint(v uint64, index ...int) { t.SetUintAt(t.Offset(index...), v) }

// SetFloat stores a number in an element.
func (t *Tensor) SetFloat(v float64, index ...int) { t.SetFloatAt(t.Offset(index...), v) }

// SetBits stores the low bits of b as the storage bits of an element.
func (t *Tensor) SetBits(b uint64, index ...int) { t.SetBitsAt(t.Offset(index...), b) }

// BitsAt returns the storage bits of the element at an offset.
func (t *Tensor) BitsAt(offset int) uint64 {
	if t.base == nil {
		panic((*refusal)(t))
	}
	b := loadBits(unsafe.Add(t.base, offset*t.dtype.Size()), t.dtype.Size())
	t.keepAlive()
	return b
}

// SetBitsAt stores storage bits in the element at an offset.
func (t *Tensor) SetBitsAt(offset int, b uint64) {
	if t.base == nil {
		panic((*refusal)(t))
	}
	storeBits(unsafe.Add(t.base, offset*t.dtype.Size()), t.dtype.Size(), b)
	t.keepAlive()
}

// IntAt returns the element at an offset as an int64.
func (t *Tensor) IntAt(offset int) int64 {
	b := t.BitsAt(offset)
	switch t.dtype.Kind() {
	case KindFloat:
		return int64(floatToInt(Int64, floatOf(t.dtype, b)))
	case KindInt:
		return signExtend(t.dtype, b)
	}
	return int64(b)
}

// UintAt returns the element at an offset as a uint64.
func (t *Tensor) UintAt(offset int) uint64 {
	b := t.BitsAt(offset)
	switch t.dtype.Kind() {
	case KindFloat:
		return floatToInt(Uint64, floatOf(t.dtype, b))
	case KindInt:
		return uint64(signExtend(t.dtype, b))
	}
	return b
}

// FloatAt returns the element at an offset as a float64.
func (t *Tensor) FloatAt(offset int) float64 {
	b := t.BitsAt(offset)
	switch t.dtype.Kind() {
	case KindFloat:
		return floatOf(t.dtype, b)
	case KindInt:
		return float64(signExtend(t.dtype, b))
	}
	return float64(b)
}

// SetIntAt stores an integer in the element at an offset.
func (t *Tensor) SetIntAt(offset int, v int64) { t.SetBitsAt(offset, bitsOfInt(t.dtype, v)) }

// SetUintAt stores an unsigned integer in the element at an offset.
func (t *Tensor) SetUintAt(offset int, v uint64) { t.SetBitsAt(offset, bitsOfUint(t.dtype, v)) }

// SetFloatAt stores a number in the element at an offset.
func (t *Tensor) SetFloatAt(offset int, v float64) { t.SetBitsAt(offset, bitsOfFloat(t.dtype, v)) }

func loadBits(p unsafe.Pointer, size int) uint64 {
	switch size {
	case 1:
		return uint64(*(*uint8)(p))
	case 2:
		return uint64(*(*uint16)(p))
	case 4:
		return uint64(*(*uint32)(p))
	}
	return *(*uint64)(p)
}

func storeBits(p unsafe.Pointer, size int, b uint64) {
	switch size {
	case 1:
		*(*uint8)(p) = uint8(b)
	case 2:
		*(*uint16)(p) = uint16(b)
	case 4:
		*(*uint32)(p) = uint32(b)
	default:
		*(*uint64)(p) = b
	}
}

// floatOf returns the value of the storage bits of a float type.
func floatOf(d DType, b uint64) float64 {
	switch d {
	case Float16:
		return float64(Float16ToFloat32(uint16(b)))
	case BFloat16:
		return float64(BFloat16ToFloat32(uint16(b)))
	case Float32:
		return float64(math.Float32frombits(uint32(b)))
	}
	return math.Float64frombits(b)
}

func signExtend(d DType, b uint64) int64 {
	shift := 64 - 8*d.Size()
	return int64(b<<shift) >> shift
}

// bitsOfFloat returns the storage bits of a number converted to d.
func bitsOfFloat(d DType, v float64) uint64 {
	switch {
	case d == Float64:
		return math.Float64bits(v)
	case d == Float32:
		return uint64(math.Float32bits(float32(v)))
	case d.IsHalf():
		return uint64(toHalf(d, v))
	case d == Bool:
		return bitOf(v != 0)
	}
	return floatToInt(d, v)
}

// bitsOfInt returns the storage bits of an integer converted to d.
func bitsOfInt(d DType, v int64) uint64 {
	switch {
	case d == Float64:
		return math.Float64bits(float64(v))
	case d == Float32:
		return uint64(math.Float32bits(float32(v)))
	case d.IsHalf() && v < 0:
		return uint64(toHalf(d, -magnitudeToFloat(-uint64(v))))
	}
	return bitsOfUint(d, uint64(v))
}

// bitsOfUint returns the storage bits of an unsigned integer converted to d.
func bitsOfUint(d DType, v uint64) uint64 {
	switch {
	case d == Float64:
		return math.Float64bits(float64(v))
	case d == Float32:
		return uint64(math.Float32bits(float32(v)))
	case d.IsHalf():
		return uint64(toHalf(d, magnitudeToFloat(v)))
	case d == Bool:
		return bitOf(v != 0)
	}
	return v
}

func bitOf(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// floatToInt truncates and saturates; NaN gives 0. The result is the two's
// complement value, extended to 64 bits. The upper bounds are powers of two, so
// that the comparisons are exact.
func floatToInt(d DType, v float64) uint64 {
	bits := 8 * d.Size()
	if d.Kind() == KindInt {
		limit := math.Ldexp(1, bits-1)
		switch {
		case v != v:
			return 0
		case v >= limit:
			return 1<<(bits-1) - 1
		case v <= -limit:
			return -(uint64(1) << (bits - 1))
		}
		return uint64(int64(v))
	}
	switch {
	case v >= math.Ldexp(1, bits):
		return math.MaxUint64 >> (64 - bits)
	case v >= 1:
		return uint64(v)
	}
	return 0
}
