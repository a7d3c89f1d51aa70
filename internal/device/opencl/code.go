package opencl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"unsafe"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/plan"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// code is a program with a kernel for each launch of the plan.
type code struct {
	session *session
	plan    *plan.Plan
	program uintptr
	kernels []uintptr
	host    *loop.Func // the order of the launches; nil: there is one, of one item
	faults  *memory    // the record of a failed test, where there are tests
}

// faultBytes are those of the record: a 32-bit number and, from the middle on, a 64-bit value.
const faultBytes = 16

// TakesArguments says that the buffers are asked for.
func (c *code) TakesArguments() bool { return true }

// Prepare does nothing: there is no header.
func (c *code) Prepare(*device.Call) {}

// Launch runs the kernels one after the other, and waits.
func (c *code) Launch(ctx context.Context, s device.Stream, call *device.Call) (device.Completion, error) {
	if s != nil {
		return s.(*device.Queue).Add(func() error { return c.run(ctx, call) }), nil
	}
	return nil, c.run(ctx, call)
}

func (c *code) run(ctx context.Context, call *device.Call) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(c.plan.Faults) > 0 && c.faults == nil {
		m, err := (&allocator{c.session, c.session.name()}).Allocate(faultBytes)
		if err != nil {
			return err
		}
		c.faults = m.(*memory)
	}
	s := c.session
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.lost != nil {
		return s.lost
	}
	launch := func(l loop.Launch) error { return c.launch(call, l) }
	err := error(nil)
	if c.host == nil {
		err = launch(loop.Launch{Groups: []int64{1}})
	} else {
		err = loop.Launches(ctx, c.host, call.Block[loop.HeaderWords:loop.HeaderWords+len(c.host.Params)], launch)
	}
	if finished := s.finish(); err == nil && finished != nil {
		err = s.failed(fmt.Errorf("the kernel %s: %w", c.plan.Name, finished))
	}
	if err != nil {
		return err
	}
	return c.fault(call)
}

// launch queues a kernel over its groups. Dimension 0 is the last axis.
func (c *code) launch(call *device.Call, l loop.Launch) error {
	one, kernel := c.plan.Launches[l.Number], c.kernels[l.Number]
	if err := c.arguments(kernel, one, call, l.Values); err != nil {
		return err
	}
	global, local := new([loop.MostAxes]uintptr), new([loop.MostAxes]uintptr)
	for i := range global {
		global[i], local[i] = 1, 1
	}
	for i, text := range one.Group {
		n, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			return source.Internalf("opencl", source.Span{}, "the items of %s: %w", one.Symbol, err)
		}
		at := len(one.Group) - 1 - i
		local[at], global[at] = uintptr(n), uintptr(n)
	}
	for i, n := range l.Groups {
		global[len(l.Groups)-1-i] *= uintptr(n)
	}
	s := c.session
	err := check("launching", s.api.EnqueueNDRangeKernel.Call(s.handles.queue, kernel, loop.MostAxes, 0, uintptr(unsafe.Pointer(global)), uintptr(unsafe.Pointer(local)), 0, 0, 0))
	if err != nil {
		return s.failed(fmt.Errorf("the kernel %s: %w", one.Symbol, err))
	}
	return nil
}

// arguments sets those of a kernel: the workspace, the record of faults, its words, and what is in scope around its grid.
func (c *code) arguments(kernel uintptr, l plan.Launch, call *device.Call, values []int64) error {
	a, block := argumentList{session: c.session, kernel: kernel}, call.Block[loop.HeaderWords:]
	a.tensor(call.Workspace)
	a.buffer(c.faults)
	for i, w := range l.Words {
		if w.Tensor == "" {
			a.number(block[i])
			continue
		}
		at := slices.IndexFunc(c.plan.Arguments, func(x plan.Argument) bool { return x.Name == w.Tensor })
		if at < 0 {
			return source.Internalf("opencl", source.Span{}, "there is no argument for the word %s", w.Tensor)
		}
		a.tensor(call.Arguments[at])
	}
	for _, v := range values {
		a.number(v)
	}
	return a.err
}

// An argumentList sets arguments one after the other.
type argumentList struct {
	session *session
	kernel  uintptr
	next    uintptr
	err     error
}

func (a *argumentList) set(result uintptr) {
	if err := check(fmt.Sprintf("argument %d", a.next), result); err != nil && a.err == nil {
		a.err = a.session.failed(err)
	}
	a.next++
}

// buffer gives a memory; nil is none.
func (a *argumentList) buffer(m *memory) {
	handle := new(uintptr)
	if m != nil {
		*handle = m.buffer
	}
	a.set(a.session.api.SetKernelArg.Call(a.kernel, a.next, unsafe.Sizeof(*handle), uintptr(unsafe.Pointer(handle))))
}

// number gives 64 bits.
func (a *argumentList) number(value int64) {
	n := new(int64)
	*n = value
	a.set(a.session.api.SetKernelArg.Call(a.kernel, a.next, unsafe.Sizeof(*n), uintptr(unsafe.Pointer(n))))
}

// tensor gives a memory and where in it element 0 is.
func (a *argumentList) tensor(t *tensor.Tensor) {
	if t == nil {
		a.buffer(nil)
		a.number(0)
		return
	}
	m, is := t.Memory().(*memory)
	if !is || m.session != a.session {
		a.err = errors.Join(a.err, source.Internalf("opencl", source.Span{}, "an argument is on %s", t.Device()))
		return
	}
	a.buffer(m)
	a.number(int64(t.Address() - m.Address()))
}

// fault reads the record, and clears it where it was written.
func (c *code) fault(call *device.Call) error {
	if c.faults == nil {
		return nil
	}
	s, record := c.session, new([faultBytes / 4]int32)
	if err := check("reading the record of faults", s.api.EnqueueReadBuffer.Call(s.handles.queue, c.faults.buffer, 1, 0, faultBytes, uintptr(unsafe.Pointer(record)), 0, 0, 0)); err != nil {
		return s.failed(err)
	}
	if record[0] == 0 {
		return nil
	}
	call.Fault = [2]int64{int64(record[0]), int64(uint64(uint32(record[2])) | uint64(uint32(record[3]))<<32)}
	*record = [faultBytes / 4]int32{}
	if err := check("clearing the record of faults", s.api.EnqueueWriteBuffer.Call(s.handles.queue, c.faults.buffer, 1, 0, faultBytes, uintptr(unsafe.Pointer(record)), 0, 0, 0)); err != nil {
		return s.failed(err)
	}
	return device.ErrFault
}

// Close gives the program back.
func (c *code) Close() error {
	var list []error
	for _, k := range c.kernels {
		list = append(list, check("giving back a kernel", c.session.api.ReleaseKernel.Call(k)))
	}
	list = append(list, check("giving back a program", c.session.api.ReleaseProgram.Call(c.program)))
	if c.faults != nil {
		list = append(list, c.faults.Close())
	}
	return errors.Join(list...)
}
