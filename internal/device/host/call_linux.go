//go:build linux && (amd64 || arm64) && !android && !faketime

package host

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// OpenBytes loads a shared library from memory: what is loaded are these bytes,
// whatever becomes of the file that they are from. It needs no file system, so it
// also works where every writable one forbids execution; where the system forbids to
// execute anonymous files, a private one has to do.
func OpenBytes(object []byte) (*Library, error) {
	library, err := openAnonymous(object)
	if err == nil {
		return library, nil
	}
	library, fileErr := openThroughFile(object)
	if fileErr != nil {
		return nil, errors.Join(err, fileErr)
	}
	return library, nil
}

func openAnonymous(object []byte) (*Library, error) {
	fd, err := unix.MemfdCreate("ricci", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("cannot make an anonymous file for compiled code: %w", err)
	}
	// The file stays open as long as the library is loaded, even when nothing in
	// Go refers to it any more: the loader takes two libraries with one path or
	// one inode for the same. So it must not be an os.File, which the garbage
	// collector closes.
	closeFile := func() error { return unix.Close(fd) }
	for rest := object; len(rest) > 0; {
		n, err := unix.Write(fd, rest)
		if err != nil && err != unix.EINTR {
			return nil, errors.Join(err, closeFile())
		}
		rest = rest[max(n, 0):]
	}
	library, err := Open(fmt.Sprintf("/proc/self/fd/%d", fd))
	if err != nil {
		return nil, errors.Join(err, closeFile())
	}
	library.close = closeFile
	return library, nil
}
