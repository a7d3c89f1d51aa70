package card

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/plan"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

var errGone, errFull, errWrong = errors.New("gone"), errors.New("full"), errors.New("wrong")

// A late is a driver of a device that does nothing before somebody waits. Its one kernel adds 1 to all bytes of its first buffer behind the workspace.
type late struct {
	buffers [][]byte
	queue   []func() error
	ahead   []func() error // the queue of what is queued ahead
	carried int            // copies in that queue
	joins   int
	marks   int    // that were made
	reached []Mark // that were waited for
	waits   int
	fails   error // of the next kernel, when it runs
	refuses error // of the next call
	takes   device.Footprint
}

func (l *late) now() error {
	l.waits++
	return run(&l.queue)
}

// run does all that is in a queue.
func run(queue *[]func() error) (err error) {
	list := *queue
	*queue = nil
	for _, f := range list {
		if err == nil {
			err = f()
		}
	}
	return err
}

func (l *late) later(f func() error) error {
	if err := l.refuses; err != nil {
		l.refuses = nil
		return err
	}
	l.queue = append(l.queue, f)
	return nil
}

func (l *late) at(b Buffer) []byte { return l.buffers[b.Handle-1] }

func (l *late) Allocate(bytes int64) (Buffer, error) {
	l.buffers = append(l.buffers, slices.Repeat([]byte{77}, int(bytes)))
	fresh := l.buffers[len(l.buffers)-1]
	l.ahead = append(l.ahead, func() error { clear(fresh); return nil })
	return Buffer{Handle: uintptr(len(l.buffers))}, nil
}
func (l *late) Free(Buffer) error { return l.now() }
func (l *late) Read(b Buffer, at int64, into []byte) error {
	err := l.now()
	copy(into, l.at(b)[at:])
	return err
}
func (l *late) Write(b Buffer, at int64, from []byte) error {
	err := l.now()
	copy(l.at(b)[at:], from)
	return err
}
func (l *late) Pinned(bytes int) ([]byte, error) { return make([]byte, bytes), nil }
func (l *late) Send(b Buffer, at int64, from []byte, ahead bool) error {
	do := func() error { copy(l.at(b)[at:], from); return nil }
	if ahead {
		l.carried++
		l.ahead = append(l.ahead, do)
		return nil
	}
	return l.later(do)
}
func (l *late) Join() error {
	l.joins++
	return l.later(func() error { return run(&l.ahead) })
}
func (l *late) Mark(bool) (Mark, error) {
	l.marks++
	return Mark(l.marks), nil
}
func (l *late) Reached(m Mark) error {
	l.reached = append(l.reached, m)
	return errors.Join(l.now(), run(&l.ahead))
}
func (l *late) Kernel(uintptr, string, int64) (uintptr, error) { return 1, nil }
func (l *late) Footprint(uintptr) (device.Footprint, error)    { return l.takes, nil }
func (l *late) FreeProgram(p uintptr, k []uintptr) error       { return nil }
func (l *late) Launch(_ uintptr, launch Launch) error {
	return l.later(func() error {
		for i := range l.at(launch.Arguments[2].Buffer) {
			l.at(launch.Arguments[2].Buffer)[i]++
		}
		err := l.fails
		l.fails = nil
		return err
	})
}
func (l *late) Submit() error          { return nil }
func (l *late) Finish() error          { return errors.Join(l.now(), run(&l.ahead)) }
func (l *late) Start() error           { return nil }
func (l *late) Stop() (float64, error) { return 1, l.now() }
func (l *late) Means(err error) Meaning {
	switch {
	case errors.Is(err, errGone):
		return Gone
	case errors.Is(err, errFull):
		return Full
	}
	return Wrong
}

// load makes code of the kernel by a name, and a call of it on bytes.
func load(t *testing.T, s *Session, name string, faults ...plan.Fault) (device.Queued, *device.Call) {
	t.Helper()
	code, err := s.Load(1, &plan.Plan{Name: name, Arguments: []plan.Argument{{Name: "x"}}, Faults: faults, Launches: []plan.Launch{{Symbol: name, Words: []plan.Word{{Tensor: "x"}}}}})
	if err != nil {
		t.Fatal(err)
	}
	x, err := tensor.NewOn(s.Allocator("late"), tensor.Uint8, 100)
	if err != nil {
		t.Fatal(err)
	}
	return code.(device.Queued), &device.Call{Block: make([]int64, loop.HeaderWords+1), Arguments: []*tensor.Tensor{x}}
}

// TestQueued: calls do not wait, who reads waits for all of them, and code with tests is waited for.
func TestQueued(t *testing.T) {
	driver := &late{}
	s := &Session{Driver: driver, Name: "late:0"}
	code, call := load(t, s, "more")
	for range 5 {
		if err := code.Enqueue(t.Context(), call); err != nil {
			t.Fatal(err)
		}
	}
	if driver.waits != 0 {
		t.Errorf("somebody waits %d times", driver.waits)
	}
	if got, err := tensor.ToSlice[uint8](call.Arguments[0]); err != nil || got[99] != 5 || driver.waits != 1 {
		t.Errorf("%v (%v), waits %d", got, err, driver.waits)
	}
	tested, its := load(t, s, "tested", plan.Fault{})
	if err := tested.Enqueue(t.Context(), its); err != nil || driver.waits == 1 {
		t.Errorf("a test that nobody looks at: %v", err)
	}
	driver.waits = 0
	for range mostQueued {
		if err := code.Enqueue(t.Context(), call); err != nil {
			t.Fatal(err)
		}
	}
	if driver.waits != 1 {
		t.Errorf("waits %d times in %d calls", driver.waits, mostQueued)
	}
}

// TestLateErrors: what goes wrong behind a call is told to whoever waits next, with the names of the kernels that it may be from; the device is lost
// where it says so, and goes on where it does not.
func TestLateErrors(t *testing.T) {
	for _, test := range []struct {
		fails error
		kind  error
		code  source.Code
	}{{errGone, device.ErrLost, source.DeviceLost}, {errFull, device.ErrNoMemory, source.DeviceMemory}, {errWrong, errWrong, source.DeviceFailed}} {
		driver := &late{fails: test.fails}
		s := &Session{Driver: driver, Name: "late:0"}
		one, call := load(t, s, "one")
		two, _ := load(t, s, "two")
		for _, code := range []device.Queued{one, two, one} {
			if err := code.Enqueue(t.Context(), call); err != nil {
				t.Fatal(err)
			}
		}
		_, err := call.Arguments[0].ToHost()
		var told *source.Diagnostic
		if !errors.Is(err, test.kind) || !strings.Contains(err.Error(), "one of the kernels one, two, queued before") || !errors.As(err, &told) || told.Code != test.code {
			t.Errorf("%v: %v", test.fails, err)
		}
		if err := one.Enqueue(t.Context(), call); errors.Is(test.fails, errGone) != errors.Is(err, device.ErrLost) {
			t.Errorf("behind %v: %v", test.fails, err)
		}
		if err := s.Wait(); errors.Is(test.fails, errGone) != errors.Is(err, device.ErrLost) {
			t.Errorf("waiting behind %v: %v", test.fails, err)
		}
	}
	driver := &late{}
	s := &Session{Driver: driver, Name: "late:0"}
	code, call := load(t, s, "k")
	if err := code.Enqueue(t.Context(), call); err != nil { // new memory is joined
		t.Fatal(err)
	}
	driver.refuses = errWrong
	if err := code.Enqueue(t.Context(), call); !errors.Is(err, errWrong) || !strings.Contains(err.Error(), "the kernel k: launching k") {
		t.Errorf("a launch that is refused: %v", err)
	}
}

// TestStaging: bytes may change as soon as they are written; long copies go through the blocks in turns, and short ones share them.
func TestStaging(t *testing.T) {
	driver := &late{}
	s := &Session{Driver: driver, Name: "late:0", Beside: true}
	m, err := s.Allocator("late").Allocate(11 * stagingBytes)
	if err != nil {
		t.Fatal(err)
	}
	want, at := make([]byte, m.Bytes()), int64(0)
	write := func(bytes int) {
		t.Helper()
		from := want[at : at+int64(bytes)]
		for i := range from {
			from[i] = byte(i*7 + bytes)
		}
		from = slices.Clone(from)
		if err := m.Write(at, from); err != nil {
			t.Fatal(err)
		}
		clear(from)
		at += int64(bytes)
	}
	for range 50 {
		write(1000)
	}
	if driver.marks != 0 || driver.waits != 0 {
		t.Errorf("short copies: %d marks, %d waits", driver.marks, driver.waits)
	}
	for range 3 {
		write(stagingBytes - 10)
	}
	write(5*stagingBytes + 1)
	write(7)
	got := make([]byte, len(want))
	if err := m.Read(0, got); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the bytes have changed behind Write (%v)", err)
	}
	for i, mark := range driver.reached {
		if mark != Mark(i+1) {
			t.Errorf("marks were waited for in the order %v", driver.reached)
		}
	}
	if len(driver.reached) == 0 || len(driver.reached) > driver.marks {
		t.Errorf("%d of %d marks were waited for", len(driver.reached), driver.marks)
	}
	if got, want := s.Transferred(), (device.Transferred{Writes: 55, Reads: 1, BytesWritten: at, BytesRead: m.Bytes()}); got != want {
		t.Errorf("%+v, expected %+v", got, want)
	}
	s.Beside = false
	waits := driver.waits
	if err := m.Write(0, want[:2*stagingBytes]); err != nil || driver.waits != waits+1 {
		t.Errorf("on a processor long copies wait: %v", err)
	}
}

// TestFootprint: code says what its largest kernel takes, and is refused where registers do not suffice for its groups.
func TestFootprint(t *testing.T) {
	driver := &late{takes: device.Footprint{Registers: 200, Private: 16, Items: 300}}
	s := &Session{Driver: driver, Name: "late:0"}
	p := &plan.Plan{Name: "k", Launches: []plan.Launch{{Symbol: "k0", Group: []string{"8", "32"}}, {Symbol: "k1"}}}
	code, err := s.Load(1, p)
	if err != nil || code.(device.Examined).Footprint() != driver.takes {
		t.Fatalf("%+v, %v", code, err)
	}
	p.Launches[1].Group = []string{"301"}
	var told *source.Diagnostic
	if _, err := s.Load(1, p); !errors.As(err, &told) || told.Code != source.NotExpressed || !strings.Contains(told.Message, "groups of 301 items of the kernel k1, but for 300: an item takes 200 registers") {
		t.Errorf("a group that is too large: %v", err)
	}
}

// TestGroupsAlong: a launch of more groups along an axis than the device has is refused by name.
func TestGroupsAlong(t *testing.T) {
	s := &Session{Driver: &late{}, Name: "late:0", Groups: [3]int64{1 << 20, 65535, 65535}}
	host := `kernel "k" workspace 0 {
  var N int64
  buffer x uint8[100] argument
  params x, N "size N" nonnegative
  grid groups g = N items i = 1 {
  }
}
`
	code, err := s.Load(1, &plan.Plan{Name: "k", Host: host, Arguments: []plan.Argument{{Name: "x"}}, Launches: []plan.Launch{{Symbol: "k", Group: []string{"1"}, Words: []plan.Word{{Tensor: "x"}, {Size: "N"}}}}})
	if err != nil {
		t.Fatal(err)
	}
	x, err := tensor.NewOn(s.Allocator("late"), tensor.Uint8, 100)
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range map[int64]source.Code{1 << 20: "", 1<<20 + 1: source.NotExpressed} {
		_, err := code.Launch(t.Context(), nil, &device.Call{Block: append(make([]int64, loop.HeaderWords), 0, n), Arguments: []*tensor.Tensor{x}})
		var told *source.Diagnostic
		if errors.As(err, &told) != (want != "") || want != "" && (told.Code != want || !strings.Contains(told.Message, "1048577 groups along x, as k has, but of 1048576")) {
			t.Errorf("%d groups: %v", n, err)
		}
	}
}

// TestAhead: copies to memory that nothing in the queue uses go ahead of it, and are there before what uses them; the others stay behind what does.
func TestAhead(t *testing.T) {
	driver := &late{}
	s := &Session{Driver: driver, Name: "late:0", Beside: true}
	code, call := load(t, s, "more")
	enqueue := func() {
		t.Helper()
		if err := code.Enqueue(t.Context(), call); err != nil {
			t.Fatal(err)
		}
	}
	write := func(m tensor.Memory, value byte, want int) {
		t.Helper()
		if err := m.Write(0, bytes.Repeat([]byte{value}, 100)); err != nil || driver.carried != want {
			t.Errorf("%d copies were ahead, expected %d (%v)", driver.carried, want, err)
		}
	}
	first := call.Arguments[0].Memory()
	write(first, 10, 1)
	enqueue() // 11
	write(first, 20, 1)
	enqueue() // 21
	other, err := tensor.NewOn(s.Allocator("late"), tensor.Uint8, 100)
	if err != nil {
		t.Fatal(err)
	}
	write(other.Memory(), 30, 2)
	if driver.joins != 1 {
		t.Errorf("%d joins for one use of what was ahead", driver.joins)
	}
	call.Arguments[0] = other
	enqueue() // 31
	if driver.joins != 2 || driver.waits != 0 {
		t.Errorf("%d joins, %d waits", driver.joins, driver.waits)
	}
	got := make([]byte, 2)
	for i, m := range []tensor.Memory{first, other.Memory()} {
		if err := m.Read(99, got[i:i+1]); err != nil {
			t.Error(err)
		}
	}
	if got[0] != 21 || got[1] != 31 {
		t.Errorf("the memories have %v, expected 21 and 31", got)
	}
	write(first, 40, 3) // somebody has waited for the uses
	enqueue()
	if err := first.Read(0, got[:1]); err != nil || got[0] != 40 || driver.joins != 3 {
		t.Errorf("%d after %d joins, %v", got[0], driver.joins, err)
	}
}
