package looptest

import (
	"runtime"
	"unsafe"
)

// Address is where elements lie, for a word of an argument block. A block keeps nothing alive, which
// is left to the caller, but what passes here is on the heap: small slices else lie on the stack,
// which moves when it grows on the way to the call. That of no elements is 0.
func Address[T any](data []T) uintptr {
	if len(data) == 0 {
		return 0
	}
	var pin runtime.Pinner
	pin.Pin(&data[0])
	defer pin.Unpin()
	return uintptr(unsafe.Pointer(&data[0]))
}
