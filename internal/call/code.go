package call

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
	"weak"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/plan"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// native is the loaded code of a kernel.
type native struct {
	code   device.Code
	words  []word
	packs  bool // a word says whether a constant argument is packed
	listed bool // the code wants Call.Arguments
	size   workspaceSize
	memory int64 // the most bytes that temporaries may take; 0 is no limit
	// allocator gives memory of the device, where it has its own: all that is in a call lies there.
	allocator device.Allocator
	on        string // the device, for people
	faults    []plan.Fault
	notices   []*notice

	unloaded sync.Once
	spare    atomic.Pointer[callState] // the first of those that wait for calls: without a lock
	mutex    sync.Mutex
	idle     []*callState // the others
}

// word says what one word of the argument block holds behind the header: the
// address of an argument of Kernel.Run, the value of a size, or whether the workspace
// has the packed form of a constant argument.
type word struct {
	argument int
	size     string // when not empty
	packed   bool
}

// workspaceSize is the number of bytes that a call needs, over dynamic sizes if
// need be.
type workspaceSize struct {
	bytes   int64
	dynamic *affine.Expr // replaces bytes
	own     int64        // of all threads, besides
}

// callState is what one call at a time needs. States are kept, so that calls
// allocate nothing.
type callState struct {
	device.Call
	// packed holds the constant arguments of which the workspace has the packed form.
	// They are known by identity: another array may get the address of a closed one.
	packed map[int]weak.Pointer[tensor.Tensor]
}

// runNative calls the code on arguments that have been checked.
func (k *Kernel) runNative(ctx context.Context, args []*tensor.Tensor, sizes map[string]int64) error {
	bytes, err := k.native.workspace(sizes)
	if err != nil {
		return err
	}
	return k.runWithin(ctx, args, sizes, bytes)
}

// runWithin is runNative for a workspace whose size is known.
func (k *Kernel) runWithin(ctx context.Context, args []*tensor.Tensor, sizes map[string]int64, bytes int64) error {
	state, err := k.native.take(bytes)
	if err != nil {
		return k.named(err, sizes)
	}
	k.native.fill(state, args, sizes)
	err = k.callNative(ctx, state, args, sizes)
	k.native.give(state)
	return err
}

// callNative calls the code with a state that holds these arguments.
func (k *Kernel) callNative(ctx context.Context, state *callState, args []*tensor.Tensor, sizes map[string]int64) error {
	n := k.native
	if n.packs {
		n.fillPacked(state, args)
	}
	if n.notices != nil {
		if err := n.clearNotices(state); err != nil {
			return err
		}
	}
	err := n.launch(ctx, &state.Call)
	runtime.KeepAlive(args) // the block has addresses as numbers
	if err != nil {
		clear(state.packed)
		if errors.Is(err, device.ErrFault) {
			return n.faultError(k, state.Fault, sizes)
		}
		return err
	}
	if n.packs {
		n.keepPacked(state, args)
	}
	if n.notices != nil {
		return n.giveNotices(k, state)
	}
	return nil
}

// launch runs the code; where it can be queued, and nobody looks at anything behind it, it does not wait for the end.
func (n *native) launch(ctx context.Context, call *device.Call) error {
	if queued, can := n.code.(device.Queued); can && n.notices == nil {
		return queued.Enqueue(ctx, call)
	}
	_, err := n.code.Launch(ctx, nil, call)
	return err
}

// fill writes the argument block of a call, but for what is packed.
func (n *native) fill(state *callState, args []*tensor.Tensor, sizes map[string]int64) {
	if n.listed {
		state.Arguments = append(state.Arguments[:0], args...) // a copy, so that callers need not allocate theirs
	}
	if n.allocator != nil {
		n.fillThere(state, args, sizes)
		return
	}
	for i := range n.words {
		w := &n.words[i]
		switch {
		case w.size != "":
			state.Block[loop.HeaderWords+i] = sizes[w.size]
		case !w.packed:
			state.Block[loop.HeaderWords+i] = address(args[w.argument].Pointer())
		}
	}
}

// fillThere is fill with addresses of the memory of a device.
func (n *native) fillThere(state *callState, args []*tensor.Tensor, sizes map[string]int64) {
	for i := range n.words {
		w := &n.words[i]
		switch {
		case w.size != "":
			state.Block[loop.HeaderWords+i] = sizes[w.size]
		case !w.packed:
			state.Block[loop.HeaderWords+i] = int64(args[w.argument].Address())
		}
	}
}

// fillPacked says for each constant argument whether an earlier call packed it.
func (n *native) fillPacked(state *callState, args []*tensor.Tensor) {
	for i, w := range n.words {
		if w.packed {
			state.Block[loop.HeaderWords+i] = 0
			if state.packed[w.argument].Value() == args[w.argument] {
				state.Block[loop.HeaderWords+i] = 1
			}
		}
	}
}

// keepPacked remembers what a call that succeeded has packed.
func (n *native) keepPacked(state *callState, args []*tensor.Tensor) {
	for i, w := range n.words {
		if w.packed && state.Block[loop.HeaderWords+i] == 0 {
			state.packed[w.argument] = weak.Make(args[w.argument])
		}
	}
}

func address(p unsafe.Pointer) int64 { return int64(uintptr(p)) }

// workspace returns how many bytes a call needs.
func (n *native) workspace(sizes map[string]int64) (int64, error) {
	if n.size.dynamic == nil {
		return n.size.bytes + n.size.own, nil
	}
	bytes, err := n.size.dynamic.Eval(sizes)
	if err != nil {
		return 0, source.Internalf("workspace", source.Span{}, "%w", err)
	}
	return bytes + n.size.own, nil
}

// take returns a state with a workspace of at least that many bytes.
func (n *native) take(bytes int64) (*callState, error) {
	state := n.spare.Swap(nil)
	if state == nil {
		state = n.another()
	}
	if bytes > 0 && (state.Workspace == nil || int64(state.Workspace.Len()) < bytes) {
		if err := n.fits(bytes); err != nil {
			return nil, err
		}
		workspace, err := tensor.NewOn(n.allocator, tensor.Uint8, int(bytes))
		if err != nil {
			n.give(state)
			return nil, fmt.Errorf("the temporaries: %w", err)
		}
		if state.Workspace != nil {
			_ = state.Workspace.Close()
		}
		state.Workspace = workspace
		clear(state.packed)
	}
	return state, nil
}

// another returns a state of those that wait behind the first one, or a new one.
func (n *native) another() *callState {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if last := len(n.idle) - 1; last >= 0 {
		state := n.idle[last]
		n.idle = n.idle[:last]
		return state
	}
	state := &callState{packed: map[int]weak.Pointer[tensor.Tensor]{}}
	state.Block = make([]int64, loop.HeaderWords+len(n.words))
	n.code.Prepare(&state.Call)
	return state
}

// give puts a state back, unless there is already one for every call that can
// make progress at a time.
func (n *native) give(state *callState) {
	if n.listed {
		clear(state.Arguments)
	}
	if n.spare.CompareAndSwap(nil, state) {
		return
	}
	n.mutex.Lock()
	keep := len(n.idle) < runtime.GOMAXPROCS(0)-1
	if keep {
		n.idle = append(n.idle, state)
	}
	n.mutex.Unlock()
	if !keep && state.Workspace != nil {
		_ = state.Workspace.Close()
	}
}

// unload gives the code and the workspaces up; no call is in progress. It acts
// once, for Close and for the garbage collector.
func (n *native) unload() {
	n.unloaded.Do(func() {
		if spare := n.spare.Swap(nil); spare != nil {
			n.idle = append(n.idle, spare)
		}
		for _, state := range n.idle {
			if state.Workspace != nil {
				_ = state.Workspace.Close()
			}
		}
		n.idle = nil
		// The loader's only error is a handle that was closed before.
		_ = n.code.Close()
	})
}
