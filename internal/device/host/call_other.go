//go:build !((linux || darwin) && (amd64 || arm64) && !android && !faketime)

package host

// Supported reports whether compiled code can be loaded on this system.
const Supported = false

// Call returns 1: no Function exists on this system.
func (f Function) Call(*int64) int32 { return 1 }

// A Library is a loaded shared library; none can exist on this system.
type Library struct{}

// Open returns ErrUnsupported.
func Open(string) (*Library, error) { return nil, ErrUnsupported }

// OpenBytes returns ErrUnsupported.
func OpenBytes([]byte) (*Library, error) { return nil, ErrUnsupported }

// OpenGlobal returns ErrUnsupported.
func OpenGlobal(string) error { return ErrUnsupported }

// Function returns ErrUnsupported.
func (*Library) Function(string) (Function, error) { return 0, ErrUnsupported }

// Close does nothing.
func (*Library) Close() error { return nil }
