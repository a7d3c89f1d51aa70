// Package card is what devices with memory of their own have in common, whatever driver they have: memory with copies, launches by a
// plan, faults, and the loss of a device.
package card

import (
	"fmt"
	"sync"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/tensor"
)

// How it works
//
// A Driver has the few functions of an API that are needed, one at a time and in order. A Session is one opened device: its memory belongs to
// it, code works on that, and whoever opens a device beside another one shares the session. An error by which the driver says that
// the device is gone ends the session: all that comes behind gets the same error, and the driver is not asked again.
//
// Kernels take the workspace, the record of faults, the words of the plan, and what is in scope around their grid on the host (package
// target/items says so, too). loop.Launches runs the host's part.

// A Driver runs the functions of an API for one device. It is never called by two goroutines at once.
type Driver interface {
	// Allocate gives memory of zeros.
	Allocate(bytes int64) (Buffer, error)
	Free(Buffer) error
	// Read and Write copy, and return when the bytes are there.
	Read(b Buffer, at int64, into []byte) error
	Write(b Buffer, at int64, from []byte) error
	// Kernel finds a function of a program, and FreeProgram gives both back.
	Kernel(program uintptr, symbol string) (uintptr, error)
	FreeProgram(program uintptr, kernels []uintptr) error
	// Launch queues a kernel, and Finish waits for all that is queued.
	Launch(kernel uintptr, l Launch) error
	Finish() error
	// Start begins to time what is launched from then on. Stop waits for all of it, and gives the seconds of the device's clock from
	// the beginning of the first kernel to the end of the last; it ends the timing also where it fails.
	Start() error
	Stop() (seconds float64, err error)
	// Means says what an error of the driver means.
	Means(error) Meaning
}

// A Buffer is memory by the driver's name for it. Address is where it begins as the device sees it; 0 where a device has no addresses.
type Buffer struct{ Handle, Address uintptr }

// A Launch is a kernel over groups of items; the first dimension runs fastest.
type Launch struct {
	Groups, Items [3]int64
	Arguments     []Argument
}

// An Argument is a number, or a place in a buffer. The zero Buffer is none.
type Argument struct {
	IsBuffer bool
	Placed   bool // the array may begin anywhere in the buffer
	Buffer   Buffer
	Value    int64 // the number, or the place in bytes
}

// A Meaning is what an error of a driver means.
type Meaning uint8

// The meanings.
const (
	Wrong Meaning = iota // a defect
	Full                 // there is not enough memory
	Gone                 // the device does not answer any more
)

// A Session is an opened device.
type Session struct {
	Driver Driver
	Name   string // for people, such as cuda:0
	Most   int64  // bytes of one buffer; 0: the driver says
	// Groups is how many groups a launch may have along x, y and z; 0 is not known.
	Groups [3]int64

	mutex sync.Mutex // of all that the driver does
	next  uintptr    // the next number that stands for an address
	lost  error      // why nothing works any more
}

// Do calls the driver, unless the device is lost.
func (s *Session) Do(f func() error) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.lost != nil {
		return s.lost
	}
	return s.failed(f())
}

// failed makes an error of what the driver says; the device is lost where it says so.
func (s *Session) failed(err error) error {
	switch {
	case err == nil || err == device.ErrFault:
		return err
	case s.lost != nil:
		return s.lost
	case s.Driver.Means(err) == Gone:
		s.lost = device.Lost(s.Name, err)
		return s.lost
	}
	return fmt.Errorf("%s: %w", s.Name, err)
}

// Allocator gives memory of the session to a device of some name.
func (s *Session) Allocator(name string) device.Allocator { return &allocator{s, name} }

// An allocator gives memory of a session.
type allocator struct {
	session *Session
	device  string
}

// Owns reports whether code of the session works on a memory.
func (a *allocator) Owns(m tensor.Memory) bool {
	mine, is := m.(*memory)
	return is && mine.session == a.session
}

// A memory is a buffer.
type memory struct {
	allocator
	buffer  Buffer
	bytes   int64
	address uintptr
}

// Allocate makes a buffer of zeros.
func (a *allocator) Allocate(bytes int64) (tensor.Memory, error) {
	s := a.session
	size := (bytes + tensor.Alignment - 1) / tensor.Alignment * tensor.Alignment
	if s.Most > 0 && size > s.Most {
		return nil, device.NoMemory(a.device, bytes, fmt.Errorf("one array may have %d", s.Most))
	}
	m := &memory{allocator: *a, bytes: size}
	full := error(nil)
	err := s.Do(func() (err error) {
		if m.buffer, err = s.Driver.Allocate(size); err != nil && s.Driver.Means(err) == Full {
			full = err
			return nil
		}
		if m.address = m.buffer.Address; m.address == 0 { // made up, apart for each buffer, so that what overlaps is known
			s.next = max(s.next, 1<<20)
			m.address = s.next
			s.next += uintptr(size) + tensor.Alignment
		}
		return err
	})
	switch {
	case full != nil:
		return nil, device.NoMemory(a.device, bytes, full)
	case err != nil:
		return nil, err
	}
	return m, nil
}

// Device returns the name of the device.
func (m *memory) Device() string { return m.device }

// Bytes returns the size.
func (m *memory) Bytes() int64 { return m.bytes }

// Address returns where the buffer begins, or a number that is its alone.
func (m *memory) Address() uintptr { return m.address }

// Read copies to the host.
func (m *memory) Read(at int64, into []byte) error {
	if len(into) == 0 {
		return nil
	}
	return m.session.Do(func() error { return m.session.Driver.Read(m.buffer, at, into) })
}

// Write copies from the host.
func (m *memory) Write(at int64, from []byte) error {
	if len(from) == 0 {
		return nil
	}
	return m.session.Do(func() error { return m.session.Driver.Write(m.buffer, at, from) })
}

// Close gives the buffer back; with a device that is lost it is gone.
func (m *memory) Close() error {
	s := m.session
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.lost != nil {
		return nil
	}
	return s.Driver.Free(m.buffer)
}
