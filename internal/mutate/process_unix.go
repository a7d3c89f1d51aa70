//go:build unix

package mutate

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// ownGroup starts a command as the first process of a group.
func ownGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// endGroup kills what is left of the group of a command.
func endGroup(c *exec.Cmd) error {
	if err := syscall.Kill(-c.Process.Pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}

// wasKilled reports whether a limit ended a process.
func wasKilled(state *os.ProcessState) bool {
	status, ok := state.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && (status.Signal() == syscall.SIGXCPU || status.Signal() == syscall.SIGKILL)
}
