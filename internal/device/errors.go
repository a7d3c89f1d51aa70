package device

import (
	"errors"
	"fmt"

	"github.com/ricci-lang/ricci/internal/source"
)

// ErrUnproven says that a device which was thought to work does not: it is to be opened as Proven.
var ErrUnproven = errors.New("the device cannot be used")

// ErrFault says that a test of a kernel failed.
var ErrFault = errors.New("a test of the kernel failed")

// ErrLost says that a device is not there any more: what was in its memory is lost.
var ErrLost = errors.New("the device is lost")

// ErrNoMemory says that memory of a device does not suffice.
var ErrNoMemory = errors.New("the device has not enough memory")

// Lost makes the diagnostic of a device that stopped answering; errors.Is finds ErrLost in it.
func Lost(name string, cause error) error {
	d := &source.Diagnostic{Code: source.DeviceLost, Message: fmt.Sprintf("the device %s is lost: %v", name, cause)}
	return &classified{source.ErrorList{d.WithHelp("call again; 'ricci devices' says what is there")}, ErrLost}
}

// NoMemory makes the diagnostic of memory that does not suffice; errors.Is finds ErrNoMemory in it. Bytes is 0 where nobody knows how much was wanted.
func NoMemory(name string, bytes int64, cause error) error {
	d := &source.Diagnostic{Code: source.DeviceMemory, Message: fmt.Sprintf("the device %s has no %d bytes of memory left: %v", name, bytes, cause)}
	if bytes == 0 {
		d.Message = fmt.Sprintf("the device %s has no memory left: %v", name, cause)
	}
	return &classified{source.ErrorList{d.WithHelp("call the def for parts of its arguments, or close tensors that are not needed any more")}, ErrNoMemory}
}

// Failed makes the diagnostic of a driver that refuses what it was asked for; errors.Is finds the cause in it.
func Failed(name string, cause error) error {
	d := &source.Diagnostic{Code: source.DeviceFailed, Message: fmt.Sprintf("the driver of %s reports an error: %v", name, cause)}
	return &classified{source.ErrorList{d.WithHelp("'ricci doctor' says what the driver is; --device host computes without it")}, cause}
}

// Lacks makes the diagnostic of a kernel that a device has no means for.
func Lacks(name, what string) error {
	d := &source.Diagnostic{Code: source.NotExpressed, Message: fmt.Sprintf("the device %s has no %s", name, what)}
	return source.ErrorList{d.WithHelp("run it on another device: 'ricci devices'; or write it without, or give it another schedule")}
}

// A classified error is a diagnostic that errors.Is knows by one of the errors above.
type classified struct {
	source.ErrorList
	kind error
}

// Unwrap gives both.
func (e *classified) Unwrap() []error { return []error{e.ErrorList, e.kind} }

// A RefusedError says that a compiler ran and did not accept a program.
type RefusedError struct{ Message string }

// Error returns the compiler's message.
func (e *RefusedError) Error() string { return e.Message }
