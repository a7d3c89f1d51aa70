//go:build unix

package host

import (
	"os/exec"
	"syscall"
)

// killChildren makes the end of the context reach the whole process group: a
// compiler driver does its work in children that would otherwise go on.
func killChildren(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
}
