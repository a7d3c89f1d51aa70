package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// writeFile writes to a temporary name beside the file and renames it, so that a crash
// or a full disk leaves the old contents. The mode stays, and so does a symbolic link;
// what is no regular file, such as /dev/stdout, is written directly.
func writeFile(path string, content []byte) error {
	mode := fs.FileMode(0o644)
	switch info, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return os.WriteFile(path, content, mode)
	default:
		mode = info.Mode().Perm()
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return err
		}
	}
	temporary, err := os.CreateTemp(filepath.Dir(path), ".ricci-*")
	if err != nil {
		return err
	}
	_, err = temporary.Write(content)
	err = errors.Join(err, temporary.Chmod(mode), temporary.Close())
	if err == nil {
		err = os.Rename(temporary.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temporary.Name()))
	}
	return nil
}
