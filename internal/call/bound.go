package call

import (
	"context"
	"slices"

	"github.com/ricci-lang/ricci/tensor"
)

// A Bound is a kernel with arguments that were checked, for one goroutine at a time. The zero value is closed.
type Bound struct {
	kernel *Kernel
	args   []*tensor.Tensor
	sizes  map[string]int64
	state  *callState // nil where a call needs what Kernel.Run does
}

// Bind checks arguments such as those of Run and keeps them for calls.
func (k *Kernel) Bind(args []*tensor.Tensor) (Bound, error) {
	if !k.acquire() {
		return Bound{}, ErrClosed
	}
	b := Bound{kernel: k, args: slices.Clone(args)}
	if err := b.bind(); err != nil {
		k.release()
		return Bound{}, err
	}
	return b, nil
}

func (b *Bound) bind() (err error) {
	k := b.kernel
	if b.sizes, err = k.check(b.args); err != nil || k.native == nil || k.marks(b.args) != nil {
		return err
	}
	bytes, err := k.native.workspace(b.sizes)
	if err != nil {
		return err
	}
	if b.state, err = k.native.take(bytes); err == nil {
		k.native.fill(b.state, b.args, b.sizes)
	}
	return k.named(err, b.sizes)
}

// Run computes, as Kernel.Run does.
func (b *Bound) Run() error {
	k := b.kernel
	switch {
	case k == nil:
		return ErrClosed
	case b.state == nil:
		return k.call(context.Background(), b.args)
	}
	return k.callNative(context.Background(), b.state, b.args, b.sizes)
}

// Close lets the kernel go; a second one does nothing.
func (b *Bound) Close() error {
	if b.kernel == nil {
		return nil
	}
	if b.state != nil {
		b.kernel.native.give(b.state)
	}
	b.kernel.release()
	b.kernel, b.state = nil, nil
	return nil
}
