package tensor_test

import (
	"errors"
	"fmt"
	"log"

	"github.com/ricci-lang/ricci/tensor"
)

// errFull is the device's own error.
var errFull = errors.New("the attic is full")

// An attic is a device with a few bytes of memory. A driver calls its interface where this one
// copies; only the device ever uses an address.
type attic struct{ left int64 }

func (a *attic) Allocate(bytes int64) (tensor.Memory, error) {
	if bytes > a.left {
		return nil, errFull
	}
	a.left -= bytes
	return &box{attic: a, content: make([]byte, bytes)}, nil
}

type box struct {
	*attic
	content []byte
}

func (b *box) Device() string   { return "attic" }
func (b *box) Bytes() int64     { return int64(len(b.content)) }
func (b *box) Address() uintptr { return 1 << 20 }

func (b *box) Read(at int64, into []byte) error {
	copy(into, b.content[at:])
	return nil
}

func (b *box) Write(at int64, from []byte) error {
	copy(b.content[at:], from)
	return nil
}

func (b *box) Close() error {
	b.left += b.Bytes()
	return nil
}

// A tensor on a device is viewed, copied, printed and saved as any other one; its single elements
// are at hand in a copy on the host.
func ExampleMemory() {
	device := &attic{left: 100}
	host := tensor.Must(tensor.FromSlice([]float32{1, 2, 3, 4, 5, 6}, 2, 3))
	t := tensor.Must(host.To(device))
	defer t.Close()

	turned := tensor.Must(t.Transpose())
	fmt.Println(turned.Device(), turned)

	_, err := tensor.Data[float32](t)
	if foreign, is := errors.AsType[*tensor.ForeignError](err); is {
		fmt.Println("no pointer to", foreign.Device)
	}

	column := tensor.Must(turned.Select(1, 0))
	if err := column.CopyFrom(tensor.Must(tensor.FromSlice([]float32{7, 8, 9}, 3))); err != nil {
		log.Fatal(err)
	}
	back := tensor.Must(t.ToHost())
	fmt.Println(back.Float(0, 2), back)

	_, err = tensor.NewOn(device, tensor.Float64, 1000)
	fmt.Println(err, errors.Is(err, errFull))
	// Output:
	// attic [[1. 4.]
	//  [2. 5.]
	//  [3. 6.]]
	// no pointer to attic
	// 9 [[7. 8. 9.]
	//  [4. 5. 6.]]
	// no memory for a tensor of 8000 bytes: the attic is full true
}
