// Package scratch makes files and directories for the time of a piece of work, of
// which a killed process leaves nothing for long.
package scratch

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// How it works
//
// Who works in a scratch directory holds the lock of the file "owner" in it, who
// writes a file aside (replace.go) that of the file. The system gives a lock up
// when its process ends, however it ends. So what exists and can be locked is
// abandoned, and the next one who comes by removes it; what cannot be locked is in
// use, and nobody touches it.

// Names of scratch directories and in them.
const (
	prefix    = "ricci-"
	ownerName = "owner"
	unowned   = ownerName + "-to-be"
)

// orphanAge is how long something without a lock is left alone: its maker may be
// about to lock it, or the file system may know no locks.
const orphanAge = time.Hour

// A Dir is a directory that its maker works in.
type Dir struct {
	Path  string
	owner *os.File
}

// NewDir makes a directory in parent (empty: the system's directory for temporary
// files), which nobody else can read. The purpose is part of its name.
func NewDir(parent, purpose string) (*Dir, error) {
	path, err := os.MkdirTemp(parent, prefix+purpose+"-*")
	if err != nil {
		return nil, err
	}
	d := &Dir{Path: path}
	// Nobody sees the owner before it is locked.
	if d.owner, err = os.OpenFile(filepath.Join(path, unowned), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600); err == nil {
		if err = lock(d.owner); !isHeld(err) {
			err = nil // without locks its age has to do
		}
		err = errors.Join(err, os.Rename(filepath.Join(path, unowned), filepath.Join(path, ownerName)))
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// Close removes the directory with all that is in it.
func (d *Dir) Close() error {
	err := os.RemoveAll(d.Path)
	if d.owner != nil {
		err = errors.Join(err, d.owner.Close())
	}
	return err
}

// Sweep removes the directories in parent whose owners have ended, and returns how
// many there were. Files and directories of other names stay.
func Sweep(parent string) (removed int, err error) {
	list, err := os.ReadDir(parent)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	for _, entry := range list {
		path := filepath.Join(parent, entry.Name())
		if !entry.IsDir() || !strings.HasPrefix(entry.Name(), prefix) || !abandoned(path) {
			continue
		}
		if removeErr := os.RemoveAll(path); removeErr != nil {
			err = errors.Join(err, removeErr)
			continue
		}
		removed++
	}
	return removed, err
}

// abandoned reports whether the owner of a directory has ended.
func abandoned(path string) bool {
	owner, err := os.OpenFile(filepath.Join(path, ownerName), os.O_RDWR|noFollow, 0)
	if err == nil {
		defer owner.Close()
		if err = lock(owner); err == nil {
			return true
		}
	}
	if isHeld(err) {
		return false
	}
	info, err := os.Lstat(path)
	return err == nil && time.Since(info.ModTime()) > orphanAge
}
