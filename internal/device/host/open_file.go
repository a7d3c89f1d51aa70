//go:build (linux || darwin) && (amd64 || arm64) && !android && !faketime

package host

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/ricci-lang/ricci/internal/scratch"
)

// openThroughFile loads a shared library by way of a file that nobody else can reach.
func openThroughFile(object []byte) (_ *Library, err error) {
	work, err := scratch.NewDir("", "load")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, work.Close()) }()
	path := filepath.Join(work.Path, "kernel.so")
	if err := os.WriteFile(path, object, 0o600); err != nil {
		return nil, err
	}
	return Open(path)
}
