package ricci

import (
	"context"
	"slices"

	"github.com/ricci-lang/ricci/tensor"
)

// A Call is a kernel with arguments: what Kernel.Run checks at every call has been
// checked once, so that Run costs little more than a call of C. It is for one
// goroutine at a time; several Calls of one kernel run side by side.
type Call struct {
	kernel *Kernel
	args   []*tensor.Tensor
	sizes  map[string]int64
	state  *callState // nil where a call needs what Kernel.Run does
}

// Bind checks arguments such as those of Run and keeps them for calls. They must not
// be closed before the Call is.
func (k *Kernel) Bind(args ...*tensor.Tensor) (*Call, error) {
	if !k.acquire() {
		return nil, ErrClosed
	}
	c := &Call{kernel: k, args: slices.Clone(args)}
	err := c.bind()
	if err != nil {
		k.release()
		return nil, err
	}
	return c, nil
}

func (c *Call) bind() (err error) {
	k := c.kernel
	if c.sizes, err = k.check(c.args); err != nil || k.native == nil || k.overlap(c.args) {
		return err
	}
	bytes, err := k.native.workspace(c.sizes)
	if err != nil {
		return err
	}
	if c.state, err = k.native.take(bytes); err == nil {
		k.native.fill(c.state, c.args, c.sizes)
	}
	return k.named(err, c.sizes)
}

// Run computes, as Kernel.Run does.
func (c *Call) Run() error {
	k := c.kernel
	switch {
	case k == nil:
		return ErrClosed
	case c.state == nil:
		return k.call(context.Background(), c.args)
	}
	return k.callNative(context.Background(), c.state, c.args, c.sizes)
}

// Close lets the kernel go; a second one does nothing.
func (c *Call) Close() error {
	if c.kernel == nil {
		return nil
	}
	if c.state != nil {
		c.kernel.native.give(c.state)
	}
	c.kernel.release()
	c.kernel, c.state = nil, nil
	return nil
}
