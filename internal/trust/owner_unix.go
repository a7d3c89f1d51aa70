//go:build unix

package trust

import (
	"io/fs"
	"os"
	"syscall"
)

// hasUsers says that modes are about users and groups.
const hasUsers = true

// users are those whose files are trusted; with a root directory its owner, too.
func users(root string) []int {
	list := []int{os.Geteuid(), 0}
	if root == "" {
		return list
	}
	if info, err := os.Lstat(root); err == nil {
		if owner, known := ownerOf(info); known {
			list = append(list, owner)
		}
	}
	return list
}

func ownerOf(info fs.FileInfo) (int, bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(stat.Uid), true
}
