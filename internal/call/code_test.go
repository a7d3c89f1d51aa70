package call

import (
	"runtime"
	"testing"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/tensor"
)

// Many calls at a time leave no more workspaces behind than can be in use.
func TestIdleStates(t *testing.T) {
	workspace := affine.Symbol("N")
	n := &native{code: noCode{}, size: workspaceSize{dynamic: &workspace}}
	var taken []*callState
	for range 4 * runtime.GOMAXPROCS(0) {
		bytes, err := n.workspace(map[string]int64{"N": 64})
		if err != nil {
			t.Fatal(err)
		}
		state, err := n.take(bytes)
		if err != nil {
			t.Fatal(err)
		}
		taken = append(taken, state)
	}
	for _, state := range taken {
		n.give(state)
	}
	kept := 0
	for _, state := range taken {
		if state.Workspace.DType() != tensor.Invalid {
			kept++
		}
	}
	if limit := runtime.GOMAXPROCS(0); n.spare.Load() == nil || len(n.idle)+1 != limit || kept != limit {
		t.Errorf("%d states behind the first one and %d workspaces, expected %d", len(n.idle), kept, limit)
	}
	state, err := n.take(128)
	if err != nil || state.Workspace.Len() < 128 {
		t.Errorf("%v, a workspace of %d bytes", err, state.Workspace.Len())
	}
	n.give(state)
	n.unload()
	for _, state := range taken {
		if state.Workspace.DType() != tensor.Invalid {
			t.Error("a workspace is left when the code is gone")
		}
	}
}

// noCode is code that nobody calls.
type noCode struct{ device.Code }

func (noCode) Prepare(*device.Call) {}
func (noCode) Close() error         { return nil }
