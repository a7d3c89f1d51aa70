package cuda

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/device/card"
)

// A session is the primary context of a card.
type session struct {
	*found
	*resources
	events [2]uintptr // that begin and end a timing; 0 until they are needed
}

// resources are what a session gives back.
type resources struct {
	card    *found
	context uintptr
	copies  uintptr   // the stream of what is queued ahead
	pinned  []uintptr // memory of the host
}

// release waits for what is queued, and gives all back. On a card that is gone nothing of it does anything.
func (r *resources) release() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	api := r.card.api
	if api.CtxSetCurrent.Call(r.context) == 0 && api.CtxSynchronize.Call() == 0 {
		for _, at := range r.pinned {
			api.MemFreeHost.Call(at)
		}
		if r.copies != 0 {
			api.StreamDestroy_v2.Call(r.copies)
		}
	}
	api.DevicePrimaryCtxRelease_v2.Call(uintptr(r.card.id))
}

// newSession takes the primary context, and gives it back when nobody has the session any more.
func newSession(f *found) (*session, error) {
	context := new(uintptr)
	if err := check("a context", f.api.DevicePrimaryCtxRetain.Call(uintptr(unsafe.Pointer(context)), uintptr(f.id))); err != nil {
		return nil, fmt.Errorf("%s: %w", f, err)
	}
	s := &session{found: f, resources: &resources{card: f, context: *context}}
	stream := new(uintptr)
	if err := s.within(func() error {
		return check("a stream", f.api.StreamCreate.Call(uintptr(unsafe.Pointer(stream)), streamApart))
	}); err != nil {
		s.release()
		return nil, fmt.Errorf("%s: %w", f, err)
	}
	s.copies = *stream
	runtime.AddCleanup(s, (*resources).release, s.resources)
	return s, nil
}

// name is what errors call the device.
func (s *session) name() string { return fmt.Sprintf("%s:%d", row, s.number) }

// architecture is the card's, as compilers call it.
func (s *session) architecture() string { return fmt.Sprintf("sm_%d%d", s.major, s.minor) }

// sm is the architecture as a number, such as 86.
func (s *session) sm() int { return int(s.major)*10 + int(s.minor) }

// within runs calls with the context on their thread.
func (s *session) within(f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := check("the context", s.api.CtxSetCurrent.Call(s.context)); err != nil {
		return err
	}
	return f()
}

// Allocate makes memory of zeros.
func (s *session) Allocate(bytes int64) (b card.Buffer, err error) {
	at := new(uintptr)
	err = s.within(func() error {
		if err := check("memory", s.api.MemAlloc_v2.Call(uintptr(unsafe.Pointer(at)), uintptr(bytes))); err != nil {
			return err
		}
		err := check("zeros", s.api.MemsetD8Async.Call(*at, 0, uintptr(bytes), s.copies))
		if err != nil {
			s.api.MemFree_v2.Call(*at)
		}
		return err
	})
	return card.Buffer{Handle: *at, Address: *at}, err
}

// Free gives memory back.
func (s *session) Free(b card.Buffer) error {
	return s.within(func() error { return check("giving back memory", s.api.MemFree_v2.Call(b.Handle)) })
}

// Read copies to the host.
func (s *session) Read(b card.Buffer, at int64, into []byte) error {
	return s.within(func() error {
		return check("a copy", s.api.MemcpyDtoH_v2.Call(uintptr(unsafe.Pointer(&into[0])), b.Handle+uintptr(at), uintptr(len(into))))
	})
}

// Write copies from the host.
func (s *session) Write(b card.Buffer, at int64, from []byte) error {
	return s.within(func() error {
		return check("a copy", s.api.MemcpyHtoD_v2.Call(b.Handle+uintptr(at), uintptr(unsafe.Pointer(&from[0])), uintptr(len(from))))
	})
}

// Pinned gives memory of the host that the card reads by itself.
func (s *session) Pinned(bytes int) (memory []byte, err error) {
	at := new(unsafe.Pointer)
	err = s.within(func() error {
		return check("pinned memory", s.api.MemHostAlloc.Call(uintptr(unsafe.Pointer(at)), uintptr(bytes), 0))
	})
	if err != nil {
		return nil, err
	}
	s.pinned = append(s.pinned, uintptr(*at))
	return unsafe.Slice((*byte)(*at), bytes), nil
}

// stream is where something is queued: 0 is the stream of the context.
func (s *session) stream(ahead bool) uintptr {
	if ahead {
		return s.copies
	}
	return 0
}

// Send queues a copy from pinned memory.
func (s *session) Send(b card.Buffer, at int64, from []byte, ahead bool) error {
	return s.within(func() error {
		return check("a copy", s.api.MemcpyHtoDAsync_v2.Call(b.Handle+uintptr(at), uintptr(unsafe.Pointer(&from[0])), uintptr(len(from)), s.stream(ahead)))
	})
}

// Mark puts an event in a queue.
func (s *session) Mark(ahead bool) (card.Mark, error) {
	event := new(uintptr)
	err := s.within(func() error {
		if err := check("an event", s.api.EventCreate.Call(uintptr(unsafe.Pointer(event)), eventWithoutTime)); err != nil {
			return err
		}
		err := check("an event", s.api.EventRecord.Call(*event, s.stream(ahead)))
		if err != nil {
			s.api.EventDestroy_v2.Call(*event)
		}
		return err
	})
	return card.Mark(*event), err
}

// Reached waits for an event, and gives it up.
func (s *session) Reached(m card.Mark) error {
	return s.within(func() error {
		err := check("waiting", s.api.EventSynchronize.Call(uintptr(m)))
		return cmp.Or(err, check("an event", s.api.EventDestroy_v2.Call(uintptr(m))))
	})
}

// Join has the stream of the context wait for the other one.
func (s *session) Join() error {
	mark, err := s.Mark(true)
	if err != nil {
		return err
	}
	return s.within(func() error {
		err := check("a stream", s.api.StreamWaitEvent.Call(0, uintptr(mark), 0))
		return cmp.Or(err, check("an event", s.api.EventDestroy_v2.Call(uintptr(mark)))) // it goes when it is reached
	})
}

// load makes a module of code for the card, or of PTX, which ends with a zero.
func (s *session) load(object []byte) (module uintptr, err error) {
	into, image := new(uintptr), append(object[:len(object):len(object)], 0)
	err = s.within(func() error {
		return check("a module", s.api.ModuleLoadData.Call(uintptr(unsafe.Pointer(into)), uintptr(unsafe.Pointer(&image[0]))))
	})
	return *into, err
}

// Kernel finds a function of a module, and tells the driver of launches that give more local memory than a kernel can declare.
func (s *session) Kernel(program uintptr, symbol string, dynamic int64) (uintptr, error) {
	into := new(uintptr)
	err := s.within(func() error {
		err := check("a function", s.api.ModuleGetFunction.Call(uintptr(unsafe.Pointer(into)), program, uintptr(unsafe.Pointer(text(symbol)))))
		if err == nil && dynamic > 0 {
			err = check(fmt.Sprintf("%d bytes of local memory", dynamic), s.api.FuncSetAttribute.Call(*into, functionDynamic, uintptr(dynamic)))
		}
		return err
	})
	return *into, err
}

// Footprint says what a function takes.
func (s *session) Footprint(kernel uintptr) (f device.Footprint, err error) {
	err = s.within(func() error {
		for attribute, into := range map[uintptr]*int64{functionThreads: &f.Items, functionShared: &f.Local, functionLocal: &f.Private, functionRegisters: &f.Registers} {
			value := new(int32)
			if err := check("an attribute of a function", s.api.FuncGetAttribute.Call(uintptr(unsafe.Pointer(value)), attribute, kernel)); err != nil {
				return err
			}
			*into = int64(*value)
		}
		return nil
	})
	return f, err
}

// FreeProgram unloads a module, to which its functions belong.
func (s *session) FreeProgram(program uintptr, _ []uintptr) error {
	return s.within(func() error { return check("unloading", s.api.ModuleUnload.Call(program)) })
}

// Launch queues a kernel. Arguments are 64 bits each, addresses and numbers alike.
func (s *session) Launch(kernel uintptr, l card.Launch) error {
	values, places := make([]int64, len(l.Arguments)), make([]*int64, len(l.Arguments))
	for i, a := range l.Arguments {
		if values[i] = a.Value; a.IsBuffer {
			values[i] += int64(a.Buffer.Address)
		}
		places[i] = &values[i]
	}
	return s.within(func() error {
		return check("the stream", s.api.LaunchKernel.Call(kernel, uintptr(l.Groups[0]), uintptr(l.Groups[1]), uintptr(l.Groups[2]),
			uintptr(l.Items[0]), uintptr(l.Items[1]), uintptr(l.Items[2]), uintptr(l.Dynamic), 0, uintptr(unsafe.Pointer(&places[0])), 0))
	})
}

// Submit does nothing: the card begins by itself.
func (s *session) Submit() error { return nil }

// Finish waits for all that is queued.
func (s *session) Finish() error {
	return s.within(func() error { return check("waiting", s.api.CtxSynchronize.Call()) })
}

// Means says what an error of the driver means.
func (s *session) Means(err error) card.Meaning {
	var r result
	switch {
	case !errors.As(err, &r):
		return card.Wrong
	case r == 2:
		return card.Full
	case gone[r]:
		return card.Gone
	}
	return card.Wrong
}
