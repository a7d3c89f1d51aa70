package card

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/source"
)

// A Session is an opened device.
type Session struct {
	Driver Driver
	Name   string // for people, such as cuda:0
	Most   int64  // bytes of one buffer; 0: the driver says
	// Groups is how many groups a launch may have along x, y and z; 0: the driver says.
	Groups [3]int64
	Local  int64 // bytes of local memory that a launch may give a group; 0: the driver says
	// Beside says that copies of any length go on while the host does something else. On processors that are devices they only take its time.
	Beside bool

	mutex   sync.Mutex
	next    uintptr  // the next number that stands for an address
	lost    error    // why nothing works any more
	queued  []string // the kernels whose ends nobody has waited for
	staging staging
	ahead   ahead
	moved   moved
}

// moved counts copies between the host and the device.
type moved struct{ writes, reads, wrote, read atomic.Int64 }

// Do calls the driver, unless the device is lost.
func (s *Session) Do(f func() error) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.lost != nil {
		return s.lost
	}
	return s.failed(f())
}

// waiting is Do for what waits for all that is queued, and is told what became of it.
func (s *Session) waiting(f func() error) error {
	return s.Do(func() error {
		err := f()
		if err == nil {
			s.ahead.waited = s.ahead.uses
		}
		if len(s.queued) > 0 {
			if err != nil && err != device.ErrFault {
				err = fmt.Errorf("after %s, queued before: %w", kernels(s.queued), err)
			}
			s.queued = s.queued[:0]
		}
		return err
	})
}

// Transferred counts copies between the host and the device.
func (s *Session) Transferred() device.Transferred {
	m := &s.moved
	return device.Transferred{Writes: m.writes.Load(), Reads: m.reads.Load(), BytesWritten: m.wrote.Load(), BytesRead: m.read.Load()}
}

// Timed is Do for what uses any memory, and waits for all that is queued.
func (s *Session) Timed(f func() error) error {
	return s.waiting(func() error {
		if err := s.joinAll(); err != nil {
			return err
		}
		return f()
	})
}

// Wait waits for all that is queued.
func (s *Session) Wait() error { return s.waiting(s.Driver.Finish) }

// full says that so much is queued that somebody has to wait.
func (s *Session) full() bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return len(s.queued) >= mostQueued
}

// kernels names them once each, the newest first, and not too many.
func kernels(names []string) string {
	const most = 4
	var list []string
	for _, name := range slices.Backward(names) {
		if slices.Contains(list, name) {
			continue
		}
		if len(list) == most {
			list = append(list, "…")
			break
		}
		list = append(list, name)
	}
	if len(list) == 1 {
		return "the kernel " + list[0]
	}
	return "one of the kernels " + strings.Join(list, ", ")
}

// failed makes an error of what the driver says; the device is lost where it says so.
func (s *Session) failed(err error) error {
	switch {
	case err == nil || err == device.ErrFault:
		return err
	case s.lost != nil:
		return s.lost
	}
	switch s.Driver.Means(err) {
	case Gone:
		s.lost = device.Lost(s.Name, err)
		return s.lost
	case Full:
		return device.NoMemory(s.Name, 0, err)
	}
	if found := (source.ErrorList)(nil); errors.As(err, &found) { // such as a launch that the device has no room for
		return err
	}
	return device.Failed(s.Name, err)
}
