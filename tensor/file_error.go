package tensor

import (
	"errors"
	"fmt"
	"strings"
)

// A FileError says what is wrong with a file of tensors. It is in the chain of
// every error about the content of a file; an error about the file itself (it
// does not exist, the disk is full) is one of package os.
type FileError struct {
	Path   string // empty for a stream
	Member string // the tensor in an archive, or empty
	Format string // npy, npz, safetensors, png or nrrd
	Offset int64  // the byte where it was found, or -1
	Reason string // what is wrong
	Help   string // what to do about it, or empty
	Err    error  // the cause, or nil
}

// Error returns one line, and a second one with the help if there is some.
func (e *FileError) Error() string {
	var b strings.Builder
	if e.Path != "" {
		b.WriteString(e.Path + ": ")
	}
	if e.Member != "" {
		fmt.Fprintf(&b, "%q: ", e.Member)
	}
	b.WriteString(e.Format + ": " + e.Reason)
	if e.Offset >= 0 {
		fmt.Fprintf(&b, " (at byte %d)", e.Offset)
	}
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	if e.Help != "" {
		b.WriteString("\n  help: " + e.Help)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Err }

// within names the file and the member in a FileError that has no such names yet.
func within(path, member string, err error) error {
	var e *FileError
	if errors.As(err, &e) {
		if e.Path == "" {
			e.Path = path
		}
		if e.Member == "" {
			e.Member = member
		}
	}
	return err
}
