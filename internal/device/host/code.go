package host

import (
	"context"
	"runtime"
	"unsafe"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/loop"
)

// code is a loaded library: the functions of the plan's launches.
type code struct {
	library   *Library
	functions []Function
	parallel  int64 // address of the thread pool
	threads   int64
}

// Prepare fills in the header of the block.
func (c *code) Prepare(call *device.Call) {
	call.Block[loop.WordParallel] = c.parallel
	call.Block[loop.WordThreads] = c.threads
	call.Block[loop.WordFault] = address(unsafe.Pointer(&call.Fault))
}

// Launch calls the functions one after the other.
func (c *code) Launch(ctx context.Context, s device.Stream, call *device.Call) (device.Completion, error) {
	if s != nil {
		return s.(*device.Queue).Add(func() error { return c.run(call) }), nil
	}
	return nil, c.run(call)
}

func (c *code) run(call *device.Call) error {
	call.Block[loop.WordWorkspace] = 0
	if call.Workspace != nil {
		call.Block[loop.WordWorkspace] = address(call.Workspace.Pointer())
	}
	status := int32(0)
	for _, f := range c.functions {
		if status = f.Call(&call.Block[0]); status != 0 {
			break
		}
	}
	// The block holds addresses as numbers, which keep nothing alive.
	for i := range call.Arguments {
		runtime.KeepAlive(call.Arguments[i])
	}
	if status != 0 {
		return device.ErrFault
	}
	return nil
}

// Close unloads the library.
func (c *code) Close() error { return c.library.Close() }

func address(p unsafe.Pointer) int64 { return int64(uintptr(p)) }
