//go:build unix

package tensor

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

const canMap = true

func mapAnonymous(size uintptr) (unsafe.Pointer, error) {
	p, err := unix.MmapPtr(-1, 0, nil, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err == nil {
		adviseHugePages(p, size)
	}
	return p, err
}

// mapFile maps the first size bytes of a file, copy-on-write: writes stay in
// this process and never reach the file.
func mapFile(f *os.File, size int) (unsafe.Pointer, error) {
	return unix.MmapPtr(int(f.Fd()), 0, nil, uintptr(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|mapWithoutReserve)
}

func unmap(p unsafe.Pointer, size uintptr) {
	// It fails only for arguments that are no mapping, which a mapping is.
	_ = unix.MunmapPtr(p, size)
}
