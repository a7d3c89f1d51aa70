package tensor

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
)

// How it works
//
// The elements of a tensor lie in the memory of the host, or in that of a device, which the host
// cannot address: foreign memory. This package knows no device. It knows Memory, which a device
// implements and which can be read and written in whole ranges of bytes.
//
// A tensor on foreign memory has no base, as an address of a device is never a pointer of Go; an
// access to an element compares the base with nil, and that is all it costs on the host. In its
// place there is the position (origin) of element [0, …, 0] in the memory. Shapes, strides and
// views are the same for both; a storage whose owner is a *foreign keeps the memory.
//
// What an operation does on foreign memory follows from what it is:
//
//   - What needs no elements (shapes, views, offsets) is as on the host.
//   - What works on whole tensors copies through the host (transfer.go): CopyFrom, Clone, Convert,
//     To, ToHost, ToSlice, FillRandom, FillIota, FillConst, Equal, AllClose, String, Format, and all
//     that writes files.
//   - What reads or writes one element, or gives an address of the host, is refused by a
//     *ForeignError, as a transfer for each element is hardly meant. Data returns it; Int, SetFloat,
//     BitsAt and their kin, and Pointer, which return no errors, panic with an error that has it in
//     its chain, as they do for an index out of range.
//
// New tensors lie where their values came from: Clone and Convert stay on the device.

// HostDevice is the name of the host's memory as a device.
const HostDevice = "host"

// An Allocator gives memory of one device.
type Allocator interface {
	// Allocate returns memory of at least the given size, which is positive, that holds zeros and
	// whose address is a multiple of Alignment.
	Allocate(bytes int64) (Memory, error)
}

// A Memory is a block of memory of a device that the host reads and writes by copies only. Elements
// lie in it as they do in the host's memory. All methods but Close may be called from several
// goroutines at once, and all from any one; what a Read gets for bytes that a Write changes
// meanwhile does not matter. Errors are passed on in the chain of those of tensors.
type Memory interface {
	// Allocate gives more memory of the same device, for copies.
	Allocator
	// Device returns the name of the device, such as "cuda:0".
	Device() string
	// Bytes returns the size.
	Bytes() int64
	// Address returns the address of the first byte as the device sees it; the host does not use it.
	Address() uintptr
	// Read copies the bytes from a position on to the host, and Write copies bytes of the host to a
	// position. Both return when the bytes are there, and keep no slice. The range is never empty
	// and always inside of the memory.
	Read(at int64, into []byte) error
	Write(at int64, from []byte) error
	// Close gives the memory back. It is called once, when no tensor uses the memory any more.
	Close() error
}

// A ForeignError says that elements were asked for that the host cannot address.
type ForeignError struct {
	Device string // where they are
	DType  DType
	Shape  []int
}

// Error returns one line.
func (e *ForeignError) Error() string {
	return fmt.Sprintf("the elements of this %s tensor of shape %v are on %s, where the host cannot access them; ToHost makes a copy that it can",
		e.DType, e.Shape, e.Device)
}

// foreign is a Memory that is closed once.
type foreign struct {
	memory Memory
	closed atomic.Bool
}

func (f *foreign) close() error {
	if f.closed.CompareAndSwap(false, true) {
		return f.memory.Close()
	}
	return nil
}

// OnMemory returns a tensor in row-major order over the beginning of a memory, which it owns from
// then on: the memory is closed when the tensor and all its views are closed, or when the collector
// has found that nobody has them. Give a memory to one tensor; others over it are views of that.
func OnMemory(m Memory, d DType, shape ...int) (*Tensor, error) {
	n, err := checkShape(d, shape)
	switch {
	case err != nil:
		return nil, err
	case m == nil:
		return nil, errors.New("a tensor on no memory; New makes one in the memory of the host")
	case int64(n*d.Size()) > m.Bytes():
		return nil, fmt.Errorf("a %s tensor of shape %v has %d bytes, the memory on %s has %d", d, shape, n*d.Size(), m.Device(), m.Bytes())
	case m.Address()%uintptr(d.Size()) != 0:
		return nil, fmt.Errorf("the address %#x on %s is not aligned for %s", m.Address(), m.Device(), d)
	}
	f := &foreign{memory: m}
	s := &storage{keep: f}
	runtime.AddCleanup(s, func(f *foreign) { _ = f.close() }, f)
	t := newTensor(d, slices.Clone(shape), RowMajor(shape), nil, s)
	t.foreign = true
	return t, nil
}

// NewOn returns a tensor of zeros in row-major order on the memory of a device; a nil allocator is
// the host, as in New.
func NewOn(a Allocator, d DType, shape ...int) (*Tensor, error) {
	if a == nil {
		return New(d, shape...)
	}
	n, err := checkShape(d, shape)
	if err != nil {
		return nil, err
	}
	size := int64(max(1, n*d.Size()))
	m, err := a.Allocate(size)
	if err != nil {
		runtime.GC() // dropped tensors may hold what is missing
		if m, err = a.Allocate(size); err != nil {
			return nil, fmt.Errorf("no memory for a tensor of %d bytes: %w", size, err)
		}
	}
	paceCollector(size)
	t, err := OnMemory(m, d, shape...)
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return t, nil
}

// Memory returns the foreign memory that t is on, or nil for the memory of the host. It is an
// Allocator of the same device, too, and does not keep t alive.
func (t *Tensor) Memory() Memory {
	if !t.foreign {
		return nil
	}
	return t.storage.keep.(*foreign).memory
}

// Device returns the name of the device that the elements are on, HostDevice for the host.
func (t *Tensor) Device() string {
	if m := t.Memory(); m != nil {
		return m.Device()
	}
	return HostDevice
}

// Address returns the address of element [0, …, 0] as the device of t sees it; it does not keep t
// alive. On the host it is that of Pointer.
func (t *Tensor) Address() uintptr {
	if m := t.Memory(); m != nil {
		return m.Address() + uintptr(t.origin)
	}
	return uintptr(t.base)
}

// refusal is the panic of an access to an element that the host has not. It is a tensor under
// another name so that the functions that make it are small enough to be inlined.
type refusal Tensor

// Error returns the reason.
func (r *refusal) Error() string { return "tensor: " + r.Unwrap().Error() }

// Unwrap returns a *ForeignError, or what is wrong with a tensor of the host.
func (r *refusal) Unwrap() error {
	t := (*Tensor)(r)
	switch {
	case t.Memory() != nil:
		return t.foreignError()
	case t.storage == nil:
		return errClosed
	}
	return fmt.Errorf("an element of shape %v, which has none", t.shape)
}

var errClosed = errors.New("the tensor is closed")

func (t *Tensor) foreignError() error {
	return &ForeignError{Device: t.Device(), DType: t.dtype, Shape: slices.Clone(t.shape)}
}
