//go:build !unix

package tensor

import (
	"errors"
	"os"
	"unsafe"
)

// canMap is false: all storage comes from the Go heap and files are read.
const canMap = false

func mapAnonymous(uintptr) (unsafe.Pointer, error) { return nil, errors.ErrUnsupported }

func mapFile(*os.File, int) (unsafe.Pointer, error) { return nil, errors.ErrUnsupported }

func unmap(unsafe.Pointer, uintptr) {}
