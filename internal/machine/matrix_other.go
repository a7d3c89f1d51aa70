//go:build !(linux && amd64)

package machine

// matrixFeatures lists the matrix units that a process may use.
func matrixFeatures() []string { return nil }
