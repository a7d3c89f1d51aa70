package device

import (
	"unsafe"

	"github.com/ricci-lang/ricci/tensor"
)

// A Region is a part of a memory of a device: the bytes from an argument's first one to its last one, with what lies between the
// elements.
type Region struct {
	Memory tensor.Memory
	Offset int64 // of the first byte
	Bytes  int64
	First  int64 // where in it element [0, …, 0] is, as HostBytes says
}

// RegionOf finds the region of an argument that is in the memory of a device.
func RegionOf(t *tensor.Tensor) Region {
	low, bytes := reach(t)
	r := Region{Memory: t.Memory(), Bytes: int64(bytes), First: int64(-low)}
	r.Offset = int64(t.Address()-r.Memory.Address()) + int64(low)
	return r
}

// HostBytes returns the memory of an argument on the host, from its first byte to its last one with what lies between the
// elements, and where in it element [0, …, 0] is: behind others where a stride is negative, by as many elements as the Low of
// the argument's buffer says. It is for devices that copy memory. The bytes belong to the tensor, and do not keep it alive.
func HostBytes(t *tensor.Tensor) (bytes []byte, first int) {
	low, size := reach(t)
	if size == 0 {
		return []byte{}, 0
	}
	return unsafe.Slice((*byte)(unsafe.Add(t.Pointer(), low)), size), -low
}

// reach returns where the bytes of the elements begin, relative to element [0, …, 0], and how many there are.
func reach(t *tensor.Tensor) (low, bytes int) {
	first, last := 0, 0
	for dim := range t.Rank() {
		switch extent, stride := t.Dim(dim), t.Stride(dim); {
		case extent == 0:
			return 0, 0
		case stride < 0:
			first += (extent - 1) * stride
		default:
			last += (extent - 1) * stride
		}
	}
	size := t.DType().Size()
	return first * size, (last - first + 1) * size
}
