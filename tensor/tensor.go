package tensor

import (
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"unsafe"
)

// MaxRank is the largest number of dimensions, that of NumPy.
const MaxRank = 64

// Element lists the Go types that are elements of tensors; the 16-bit floats
// have no Go type and go through FromBits16.
type Element interface {
	bool | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64
}

// A Tensor is an n-dimensional array: an element type, a shape, and for every
// dimension the distance in elements between neighbours (the stride), which may
// be zero or negative. Several tensors may look at the same memory.
//
// Any number of goroutines may read a tensor at the same time; a write excludes
// every other use of the same elements, and Close every other use of the tensor.
//
// The memory lives as long as a tensor that looks at it. Who holds only its
// address (Pointer, Data) keeps the tensor alive with runtime.KeepAlive.
//
// The elements are in the memory of the host, or in that of a device (OnMemory,
// NewOn, To). There, what works on whole tensors copies by itself; what reads or
// writes single elements, or asks for an address of the host, is an error: a
// *ForeignError, with which methods that return no errors panic, as they do for
// an index out of range. ToHost makes a copy that has its elements at hand.
type Tensor struct {
	dtype   DType
	foreign bool // on foreign memory: the storage is kept by a *foreign
	shape   []int
	strides []int
	base    unsafe.Pointer // element [0, …, 0]; nil on foreign memory
	origin  int64          // element [0, …, 0] on foreign memory: its position in bytes
	storage *storage
}

// New returns a tensor of zeros in row-major order. The shape may have zero
// extents; New() without any is a scalar.
func New(d DType, shape ...int) (*Tensor, error) {
	n, err := checkShape(d, shape)
	if err != nil {
		return nil, err
	}
	base, s, err := allocate(n * d.Size())
	if err != nil {
		return nil, err
	}
	return newTensor(d, slices.Clone(shape), RowMajor(shape), base, s), nil
}

// newTensor makes a user of s. It is not inlined so that a tensor is always in
// the heap, and with it what Wrap is given: kernels get addresses, and those of
// a stack change.
//
//go:noinline
func newTensor(d DType, shape, strides []int, base unsafe.Pointer, s *storage) *Tensor {
	s.users.Add(1)
	return &Tensor{dtype: d, shape: shape, strides: strides, base: base, storage: s}
}

// FromSlice returns a tensor of the given shape with a copy of data.
func FromSlice[T Element](data []T, shape ...int) (*Tensor, error) {
	d := dtypeOf[T]()
	if err := checkLength(d, len(data), shape); err != nil {
		return nil, err
	}
	t, err := New(d, shape...)
	if err != nil {
		return nil, err
	}
	copy(unsafe.Slice((*T)(t.base), len(data)), data)
	return t, nil
}

// Wrap returns a tensor of the given shape over the memory of data: each sees
// what is written through the other.
func Wrap[T Element](data []T, shape ...int) (*Tensor, error) {
	d := dtypeOf[T]()
	if err := checkLength(d, len(data), shape); err != nil {
		return nil, err
	}
	base := unsafe.Pointer(unsafe.SliceData(data))
	return newTensor(d, slices.Clone(shape), RowMajor(shape), base, &storage{keep: data}), nil
}

// Scalar returns a tensor of rank 0.
func Scalar[T Element](v T) *Tensor {
	data := make([]T, Alignment/unsafe.Sizeof(v))
	data[0] = v
	return newTensor(dtypeOf[T](), nil, nil, unsafe.Pointer(&data[0]), &storage{keep: data})
}

// FromBits16 returns a Float16 or BFloat16 tensor of the given shape with a copy
// of the storage bits of its elements.
func FromBits16(d DType, data []uint16, shape ...int) (*Tensor, error) {
	if !d.IsHalf() {
		return nil, fmt.Errorf("FromBits16 makes float16 and bfloat16 tensors, not %s", d)
	}
	t, err := FromSlice(data, shape...)
	if err != nil {
		return nil, err
	}
	t.dtype = d
	return t, nil
}

// FromPointer returns a tensor over memory of someone else, which must outlive
// it; p is the address of element [0, …, 0] and strides count elements. Nil
// strides mean row-major order. The caller vouches for the addresses.
func FromPointer(d DType, p unsafe.Pointer, shape, strides []int) (*Tensor, error) {
	n, err := checkShape(d, shape)
	switch {
	case err != nil:
		return nil, err
	case strides == nil:
		strides = RowMajor(shape)
	case len(strides) != len(shape):
		return nil, fmt.Errorf("%d strides for a tensor of rank %d", len(strides), len(shape))
	}
	switch align := uintptr(d.Size()); {
	case p == nil && n > 0:
		return nil, fmt.Errorf("a nil pointer for a tensor of %d elements", n)
	case uintptr(p)%align != 0:
		return nil, fmt.Errorf("the address %#x is not aligned for %s", uintptr(p), d)
	}
	return newTensor(d, slices.Clone(shape), slices.Clone(strides), p, &storage{}), nil
}

// Close gives the memory up at once instead of when the collector runs. Views
// stay valid until they are closed too. A closed tensor has no elements and the
// type Invalid; closing it again does nothing. It fails only where the memory of a
// device does.
func (t *Tensor) Close() error {
	if s := t.storage; s != nil {
		*t = Tensor{shape: []int{0}, strides: []int{1}}
		return s.release()
	}
	return nil
}

// DType returns the element type.
func (t *Tensor) DType() DType { return t.dtype }

// Shape returns a copy of the extents of the dimensions.
func (t *Tensor) Shape() []int { return slices.Clone(t.shape) }

// Strides returns a copy of the distances between neighbours, in elements.
func (t *Tensor) Strides() []int { return slices.Clone(t.strides) }

// Rank returns the number of dimensions.
func (t *Tensor) Rank() int { return len(t.shape) }

// Dim returns the extent of one dimension, without the copy that Shape makes.
func (t *Tensor) Dim(dim int) int { return t.shape[dim] }

// Stride returns the stride of one dimension, without the copy that Strides makes.
func (t *Tensor) Stride(dim int) int { return t.strides[dim] }

// Len returns the number of elements.
func (t *Tensor) Len() int {
	n := 1
	for _, extent := range t.shape {
		n *= extent
	}
	return n
}

// Pointer returns the address of element [0, …, 0]; it does not keep t alive. It
// panics for a tensor on foreign memory; see Address.
func (t *Tensor) Pointer() unsafe.Pointer {
	if t.foreign { // a flag, so that the path of kernels has no call here
		panic((*refusal)(t))
	}
	return t.base
}

// IsContiguous reports whether the elements lie in row-major order without gaps.
func (t *Tensor) IsContiguous() bool {
	step := 1
	for dim := len(t.shape) - 1; dim >= 0; dim-- {
		if t.shape[dim] == 0 {
			return true
		}
		if t.shape[dim] > 1 && t.strides[dim] != step {
			return false
		}
		step *= t.shape[dim]
	}
	return true
}

// Data returns the elements of a contiguous tensor of exactly the type T as a
// slice over its memory. The slice does not keep t alive: hold t, or take a copy
// with ToSlice. On foreign memory it is a *ForeignError.
func Data[T Element](t *Tensor) ([]T, error) {
	if d := dtypeOf[T](); d != t.dtype {
		return nil, fmt.Errorf("the elements are %s, not %s; convert with Convert(%s)", t.dtype, d, d)
	}
	if t.foreign {
		return nil, t.foreignError()
	}
	if !t.IsContiguous() {
		return nil, fmt.Errorf("shape %v with strides %v is not contiguous; Clone makes it so", t.shape, t.strides)
	}
	return unsafe.Slice((*T)(t.base), t.Len()), nil
}

// ToSlice returns a copy of the elements in row-major order, converted to T, also
// from foreign memory.
func ToSlice[T Element](t *Tensor) ([]T, error) {
	data := make([]T, t.Len())
	target, err := Wrap(data, t.shape...)
	if err != nil {
		return nil, err
	}
	return data, target.CopyFrom(t)
}

// bytes returns the memory of a contiguous tensor; the caller keeps t alive.
func (t *Tensor) bytes() []byte {
	return unsafe.Slice((*byte)(t.base), t.Len()*t.dtype.Size())
}

// keepAlive marks the end of the use of t's memory.
func (t *Tensor) keepAlive() { runtime.KeepAlive(t) }

// dtypeOf returns the element type that a Go type stands for.
func dtypeOf[T Element]() DType {
	var zero T
	switch any(zero).(type) {
	case bool:
		return Bool
	case int8:
		return Int8
	case int16:
		return Int16
	case int32:
		return Int32
	case int64:
		return Int64
	case uint8:
		return Uint8
	case uint16:
		return Uint16
	case uint32:
		return Uint32
	case uint64:
		return Uint64
	case float32:
		return Float32
	}
	return Float64
}

// checkShape returns the number of elements, or an error for a shape that no
// tensor can have. The extents of an empty tensor are bounded too, so that its
// strides never overflow.
func checkShape(d DType, shape []int) (int, error) {
	if d == Invalid || int(d) >= len(dtypes) {
		return 0, fmt.Errorf("%s is not an element type", d)
	}
	if len(shape) > MaxRank {
		return 0, fmt.Errorf("a tensor has at most %d dimensions, not %d", MaxRank, len(shape))
	}
	n, size := 1, uint64(d.Size())
	for dim, extent := range shape {
		if extent < 0 {
			return 0, fmt.Errorf("dimension %d of shape %v is negative", dim, shape)
		}
		n *= extent
		high, low := bits.Mul64(size, uint64(max(extent, 1)))
		if high != 0 || low > math.MaxInt-Alignment {
			return 0, fmt.Errorf("a %s tensor of shape %v is larger than the address space", d, shape)
		}
		size = low
	}
	return n, nil
}

func checkLength(d DType, length int, shape []int) error {
	n, err := checkShape(d, shape)
	if err == nil && n != length {
		err = fmt.Errorf("shape %v has %d elements, the slice has %d", shape, n, length)
	}
	return err
}

// RowMajor returns the strides, in elements, of a contiguous tensor of a shape.
func RowMajor(shape []int) []int {
	strides := make([]int, len(shape))
	step := 1
	for dim := len(shape) - 1; dim >= 0; dim-- {
		strides[dim] = step
		step *= max(shape[dim], 1)
	}
	return strides
}
