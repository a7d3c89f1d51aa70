// Package host turns C text into functions of this process: it finds the
// system's C compilers, compiles, loads the result without cgo and calls it.
package host

import (
	"errors"
	"runtime"
)

// How it works
//
// A compiled kernel has the C signature
//
//	int32_t kernel(const int64_t *args)
//
// so one call needs one address and one pointer. Go's runtime can make exactly
// this call, on the system stack and without losing the garbage collector's
// grip, through runtime.cgocall; the Go team keeps it reachable by linkname for
// purego, whose import also brings the runtime parts that cgo would. A call
// costs some tens of nanoseconds and allocates nothing. The argument block may
// live on the goroutine's stack because a kernel never calls back into Go, so
// the stack cannot move during the call. Memory whose address is in the block
// must not be collected during the call; Ricci's tensors live outside the heap.
//
// What a kernel must not do: raise a signal (the process dies) or change the
// floating-point control register. The latter is why nothing is ever linked with
// -ffast-math: gcc then links start-up code that flushes denormals in the whole
// thread that loads the library, which would change the results of Go code.
//
// Threads come from a pool written in C (runtime/pool.c), compiled once, kept
// for the life of the process, and passed to kernels by address.

// ErrUnsupported says that this system has no native target: no way to load and
// call compiled code from Go without cgo.
var ErrUnsupported = errors.New("no native target on " + runtime.GOOS + "/" + runtime.GOARCH)

// A Function is the address of a C function int32_t f(const int64_t *args).
type Function uintptr

// IsNull reports whether the function is missing.
func (f Function) IsNull() bool { return f == 0 }
