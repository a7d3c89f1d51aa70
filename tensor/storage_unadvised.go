//go:build unix && !linux

package tensor

import "unsafe"

// adviseHugePages is nothing where the system decides itself.
func adviseHugePages(unsafe.Pointer, uintptr) {}
