package call

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// A card is a device with memory of its own: it has loops evaluated on copies of what is there.
type card struct {
	mutex       sync.Mutex
	left        int64 // bytes
	next        uintptr
	open        int // memories
	read, wrote int // copies by the host
	lost        bool
}

// A cardMemory is memory of a card.
type cardMemory struct {
	*card
	address uintptr
	content []byte
}

func newCard() *card { return &card{left: 1 << 20, next: 1 << 30} }

func (c *card) Allocate(bytes int64) (tensor.Memory, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	switch {
	case c.lost:
		return nil, device.Lost("card", errors.New("it was taken away"))
	case bytes > c.left:
		return nil, device.NoMemory("card", bytes, fmt.Errorf("%d are left", c.left))
	}
	m := &cardMemory{card: c, address: c.next, content: make([]byte, bytes)}
	c.next += uintptr(bytes+tensor.Alignment) &^ (tensor.Alignment - 1)
	c.left -= bytes
	c.open++
	return m, nil
}

func (c *card) Owns(m tensor.Memory) bool {
	mine, is := m.(*cardMemory)
	return is && mine.card == c
}

func (m *cardMemory) Device() string   { return "card" }
func (m *cardMemory) Bytes() int64     { return int64(len(m.content)) }
func (m *cardMemory) Address() uintptr { return m.address }

func (m *cardMemory) move(count *int, to, from []byte) error {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.lost {
		return device.Lost("card", errors.New("it was taken away"))
	}
	*count++
	copy(to, from)
	return nil
}

func (m *cardMemory) Read(at int64, into []byte) error { return m.move(&m.read, into, m.content[at:]) }
func (m *cardMemory) Write(at int64, from []byte) error {
	return m.move(&m.wrote, m.content[at:], from)
}

func (m *cardMemory) Close() error {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.left += m.Bytes()
	m.open--
	return nil
}

// cardCode evaluates a kernel on what regions of the card hold.
type cardCode struct {
	device.Code
	card *card
	test *testing.T
}

func (c cardCode) Launch(ctx context.Context, s device.Stream, call *device.Call) (device.Completion, error) {
	if c.card.lost {
		return nil, device.Lost("card", errors.New("it was taken away"))
	}
	near := *call
	near.Arguments = nil
	var back []func()
	bring := func(t *tensor.Tensor) *tensor.Tensor {
		if !c.card.Owns(t.Memory()) {
			c.test.Errorf("a launch gets memory of %s", t.Device())
		}
		r := device.RegionOf(t)
		there := r.Memory.(*cardMemory).content[r.Offset : r.Offset+r.Bytes]
		if first := t.Address() - r.Memory.Address(); int64(first) != r.Offset+r.First {
			c.test.Errorf("the first element is at %d, and the region says %d + %d", first, r.Offset, r.First)
		}
		here := tensor.Must(tensor.FromSlice(there, len(there)))
		back = append(back, func() {
			bytes, _ := tensor.Data[uint8](here)
			copy(there, bytes)
		})
		return tensor.Must(here.Strided(t.DType(), int(r.First), t.Shape(), t.Strides()))
	}
	for i, t := range call.Arguments {
		if word := call.Block[loop.HeaderWords+i]; uintptr(word) != t.Address() {
			c.test.Errorf("the word of argument %d is %#x, and its address %#x", i, word, t.Address())
		}
		near.Arguments = append(near.Arguments, bring(t))
	}
	if call.Workspace != nil {
		near.Workspace = bring(call.Workspace)
	}
	completion, err := c.Code.Launch(ctx, s, &near)
	call.Fault = near.Fault
	for _, f := range back {
		f()
	}
	return completion, err
}

// onCard compiles a kernel, and moves it to a card.
func onCard(t *testing.T, d *Def, c *card, shapes map[string][]int, options Options) *Kernel {
	t.Helper()
	k, err := d.Compile(t.Context(), compile.Signature{Shapes: shapes}, options)
	if err != nil {
		t.Fatal(err)
	}
	k.native.moveTo(k, c, Options{})
	k.native.code = cardCode{k.native.code, c, t}
	return k
}

func on(t *testing.T, c tensor.Allocator, x *tensor.Tensor) *tensor.Tensor {
	t.Helper()
	there, err := x.To(c)
	if err != nil {
		t.Fatal(err)
	}
	return there
}

const shiftedSums = `def sums(float(M,N) x) -> (m, y) {
  m(i) max=! x(i,j)
  y(i) +=! exp(x(i,j) - m(i))
}`

// TestOwnMemory: a kernel of a device with memory of its own uses what is there, and copies what is on the host.
func TestOwnMemory(t *testing.T) {
	d, c := parse(t, shiftedSums), newCard()
	k := onCard(t, d, c, map[string][]int{"x": {3, 5}}, onEvaluator())
	x := array(t, 3, 5)
	want, err := d.Evaluate(t.Context(), tensors{"x": x}, nil)
	if err != nil {
		t.Fatal(err)
	}
	there, m, y := on(t, c, x), array(t, 3), array(t, 3)
	mThere, yThere := on(t, c, m), on(t, c, y)
	c.read, c.wrote = 0, 0
	check := func(what string, copies int64, writes int, m, y *tensor.Tensor) {
		t.Helper()
		if k.Copies() != copies || c.wrote != writes {
			t.Errorf("%s: %d arguments were copied, with %d writes; expected %d with %d", what, k.Copies(), c.wrote, copies, writes)
		}
		for name, got := range (tensors{"m": m, "y": y}) {
			if ok, where := tensor.AllClose(want[name], got, 1e-6, 1e-6); !ok {
				t.Errorf("%s: %s at %v: %v", what, name, where, got)
			}
		}
	}
	run := func(args ...*tensor.Tensor) {
		t.Helper()
		if err := k.Run(t.Context(), args); err != nil {
			t.Fatal(err)
		}
	}
	run(there, mThere, yThere)
	if c.read != 0 {
		t.Errorf("%d reads where everything is there", c.read)
	}
	check("all there", 0, 0, mThere, yThere)
	c.read = 0
	run(x, mThere, y)
	check("some on the host", 2, 2, mThere, y)
	out, err := k.RunNamed(t.Context(), tensors{"x": there})
	if err != nil {
		t.Fatal(err)
	}
	if out["y"].Device() != "card" {
		t.Errorf("results of what is on the device are on %s", out["y"].Device())
	}
	check("results there", 2, 2, out["m"], out["y"])
	if out, err = k.RunNamed(t.Context(), tensors{"x": x}); err != nil {
		t.Fatal(err)
	}
	if out["y"].Device() != tensor.HostDevice {
		t.Errorf("results of what is on the host are on %s", out["y"].Device())
	}
	check("all on the host", 5, 3, out["m"], out["y"]) // results that the call makes are zeros there, too
	if _, err := k.Check(t.Context(), tensors{"x": there}, tensors{"m": mThere, "y": yThere}, CheckOptions{}); err != nil {
		t.Errorf("what is there is judged: %v", err)
	}
}

// TestOwnMemoryBound: a bound kernel copies at every call what is on the host, and nothing that is there.
func TestOwnMemoryBound(t *testing.T) {
	d, c := parse(t, twice), newCard()
	k := onCard(t, d, c, map[string][]int{"x": {3}}, onEvaluator())
	x, y := array(t, 3), array(t, 3)
	for _, test := range []struct {
		x, y   *tensor.Tensor
		copies int64
	}{{on(t, c, x), on(t, c, y), 0}, {x, on(t, c, y), 2}} {
		before := k.Copies()
		b, err := k.Bind([]*tensor.Tensor{test.x, test.y})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := b.Run(); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		if n := k.Copies() - before; n != test.copies {
			t.Errorf("%d copies, expected %d", n, test.copies)
		}
		if got, err := tensor.ToSlice[float32](test.y); err != nil || got[1] != 2*float32(x.Float(1)) {
			t.Errorf("y is %v, %v", got, err)
		}
	}
}

// TestOwnMemoryShared: what shares memory on the device is copied there first, in views, too.
func TestOwnMemoryShared(t *testing.T) {
	d, c := parse(t, `def next(float(N) x) -> (y) { y(i) = x(i) + 2 * x(N - 1 - i) }`), newCard()
	k := onCard(t, d, c, map[string][]int{"x": {4}}, onEvaluator())
	both := on(t, c, tensor.Must(tensor.FromSlice([]float32{1, 2, 3, 4, 5, 6}, 6)))
	x, y := tensor.Must(both.Slice(0, 0, 4, 1)), tensor.Must(both.Slice(0, 2, 6, 1))
	if err := k.Run(t.Context(), []*tensor.Tensor{x, y}); err != nil {
		t.Fatal(err)
	}
	if got := both.String(); got != "[1. 2. 9. 8. 7. 6.]" || k.Copies() != 1 {
		t.Errorf("%s, %d copies", got, k.Copies())
	}
}

// TestOwnMemoryLimits: no memory and a lost device are errors of their own, whoever finds them; what was taken is given back.
func TestOwnMemoryLimits(t *testing.T) {
	d, c := parse(t, twice), newCard()
	k := onCard(t, d, c, map[string][]int{"x": {1000}}, onEvaluator())
	x, y := array(t, 1000), array(t, 1000)
	run := func() error { return k.Run(t.Context(), []*tensor.Tensor{x, y}) }
	c.left = 5000
	var told *source.Diagnostic
	if err := run(); !errors.Is(err, device.ErrNoMemory) || !errors.As(err, &told) || told.Code != source.DeviceMemory {
		t.Errorf("no memory: %v", err)
	}
	if c.open != 0 {
		t.Errorf("%d memories are left", c.open)
	}
	c.left = 1 << 20
	if err := run(); err != nil {
		t.Errorf("with memory again: %v", err)
	}
	there := on(t, c, x)
	c.lost = true
	for what, call := range map[string]func() error{
		"copies":        run,
		"what is there": func() error { return k.Run(t.Context(), []*tensor.Tensor{there, there}) },
		"a check": func() error {
			_, err := k.Check(t.Context(), tensors{"x": x}, tensors{"y": y}, CheckOptions{})
			return err
		},
		"results": func() error { _, err := k.RunNamed(t.Context(), tensors{"x": there}); return err },
	} {
		if err := call(); !errors.Is(err, device.ErrLost) {
			t.Errorf("%s of a lost device: %v", what, err)
		}
	}
}

// TestOtherCard: memory of another device of the same name is refused.
func TestOtherCard(t *testing.T) {
	d := parse(t, twice)
	k := onCard(t, d, newCard(), map[string][]int{"x": {3}}, onEvaluator())
	other := on(t, newCard(), array(t, 3))
	var refused *source.Diagnostic
	if err := k.Run(t.Context(), []*tensor.Tensor{other, array(t, 3)}); !errors.As(err, &refused) || refused.Code != source.UnusableArgument {
		t.Errorf("a tensor on another card: %v", err)
	}
}

// TestSizeElsewhere: a scalar that is a size has to be at hand.
func TestSizeElsewhere(t *testing.T) {
	d, c := parse(t, `def first(float(N) x, int32 n) -> (y) { y(i) = x(i) where i in 0:n }`), newCard()
	n := on(t, c, tensor.Scalar(int32(2)))
	var refused *source.Diagnostic
	options := onEvaluator()
	if _, err := d.Run(t.Context(), tensors{"x": array(t, 3), "n": n}, nil, &options); !errors.As(err, &refused) || refused.Code != source.UnusableArgument {
		t.Errorf("a size on a device: %v", err)
	}
}

// TestOwnWorkspace: temporaries of a call are in the device's memory, and stay there for the next one.
func TestOwnWorkspace(t *testing.T) {
	d, c := parse(t, `def back(float(N) x) -> (y) {
  t(i) = x(i) * x(i)
  y(i) = t(i) + t(N - 1 - i)
}`), newCard()
	k := onCard(t, d, c, map[string][]int{"x": {5}}, onEvaluator())
	if k.native.size.bytes == 0 {
		t.Fatal("the kernel needs no workspace")
	}
	x, y := on(t, c, array(t, 5)), on(t, c, array(t, 5))
	for range 2 {
		if err := k.Run(t.Context(), []*tensor.Tensor{x, y}); err != nil {
			t.Fatal(err)
		}
	}
	if c.open != 3 {
		t.Errorf("%d memories are there, expected those of x, y and the workspace", c.open)
	}
	if _, err := d.Check(t.Context(), tensors{"x": x}, tensors{"y": y}, nil); err != nil {
		t.Error(err)
	}
	if err := k.Close(); err != nil || c.open != 2 {
		t.Errorf("%d memories are left, %v", c.open, err)
	}
}

// TestOwnNotices: numbers that code leaves in a workspace on a device are read and cleared there.
func TestOwnNotices(t *testing.T) {
	d, c := parse(t, `def parted(float(M,J) A, float(J,K) B, float(K) x) -> (y) { y(i) +=! A(i,j) * B(j,k) * x(k) }`), newCard()
	const n = 16
	filled := func(value float64, shape ...int) *tensor.Tensor {
		x := array(t, shape...)
		tensor.FillConst(x, value)
		return on(t, c, x)
	}
	k := onCard(t, d, c, map[string][]int{"A": {n, n}, "B": {n, n}, "x": {n}}, onEvaluator())
	a, b, y := filled(1e-30, n, n), filled(1e10, n, n), filled(0, n)
	tame, wild := filled(1, n), filled(1e30, n) // B·x is infinite, A·B·x is not
	for i, call := range []struct {
		x       *tensor.Tensor
		tripped int64
	}{{wild, 1}, {tame, 1}, {wild, 2}} {
		if err := k.Run(t.Context(), []*tensor.Tensor{a, b, call.x, y}); err != nil {
			t.Fatal(err)
		}
		if k.GuardsTripped() != call.tripped {
			t.Errorf("call %d: %d tripped guards, expected %d", i, k.GuardsTripped(), call.tripped)
		}
	}
}
