//go:build unix

package trial

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps the terminal's Ctrl-C away from a worker: the tuner decides what
// becomes of it.
func ownGroup(command *exec.Cmd) { command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// kill ends a worker whatever it does; one that has ended is no error.
func kill(command *exec.Cmd) { _ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
