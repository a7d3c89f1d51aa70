package trial

import (
	"errors"
	"os"
	"path/filepath"
)

// A directory of trials has inputs, outputs and libraries, which may be large. Its owner
// holds a lock in it for as long as it lives; what a process that was killed has left is
// removed by the next one.

// Names in the directory for temporary files.
const (
	dirPattern = "ricci-tune-*"
	ownerName  = "owner"
)

// ownedDir makes a directory for trials in dir and returns the file of its owner.
func ownedDir(dir string) (path string, owner *os.File, err error) {
	removeAbandoned(dir)
	if path, err = os.MkdirTemp(dir, dirPattern); err != nil {
		return "", nil, err
	}
	name := filepath.Join(path, ownerName)
	if owner, err = os.Create(name + "-to-be"); err == nil { // nobody sees it before it is locked
		if err = lock(owner); errors.Is(err, errors.ErrUnsupported) {
			err = nil
		}
		err = errors.Join(err, os.Rename(name+"-to-be", name))
	}
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(path))
	}
	return path, owner, nil
}

// removeAbandoned removes the directories whose owners have ended.
func removeAbandoned(dir string) {
	if dir == "" {
		return // the system cleans its own
	}
	list, err := filepath.Glob(filepath.Join(dir, dirPattern))
	if err != nil {
		return
	}
	for _, path := range list {
		owner, err := os.OpenFile(filepath.Join(path, ownerName), os.O_RDWR, 0)
		if err != nil {
			continue // just being made
		}
		if lock(owner) == nil {
			_ = os.RemoveAll(path) // the next run tries again
		}
		_ = owner.Close()
	}
}
