// Package library opens libraries of the system at run time, such as drivers of devices, and calls their functions without cgo.
package library

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// How it works
//
// A driver is looked for by the names that the system's loader knows, the newest first, and stays loaded for the life of the
// process: many start threads, under which their code must not go away. Its functions are addresses, which are called with numbers
// and pointers; what has a float among its arguments cannot be called so, and no function of a driver does.

// A Library is a loaded library.
type Library struct {
	Path   string // with its directory, where that is known
	handle uintptr
}

// A Function is the address of a function of a library.
type Function uintptr

// Open loads the first of some files that there is. The error names all of them, and says of one that is there why it cannot be loaded.
func Open(files ...string) (*Library, error) {
	var reasons []string
	for _, file := range files {
		handle, err := open(file)
		if err == nil {
			return &Library{Path: located(file), handle: handle}, nil
		}
		if path := located(file); exists(path) {
			reasons = append(reasons, fmt.Sprintf("%s cannot be loaded: %s", path, strings.TrimSpace(err.Error())))
		}
	}
	err := fmt.Errorf("there is no %s", strings.Join(files, ", "))
	if len(reasons) > 0 {
		err = fmt.Errorf("%w (%s)", err, strings.Join(reasons, "; "))
	}
	return nil, err
}

// Function finds a function.
func (l *Library) Function(name string) (Function, error) {
	f, err := find(l.handle, name)
	if err != nil {
		return 0, fmt.Errorf("%s has no function %s: %w", l.Path, name, err)
	}
	return f, nil
}

// located adds the directory to a file, for people.
func located(file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	multiarch := map[string]string{"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu"}[runtime.GOARCH]
	for _, dir := range append(filepath.SplitList(os.Getenv("LD_LIBRARY_PATH")), "/usr/local/lib", "/usr/lib/"+multiarch, "/usr/lib64", "/usr/lib") {
		if path := filepath.Join(dir, file); exists(path) {
			return path
		}
	}
	return file
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
