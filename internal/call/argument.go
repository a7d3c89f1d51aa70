package call

import (
	"errors"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// argument is what a kernel expects of one argument.
type argument struct {
	tensor *ein.Tensor // of the def
	name   string
	dtype  tensor.DType
	output bool
	size   bool   // a scalar whose value is a size: it has to be on the host
	scalar *int64 // the only value that it may have
	// owned reports whether the code works on memory of a device; nil: it does not.
	owned   func(tensor.Memory) bool
	shape   []int // nil when it depends on dynamic sizes
	strides []int // nil when any will do; unknown shapes are dense for native code
	dense   bool
	// low and high are the bytes before and behind the address of the first
	// element; for known shapes only.
	low, high uintptr
}

// describe finds the shape, if it is constant.
func (a *argument) describe(sizes map[string]int64) error {
	shape := make([]int, len(a.tensor.Dims))
	for i, d := range a.tensor.Dims {
		symbols := map[string]bool{}
		d.Extent.Symbols(symbols)
		for s := range symbols {
			if _, known := sizes[s]; !known {
				return nil
			}
		}
		n, err := d.Extent.Eval(sizes)
		if err != nil {
			return source.Internalf("kernel", a.tensor.Pos, "%s: %w", a.name, err)
		}
		shape[i] = int(n)
	}
	a.shape = shape
	return nil
}

// layout says where the elements must lie; nil strides mean row-major.
func (a *argument) layout(strides []int) {
	if a.shape == nil {
		a.dense = true
		return
	}
	if strides == nil {
		strides = tensor.RowMajor(a.shape)
	}
	a.strides = strides
	a.low, a.high = span(a.dtype, a.shape, strides)
}

// accepts reports whether the tensor is what the kernel was compiled for. It is
// on the path of every call; explain says in words what it refused.
func (a *argument) accepts(t *tensor.Tensor) bool {
	if t == nil || t.DType() != a.dtype || t.Rank() != len(a.tensor.Dims) || t.Memory() != nil && !a.reaches(t) {
		return false
	}
	if a.shape == nil {
		return !a.dense || t.IsContiguous()
	}
	empty := false
	for i, n := range a.shape {
		if t.Dim(i) != n {
			return false
		}
		empty = empty || n == 0
	}
	for i, stride := range a.strides {
		if t.Stride(i) != stride && a.shape[i] > 1 && !empty {
			return false
		}
	}
	return a.scalar == nil || t.Int() == *a.scalar
}

// reaches reports whether a tensor is where calls can use it: code of this machine wants it on the host, code of a device with
// memory of its own in that memory, or on the host to be copied.
func (a *argument) reaches(t *tensor.Tensor) bool {
	m := t.Memory()
	return m == nil || !a.size && a.owned != nil && a.owned(m)
}

// lies reports whether elements of that form, which is of the right shape, lie as the kernel wants.
func (a *argument) lies(f *form) bool {
	strides := a.strides
	switch {
	case a.shape == nil && a.dense:
		strides = tensor.RowMajor(f.shape)
	case strides == nil || slices.Contains(f.shape, 0):
		return true
	}
	for i, stride := range strides {
		if f.strides[i] != stride && f.shape[i] > 1 {
			return false
		}
	}
	return true
}

// bytes returns the range of addresses that the elements of t lie in.
func (a *argument) bytes(t *tensor.Tensor) (low, high uintptr) {
	base := uintptr(t.Pointer())
	if a.shape == nil { // dense
		return base, base + uintptr(t.Len()*a.dtype.Size())
	}
	return base - a.low, base + a.high
}

// bytesThere is bytes for a tensor in the memory of a device.
func (a *argument) bytesThere(t *tensor.Tensor) (low, high uintptr) {
	base := t.Address()
	if a.shape == nil { // dense
		return base, base + uintptr(t.Len()*a.dtype.Size())
	}
	return base - a.low, base + a.high
}

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

// copyOf copies a tensor into new memory, of a device where there is an allocator, with the strides that the kernel wants. A tensor of zeros need not be
// copied: new memory has them.
func (a *argument) copyOf(t *tensor.Tensor, on tensor.Allocator, zeros bool) (same *tensor.Tensor, err error) {
	shape, strides, low, high := a.shape, a.strides, a.low, a.high
	if shape == nil {
		shape = t.Shape()
		strides = tensor.RowMajor(shape)
		low, high = span(a.dtype, shape, strides)
	}
	bytes, err := tensor.NewOn(on, tensor.Uint8, int(low+high))
	if err != nil {
		return nil, err
	}
	if same, err = bytes.Strided(a.dtype, int(low), shape, strides); err != nil {
		return nil, errors.Join(err, bytes.Close())
	}
	err = bytes.Close() // the copy has a use of its own
	if err == nil && !zeros {
		err = same.CopyFrom(t)
	}
	if err != nil {
		return nil, errors.Join(err, same.Close())
	}
	return same, nil
}
