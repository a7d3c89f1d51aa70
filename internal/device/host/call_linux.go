//go:build linux && (amd64 || arm64) && !android && !faketime

package host

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// OpenBytes loads a shared library from memory. It needs no file system, so it
// also works where every writable one forbids execution.
func OpenBytes(object []byte) (*Library, error) {
	fd, err := unix.MemfdCreate("ricci", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("cannot make an anonymous file for compiled code: %w", err)
	}
	// The file stays open as long as the library: its number is part of the
	// path, and a path must not come to mean another library.
	file := os.NewFile(uintptr(fd), "memfd:ricci")
	if _, err := file.Write(object); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	library, err := Open(fmt.Sprintf("/proc/self/fd/%d", fd))
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	library.close = file.Close
	return library, nil
}
