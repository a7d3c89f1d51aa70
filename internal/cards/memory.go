package cards

import (
	"context"
	"errors"
	"fmt"
	"unsafe"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/tensor"
)

// bytesOf is the memory of a dense tensor on the host.
func bytesOf(t *tensor.Tensor) []byte {
	return unsafe.Slice((*byte)(t.Pointer()), t.Len()*t.DType().Size())
}

// memory asks for more than there is, which is an error that is known, and for a little after that; what is written is read back, and a device that is
// opened again has memory of its own.
func memory(ctx context.Context, p *place) (r Result, err error) {
	d, err := p.open(ctx, false)
	if err != nil {
		return r, err
	}
	if _, err := d.Allocator().Allocate(1 << 60); !errors.Is(err, device.ErrNoMemory) {
		return r, fmt.Errorf("2⁶⁰ bytes: %v, expected E0743", err)
	}
	x, err := tensor.New(tensor.Float32, 1000, 1000)
	if err != nil {
		return r, err
	}
	tensor.FillRandom(x, 1)
	there, err := x.To(d.Allocator())
	if err != nil {
		return r, err
	}
	back, err := there.ToHost()
	if err != nil {
		return r, err
	}
	if !tensor.Equal(x, back) {
		return r, errors.New("what was copied to the device and back is not the same")
	}
	zeros, err := tensor.NewOn(d.Allocator(), tensor.Uint8, 1<<20)
	if err != nil {
		return r, err
	}
	if back, err = zeros.ToHost(); err != nil {
		return r, err
	}
	for _, b := range bytesOf(back) {
		if b != 0 {
			return r, errors.New("new memory is not zero")
		}
	}
	other, err := p.open(ctx, false)
	if err != nil {
		return r, err
	}
	if other.Allocator().Owns(there.Memory()) {
		return r, errors.New("a device that is opened again owns the memory of the first one")
	}
	return r, nil
}
