//go:build unix

package scratch

import (
	"errors"
	"os"
	"syscall"
)

// noFollow refuses symbolic links and does not wait for the other end of a pipe.
const noFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// lock takes the lock of a file, which ends with the process. That another one has
// it is an error for which isHeld holds.
func lock(file *os.File) error {
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}

func isHeld(err error) bool { return errors.Is(err, syscall.EWOULDBLOCK) }
