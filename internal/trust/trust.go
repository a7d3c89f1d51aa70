// Package trust judges whether others can change a file or what is in a directory.
package trust

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// How it works
//
// Ricci loads machine code from its cache, so whoever can write there runs what he
// likes with the rights of the user. The rules are those of ssh for its keys: a
// file or directory belongs to the user or to root, and neither group nor others
// may write to it; the same holds for every directory above, since who can rename
// one of them can put another in its place. A directory above may be open to all
// if it is sticky, as /tmp is: only owners rename there. A symbolic link is a file
// whose owner decides where it leads.
//
// A directory above may also belong to the owner of the root directory: in a
// container with users of its own that is somebody without a name.

// An Error says who can change a path.
type Error struct {
	Path   string // which is to blame
	Reason string
	Repair string // a command
}

// Error names the path and the reason.
func (e *Error) Error() string { return e.Path + " " + e.Reason }

// mostLinks is how many symbolic links are followed, as Linux does.
const mostLinks = 40

// Directory returns why others can change what is in a directory, an *Error, or
// why that cannot be told. Where the end of the path does not exist yet, the rest is judged.
func Directory(path string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	volume := filepath.VolumeName(path) + string(filepath.Separator)
	w := walk{above: users(volume)}
	return w.through(volume, parts(path[len(volume):]))
}

func parts(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == filepath.Separator })
}

// A walk goes from the root directory to the end of a path.
type walk struct {
	above []int // who may own the directories above
	links int
}

// through judges the directory at, and what the parts of a path lead to from there.
func (w *walk) through(at string, rest []string) error {
	for {
		info, err := os.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case info.Mode()&fs.ModeSymlink != 0:
			return w.follow(at, info, rest)
		}
		owners, sticky := w.above, info.Mode()&fs.ModeSticky != 0
		if len(rest) == 0 {
			owners, sticky = users(""), false
		}
		if err := judge(at, info, owners, sticky); err != nil {
			return err
		}
		if len(rest) == 0 {
			return nil
		}
		at, rest = filepath.Join(at, rest[0]), rest[1:]
	}
}

// follow goes where a symbolic link leads.
func (w *walk) follow(link string, info fs.FileInfo, rest []string) error {
	if w.links++; w.links > mostLinks {
		return fmt.Errorf("%s: too many symbolic links", link)
	}
	if err := judgeOwner(link, info, w.above); err != nil {
		return err
	}
	target, err := os.Readlink(link)
	if err != nil {
		return err
	}
	at := filepath.Dir(link)
	if filepath.IsAbs(target) {
		volume := filepath.VolumeName(target) + string(filepath.Separator)
		at, target = volume, target[len(volume):]
	}
	return w.through(at, append(parts(target), rest...))
}

// File returns why others than its user can change a file, which is open or was
// just looked at.
func File(path string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return &Error{Path: path, Reason: "is no regular file", Repair: "rm " + path}
	}
	return judge(path, info, users(""), false)
}

func judge(path string, info fs.FileInfo, owners []int, sticky bool) error {
	if err := judgeOwner(path, info, owners); err != nil {
		return err
	}
	const byGroup, byOthers = 0o020, 0o002
	mode, who := info.Mode().Perm(), ""
	switch {
	case !hasUsers || sticky || mode&(byGroup|byOthers) == 0:
		return nil
	case mode&byOthers != 0:
		who = "everybody"
	default:
		who = "its group"
	}
	return &Error{Path: path, Reason: fmt.Sprintf("can be written by %s (its mode is %04o)", who, mode), Repair: "chmod go-w " + path}
}

func judgeOwner(path string, info fs.FileInfo, owners []int) error {
	owner, known := ownerOf(info)
	if !known {
		return nil
	}
	for _, o := range owners {
		if o == owner {
			return nil
		}
	}
	return &Error{Path: path, Reason: fmt.Sprintf("belongs to user %d, who is neither you nor root", owner)}
}
