// Package bounded reads files that users name, of which nothing is believed: what
// they are, how long they are, and that they end.
package bounded

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/ricci-lang/ricci/internal/units"
)

// How it works
//
// Only regular files are opened: a device may never end, and a named pipe may wait
// for ever for somebody to write to it. A file is looked at before it is opened,
// since opening alone does something to some devices, and again when it is open.
// No more is read than a limit, whatever the file's size is said to be: a file may grow while it is read, or
// have another length than the system says, as those of /proc.

// Limits of what is read as a whole, in bytes.
const (
	Text   = 16 << 20 // programs, schedules, scripts, results of benchmarks
	Object = 1 << 30  // compiled libraries
)

// An Error says why a file is not read.
type Error struct {
	Path   string
	Reason string
	Help   string
}

// Error returns one line, and a second one with the help.
func (e *Error) Error() string { return e.Path + ": " + e.Reason + "\n  help: " + e.Help }

// kinds names what is no regular file.
var kinds = []struct {
	mode fs.FileMode
	name string
}{
	{fs.ModeNamedPipe, "a named pipe"},
	{fs.ModeSocket, "a socket"},
	{fs.ModeCharDevice, "a device"},
	{fs.ModeDevice, "a device"},
	{fs.ModeIrregular, "something else"},
}

// check returns why a file is not read.
func check(path string, info fs.FileInfo) error {
	if info.IsDir() {
		return &Error{Path: path, Reason: "this is a directory, expected a file", Help: "name a file in it"}
	}
	for _, k := range kinds {
		if info.Mode()&k.mode != 0 {
			return &Error{Path: path, Reason: fmt.Sprintf("this is %s, expected a regular file", k.name),
				Help: "Ricci reads files that have an end; save what comes out of it to one"}
		}
	}
	return nil
}

// Open opens a regular file for reading. It never waits for anybody.
func Open(path string) (*os.File, error) { return open(path, os.Stat, os.OpenFile) }

// OpenIn is Open in a directory that no path leaves, neither by .. nor by a link.
func OpenIn(root *os.Root, path string) (*os.File, error) {
	return open(path, root.Stat, root.OpenFile)
}

func open(path string, stat func(string) (fs.FileInfo, error), openFile func(string, int, fs.FileMode) (*os.File, error)) (*os.File, error) {
	info, err := stat(path)
	if err != nil {
		return nil, opening(err)
	}
	if err := check(path, info); err != nil {
		return nil, err
	}
	file, err := openFile(path, os.O_RDONLY|noWait, 0)
	if err != nil {
		return nil, err
	}
	if info, err = file.Stat(); err == nil {
		err = check(path, info)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// opening says of an error of stat that it was about opening the file.
func opening(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return &fs.PathError{Op: "open", Path: at.Path, Err: at.Err}
	}
	return err
}

// ReadFile reads a file of no more than limit bytes.
func ReadFile(path string, limit int64) ([]byte, error) {
	file, err := Open(path)
	if err != nil {
		return nil, err
	}
	content, err := ReadAll(file, path, limit)
	return content, errors.Join(err, file.Close())
}

// ReadAll reads to the end of what has no more than limit bytes; its name is for messages.
func ReadAll(r io.Reader, name string, limit int64) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(content)) > limit {
		return nil, &Error{Path: name, Reason: fmt.Sprintf("this has more than %s, the most that Ricci reads of such a file", units.Bytes(limit)),
			Help: "is it the right file? A program or schedule has some thousand lines at most; split a longer one"}
	}
	return content, err
}
