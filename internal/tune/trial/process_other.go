//go:build !unix

package trial

import (
	"errors"
	"os"
	"os/exec"
)

// lock takes no lock here: what a killed process leaves is the system's to clean.
func lock(*os.File) error { return errors.ErrUnsupported }

func ownGroup(*exec.Cmd) {}

// kill ends a worker whatever it does; one that has ended is no error.
func kill(command *exec.Cmd) { _ = command.Process.Kill() }
