package bench

import (
	"os"
	"os/exec"
	"syscall"
)

// detach keeps the terminal's Ctrl-C from the process, which its parent ends, and
// lets it not outlive the parent, asleep as it may be.
func detach(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// The errors are those of a process that has ended, which the pipe will tell.

func suspend(p *os.Process) { _ = p.Signal(syscall.SIGSTOP) }

func resume(p *os.Process) { _ = p.Signal(syscall.SIGCONT) }
