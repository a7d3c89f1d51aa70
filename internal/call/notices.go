package call

import (
	"sync/atomic"
	"unsafe"

	"github.com/ricci-lang/ricci/internal/plan"
	"github.com/ricci-lang/ricci/internal/source"
)

// notice is a place in the workspace where native code says that a guarded sum was computed as it is
// written (loop.Notice).
type notice struct {
	pos    source.Span
	offset int64 // in bytes
	calls  atomic.Int64
}

// at returns the number in the workspace of a call, which is on the host.
func (n *notice) at(state *callState) *int32 {
	return (*int32)(unsafe.Add(state.Workspace.Pointer(), n.offset))
}

// clear sets the number in the workspace of a call to 0.
func (n *notice) clear(state *callState) error {
	if m := state.Workspace.Memory(); m != nil {
		return m.Write(n.offset, make([]byte, 4))
	}
	*n.at(state) = 0
	return nil
}

// read returns the number.
func (n *notice) read(state *callState) (number int32, err error) {
	if m := state.Workspace.Memory(); m != nil {
		err = m.Read(n.offset, unsafe.Slice((*byte)(unsafe.Pointer(&number)), 4))
		return number, err
	}
	return *n.at(state), nil
}

// clearNotices keeps what an earlier call left from being taken for news.
func (n *native) clearNotices(state *callState) error {
	for _, one := range n.notices {
		if err := one.clear(state); err != nil {
			return err
		}
	}
	return nil
}

// giveNotices counts the guards that a call has tripped, and warns of each once.
func (n *native) giveNotices(k *Kernel, state *callState) error {
	for _, one := range n.notices {
		number, err := one.read(state)
		if err != nil {
			return err
		}
		if number > 0 && one.calls.Add(1) == 1 {
			d := &source.Diagnostic{Code: source.GuardTripped, Severity: source.Warning, Span: one.pos, Message: plan.GuardTripped}
			k.options.Warn(d.WithHelp("the result is that of the text, and takes longer; scale the values, or use --numerics strict where that happens often"))
		}
	}
	return nil
}

// GuardsTripped returns how often a sum was computed as it is written, since with its products
// regrouped it was infinite or NaN: for each call of the kernel, the number of its guarded sums of
// which that is true. Options.Warning tells of the first time. See docs/numerics.md.
func (k *Kernel) GuardsTripped() int64 {
	var calls int64
	if k.native != nil {
		for _, one := range k.native.notices {
			calls += one.calls.Load()
		}
	}
	return calls
}
