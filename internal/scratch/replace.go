package scratch

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// longestBase is how much of a file's name is in that of what is written aside:
// names have 255 bytes at most.
const longestBase = 200

// Replace replaces the file at path by what write writes. It is written under
// another name beside it, synchronised and renamed: whoever opens path finds the old file or the whole
// new one, also after a crash or on a full disk. The mode stays, and so does a
// symbolic link; what is no regular file, such as /dev/stdout or a pipe, is written to.
func Replace(path string, write func(io.Writer) error) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case info.IsDir():
		return &fs.PathError{Op: "write", Path: path, Err: errors.New("this is a directory; expected the name of a file")}
	case !info.Mode().IsRegular():
		file, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(file), file.Close())
	}
	file, err := aside(path)
	if err != nil {
		return err
	}
	if info != nil {
		err = file.Chmod(info.Mode().Perm())
	}
	if err == nil {
		err = write(file)
	}
	if err == nil {
		err = file.Sync()
	}
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()), file.Close())
	}
	syncDirectory(filepath.Dir(path))
	return file.Close()
}

// Write is Replace by given contents.
func Write(path string, content []byte) error {
	return Replace(path, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// aside makes a new, locked file beside path. The names are few, so that what a
// killed process has left is found and removed by the next one that writes to path.
func aside(path string) (*os.File, error) {
	const most = 1000
	directory, base := filepath.Split(path)
	base = base[:min(len(base), longestBase)]
	var err error
	for n := range most {
		name := fmt.Sprintf("%s.%s.ricci-%d.tmp", directory, base, n)
		var file *os.File
		if file, err = create(name); err == nil || !errors.Is(err, fs.ErrExist) {
			return file, err
		}
	}
	return nil, err
}

// create makes a new file of that name and locks it; one that is abandoned gives way.
func create(name string) (*os.File, error) {
	for {
		file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
		if errors.Is(err, fs.ErrExist) && removeAbandoned(name) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if err := lock(file); !isHeld(err) && isAt(file, name) {
			return file, nil
		}
		// Another one has taken it for abandoned between the two calls.
		if err := file.Close(); err != nil {
			return nil, err
		}
	}
}

// removeAbandoned removes a file that nobody has locked. It looks at what is there
// without following links or waiting, since anybody may have put it there.
func removeAbandoned(name string) bool {
	if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return errors.Is(err, fs.ErrNotExist)
	}
	file, err := os.OpenFile(name, os.O_WRONLY|noFollow, 0)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	defer file.Close()
	return lock(file) == nil && isAt(file, name) && os.Remove(name) == nil
}

// isAt reports whether the file is the one of that name still.
func isAt(file *os.File, name string) bool {
	mine, err := file.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(name)
	return err == nil && os.SameFile(mine, there)
}

// syncDirectory makes a rename durable where the system can do that; elsewhere
// there is nothing to be done, so the error is of no use.
func syncDirectory(path string) {
	if d, err := os.Open(path); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
