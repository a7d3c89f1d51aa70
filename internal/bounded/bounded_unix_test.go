//go:build unix

package bounded

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// What has no end, or waits for somebody, is refused at once, also behind a link.
func TestNoFiles(t *testing.T) {
	dir := t.TempDir()
	pipe, socket := filepath.Join(dir, "pipe"), filepath.Join(dir, "socket")
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Skip(err)
	}
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Skip(err)
	}
	defer listener.Close()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for target, want := range map[string]string{"/dev/zero": "a device", "/dev/tty": "a device", pipe: "a named pipe", socket: "a socket"} {
		link := filepath.Join(dir, "link")
		if err := os.Symlink(target, link); err != nil {
			t.Skip(err)
		}
		for _, path := range []string{target, link} {
			err := soon(t, path, func() error {
				_, err := ReadFile(path, 1<<20)
				return err
			})
			if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
				t.Errorf("%s: %v", path, err)
			}
		}
		err := soon(t, target, func() error {
			_, err := OpenIn(root, "link")
			return err
		})
		if err == nil {
			t.Errorf("%s: opened by a link in a directory", target)
		}
		if err := os.Remove(link); err != nil {
			t.Fatal(err)
		}
	}
}
