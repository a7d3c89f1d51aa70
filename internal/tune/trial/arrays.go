package trial

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"
	"unsafe"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// guardBytes surround every array of a worker. A page keeps the alignment that
// arrays of a program have.
const guardBytes = 4096

// garbage fills guards, and outputs before a candidate writes them.
const garbage = 0xa5

// An array says how an argument lies in memory, and where its bytes are in the
// files.
type array struct {
	Name    string `json:"name"`
	DType   string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Strides []int  `json:"strides"`
	Low     int    `json:"low"`   // bytes in front of the first element
	Bytes   int    `json:"bytes"` // all of them
	Input   bool   `json:"input,omitempty"`
	Output  bool   `json:"output,omitempty"`
}

// layout lists the arguments in the order of the function. A file holds those that
// are inputs, or those that are outputs, one behind the other.
type layout []array

func newLayout(k Kernel) (layout, error) {
	shapes, err := k.Func.Shapes(k.Sizes)
	if err != nil {
		return nil, err
	}
	var l layout
	for _, t := range append(k.Func.Inputs(), k.Func.Outputs()...) {
		a := array{Name: t.Name, DType: t.Type.String(), Input: t.Role != ein.Output, Output: t.Role != ein.Input}
		for _, n := range shapes[t.Name] {
			a.Shape = append(a.Shape, int(n))
		}
		a.Strides = tensor.RowMajor(a.Shape)
		for d, stride := range k.Strides[t.Name] {
			a.Strides[d] = int(stride)
		}
		a.measure(t.Type.Size())
		l = append(l, a)
	}
	return l, nil
}

// measure computes the bytes that the elements span.
func (a *array) measure(size int) {
	low, high := 0, size
	for d, n := range a.Shape {
		if n == 0 {
			low, high = 0, 0
			break
		}
		if reach := (n - 1) * a.Strides[d] * size; reach < 0 {
			low -= reach
		} else {
			high += reach
		}
	}
	a.Low, a.Bytes = low, low+high
}

// A placed array has its memory, with guards on both sides.
type placed struct {
	array
	owner *tensor.Tensor
	there *tensor.Tensor // the same bytes on a device that has memory of its own; nil on others
	view  *tensor.Tensor // what kernels work on
}

// placeOn allocates an array where a device works; a nil allocator is the host.
func (a array) placeOn(allocator tensor.Allocator) (*placed, error) {
	p, err := a.place()
	if err != nil || allocator == nil {
		return p, err
	}
	if p.there, err = tensor.NewOn(allocator, tensor.Uint8, p.owner.Len()); err != nil {
		return nil, err
	}
	if p.view, err = p.there.Strided(p.view.DType(), guardBytes+a.Low, a.Shape, a.Strides); err != nil {
		return nil, err
	}
	return p, p.push()
}

// push copies the memory with its guards to the device.
func (p *placed) push() error {
	if p.there == nil {
		return nil
	}
	return p.there.Memory().Write(0, p.all())
}

// pull copies from the device what a kernel may have changed: the guards, and the elements of an output.
func (p *placed) pull() error {
	if p.there == nil {
		return nil
	}
	all, memory := p.all(), p.there.Memory()
	if p.Output {
		return memory.Read(0, all)
	}
	behind := guardBytes + p.Bytes
	return errors.Join(memory.Read(0, all[:guardBytes]), memory.Read(int64(behind), all[behind:]))
}

// place allocates an array.
func (a array) place() (*placed, error) {
	dtype, err := tensor.ParseDType(a.DType)
	if err != nil {
		return nil, err
	}
	// A multiple of the alignment in front keeps the first byte aligned.
	owner, err := tensor.New(tensor.Uint8, guardBytes+a.Bytes+guardBytes)
	if err != nil {
		return nil, err
	}
	p := &placed{array: a, owner: owner}
	p.view, err = tensor.FromPointer(dtype, unsafe.Add(owner.Pointer(), guardBytes+a.Low), a.Shape, a.Strides)
	fill(p.all())
	return p, err
}

// fill writes garbage. What is filled already is copied: arrays are large.
func fill(b []byte) {
	const first = 64 << 10
	for i := range min(first, len(b)) {
		b[i] = garbage
	}
	for n := first; n < len(b); n += first {
		copy(b[n:], b[:first])
	}
}

// all returns the memory with its guards.
func (p *placed) all() []byte {
	return unsafe.Slice((*byte)(p.owner.Pointer()), p.owner.Len())
}

// bytes returns the memory of the elements.
func (p *placed) bytes() []byte { return p.all()[guardBytes : guardBytes+p.Bytes] }

// intact reports whether the guards have their value.
func (p *placed) intact() bool {
	all := p.all()
	for _, guard := range [][]byte{all[:guardBytes], all[guardBytes+p.Bytes:]} {
		if len(bytes.Trim(guard, string([]byte{garbage}))) > 0 {
			return false
		}
	}
	return true
}

// copyTime is what copying all arrays takes at most, on a slow and busy machine.
func (l layout) copyTime() (d time.Duration) {
	const bytesPerSecond = 50 << 20
	for _, a := range l {
		d += time.Duration(a.Bytes) * time.Second / bytesPerSecond
	}
	return d
}

// writeInputs makes the file with the inputs.
func (l layout) writeInputs(path string, args map[string]*tensor.Tensor) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	for _, a := range l {
		if !a.Input {
			continue
		}
		p, err := a.place()
		if err != nil {
			return err
		}
		if args[a.Name] == nil {
			return source.Internalf("trial", source.Span{}, "there is no argument %s", a.Name)
		}
		copyElements(p.view, args[a.Name])
		_, err = file.Write(p.bytes())
		if err := errors.Join(err, p.owner.Close()); err != nil {
			return err
		}
	}
	return nil
}

// share makes elements equal that have one place in memory.
func (l layout) share(args map[string]*tensor.Tensor) error {
	for _, a := range l {
		if !a.Input || slices.Equal(a.Strides, tensor.RowMajor(a.Shape)) || !args[a.Name].IsContiguous() {
			continue
		}
		p, err := a.place()
		if err != nil {
			return err
		}
		copyElements(p.view, args[a.Name])
		if err := errors.Join(args[a.Name].CopyFrom(p.view), p.owner.Close()); err != nil {
			return err
		}
	}
	return nil
}

// copyElements copies to an array whose elements may share memory, as those of an
// input with a stride of 0 do.
func copyElements(to, from *tensor.Tensor) {
	if to.CopyFrom(from) == nil {
		return
	}
	offsets, k := slices.Collect(to.Offsets()), 0
	for o := range from.Offsets() {
		to.SetBitsAt(offsets[k], from.BitsAt(o))
		k++
	}
}

// readOutputs reads the file that a worker wrote.
func (l layout) readOutputs(path string) (_ map[string]*tensor.Tensor, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	outputs := map[string]*tensor.Tensor{}
	for _, a := range l {
		if !a.Output {
			continue
		}
		if outputs[a.Name], err = a.read(file); err != nil {
			return nil, fmt.Errorf("what the worker wrote for %s: %w", a.Name, err)
		}
	}
	return outputs, nil
}

// read reads an array, and returns its elements in row-major order.
func (a array) read(file io.Reader) (*tensor.Tensor, error) {
	dtype, err := tensor.ParseDType(a.DType)
	if err != nil {
		return nil, err
	}
	dense, err := tensor.New(dtype, a.Shape...)
	if err != nil {
		return nil, err
	}
	if slices.Equal(a.Strides, tensor.RowMajor(a.Shape)) {
		_, err := io.ReadFull(file, elements(dense))
		return dense, err
	}
	p, err := a.place()
	if err != nil {
		return nil, err
	}
	if _, err := io.ReadFull(file, p.bytes()); err != nil {
		return nil, errors.Join(err, p.owner.Close())
	}
	return dense, errors.Join(dense.CopyFrom(p.view), p.owner.Close())
}

// elements returns the memory of a tensor in row-major order, for as long as it is used.
func elements(dense *tensor.Tensor) []byte {
	return unsafe.Slice((*byte)(dense.Pointer()), dense.Len()*dense.DType().Size())
}
