package card

// ahead is what a session knows of its two queues. Uses of memory in the first one are counted; what was used up to the last time that somebody waited for
// that queue is free for copies that are queued ahead. Those are numbered by batches, which end when the first queue joins.
type ahead struct {
	uses, waited int64
	batch        int64
	last         int64 // the one that has something
}

// isIdle reports whether nothing that is queued uses a memory, but for copies ahead.
func (s *Session) isIdle(m *memory) bool { return m.used <= s.ahead.waited }

// arrive notes that a copy to a memory is queued ahead.
func (s *Session) arrive(m *memory) {
	s.ahead.batch = max(s.ahead.batch, 1)
	m.arrives, s.ahead.last = s.ahead.batch, s.ahead.batch
}

// use notes that something which uses a memory is queued, and has the queue wait for what is queued ahead for it.
func (s *Session) use(m *memory) error {
	s.ahead.uses++
	m.used = s.ahead.uses
	if m.arrives == 0 || m.arrives != s.ahead.batch {
		return nil
	}
	return s.join()
}

// joinAll is for what uses any memory.
func (s *Session) joinAll() error {
	if s.ahead.last == 0 || s.ahead.last != s.ahead.batch {
		return nil
	}
	return s.join()
}

// join has the first queue wait for the other one.
func (s *Session) join() error {
	s.ahead.batch++
	return s.Driver.Join()
}
