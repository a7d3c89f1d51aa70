//go:build unix

package cache

import (
	"os"
	"syscall"
)

// ownedAndPrivate reports whether dir is a directory that only this user could
// have written to.
func ownedAndPrivate(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || info.Mode().Perm()&0o077 != 0 {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}
