package tensor

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"unsafe"
)

// How it works
//
// A storage is memory that one or more tensors look at. There are five origins:
// a small block of the Go heap, an anonymous mapping, a mapping of a file,
// memory that belongs to someone else (Wrap, FromPointer), and the memory of a
// device (memory.go), which is closed as mappings are.
//
// Every tensor made over a storage counts as one user. Close gives one use back
// and the last Close frees a mapping at once; a mapping that nobody closes is
// freed by a cleanup once the collector has found its storage unreachable. Both
// ways meet in mapping.free, which acts once.
//
// Small blocks stay in the Go heap because a mapping costs a page, two system
// calls and a cleanup; a Go heap block does not move, so kernels may use it as
// they use a wrapped slice. Large blocks are invisible to the collector's
// pacing, hence the pressure counter, which starts a collection when many bytes
// were mapped since the last one.

// Alignment is the smallest alignment in bytes of storage made by this package.
const Alignment = 64

// largestHeapBlock is the size up to which storage comes from the Go heap.
const largestHeapBlock = 32 << 10

// collectAfter is the number of mapped bytes after which a collection is
// started, so that dropped tensors are unmapped although the Go heap is small.
const collectAfter = 1 << 30

// mappedSinceCollection counts bytes of anonymous mappings and of devices. It describes the
// process, whose address space is shared by all tensors, and only paces the
// collector.
var mappedSinceCollection atomic.Int64

// A mapping is memory of the operating system that is given back once.
type mapping struct {
	address unsafe.Pointer
	size    uintptr
	freed   atomic.Bool
}

func (m *mapping) free() {
	if m.freed.CompareAndSwap(false, true) {
		unmap(m.address, m.size)
	}
}

// A storage keeps memory alive for the tensors that look at it.
type storage struct {
	users   atomic.Int64
	keep    any      // what owns the memory when it is not a mapping; a *foreign for that of a device
	mapping *mapping // nil for memory of the Go heap or of someone else
}

// allocate returns zeroed, aligned memory of size bytes.
func allocate(size int) (unsafe.Pointer, *storage, error) {
	if size <= largestHeapBlock || !canMap {
		block := make([]byte, size+Alignment)
		p := unsafe.Pointer(unsafe.SliceData(block))
		shift := -uintptr(p) & (Alignment - 1)
		return unsafe.Add(p, shift), &storage{keep: block}, nil
	}
	p, err := mapAnonymous(uintptr(size))
	if err != nil {
		runtime.GC() // dropped tensors may hold what is missing
		if p, err = mapAnonymous(uintptr(size)); err != nil {
			return nil, nil, fmt.Errorf("no memory for a tensor of %d bytes: %w", size, err)
		}
	}
	paceCollector(int64(size))
	return p, newMapped(p, uintptr(size)), nil
}

// paceCollector counts memory that the collector does not see, and starts it when there is much.
func paceCollector(size int64) {
	if mappedSinceCollection.Add(size) > collectAfter {
		mappedSinceCollection.Store(0)
		go runtime.GC()
	}
}

// newMapped returns a storage that unmaps its memory when it is unreachable.
func newMapped(p unsafe.Pointer, size uintptr) *storage {
	s := &storage{mapping: &mapping{address: p, size: size}}
	runtime.AddCleanup(s, (*mapping).free, s.mapping)
	return s
}

// release gives back one use.
func (s *storage) release() error {
	if s.users.Add(-1) == 0 {
		return s.discard()
	}
	return nil
}

// discard frees a storage that nobody uses. Only the memory of a device can fail.
func (s *storage) discard() error {
	if s.mapping != nil {
		s.mapping.free()
	} else if f, is := s.keep.(*foreign); is {
		return f.close()
	}
	return nil
}
