package opencl

import (
	"fmt"
	"unsafe"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/tensor"
)

// An allocator gives memory of a session.
type allocator struct {
	session *session
	device  string
}

// Owns reports whether kernels of the session work on a memory.
func (a *allocator) Owns(m tensor.Memory) bool {
	mine, is := m.(*memory)
	return is && mine.session == a.session
}

// A memory is a buffer.
type memory struct {
	allocator
	buffer  uintptr
	bytes   int64
	address uintptr
}

// Allocate makes a buffer of zeros.
func (a *allocator) Allocate(bytes int64) (tensor.Memory, error) {
	s := a.session
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.lost != nil {
		return nil, s.lost
	}
	code := new(int32)
	size := (bytes + tensor.Alignment - 1) / tensor.Alignment * tensor.Alignment
	if size > s.largest {
		return nil, device.NoMemory(a.device, bytes, fmt.Errorf("one array may have %d", s.largest))
	}
	buffer := s.api.CreateBuffer.Call(s.handles.context, memReadWrite, uintptr(size), 0, uintptr(unsafe.Pointer(code)))
	err := check("a buffer", uintptr(*code))
	if err == nil {
		zero := new(uint64)
		err = check("a buffer", s.api.EnqueueFillBuffer.Call(s.handles.queue, buffer, uintptr(unsafe.Pointer(zero)), 8, 0, uintptr(size), 0, 0, 0))
		if err == nil {
			err = s.finish()
		}
		if err != nil {
			s.api.ReleaseMemObject.Call(buffer)
		}
	}
	switch {
	case err == nil:
	case noMemory(err):
		return nil, device.NoMemory(a.device, bytes, err)
	default:
		return nil, s.failed(err)
	}
	m := &memory{allocator: *a, buffer: buffer, bytes: size, address: s.next}
	s.next += uintptr(size) + tensor.Alignment
	return m, nil
}

// failed makes an error of what a function of the driver says; the session is lost where it says so. Its mutex is locked.
func (s *session) failed(err error) error {
	if gone(err) {
		s.lost = device.Lost(s.name(), err)
		return s.lost
	}
	return fmt.Errorf("%s: %w", s.name(), err)
}

// Device returns the name of the device.
func (m *memory) Device() string { return m.device }

// Bytes returns the size.
func (m *memory) Bytes() int64 { return m.bytes }

// Address returns a number that is the buffer's alone.
func (m *memory) Address() uintptr { return m.address }

// Read copies to the host.
func (m *memory) Read(at int64, into []byte) error {
	return m.transfer(func(s *session) uintptr {
		return s.api.EnqueueReadBuffer.Call(s.handles.queue, m.buffer, 1, uintptr(at), uintptr(len(into)), uintptr(unsafe.Pointer(&into[0])), 0, 0, 0)
	})
}

// Write copies from the host.
func (m *memory) Write(at int64, from []byte) error {
	return m.transfer(func(s *session) uintptr {
		return s.api.EnqueueWriteBuffer.Call(s.handles.queue, m.buffer, 1, uintptr(at), uintptr(len(from)), uintptr(unsafe.Pointer(&from[0])), 0, 0, 0)
	})
}

func (m *memory) transfer(run func(*session) uintptr) error {
	s := m.session
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.lost != nil {
		return s.lost
	}
	if err := check("a copy", run(s)); err != nil {
		return s.failed(err)
	}
	return nil
}

// Close gives the buffer back.
func (m *memory) Close() error {
	return check("giving back memory", m.session.api.ReleaseMemObject.Call(m.buffer))
}
