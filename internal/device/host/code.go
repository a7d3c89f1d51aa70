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

// TakesArguments says that addresses are enough.
func (c *code) TakesArguments() bool { return false }

// Prepare fills in the header of the block.
func (c *code) Prepare(call *device.Call) {
	call.Block[loop.WordParallel] = c.parallel
	call.Block[loop.WordThreads] = c.threads
	call.Block[loop.WordFault] = address(unsafe.Pointer(&call.Fault))
}

// Launch calls the functions one after the other. It keeps the workspace alive, as the caller does the arguments.
func (c *code) Launch(ctx context.Context, s device.Stream, call *device.Call) (device.Completion, error) {
	if s != nil {
		return s.(*device.Queue).Add(func() error {
			_, err := c.Launch(ctx, nil, call)
			return err
		}), nil
	}
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
	runtime.KeepAlive(call) // the block holds the address of the workspace as a number
	if status != 0 {
		return nil, device.ErrFault
	}
	return nil, nil
}

// Close unloads the library.
func (c *code) Close() error { return c.library.Close() }

func address(p unsafe.Pointer) int64 { return int64(uintptr(p)) }
