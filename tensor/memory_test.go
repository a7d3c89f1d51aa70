package tensor

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

var (
	errLost     = errors.New("the device is lost")
	errNoMemory = errors.New("no memory is left")
)

// A testDevice is memory that can be reached by copies alone: its addresses are
// those of nothing.
type testDevice struct {
	name                string
	mutex               sync.Mutex
	room                int64 // bytes that are left
	lost                error // of every transfer and Close
	open                int   // memories
	reads, writes, read int   // calls, and bytes
}

func newDevice(name string) *testDevice { return &testDevice{name: name, room: math.MaxInt64} }

func (d *testDevice) Allocate(bytes int64) (Memory, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if bytes <= 0 || bytes > d.room {
		return nil, errNoMemory
	}
	d.room -= bytes
	d.open++
	return &testMemory{testDevice: d, bytes: make([]byte, bytes), written: make([]bool, bytes)}, nil
}

// counts returns the transfers since the last call.
func (d *testDevice) counts() string {
	text := fmt.Sprintf("%d reads, %d writes", d.reads, d.writes)
	d.reads, d.writes, d.read = 0, 0, 0
	return text
}

type testMemory struct {
	*testDevice
	bytes   []byte
	written []bool // by Write
	closed  bool
}

func (m *testMemory) Device() string { return m.name }

func (m *testMemory) Bytes() int64 { return int64(len(m.bytes)) }

func (m *testMemory) Address() uintptr { return ^uintptr(0) &^ (1<<20 - 1) }

func (m *testMemory) Read(at int64, into []byte) error {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.reads++
	m.read += len(into)
	copy(into, m.bytes[at:at+int64(len(into))])
	return m.check(into)
}

func (m *testMemory) Write(at int64, from []byte) error {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.writes++
	copy(m.bytes[at:at+int64(len(from))], from)
	for i := range from {
		m.written[at+int64(i)] = true
	}
	return m.check(from)
}

func (m *testMemory) check(bytes []byte) error {
	if m.closed || len(bytes) == 0 {
		panic("the memory is closed, or the range empty")
	}
	return m.lost
}

func (m *testMemory) Close() error {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.closed {
		panic("closed twice")
	}
	m.closed = true
	m.open--
	return m.lost
}

// drawTwins returns equal views of tensors on the host and on a device; all of the
// device's memory is given up by giveUp.
func drawTwins(r *rapid.T, d *testDevice) (host, foreign *Tensor, giveUp func()) {
	dense := drawDense(r)
	whole, err := dense.To(d)
	if err != nil {
		r.Fatal(err)
	}
	memory := whole.storage
	twins := drawViews(r, dense, whole)
	if rapid.IntRange(0, 4).Draw(r, "broadcast") == 0 {
		for k, x := range twins {
			if twins[k], err = x.Broadcast(append([]int{2}, x.shape...)...); err != nil {
				r.Fatal(err)
			}
		}
	}
	// What drawViews made between is left to the collector.
	return twins[0], twins[1], func() {
		if err := memory.discard(); err != nil {
			r.Fatal(err)
		}
	}
}

// on returns a copy on the device, closed with the test.
func on(t *testing.T, d *testDevice, x *Tensor) *Tensor {
	t.Helper()
	f := must(t)(x.To(d))
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func TestOnMemory(t *testing.T) {
	d := newDevice("toy:1")
	m, err := d.Allocate(30)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		memory Memory
		dtype  DType
		shape  []int
		want   string
	}{
		{m, Float32, []int{2, 4}, "a float32 tensor of shape [2 4] has 32 bytes, the memory on toy:1 has 30"},
		{m, Float32, []int{-1}, "dimension 0 of shape [-1] is negative"},
		{m, Invalid, nil, "invalid is not an element type"},
		{nil, Float32, nil, "a tensor on no memory; New makes one in the memory of the host"},
		{odd{m}, Int16, nil, fmt.Sprintf("the address %#x on toy:1 is not aligned for int16", m.Address()+1)},
	} {
		if _, err := OnMemory(c.memory, c.dtype, c.shape...); err == nil || err.Error() != c.want {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
	x := must(t)(OnMemory(m, Float32, 2, 3))
	if got := x.String(); got != "[[0. 0. 0.]\n [0. 0. 0.]]" || x.Device() != "toy:1" || x.Memory() != m {
		t.Errorf("%s on %s", got, x.Device())
	}
	row := must(t)(x.Select(0, 1))
	if row.Device() != "toy:1" || x.Address() != m.Address() || row.Address() != m.Address()+12 {
		t.Errorf("%#x and %#x in a memory at %#x", x.Address(), row.Address(), m.Address())
	}
	host := iotaTensor(t, Float32, 4)
	if host.Device() != HostDevice || host.Memory() != nil || host.Address() != uintptr(host.Pointer()) {
		t.Errorf("a tensor of the host is on %s", host.Device())
	}
	if same := must(t)(NewOn(host.Memory(), Int8, 2)); same.Memory() != nil {
		t.Error("the memory of no device is not the host's")
	}
}

type odd struct{ Memory }

func (o odd) Address() uintptr { return o.Memory.Address() + 1 }

// The memory is closed once, with the last view, and the error of that is told.
func TestForeignClose(t *testing.T) {
	d := newDevice("toy")
	x := must(t)(iotaTensor(t, Int32, 4, 4).To(d))
	row := must(t)(x.Select(0, 3))
	for range 2 {
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if x.Memory() != nil || x.Device() != HostDevice || x.Pointer() != nil || d.open != 1 || row.String() != "[12 13 14 15]" {
		t.Errorf("%d memories are open, the row is %v", d.open, row)
	}
	d.lost = errLost
	if err := row.Close(); !errors.Is(err, errLost) || d.open != 0 {
		t.Errorf("%v, %d memories are open", err, d.open)
	}
}

func TestForeignCollected(t *testing.T) {
	d := newDevice("toy")
	x := must(t)(NewOn(d, Int8, 10))
	runtime.KeepAlive(x)
	open := func() int {
		d.mutex.Lock()
		defer d.mutex.Unlock()
		return d.open
	}
	for range 1000 {
		if runtime.GC(); open() == 0 {
			return
		}
		runtime.Gosched()
	}
	t.Error("the memory was not closed")
}

// Every transfer costs as much as a small computation: their numbers are part of
// what is promised.
func TestTransfers(t *testing.T) {
	a, b := newDevice("a"), newDevice("b")
	host := iotaTensor(t, Int32, 4, 5)
	x, same, other := on(t, a, host), on(t, a, host), on(t, b, host)
	large := on(t, a, iotaTensor(t, Int32, 100, 100))
	view := func(y *Tensor, err error) *Tensor { return must(t)(y, err) }
	turned := view(x.Transpose())
	column, part := view(x.Select(1, 2)), view(x.Slice(1, 1, 5, 1))
	back := view(x.Slice(0, 3, -1, -1))
	zeros := func(y *Tensor) *Tensor { return must(t)(New(Int32, y.shape...)) }
	floats := must(t)(New(Float32, 4, 5))
	a.counts()
	b.counts()
	copyTo := func(to, from *Tensor) func() error { return func() error { return to.CopyFrom(from) } }
	toHost := func(y *Tensor) func() error { return func() error { _, err := y.ToHost(); return err } }
	for _, c := range []struct {
		name string
		do   func() error
		a, b string
	}{
		{"To", func() error { _, err := host.To(a); return err }, "0 reads, 1 writes", "0 reads, 0 writes"},
		{"ToHost", toHost(x), "1 reads, 0 writes", "0 reads, 0 writes"},
		{"ToHost of a transposed one", toHost(turned), "1 reads, 0 writes", "0 reads, 0 writes"},
		{"ToHost of a reversed one", toHost(back), "1 reads, 0 writes", "0 reads, 0 writes"},
		{"ToHost of a column", toHost(column), "1 reads, 0 writes", "0 reads, 0 writes"},
		{"ToHost of a broadcast column", toHost(view(view(column.Reshape(4, 1)).Broadcast(4, 9))), "1 reads, 0 writes", "0 reads, 0 writes"},
		{"a write of a transposed one", copyTo(turned, zeros(turned)), "0 reads, 1 writes", "0 reads, 0 writes"},
		{"a write of a reversed one", copyTo(back, zeros(back)), "0 reads, 1 writes", "0 reads, 0 writes"},
		{"a write of a column", copyTo(column, zeros(column)), "0 reads, 4 writes", "0 reads, 0 writes"},
		{"a write of parts of rows", copyTo(part, zeros(part)), "0 reads, 4 writes", "0 reads, 0 writes"},
		{"a read of another type", copyTo(floats, x), "1 reads, 0 writes", "0 reads, 0 writes"},
		{"a write of another type", copyTo(x, floats), "0 reads, 1 writes", "0 reads, 0 writes"},
		{"on one device", copyTo(x, same), "1 reads, 1 writes", "0 reads, 0 writes"},
		{"to another device", copyTo(other, x), "1 reads, 0 writes", "0 reads, 1 writes"},
		{"to itself", copyTo(x, x), "1 reads, 1 writes", "0 reads, 0 writes"},
		{"Clone", func() error { _, err := other.Clone(); return err }, "0 reads, 0 writes", "1 reads, 1 writes"},
		{"ToSlice", func() error { _, err := ToSlice[int32](x); return err }, "1 reads, 0 writes", "0 reads, 0 writes"},
		{"Equal", func() error { Equal(x, other); return nil }, "1 reads, 0 writes", "1 reads, 0 writes"},
		{"FillIota", func() error { FillIota(x); return nil }, "0 reads, 1 writes", "0 reads, 0 writes"},
		{"String", func() error { _ = x.String(); return nil }, "1 reads, 0 writes", "0 reads, 0 writes"},
		{"String of a large one", func() error { _ = large.String(); return nil }, "4 reads, 0 writes", "0 reads, 0 writes"},
		{"WriteNPY", func() error { return WriteNPY(io.Discard, turned) }, "1 reads, 0 writes", "0 reads, 0 writes"},
		{"views", func() error { _, err := turned.Slice(0, 1, 2, 1); return err }, "0 reads, 0 writes", "0 reads, 0 writes"},
	} {
		if err := c.do(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if gotA, gotB := a.counts(), b.counts(); gotA != c.a || gotB != c.b {
			t.Errorf("%s: %s and %s, expected %s and %s", c.name, gotA, gotB, c.a, c.b)
		}
	}
	if _ = large.String(); a.read > 4*3*100*4 {
		t.Errorf("%d bytes were read for 36 numbers", a.read)
	}
}

// A lost device is found in the errors of all that copies, and nothing stays open.
func TestForeignFailures(t *testing.T) {
	d, other := newDevice("toy:0"), newDevice("toy:1")
	host := iotaTensor(t, Uint8, 2, 3)
	x, y := must(t)(host.To(d)), must(t)(host.To(other))
	d.lost = errLost
	named := map[string]*Tensor{"x": x}
	for name, use := range map[string]func() error{
		"ToHost":           func() error { _, err := x.ToHost(); return err },
		"To":               func() error { _, err := x.To(other); return err },
		"To from the host": func() error { _, err := host.To(d); return err },
		"Clone":            func() error { _, err := x.Clone(); return err },
		"ToSlice":          func() error { _, err := ToSlice[int8](x); return err },
		"a read":           func() error { return host.CopyFrom(x) },
		"a write":          func() error { return x.CopyFrom(host) },
		"between devices":  func() error { return y.CopyFrom(x) },
		"to a lost one":    func() error { return x.CopyFrom(y) },
		"Format":           func() error { return Format(io.Discard, x, DefaultFormat()) },
		"WriteNPY":         func() error { return WriteNPY(io.Discard, x) },
		"WritePNG":         func() error { return WritePNG(io.Discard, x) },
		"WriteNPZ":         func() error { return WriteNPZ(io.Discard, named) },
		"WriteSafetensors": func() error { return WriteSafetensors(io.Discard, named, nil) },
		"Equal":            func() error { return caught(func() { Equal(host, x) }) },
		"AllClose":         func() error { return caught(func() { AllClose(x, host, 0, 0) }) },
		"FillIota":         func() error { return caught(func() { FillIota(x) }) },
		"FillConst":        func() error { return caught(func() { FillConst(x, 1) }) },
		"FillRandom":       func() error { return caught(func() { FillRandom(x, 1) }) },
	} {
		if err := use(); !errors.Is(err, errLost) || !strings.Contains(err.Error(), "toy:0") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got, want := x.String(), "<uint8 [2 3]: reading 6 bytes from toy:0: the device is lost>"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	d.lost = nil
	d.room, other.room = 5, 0
	for name, use := range map[string]func() (*Tensor, error){
		"NewOn":          func() (*Tensor, error) { return NewOn(d, Float32, 2) },
		"NewOn, empty":   func() (*Tensor, error) { return NewOn(other, Float32, 0) },
		"Clone":          x.Clone,
		"To":             func() (*Tensor, error) { return host.To(other) },
		"between memory": func() (*Tensor, error) { return x.To(y.Memory()) },
	} {
		if _, err := use(); !errors.Is(err, errNoMemory) || !strings.HasPrefix(err.Error(), "no memory for a tensor of ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, z := range []*Tensor{x, y} {
		if err := z.Close(); err != nil {
			t.Error(err)
		}
	}
	if d.open != 0 || other.open != 0 {
		t.Errorf("%d and %d memories are open", d.open, other.open)
	}
}

// caught returns the error that use panics with.
func caught(use func()) (err error) {
	defer func() { err, _ = recover().(error) }()
	use()
	return nil
}

// Elements move the same whatever the limits are; a write touches no byte between
// the elements, and none of the host's is lost.
func TestTransferProperty(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		d := newDevice("toy")
		host, f, giveUp := drawTwins(r, d)
		defer giveUp()
		most := limits{stage: rapid.IntRange(0, 100).Draw(r, "stage"), gap: rapid.IntRange(0, 50).Draw(r, "gap")}
		back, err := New(host.dtype, host.shape...)
		if err != nil {
			r.Fatal(err)
		}
		if err := f.transfer(back, read, most); err != nil || !sameBits(back, host) {
			r.Fatalf("read %v, %v, expected %v", back, err, host)
		}
		if f.repeats() || f.Len() == 0 {
			return
		}
		m := f.Memory().(*testMemory)
		clear(m.written)
		FillRandom(back, 1)
		if err := f.transfer(back, write, most); err != nil {
			r.Fatal(err)
		}
		if got, err := f.ToHost(); err != nil || !sameBits(got, back) {
			r.Fatalf("wrote %v, %v, expected %v", got, err, back)
		}
		// The same with one that lies alike on the host, and so do its gaps.
		FillConst(host, 0)
		before := host.storage.keep.([]byte)
		around := slices.Clone(before)
		if err := f.transfer(host, read, most); err != nil || !sameBits(host, back) {
			r.Fatalf("read %v, %v, expected %v", host, err, back)
		}
		FillConst(host, 0)
		if !bytes.Equal(around, before) {
			r.Fatalf("a read into shape %v with strides %v changed what is between the elements", f.shape, f.strides)
		}
		FillRandom(host, 2)
		if err := f.transfer(host, write, most); err != nil {
			r.Fatal(err)
		}
		if got, err := f.ToHost(); err != nil || !sameBits(got, host) {
			r.Fatalf("wrote %v, %v, expected %v", got, err, host)
		}
		for offset := range f.Offsets() {
			clear(m.written[int(f.origin)+offset*f.dtype.Size():][:f.dtype.Size()])
		}
		if at := slices.Index(m.written, true); at >= 0 {
			r.Fatalf("byte %d between the elements of shape %v with strides %v was written", at, f.shape, f.strides)
		}
	})
}

// Neighbouring elements are written and read at the same time.
func TestForeignConcurrent(t *testing.T) {
	x := on(t, newDevice("toy"), iotaTensor(t, Int32, 50, 4))
	var wait sync.WaitGroup
	for k := range 4 {
		column := must(t)(x.Select(1, k))
		wait.Go(func() {
			for i := range 20 {
				FillConst(column, float64(10*k+i))
				if ok, _ := AllClose(column, must(t)(Scalar(10*int32(k)+int32(i)).Broadcast(50)), 0, 0); !ok {
					t.Errorf("column %d is %v", k, column)
				}
			}
		})
	}
	wait.Wait()
}

// What the host has costs nothing more for the memory that it has not.
func TestTensorSize(t *testing.T) {
	if size := unsafe.Sizeof(Tensor{}); size > 80 {
		t.Errorf("a tensor has %d bytes, for which the Go heap takes more than 80", size)
	}
}
