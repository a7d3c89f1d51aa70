//go:build darwin && (amd64 || arm64)

package host

import (
	"errors"
	"os"
)

// OpenBytes loads a shared library from memory, by way of a temporary file.
func OpenBytes(object []byte) (*Library, error) {
	file, err := os.CreateTemp("", "ricci-*.so")
	if err != nil {
		return nil, err
	}
	defer os.Remove(file.Name())
	_, err = file.Write(object)
	if err := errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	return Open(file.Name())
}
