//go:build (linux || darwin) && (amd64 || arm64) && !android && !faketime

package host

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"
)

// Supported reports whether compiled code can be loaded on this system.
const Supported = true

//go:linkname cgocall runtime.cgocall
//go:noescape
func cgocall(fn uintptr, args unsafe.Pointer) int32

// Call runs the function on an argument block and returns its result. What the
// block's addresses point to must stay alive and in place until then.
func (f Function) Call(args *int64) int32 { return cgocall(uintptr(f), unsafe.Pointer(args)) }

// A Library is a loaded shared library.
type Library struct {
	handle uintptr
	close  func() error // releases what the library was loaded from; may be nil
}

// Open loads the shared library at path. Two files with one path or one inode
// count as the same library for the system's loader: a path must never be
// reused for other contents. The loader trusts the file: a truncated one kills
// the process, so check the contents of a file that others can damage.
func Open(path string) (*Library, error) {
	// The loader keeps its message per thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	handle, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, fmt.Errorf("cannot load %s: %w", path, err)
	}
	return &Library{handle: handle}, nil
}

// OpenGlobal loads a library for the life of the process, so that libraries
// loaded later find its functions.
func OpenGlobal(path string) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if _, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_GLOBAL); err != nil {
		return fmt.Errorf("cannot load %s: %w", path, err)
	}
	return nil
}

// Function finds an exported function.
func (l *Library) Function(name string) (Function, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	address, err := purego.Dlsym(l.handle, name)
	if err != nil {
		return 0, fmt.Errorf("cannot find %s in the compiled library: %w", name, err)
	}
	return Function(address), nil
}

// Close unloads the library; its functions must not be called any more.
func (l *Library) Close() error {
	err := purego.Dlclose(l.handle)
	if l.close != nil {
		err = errors.Join(err, l.close())
	}
	return err
}
