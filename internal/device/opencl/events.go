package opencl

import (
	"errors"
	"unsafe"
)

// How launches are timed
//
// The driver writes the times of a command into its event, in nanoseconds of the device's clock, where the queue was made for that. Such a queue
// may be slower, so it is another one than that of all other calls; both are empty when the timing begins and when it ends.

// Start begins to time launches.
func (s *session) Start() (err error) {
	if err := s.Finish(); err != nil {
		return err
	}
	if s.handles.timed == 0 {
		if s.handles.timed, err = s.newQueue(s.handles.context, queueProfiling); err != nil {
			return err
		}
	}
	s.timing = true
	return nil
}

// keep takes the event of a kernel, and gives up the one between it and the first.
func (s *session) keep(event uintptr) {
	switch {
	case s.first == 0:
		s.first = event
	case s.last != 0:
		s.api.ReleaseEvent.Call(s.last)
		fallthrough
	default:
		s.last = event
	}
}

// Stop waits for the launches, and says how long they took.
func (s *session) Stop() (seconds float64, err error) {
	s.timing = false
	defer func() {
		for _, event := range []*uintptr{&s.first, &s.last} {
			if *event != 0 {
				s.api.ReleaseEvent.Call(*event)
			}
			*event = 0
		}
	}()
	if err := check("waiting", s.api.Finish.Call(s.handles.timed)); err != nil || s.first == 0 {
		return 0, err
	}
	last := s.last
	if last == 0 {
		last = s.first
	}
	started, err := s.at(s.first, eventStarted)
	ended, otherErr := s.at(last, eventEnded)
	return float64(ended-started) / 1e9, errors.Join(err, otherErr)
}

// at asks an event for a time.
func (s *session) at(event, what uintptr) (int64, error) {
	nanoseconds := new(int64)
	err := check("the time of a kernel", s.api.GetEventProfilingInfo.Call(event, what, unsafe.Sizeof(*nanoseconds), uintptr(unsafe.Pointer(nanoseconds)), 0))
	return *nanoseconds, err
}
