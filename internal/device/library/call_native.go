//go:build (linux || darwin) && (amd64 || arm64) && !android && !faketime

package library

import (
	"runtime"

	"github.com/ebitengine/purego"
)

func open(file string) (uintptr, error) {
	runtime.LockOSThread() // the loader keeps its message per thread
	defer runtime.UnlockOSThread()
	return purego.Dlopen(file, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

func find(handle uintptr, name string) (Function, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	address, err := purego.Dlsym(handle, name)
	return Function(address), err
}

// Call calls the function. Pointers are converted to numbers in the very call, which keeps what they point to in its place.
//
//go:uintptrescapes
func (f Function) Call(args ...uintptr) uintptr {
	result, _, _ := purego.SyscallN(uintptr(f), args...)
	return result
}
