package card

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/plan"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// code is a program with a kernel for each launch of the plan.
type code struct {
	session *Session
	plan    *plan.Plan
	program uintptr
	kernels []uintptr
	host    *loop.Func // the order of the launches; nil: there is one, of one item
	takes   device.Footprint
	faults  *memory // the record of a failed test, where there are tests
}

// faultBytes are those of the record: a number of 32 bits and, from the middle on, a value of 64.
const faultBytes = 16

// Load makes code of a program that the driver has loaded, and gives it back where that fails.
func (s *Session) Load(program uintptr, p *plan.Plan) (_ device.Code, err error) {
	c := &code{session: s, plan: p, program: program}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Close())
		}
	}()
	if p.Host != "" {
		if c.host, err = loop.Parse(source.NewFile("host.loop", p.Host)); err != nil {
			return nil, source.Internalf("card", source.Span{}, "the host part of %s: %w", p.Name, err)
		}
	}
	for _, l := range p.Launches {
		err := s.Do(func() error {
			if s.Local > 0 && l.Dynamic > s.Local {
				return device.Lacks(s.Name, fmt.Sprintf("%d bytes of local memory for a group of the kernel %s, but %d", l.Dynamic, l.Symbol, s.Local))
			}
			kernel, err := s.Driver.Kernel(program, l.Symbol, l.Dynamic)
			if err != nil {
				return fmt.Errorf("there is no kernel %s: %w", l.Symbol, err)
			}
			c.kernels = append(c.kernels, kernel)
			return c.examine(kernel, l)
		})
		if err != nil {
			return nil, err
		}
	}
	if len(p.Faults) > 0 {
		m, err := s.Allocator(s.Name).Allocate(faultBytes)
		if err != nil {
			return nil, err
		}
		c.faults = m.(*memory)
	}
	return c, nil
}

// examine asks what a kernel takes, and refuses one for whose groups registers do not suffice.
func (c *code) examine(kernel uintptr, l plan.Launch) error {
	takes, err := c.session.Driver.Footprint(kernel)
	if err != nil {
		return fmt.Errorf("what the kernel %s takes: %w", l.Symbol, err)
	}
	takes.Local += l.Dynamic
	items := int64(1)
	for _, text := range l.Group {
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			return source.Internalf("card", source.Span{}, "the items of %s: %w", l.Symbol, err)
		}
		items *= n
	}
	if takes.Items > 0 && items > takes.Items {
		why := ""
		if takes.Registers > 0 {
			why = fmt.Sprintf(": an item takes %d registers", takes.Registers)
		}
		return device.Lacks(c.session.Name, fmt.Sprintf("room for groups of %d items of the kernel %s, but for %d%s", items, l.Symbol, takes.Items, why))
	}
	all := &c.takes
	all.Registers, all.Private, all.Local = max(all.Registers, takes.Registers), max(all.Private, takes.Private), max(all.Local, takes.Local)
	if takes.Items > 0 && (all.Items == 0 || takes.Items < all.Items) {
		all.Items = takes.Items
	}
	return nil
}

// Footprint is what the largest kernel takes.
func (c *code) Footprint() device.Footprint { return c.takes }

// TakesArguments says that the buffers are asked for.
func (c *code) TakesArguments() bool { return true }

// Prepare does nothing: there is no header.
func (c *code) Prepare(*device.Call) {}

// Launch runs the kernels one after the other, and waits; in a stream on a goroutine.
func (c *code) Launch(ctx context.Context, s device.Stream, call *device.Call) (device.Completion, error) {
	if s != nil {
		return s.(*device.Queue).Add(func() error { return c.run(ctx, call) }), nil
	}
	return nil, c.run(ctx, call)
}

func (c *code) run(ctx context.Context, call *device.Call) error {
	return c.finished(ctx, call, func() error {
		err, waited := c.launches(ctx, call), c.session.Driver.Finish()
		return cmp.Or(err, waited) // the first one says what happened
	})
}

// mostQueued is how many calls may be queued: somebody who never looks at results is waited for.
const mostQueued = 1 << 10

// Enqueue runs the kernels behind what is queued, and does not wait, but for tests that somebody has to look at.
func (c *code) Enqueue(ctx context.Context, call *device.Call) error {
	if c.faults != nil {
		return c.run(ctx, call)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	s := c.session
	err := s.Do(func() error {
		if err := c.launches(ctx, call); err != nil {
			return fmt.Errorf("the kernel %s: %w", c.plan.Name, err)
		}
		s.queued = append(s.queued, c.plan.Name)
		return s.Driver.Submit()
	})
	if err == nil && s.full() {
		return s.Wait()
	}
	return err
}

// LaunchTimed is Launch by the clock of the device.
func (c *code) LaunchTimed(ctx context.Context, call *device.Call) (seconds float64, err error) {
	err = c.finished(ctx, call, func() error {
		if err := c.session.joinAll(); err != nil { // copies have no part in the time
			return err
		}
		if err := c.session.Driver.Start(); err != nil {
			return err
		}
		err := c.launches(ctx, call)
		more, waited := c.session.Driver.Stop()
		seconds = more
		return cmp.Or(err, waited)
	})
	return seconds, err
}

// finished runs all launches, at the end of which nothing is queued, and looks for a fault.
func (c *code) finished(ctx context.Context, call *device.Call, run func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return c.session.waiting(func() error {
		if err := run(); err != nil {
			return fmt.Errorf("the kernel %s: %w", c.plan.Name, err)
		}
		return c.fault(call)
	})
}

// launches queues the kernels of the plan, one after the other.
func (c *code) launches(ctx context.Context, call *device.Call) error {
	launch := func(l loop.Launch) error { return c.launch(call, l) }
	if c.host == nil {
		return launch(loop.Launch{Groups: []int64{1}})
	}
	return loop.Launches(ctx, c.host, call.Block[loop.HeaderWords:loop.HeaderWords+len(c.host.Params)], launch)
}

// launch queues a kernel over its groups. Dimension 0 is the last axis.
func (c *code) launch(call *device.Call, l loop.Launch) error {
	one := c.plan.Launches[l.Number]
	next := Launch{Symbol: one.Symbol, Groups: [3]int64{1, 1, 1}, Items: [3]int64{1, 1, 1}, Dynamic: one.Dynamic}
	for i, text := range one.Group {
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			return source.Internalf("card", source.Span{}, "the items of %s: %w", one.Symbol, err)
		}
		next.Items[len(one.Group)-1-i] = n
	}
	if c.host != nil {
		next.Groups = l.Dimensions(loop.Grids(c.host)[l.Number])
	}
	for i, most := range c.session.Groups {
		if n := next.Groups[i]; most > 0 && n > most {
			return device.Lacks(c.session.Name, fmt.Sprintf("launch of %d groups along %c, as %s has, but of %d", n, "xyz"[i], c.plan.Name, most))
		}
	}
	var err error
	if next.Arguments, err = c.arguments(one, call, l.Values); err != nil {
		return err
	}
	if err := c.session.Driver.Launch(c.kernels[l.Number], next); err != nil {
		return fmt.Errorf("launching %s: %w", one.Symbol, err)
	}
	return nil
}

// arguments lists those of a kernel: the workspace, the record of faults, its words, and what is in scope around its grid.
func (c *code) arguments(l plan.Launch, call *device.Call, values []int64) ([]Argument, error) {
	workspace, err := c.place(call.Workspace)
	if err != nil {
		return nil, err
	}
	faults := Argument{IsBuffer: true}
	if c.faults != nil {
		faults.Buffer = c.faults.buffer
		if err := c.session.use(c.faults); err != nil {
			return nil, err
		}
	}
	list := []Argument{workspace, faults}
	for i, w := range l.Words {
		if w.Tensor == "" {
			list = append(list, Argument{Value: call.Block[loop.HeaderWords+i]})
			continue
		}
		at := slices.IndexFunc(c.plan.Arguments, func(x plan.Argument) bool { return x.Name == w.Tensor })
		if at < 0 {
			return nil, source.Internalf("card", source.Span{}, "there is no argument for the word %s", w.Tensor)
		}
		place, err := c.place(call.Arguments[at])
		if err != nil {
			return nil, err
		}
		list = append(list, place)
	}
	for _, v := range values {
		list = append(list, Argument{Value: v})
	}
	return list, nil
}

// place is where the first element of a tensor is.
func (c *code) place(t *tensor.Tensor) (Argument, error) {
	if t == nil {
		return Argument{IsBuffer: true, Placed: true}, nil
	}
	m, is := t.Memory().(*memory)
	if !is || m.session != c.session {
		return Argument{}, source.Internalf("card", source.Span{}, "an argument is on %s", t.Device())
	}
	if err := c.session.use(m); err != nil {
		return Argument{}, err
	}
	return Argument{IsBuffer: true, Placed: true, Buffer: m.buffer, Value: int64(t.Address() - m.Address())}, nil
}

// fault reads the record, and clears it where it was written.
func (c *code) fault(call *device.Call) error {
	if c.faults == nil {
		return nil
	}
	driver, record := c.session.Driver, make([]byte, faultBytes)
	if err := driver.Read(c.faults.buffer, 0, record); err != nil {
		return err
	}
	site := binary.NativeEndian.Uint32(record)
	if site == 0 {
		return nil
	}
	call.Fault = [2]int64{int64(site), int64(binary.NativeEndian.Uint64(record[faultBytes/2:]))}
	clear(record)
	if err := driver.Write(c.faults.buffer, 0, record); err != nil {
		return err
	}
	return device.ErrFault
}

// Close gives the program back.
func (c *code) Close() error {
	s := c.session
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.lost != nil {
		return nil
	}
	waited := error(nil)
	if len(s.queued) > 0 { // they may be its own
		waited = s.Driver.Finish()
	}
	err := errors.Join(waited, s.Driver.FreeProgram(c.program, c.kernels))
	if c.faults != nil {
		err = errors.Join(err, s.Driver.Free(c.faults.buffer))
	}
	return s.failed(err)
}
