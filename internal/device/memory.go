package device

import (
	"unsafe"

	"github.com/ricci-lang/ricci/tensor"
)

// HostBytes returns the memory of an argument on the host, from its first byte to its last one with what lies between the
// elements, and where in it element [0, …, 0] is: behind others where a stride is negative, by as many elements as the Low of
// the argument's buffer says. It is for devices that copy memory. The bytes belong to the tensor, and do not keep it alive.
func HostBytes(t *tensor.Tensor) (bytes []byte, first int) {
	low, high := 0, 0
	for dim := range t.Rank() {
		switch extent, stride := t.Dim(dim), t.Stride(dim); {
		case extent == 0:
			return []byte{}, 0
		case stride < 0:
			low += (extent - 1) * stride
		default:
			high += (extent - 1) * stride
		}
	}
	size := t.DType().Size()
	return unsafe.Slice((*byte)(unsafe.Add(t.Pointer(), low*size)), (high-low+1)*size), -low * size
}
