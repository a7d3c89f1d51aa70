package device

import (
	"unsafe"

	"github.com/ricci-lang/ricci/tensor"
)

// HostBytes returns the memory of an argument on the host, from its first byte to its last one with what lies between the elements,
// for devices that copy it: the code of a kernel addresses elements from there. It belongs to the tensor, which it does not keep alive. It begins before
// the first element where a stride is negative, by as many elements as package loop calls the Low of the buffer.
func HostBytes(t *tensor.Tensor) []byte {
	low, high := 0, 0
	for dim := range t.Rank() {
		switch extent, stride := t.Dim(dim), t.Stride(dim); {
		case extent == 0:
			return []byte{}
		case stride < 0:
			low += (extent - 1) * stride
		default:
			high += (extent - 1) * stride
		}
	}
	size := t.DType().Size()
	return unsafe.Slice((*byte)(unsafe.Add(t.Pointer(), low*size)), (high-low+1)*size)
}
