package native

import (
	"context"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/strand/lower"
	"github.com/ricci-lang/ricci/tensor"
)

// How arrays lie on devices that have memory of their own
//
// Every array is in the memory of the host, where all of this package works with it, and on such a device there is another one, which is an
// argument of calls. Before a call what the host may have changed is copied there; behind it what the kernel may have changed is
// copied back where somebody looks at it. Since copies fail with the device, and those who look return no errors, the first such error is
// remembered, and ends the call or the result that looked.

// held is an array of an argument.
type held struct {
	argument int // its number among the arrays of a call
	host     *tensor.Tensor
	device   *tensor.Tensor // nil where the device works on the host's
	// The host may have changed it since the last call, or the last call has.
	byHost, byDevice bool
}

// array is that of an argument, as the last call has left it. Who asks may change it.
func (w *World) array(k int) *tensor.Tensor {
	h := &w.held[k]
	if h.byDevice {
		w.noteLost(h.host.CopyFrom(h.device))
	}
	h.byHost, h.byDevice = true, false
	return h.host
}

// of are the arrays of a kind, in the order of arguments.
func (w *World) of(kind lower.Kind) (list []*tensor.Tensor) {
	for _, k := range w.places[kind] {
		list = append(list, w.array(k))
	}
	return list
}

// only is the array of a kind of which there is one.
func (w *World) only(kind lower.Kind) *tensor.Tensor { return w.array(w.places[kind][0]) }

// put gives an argument an array.
func (w *World) put(k int, t *tensor.Tensor) {
	h := &w.held[k]
	h.host, h.byHost, h.byDevice = t, true, false
	if w.memory == nil {
		w.pass(k, t)
	}
}

// pass makes an array that of calls.
func (w *World) pass(k int, t *tensor.Tensor) {
	w.call.Arguments[w.held[k].argument] = t
	w.call.Block[loop.HeaderWords+k] = int64(t.Address())
}

// run calls the kernel.
func (w *World) run(ctx context.Context) error {
	if err := w.upload(); err != nil {
		return err
	}
	if _, err := w.code.Launch(ctx, nil, &w.call); err != nil {
		return err
	}
	for k, a := range w.kernel.Arguments {
		if !a.IsNumber() && w.held[k].device != nil {
			w.held[k].byDevice = a.Kind >= lower.Component
		}
	}
	return nil
}

// upload copies to the device what the host may have changed.
func (w *World) upload() error {
	if w.memory == nil {
		return nil
	}
	for k, a := range w.kernel.Arguments {
		h := &w.held[k]
		if a.IsNumber() || !h.byHost {
			continue
		}
		if h.device == nil || h.device.Len() != h.host.Len() {
			if h.device != nil {
				w.noteLost(h.device.Close())
			}
			t, err := tensor.NewOn(w.memory, h.host.DType(), h.host.Shape()...)
			if err != nil {
				return err
			}
			h.device = t
			w.pass(k, t)
		}
		if err := h.device.CopyFrom(h.host); err != nil {
			return err
		}
		h.byHost = false
	}
	return w.lost
}

// noteLost remembers the first error of a copy.
func (w *World) noteLost(err error) {
	if w.lost == nil {
		w.lost = err
	}
}

// release gives the memory of the device back.
func (w *World) release() error {
	for _, h := range w.held {
		if h.device != nil {
			w.noteLost(h.device.Close())
		}
	}
	return w.lost
}
