//go:build !linux && !darwin && !freebsd

// Package isltest asks the integer set library, where it is installed, for a
// second opinion in tests.
package isltest

import "testing"

// A Library is a loaded libisl, which there is none of on this system.
type Library struct{}

// Open skips the test.
func Open(t testing.TB) *Library {
	t.Helper()
	t.Skip("no loader of libisl for this system")
	return nil
}

// Empty is never called.
func (*Library) Empty(string) (empty, ok bool) { return false, false }
