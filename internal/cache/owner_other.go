//go:build !unix

package cache

// ownedAndPrivate says no: this system has no owners to check, so a fresh
// directory is used.
func ownedAndPrivate(string) bool { return false }
