//go:build unix && !freebsd

package tensor

import "golang.org/x/sys/unix"

// mapWithoutReserve lets a writable private mapping be larger than the memory.
const mapWithoutReserve = unix.MAP_NORESERVE
