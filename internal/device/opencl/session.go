package opencl

import (
	"cmp"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/device/card"
)

// A session is a context of one device, with a queue in which all that it does stands in order. It lives as long as somebody has it.
type session struct {
	*found
	handles *handlesOf
	timing  bool
	// first and last are the events of the kernels that were launched since the timing began; 0 is none.
	first, last uintptr
	launched    []launched
}

// launched is a kernel in the queue.
type launched struct {
	symbol string
	event  uintptr
}

// handlesOf are what a session gives back.
type handlesOf struct {
	api            *api
	context, queue uintptr
	copies         uintptr  // the queue of what is queued ahead
	timed          uintptr  // a queue whose events know their times; 0 until one is needed
	pinned         [][]byte // what is copied to the device lies there until it is copied
}

// newSession makes a context and a queue.
func newSession(f *found) (_ *session, err error) {
	code := new(int32)
	properties := &[3]uintptr{contextPlatform, f.platform, 0}
	id := &[1]uintptr{f.id}
	s := &session{found: f}
	h := &handlesOf{api: f.api}
	h.context = f.api.CreateContext.Call(uintptr(unsafe.Pointer(properties)), 1, uintptr(unsafe.Pointer(id)), 0, 0, uintptr(unsafe.Pointer(code)))
	if *code != 0 {
		return nil, fmt.Errorf("%s gives no context: %w", f, status(*code))
	}
	if h.queue, err = s.newQueue(h.context, 0); err != nil {
		f.api.ReleaseContext.Call(h.context)
		return nil, err
	}
	if h.copies, err = s.newQueue(h.context, 0); err != nil {
		f.api.ReleaseCommandQueue.Call(h.queue)
		f.api.ReleaseContext.Call(h.context)
		return nil, err
	}
	s.handles = h
	runtime.AddCleanup(s, (*handlesOf).release, h)
	return s, nil
}

// newQueue makes a queue in which one thing is done after the other.
func (f *found) newQueue(context, properties uintptr) (uintptr, error) {
	code := new(int32)
	queue := f.api.CreateCommandQueue.Call(context, f.id, properties, uintptr(unsafe.Pointer(code)))
	if *code != 0 {
		return 0, fmt.Errorf("%s gives no queue: %w", f, status(*code))
	}
	return queue, nil
}

func (h *handlesOf) release() {
	h.api.Finish.Call(h.queue)
	h.api.Finish.Call(h.copies)
	h.api.ReleaseCommandQueue.Call(h.copies)
	if h.timed != 0 {
		h.api.ReleaseCommandQueue.Call(h.timed)
	}
	h.api.ReleaseCommandQueue.Call(h.queue)
	h.api.ReleaseContext.Call(h.context)
}

// name is what errors call the device.
func (s *session) name() string { return fmt.Sprintf("%s:%d", row, s.number) }

// Allocate makes a buffer of zeros, which has no address.
func (s *session) Allocate(bytes int64) (card.Buffer, error) {
	code, zero := new(int32), new(uint64)
	buffer := s.api.CreateBuffer.Call(s.handles.context, memReadWrite, uintptr(bytes), 0, uintptr(unsafe.Pointer(code)))
	if *code != 0 {
		return card.Buffer{}, fmt.Errorf("a buffer: %w", status(*code))
	}
	err := check("zeros", s.api.EnqueueFillBuffer.Call(s.handles.copies, buffer, uintptr(unsafe.Pointer(zero)), unsafe.Sizeof(*zero), 0, uintptr(bytes), 0, 0, 0))
	if err != nil {
		s.api.ReleaseMemObject.Call(buffer)
	}
	return card.Buffer{Handle: buffer}, err
}

// Free gives a buffer back.
func (s *session) Free(b card.Buffer) error {
	return check("giving back memory", s.api.ReleaseMemObject.Call(b.Handle))
}

// Read copies to the host.
func (s *session) Read(b card.Buffer, at int64, into []byte) error {
	err := check("a copy", s.api.EnqueueReadBuffer.Call(s.handles.queue, b.Handle, 1, uintptr(at), uintptr(len(into)), uintptr(unsafe.Pointer(&into[0])), 0, 0, 0))
	return cmp.Or(s.ended(), err)
}

// Write copies from the host.
func (s *session) Write(b card.Buffer, at int64, from []byte) error {
	err := check("a copy", s.api.EnqueueWriteBuffer.Call(s.handles.queue, b.Handle, 1, uintptr(at), uintptr(len(from)), uintptr(unsafe.Pointer(&from[0])), 0, 0, 0))
	return cmp.Or(s.ended(), err)
}

// Pinned gives memory of the host: what drivers of OpenCL take for their copies is their business.
func (s *session) Pinned(bytes int) ([]byte, error) {
	memory := make([]byte, bytes)
	s.handles.pinned = append(s.handles.pinned, memory)
	return memory, nil
}

// in is the queue for something.
func (s *session) in(ahead bool) uintptr {
	if ahead {
		return s.handles.copies
	}
	return s.handles.queue
}

// Send queues a copy.
func (s *session) Send(b card.Buffer, at int64, from []byte, ahead bool) error {
	return check("a copy", s.api.EnqueueWriteBuffer.Call(s.in(ahead), b.Handle, 0, uintptr(at), uintptr(len(from)), uintptr(unsafe.Pointer(&from[0])), 0, 0, 0))
}

// Mark puts an event in a queue.
func (s *session) Mark(ahead bool) (card.Mark, error) {
	event := new(uintptr)
	if err := check("an event", s.api.EnqueueMarkerWithWaitList.Call(s.in(ahead), 0, 0, uintptr(unsafe.Pointer(event)))); err != nil {
		return 0, err
	}
	return card.Mark(*event), check("a queue", s.api.Flush.Call(s.in(ahead))) // or others would wait for it for ever
}

// Join puts a barrier in the queue, which an event in that of copies opens.
func (s *session) Join() error {
	mark, err := s.Mark(true)
	if err != nil {
		return err
	}
	event := &[1]uintptr{uintptr(mark)}
	err = check("a barrier", s.api.EnqueueBarrierWithWaitList.Call(s.handles.queue, 1, uintptr(unsafe.Pointer(event)), 0))
	return cmp.Or(err, check("an event", s.api.ReleaseEvent.Call(event[0])))
}

// Reached waits for an event, and gives it up.
func (s *session) Reached(m card.Mark) error {
	event := &[1]uintptr{uintptr(m)}
	err := check("waiting", s.api.WaitForEvents.Call(1, uintptr(unsafe.Pointer(event))))
	return cmp.Or(err, check("an event", s.api.ReleaseEvent.Call(event[0])))
}

// Kernel makes a kernel of a program.
func (s *session) Kernel(program uintptr, symbol string, _ int64) (uintptr, error) {
	name, code := append([]byte(symbol), 0), new(int32)
	kernel := s.api.CreateKernel.Call(program, uintptr(unsafe.Pointer(&name[0])), uintptr(unsafe.Pointer(code)))
	return kernel, check("a kernel", uintptr(uint32(*code)))
}

// Footprint says what a kernel takes; of registers OpenCL knows nothing.
func (s *session) Footprint(kernel uintptr) (f device.Footprint, err error) {
	for what, into := range map[uintptr]*int64{kernelGroup: &f.Items, kernelLocal: &f.Local, kernelPrivate: &f.Private} {
		if err := check("what a kernel takes", s.api.GetKernelWorkGroupInfo.Call(kernel, s.id, what, unsafe.Sizeof(*into), uintptr(unsafe.Pointer(into)), 0)); err != nil {
			return f, err
		}
	}
	return f, nil
}

// FreeProgram gives kernels and their program back.
func (s *session) FreeProgram(program uintptr, kernels []uintptr) error {
	for _, k := range kernels {
		s.api.ReleaseKernel.Call(k)
	}
	return check("giving back a program", s.api.ReleaseProgram.Call(program))
}

// Launch queues a kernel. A buffer is two arguments: its handle, and where in it the array begins.
func (s *session) Launch(kernel uintptr, l card.Launch) error {
	next := uintptr(0)
	for _, a := range l.Arguments {
		if a.IsBuffer {
			handle := new(uintptr)
			*handle = a.Buffer.Handle
			if err := check(fmt.Sprintf("argument %d", next), s.api.SetKernelArg.Call(kernel, next, unsafe.Sizeof(*handle), uintptr(unsafe.Pointer(handle)))); err != nil {
				return err
			}
			next++
			if !a.Placed {
				continue
			}
		}
		number := new(int64)
		*number = a.Value
		if err := check(fmt.Sprintf("argument %d", next), s.api.SetKernelArg.Call(kernel, next, unsafe.Sizeof(*number), uintptr(unsafe.Pointer(number)))); err != nil {
			return err
		}
		next++
	}
	global, local := new([3]uintptr), new([3]uintptr)
	for i := range global {
		global[i], local[i] = uintptr(l.Groups[i]*l.Items[i]), uintptr(l.Items[i])
	}
	queue, event := s.handles.queue, new(uintptr)
	if s.timing {
		queue = s.handles.timed
	}
	err := check("the queue", s.api.EnqueueNDRangeKernel.Call(queue, kernel, 3, 0, uintptr(unsafe.Pointer(global)), uintptr(unsafe.Pointer(local)), 0, 0, uintptr(unsafe.Pointer(event))))
	switch {
	case err != nil:
	case s.timing:
		s.keep(*event)
	default:
		s.launched = append(s.launched, launched{l.Symbol, *event})
	}
	return err
}

// Submit has the driver begin with what is queued.
func (s *session) Submit() error {
	return cmp.Or(check("the queue", s.api.Flush.Call(s.handles.queue)), check("the queue", s.api.Flush.Call(s.handles.copies)))
}

// Finish waits for all that is queued.
func (s *session) Finish() error {
	err := cmp.Or(check("waiting", s.api.Finish.Call(s.handles.copies)), check("waiting", s.api.Finish.Call(s.handles.queue)))
	return cmp.Or(s.ended(), err)
}

// ended asks kernels, the last of which has ended, how they did: whoever waits for a queue is told nothing of that.
func (s *session) ended() (err error) {
	for _, l := range s.launched {
		state := new(int32)
		asked := check("an event", s.api.GetEventInfo.Call(l.event, eventState, unsafe.Sizeof(*state), uintptr(unsafe.Pointer(state)), 0))
		if asked == nil && *state < 0 {
			asked = status(*state)
		}
		if asked != nil && err == nil {
			err = fmt.Errorf("the kernel %s has failed: %w", l.symbol, asked)
		}
		s.api.ReleaseEvent.Call(l.event)
	}
	s.launched = s.launched[:0]
	return err
}

// Means says what an error of OpenCL means. Drivers say of lost devices that resources are exhausted, too, but not when memory is asked for.
func (s *session) Means(err error) card.Meaning {
	switch {
	case isOneOf(err, -4, -6, -61):
		return card.Full
	case isOneOf(err, -2, -5, -14, -33, -34, -36):
		return card.Gone
	}
	return card.Wrong
}
