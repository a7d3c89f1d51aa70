package tensor

import (
	"fmt"
	"slices"
	"unsafe"
)

// view returns another tensor over the same memory, shifted by some elements.
func (t *Tensor) view(shape, strides []int, offset int) (*Tensor, error) {
	if t.storage == nil {
		return nil, errClosed
	}
	base, bytes := t.base, offset*t.dtype.Size()
	if !t.foreign && bytes != 0 {
		base = unsafe.Add(t.base, bytes)
	}
	v := newTensor(t.dtype, shape, strides, base, t.storage)
	if t.foreign {
		v.foreign, v.origin = true, t.origin+int64(bytes)
	}
	return v, nil
}

func (t *Tensor) checkDim(dim int) error {
	if dim < 0 || dim >= len(t.shape) {
		return fmt.Errorf("dimension %d of a tensor of rank %d", dim, len(t.shape))
	}
	return nil
}

// Slice returns a view of the elements lo, lo+step, … before hi of a dimension.
// A negative step goes down from lo to the last element after hi, which may be
// -1: Slice(0, n-1, -1, -1) reverses.
func (t *Tensor) Slice(dim, lo, hi, step int) (*Tensor, error) {
	if err := t.checkDim(dim); err != nil {
		return nil, err
	}
	extent := t.shape[dim]
	up := step > 0 && 0 <= lo && lo <= hi && hi <= extent
	down := step < 0 && -1 <= hi && hi <= lo && lo < extent
	if !up && !down {
		return nil, fmt.Errorf("slice %d:%d:%d of dimension %d with extent %d", lo, hi, step, dim, extent)
	}
	distance, size := hi-lo, step
	if down {
		distance, size = lo-hi, -step
	}
	shape, strides := slices.Clone(t.shape), slices.Clone(t.strides)
	offset := 0
	if shape[dim] = distance / size; distance%size != 0 {
		shape[dim]++
	}
	if shape[dim] > 0 && t.Len() > 0 {
		offset = lo * strides[dim]
	}
	if shape[dim] > 1 {
		strides[dim] *= step
	}
	return t.view(shape, strides, offset)
}

// Select returns the view without dimension dim in which its index is i.
func (t *Tensor) Select(dim, i int) (*Tensor, error) {
	if err := t.checkDim(dim); err != nil {
		return nil, err
	}
	if i < 0 || i >= t.shape[dim] {
		return nil, fmt.Errorf("index %d of dimension %d with extent %d", i, dim, t.shape[dim])
	}
	offset := i * t.strides[dim]
	if t.Len() == 0 {
		offset = 0
	}
	shape := slices.Delete(slices.Clone(t.shape), dim, dim+1)
	strides := slices.Delete(slices.Clone(t.strides), dim, dim+1)
	return t.view(shape, strides, offset)
}

// Strided returns a view of other elements over the bytes of a dense tensor of uint8, which have to hold all of them: element
// [0, …, 0] begins behind so many bytes as first says, and strides count elements.
func (t *Tensor) Strided(d DType, first int, shape, strides []int) (*Tensor, error) {
	n, err := checkShape(d, shape)
	switch {
	case err != nil:
		return nil, err
	case t.dtype != Uint8 || !t.IsContiguous():
		return nil, fmt.Errorf("other elements over a %s tensor of shape %v with strides %v: it has to be dense, of uint8", t.dtype, t.shape, t.strides)
	case len(strides) != len(shape):
		return nil, fmt.Errorf("%d strides for a tensor of rank %d", len(strides), len(shape))
	case (t.Address()+uintptr(first))%uintptr(d.Size()) != 0:
		return nil, fmt.Errorf("the byte %d of the tensor has no address that is aligned for %s", first, d)
	}
	v := &Tensor{dtype: d, shape: slices.Clone(shape), strides: slices.Clone(strides)}
	if low, bytes := v.span(); n > 0 && (first+low < 0 || first+low+bytes > t.Len()) {
		return nil, fmt.Errorf("elements in the bytes %d:%d, and there are %d", first+low, first+low+bytes, t.Len())
	}
	if n == 0 {
		first = 0
	}
	view, err := t.view(v.shape, v.strides, first)
	if err != nil {
		return nil, err
	}
	view.dtype = d
	return view, nil
}

// Transpose returns the view whose dimension k is dimension perm[k] of t; without
// arguments it reverses the dimensions.
func (t *Tensor) Transpose(perm ...int) (*Tensor, error) {
	rank := len(t.shape)
	if len(perm) == 0 {
		for dim := rank - 1; dim >= 0; dim-- {
			perm = append(perm, dim)
		}
	}
	if len(perm) != rank {
		return nil, fmt.Errorf("a permutation of %d dimensions for a tensor of rank %d", len(perm), rank)
	}
	seen := make([]bool, rank)
	shape, strides := make([]int, rank), make([]int, rank)
	for k, dim := range perm {
		if dim < 0 || dim >= rank || seen[dim] {
			return nil, fmt.Errorf("%v is not a permutation of %d dimensions", perm, rank)
		}
		seen[dim] = true
		shape[k], strides[k] = t.shape[dim], t.strides[dim]
	}
	return t.view(shape, strides, 0)
}

// Broadcast returns a view of a larger shape by NumPy's rule: dimensions are
// aligned at the end, and missing ones and those of extent 1 are repeated. The
// repeated elements share memory, so CopyFrom refuses to write to the view.
func (t *Tensor) Broadcast(shape ...int) (*Tensor, error) {
	if _, err := checkShape(t.dtype, shape); err != nil {
		return nil, err
	}
	missing := len(shape) - len(t.shape)
	if missing < 0 {
		return nil, fmt.Errorf("shape %v cannot be broadcast to %v", t.shape, shape)
	}
	strides := make([]int, len(shape))
	for dim, extent := range t.shape {
		switch want := shape[missing+dim]; {
		case want == extent:
			strides[missing+dim] = t.strides[dim]
		case extent != 1:
			return nil, fmt.Errorf("shape %v cannot be broadcast to %v: extent %d is neither 1 nor %d", t.shape, shape, extent, want)
		}
	}
	return t.view(slices.Clone(shape), strides, 0)
}

// Reshape returns a view of another shape with the same elements in row-major
// order, or an error when strides cannot express it; Clone first then.
func (t *Tensor) Reshape(shape ...int) (*Tensor, error) {
	n, err := checkShape(t.dtype, shape)
	if err != nil {
		return nil, err
	}
	if n != t.Len() {
		return nil, fmt.Errorf("shape %v has %d elements, shape %v has %d", shape, n, t.shape, t.Len())
	}
	strides, ok := reshapeStrides(t.shape, t.strides, shape)
	if !ok {
		return nil, fmt.Errorf("shape %v with strides %v cannot be seen as %v without a copy; Clone first", t.shape, t.strides, shape)
	}
	return t.view(slices.Clone(shape), strides, 0)
}

// reshapeStrides finds strides that walk through the same elements. Runs of old
// dimensions that are contiguous among themselves are matched with runs of new
// dimensions of the same product; extents of 1 belong nowhere and get stride 1.
func reshapeStrides(oldShape, oldStrides, shape []int) ([]int, bool) {
	strides := RowMajor(shape)
	if slices.Contains(shape, 0) {
		return strides, true
	}
	var extents, steps []int // the runs of the old shape
	for dim, extent := range oldShape {
		if extent == 1 {
			continue
		}
		last := len(extents) - 1
		if last >= 0 && steps[last] == extent*oldStrides[dim] {
			extents[last] *= extent
			steps[last] = oldStrides[dim]
			continue
		}
		extents, steps = append(extents, extent), append(steps, oldStrides[dim])
	}
	dim := len(shape) - 1
	for run := len(extents) - 1; run >= 0; run-- {
		step, left := steps[run], extents[run]
		for ; left > 1; dim-- {
			if left%shape[dim] != 0 {
				return nil, false
			}
			if shape[dim] > 1 {
				strides[dim] = step
			}
			step *= shape[dim]
			left /= shape[dim]
		}
	}
	return strides, true
}

// Clone returns a contiguous copy on the same device.
func (t *Tensor) Clone() (*Tensor, error) { return t.Convert(t.dtype) }

// Convert returns a contiguous copy with another element type on the same device;
// see CopyFrom.
func (t *Tensor) Convert(d DType) (*Tensor, error) { return t.convertOn(t.Memory(), d) }
