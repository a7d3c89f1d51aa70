package opencl

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"
)

// A session is a context of one device, with a queue in which all that it does stands in order. It lives as long as somebody has it.
type session struct {
	*found
	handles handlesOf
	mutex   sync.Mutex // of what is queued and waited for
	next    uintptr    // the next number that an address may be
	lost    error      // why nothing works any more
}

// handlesOf are what a session gives back.
type handlesOf struct {
	api            *api
	context, queue uintptr
}

// newSession makes a context and a queue.
func newSession(f *found) (*session, error) {
	code := new(int32)
	properties := &[3]uintptr{contextPlatform, f.platform, 0}
	id := &[1]uintptr{f.id}
	s := &session{found: f, next: 1 << 20}
	h := handlesOf{api: f.api}
	h.context = f.api.CreateContext.Call(uintptr(unsafe.Pointer(properties)), 1, uintptr(unsafe.Pointer(id)), 0, 0, uintptr(unsafe.Pointer(code)))
	if *code != 0 {
		return nil, fmt.Errorf("%s gives no context: %w", f, status(*code))
	}
	h.queue = f.api.CreateCommandQueue.Call(h.context, f.id, 0, uintptr(unsafe.Pointer(code)))
	if *code != 0 {
		f.api.ReleaseContext.Call(h.context)
		return nil, fmt.Errorf("%s gives no queue: %w", f, status(*code))
	}
	s.handles = h
	runtime.AddCleanup(s, handlesOf.release, h)
	return s, nil
}

func (h handlesOf) release() {
	h.api.ReleaseCommandQueue.Call(h.queue)
	h.api.ReleaseContext.Call(h.context)
}

// name is what errors call the device.
func (s *session) name() string { return fmt.Sprintf("%s:%d", row, s.number) }

// finish waits for all that is queued.
func (s *session) finish() error { return check("waiting", s.api.Finish.Call(s.handles.queue)) }
