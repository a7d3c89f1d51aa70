package host

import (
	"os"
	"path/filepath"
	"runtime"

	"github.com/ricci-lang/ricci/internal/device"
)

// libraries are looked for by the names that loaders know, newest first.
var libraries = []struct {
	name, use string
	files     []string
}{
	{"isl", "only Ricci's own tests compare with it", []string{"libisl.so.23", "libisl.so.22", "libisl.so", "libisl.dylib"}},
}

// parts reports which of the libraries are there.
func parts() (list []device.Part) {
	for _, l := range libraries {
		list = append(list, device.Part{Kind: "library", Name: l.name, Use: l.use, Path: FindLibrary(l.files)})
	}
	return list
}

// FindLibrary returns the first of the files that the system's loader accepts,
// with its directory where that is known.
func FindLibrary(files []string) string {
	for _, file := range files {
		// Not closed again: a library that started threads must not be unmapped
		// under them.
		if _, err := Open(file); err != nil {
			continue
		}
		path := file
		for _, dir := range libraryDirs() {
			if _, err := os.Stat(filepath.Join(dir, file)); err == nil && !filepath.IsAbs(file) {
				path = filepath.Join(dir, file)
				break
			}
		}
		return path
	}
	return ""
}

// libraryDirs are the usual places, only used to show a full path.
func libraryDirs() []string {
	multiarch := map[string]string{"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu"}[runtime.GOARCH]
	return append(filepath.SplitList(os.Getenv("LD_LIBRARY_PATH")),
		"/usr/local/lib", "/usr/lib/"+multiarch, "/usr/lib64", "/usr/lib", "/opt/homebrew/lib")
}
