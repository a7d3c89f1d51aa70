package card

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/tensor"
)

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
	used    int64 // when, of the uses that the session counts
	arrives int64 // the batch of the last copy ahead
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
		s.arrive(m)
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

// Read copies to the host, behind all that is queued.
func (m *memory) Read(at int64, into []byte) error {
	if len(into) == 0 {
		return nil
	}
	s := m.session
	s.moved.reads.Add(1)
	s.moved.read.Add(int64(len(into)))
	return s.waiting(func() error {
		if err := s.use(m); err != nil {
			return err
		}
		return s.Driver.Read(m.buffer, at, into)
	})
}

// Write copies from the host, behind what is queued and uses the memory; the bytes may be on their way yet when it returns.
func (m *memory) Write(at int64, from []byte) error {
	if len(from) == 0 {
		return nil
	}
	s := m.session
	s.moved.writes.Add(1)
	s.moved.wrote.Add(int64(len(from)))
	if s.Beside || len(from) <= stagingBytes {
		return s.Do(func() error { return s.send(m, at, from) })
	}
	return s.waiting(func() error {
		if err := s.use(m); err != nil {
			return err
		}
		return s.Driver.Write(m.buffer, at, from)
	})
}

// Close gives the buffer back; with a device that is lost it is gone.
func (m *memory) Close() error {
	s := m.session
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.lost != nil {
		return nil
	}
	return s.failed(s.Driver.Free(m.buffer))
}
