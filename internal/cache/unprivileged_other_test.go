//go:build !unix

package cache

import "testing"

// asNobody is for systems with users like those of Unix.
func asNobody(*testing.T) bool { return false }

const hasModes = false
