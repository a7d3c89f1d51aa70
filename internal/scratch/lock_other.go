//go:build !unix

package scratch

import (
	"errors"
	"os"
)

const noFollow = 0

// lock takes no lock here: what a killed process leaves goes by its age.
func lock(*os.File) error { return errors.ErrUnsupported }

func isHeld(error) bool { return false }
