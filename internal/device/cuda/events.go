package cuda

import (
	"cmp"
	"unsafe"
)

// How launches are timed
//
// Two events stand in the stream, one in front of the launches and one behind them; the card writes into each when it comes there. They are made once
// for a session, and are gone with its context.

// Start puts the first event in front of what is launched next.
func (s *session) Start() error {
	return s.within(func() error {
		for i := range s.events {
			if s.events[i] != 0 {
				continue
			}
			event := new(uintptr)
			if err := check("an event", s.api.EventCreate.Call(uintptr(unsafe.Pointer(event)), 0)); err != nil {
				return err
			}
			s.events[i] = *event
		}
		return check("an event", s.api.EventRecord.Call(s.events[0], 0))
	})
}

// Stop puts the other one behind it, waits for that, and says how much time is between the two.
func (s *session) Stop() (seconds float64, err error) {
	milliseconds := new(float32)
	err = s.within(func() error {
		if err := check("an event", s.api.EventRecord.Call(s.events[1], 0)); err != nil {
			return err
		}
		if err := check("waiting", s.api.EventSynchronize.Call(s.events[1])); err != nil {
			return err
		}
		return check("the time of a kernel", s.api.EventElapsedTime.Call(uintptr(unsafe.Pointer(milliseconds)), s.events[0], s.events[1]))
	})
	return float64(*milliseconds) / 1e3, err
}

// Time runs a function that launches with the context on its thread, and says how long the card took for that.
func (d *Device) Time(run func() error) (seconds float64, err error) {
	err = d.card.Timed(func() error {
		if err := d.session.Start(); err != nil {
			return err
		}
		err := d.session.within(run)
		more, waited := d.session.Stop()
		seconds = more
		return cmp.Or(err, waited)
	})
	return seconds, err
}
