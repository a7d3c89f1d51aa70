//go:build unix

package scratch

import (
	"syscall"
	"testing"
)

func makePipe(t *testing.T, path string) {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		t.Skip(err)
	}
}
