// Package card is what devices with memory of their own have in common, whatever driver they have: memory with copies, launches by a
// plan, faults, and the loss of a device.
package card

import "github.com/ricci-lang/ricci/internal/device"

// How it works
//
// A Driver has the few functions of an API that are needed, one at a time and in order. A Session is one opened device: its memory belongs to
// it, code works on that, and whoever opens a device beside another one shares the session. An error by which the driver says that
// the device is gone ends the session: all that comes behind gets the same error, and the driver is not asked again.
//
// What a device does stands in a queue: copies to it, kernels, and copies from it, so that each finds what those before it have left. There is another
// queue for copies to memory that nothing in the first one uses, such as new memory: cards carry those while kernels run. Before something is queued that uses such memory, the first
// queue is told to wait for the other one (ahead.go).
// Nobody waits but who reads: Enqueue returns when kernels are queued, and Write when the bytes are in memory of the session's own
// (staging.go). What goes wrong meanwhile is told to whoever waits next, with the names of the kernels that were queued until then.
//
// Kernels take the workspace, the record of faults, the words of the plan, and what is in scope around their grid on the host (package
// target/items says so, too). loop.Launches runs the host's part.

// A Driver runs the functions of an API for one device. It is never called by two goroutines at once.
type Driver interface {
	// Allocate gives memory of zeros, which are queued ahead.
	Allocate(bytes int64) (Buffer, error)
	Free(Buffer) error
	// Read and Write copy, behind what is queued, and return when the bytes are there.
	Read(b Buffer, at int64, into []byte) error
	Write(b Buffer, at int64, from []byte) error
	// Pinned gives memory of the host that Send queues copies from, ahead or not. It must not change until a mark behind them in the same queue is
	// reached: Reached waits for that, once for each mark. Join has what is queued later wait for what is queued ahead.
	Pinned(bytes int) ([]byte, error)
	Send(b Buffer, at int64, from []byte, ahead bool) error
	Mark(ahead bool) (Mark, error)
	Reached(Mark) error
	Join() error
	// Kernel finds a function of a program, whose launches give groups so many bytes (Launch.Dynamic), and FreeProgram gives both back.
	Kernel(program uintptr, symbol string, dynamic int64) (uintptr, error)
	FreeProgram(program uintptr, kernels []uintptr) error
	// Footprint says what a kernel takes of a core.
	Footprint(kernel uintptr) (device.Footprint, error)
	// Launch queues a kernel, Submit has the device begin with what is queued, and Finish waits for all of it, in both queues.
	Launch(kernel uintptr, l Launch) error
	Submit() error
	Finish() error
	// Start begins to time what is launched from then on. Stop waits for all of it, and gives the seconds of the device's clock from
	// the beginning of the first kernel to the end of the last; it ends the timing also where it fails.
	Start() error
	Stop() (seconds float64, err error)
	// Means says what an error of the driver means.
	Means(error) Meaning
}

// A Mark is a place in a queue, by the driver's name for it.
type Mark uintptr

// A Buffer is memory by the driver's name for it. Address is where it begins as the device sees it; 0 where a device has no addresses.
type Buffer struct{ Handle, Address uintptr }

// A Launch is a kernel over groups of items; the first dimension runs fastest.
type Launch struct {
	Symbol        string // of the kernel
	Groups, Items [3]int64
	Dynamic       int64 // bytes of local memory of a group that code of CUDA does not declare; in OpenCL it declares all
	Arguments     []Argument
}

// An Argument is a number, or a place in a buffer. The zero Buffer is none.
type Argument struct {
	IsBuffer bool
	Placed   bool // the array may begin anywhere in the buffer
	Buffer   Buffer
	Value    int64 // the number, or the place in bytes
}

// A Meaning is what an error of a driver means.
type Meaning uint8

// The meanings.
const (
	Wrong Meaning = iota // a defect
	Full                 // there is not enough memory
	Gone                 // the device does not answer any more
)
