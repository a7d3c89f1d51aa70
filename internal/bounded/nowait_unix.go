//go:build unix

package bounded

import "syscall"

// noWait has the opening of a pipe return at once: one may stand there since the
// path was looked at.
const noWait = syscall.O_NONBLOCK
