//go:build darwin && (amd64 || arm64)

package host

// OpenBytes loads a shared library from memory, by way of a temporary file.
func OpenBytes(object []byte) (*Library, error) { return openThroughFile(object) }
