//go:build unix

package trial

import (
	"os"
	"os/exec"
	"syscall"
)

// lock takes the lock of a file, unless another process has it, which is an error. It
// ends with the process.
func lock(file *os.File) error {
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}

// ownGroup keeps the terminal's Ctrl-C away from a worker: the tuner decides what
// becomes of it.
func ownGroup(command *exec.Cmd) { command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// kill ends a worker whatever it does; one that has ended is no error.
func kill(command *exec.Cmd) { _ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
