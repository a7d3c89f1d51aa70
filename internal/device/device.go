// Package device is the door to what runs kernels: the processor at hand, the evaluator of loops, cards and other machines
// behind the same interface. Package devices is their table.
package device

import (
	"context"
	"time"

	"github.com/ricci-lang/ricci/internal/cache"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/plan"
	"github.com/ricci-lang/ricci/internal/target"
	"github.com/ricci-lang/ricci/tensor"
)

// How it works
//
// A device takes modules of one target. It compiles them to objects, which are bytes that the kernel cache keeps; loads an
// object, which gives Code; and launches code on calls. What a call needs is in the plan (package plan) and in the Call.
//
// Kernels are compiled while a device is still looking whether it works: Open may return at once, and Load waits. A device
// that finds out only then that it cannot be used says so by ErrUnproven, and is opened once more, to be Proven.
//
// A device is a directory beside this file and a row of package devices; nothing else names it.

// A Driver is a row of the table: a kind of device.
type Driver struct {
	Name   string // what --device calls it, such as "host"
	Target string // whose modules it takes
	About  string // in a few words
	// Chosen reports whether the device is taken where nobody names one, unless an earlier one is there.
	Chosen bool
	// Within says that its compiler runs in the process that asks, and takes it along where it crashes or hangs.
	Within bool
	// Unit is the row of one of several devices, called NAME:0, NAME:1, …; nil where there is but one.
	Unit func(number int) *Driver
	// Open finds the device and makes it ready. The error says what is missing, and how to get it.
	Open func(context.Context, Settings) (Device, error)
	// Machine describes the device to those who make schedules, who ask it where no other machine is given; nil: it is the
	// machine at hand.
	Machine func(context.Context, Settings) (*machine.Machine, error)
	// Assemble gives the instructions of a module as text, and what its kernels take of a core, for a machine that is described and
	// need not be here; nil where only an opened device compiles.
	Assemble func(context.Context, Settings, *target.Module, *machine.Processor) (string, error)
	// Image makes code of a module for programs without Ricci, which load it on any device of the row that is like a machine. No device is needed; nil: the row has
	// no such code.
	Image func(context.Context, *target.Module, *machine.Processor, ImageOptions) (*Image, error)
	// Inspect says what is there, for people.
	Inspect func(context.Context, Settings) Report
	// Measure finds the speeds of the device; nil where it has none that a model could use.
	Measure func(context.Context, *machine.Processor, MeasureOptions) (*machine.Peaks, error)
}

// Settings say how a device compiles and runs.
type Settings struct {
	Flags   []string // for the compiler, of Target.Flags: for another machine than that at hand
	Strict  bool     // no two operations are rounded as one
	Threads int      // the most that a call uses, at least 1
	Ready   Readiness
	Cache   *cache.Cache // for what a device keeps; nil: nothing is kept
	// Beside is an opened device of the same row: what is opened now works on the memory of that one. Nil: it begins with
	// memory that nobody has.
	Beside  Device
	Compile CompileOptions
	// Notice receives what the user may want to know; nil discards it.
	Notice func(message string)
}

// Readiness says what a device is opened for.
type Readiness uint8

// The degrees of readiness.
const (
	Soon   Readiness = iota // it will run something: Open may return before that is possible, Load waits
	Proven                  // Open finds out whether it can
	Asked                   // nothing will run: it is asked who it is, or compiles
)

// CompileOptions say how a module is compiled.
type CompileOptions struct {
	Assembly bool          // give the text of the instructions instead of an object
	Timeout  time.Duration // 0: what the device takes for enough
	TempDir  string        // for intermediate files; the system's when empty
	// ReproducerDir receives code that was refused; empty: the system's directory for temporary files.
	ReproducerDir string
	// Notice receives what the user may want to know of a compilation that succeeded; nil discards it.
	Notice func(message string)
}

// A Device runs kernels. Its methods may be called from any number of goroutines.
type Device interface {
	// Driver is its row.
	Driver() *Driver
	// Identity changes when the code that the device makes of a module may: a part of the keys of what is kept.
	Identity() string
	// Maker names what makes the code, and how, for people and for what was tuned: a compiler with its flags.
	Maker() string
	// Works waits until it is known whether the device can be used: an error is ErrUnproven, or that of the context.
	Works(context.Context) error
	// Compile makes an object of a module. A *RefusedError within an internal error says that the device's compiler did
	// not take the code.
	Compile(context.Context, *target.Module, CompileOptions) ([]byte, error)
	// Load makes an object callable.
	Load(context.Context, []byte, *plan.Plan) (Code, error)
	// Allocator gives memory of the device, where all arguments and workspaces of its calls have to be; nil: code works in the
	// memory of the host.
	Allocator() Allocator
	// NewStream makes a queue of launches.
	NewStream() Stream
	// Close gives up what is still being made ready. Code that was loaded goes on, and so does memory.
	Close() error
}

// An Allocator gives memory of a device that has its own. Its errors, and those of its memories, have ErrNoMemory or ErrLost in
// their chain.
type Allocator interface {
	tensor.Allocator
	// Owns reports whether code of the device works on a memory: what it gave, and what devices gave that were opened beside it.
	Owns(tensor.Memory) bool
}

// Code is a loaded kernel.
type Code interface {
	// TakesArguments reports whether launches look at Call.Arguments. Where they do not, the addresses in the block are all
	// that they need, and who launches keeps the arguments alive.
	TakesArguments() bool
	// Prepare fills in what is the same for all calls with this Call.
	Prepare(*Call)
	// Launch runs the launches of the plan. Without a stream it returns when all is done, and no completion; in a
	// stream, behind what was launched there before. ErrFault says that a test of the code failed: Call.Fault has its
	// number and value. The call's arguments are not to be changed before the launch has ended. (That of the host allocates
	// nothing without a stream.)
	Launch(context.Context, Stream, *Call) (Completion, error)
	// Close unloads the code; no launch is in progress.
	Close() error
}

// Timed is code of a device that has a clock of its own.
type Timed interface {
	Code
	// LaunchTimed is Launch without a stream. The seconds are those of the device, from the beginning of the first kernel to the
	// end of the last one: what the host does before and after is not in them.
	LaunchTimed(context.Context, *Call) (seconds float64, err error)
}

// Queued is code of a device whose memory knows what is queued for it.
type Queued interface {
	Code
	// Enqueue is Launch that need not wait: the call may be used again when it returns, and what is read of the device's memory is read
	// behind it. An error that comes later is that of the next read, or of Waits.
	Enqueue(context.Context, *Call) error
}

// Examined is code of which the device says what it takes.
type Examined interface {
	Code
	Footprint() Footprint
}

// A Footprint is what the largest kernel of a code takes; 0 where the device does not say.
type Footprint struct {
	Registers int64 `json:"registers,omitempty"` // of an item
	Private   int64 `json:"private,omitempty"`   // bytes of an item that lie in memory, since registers do not suffice
	Local     int64 `json:"local,omitempty"`     // bytes of a group
	Items     int64 `json:"items,omitempty"`     // that a group may have, as far as registers go
}

// Waits is a device of such code: Wait ends with all that is queued.
type Waits interface{ Wait(context.Context) error }

// Transfers is a device that counts copies between its memory and that of the host.
type Transfers interface{ Transferred() Transferred }

// Transferred says how often was written to the memory of a device and read from it, and how many bytes.
type Transferred struct{ Writes, Reads, BytesWritten, BytesRead int64 }

// Beside is a device that computes beside the processor, and as fast while that is busy.
type Beside interface{ ComputesBeside() bool }

// A Call is the arguments of a launch and room for what it leaves. It serves one launch at a time, and may be used again.
type Call struct {
	// Block is the argument block of package loop: its header, which Code.Prepare and Launch own, and one word for each
	// of the plan: the value of a size, whether an argument is packed, or the address of an argument's first element.
	Block []int64
	// Arguments are in the order of the plan; may be left empty where Code.TakesArguments says no. On a device with memory of
	// its own RegionOf says where they are, and Address what the block says.
	Arguments []*tensor.Tensor
	Workspace *tensor.Tensor // nil where none is needed; of the device's memory
	Fault     [2]int64       // number and value of a failed test
}

// A Stream is a queue: what is launched in it runs in order, beside what runs elsewhere.
type Stream interface {
	// Wait ends when all that was launched has ended, with the errors of launches whose Completion was not asked for them.
	Wait(context.Context) error
	Close() error
}

// A Completion is the end of a launch that may still run.
type Completion interface {
	// Wait ends with the launch, and returns its error.
	Wait(context.Context) error
	// Done reports whether it has ended.
	Done() bool
}

// MeasureOptions say how long to measure.
type MeasureOptions struct {
	// Progress is called before each round; nil is ignored.
	Progress func(round, rounds int)
}

// ImageOptions say how an image is made.
type ImageOptions struct {
	CompileOptions
	Strict bool // no two operations are rounded as one
}

// An Image is the code of kernels for all devices of a row from an architecture on.
type Image struct {
	Code         []byte
	IsText       bool // it is the module's, which is compiled where it is loaded: nothing here compiles it
	Architecture int  // such as 80
	Memory       int  // the kind of device by which DLPack's tensors say that they lie in its memory
}

// A Report says what is there of a device.
type Report struct {
	Name    string   `json:"name"`
	Target  string   `json:"target"`
	About   string   `json:"about"`
	Usable  bool     `json:"usable"`
	Missing []string `json:"missing,omitempty"` // what it lacks, and how to get it
	Parts   []Part   `json:"parts,omitempty"`   // what was found
}

// A Part is something that a device is made of: a compiler, a driver, a library.
type Part struct {
	Kind    string   `json:"kind"`
	Name    string   `json:"name"`
	Version string   `json:"version,omitempty"`
	Path    string   `json:"path,omitempty"` // a command or a file; empty when it was not found
	Flags   []string `json:"flags,omitempty"`
	Use     string   `json:"use,omitempty"`
}
