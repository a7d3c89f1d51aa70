package card

// How copies to a device go on without the host
//
// The caller of Write may change its bytes when that returns, and the device takes them later. Between the two they lie in blocks of memory that
// the driver has pinned, which are filled in turns. A mark in the queue behind the copies from a block says when it may be filled
// again; who has more to write than there are free blocks waits for the oldest one.

// Two blocks would do for a long copy; with more of them short ones seldom wait.
const (
	stagingBlocks = 4
	stagingBytes  = 2 << 20
)

// A staging is the blocks of a session.
type staging struct {
	blocks [stagingBlocks]block
	now    int // the one that is being filled
}

// A block is pinned memory, of which some is on its way.
type block struct {
	memory []byte
	filled int
	sent   [2]bool // copies from it are queued: in the first queue, ahead
	marks  []Mark  // that they are up to, once the block is full
}

// send copies to a memory by way of the blocks: ahead of all that is queued where nothing of that uses the memory.
func (s *Session) send(m *memory, at int64, from []byte) error {
	ahead, queue := s.isIdle(m), 0
	if ahead {
		queue = 1
		s.arrive(m)
	} else if err := s.use(m); err != nil {
		return err
	}
	for len(from) > 0 {
		block, err := s.room(len(from))
		if err != nil {
			return err
		}
		part := block.memory[block.filled:min(block.filled+len(from), len(block.memory))]
		copy(part, from)
		if err := s.Driver.Send(m.buffer, at, part, ahead); err != nil {
			return err
		}
		block.sent[queue] = true
		block.filled += len(part)
		from, at = from[len(part):], at+int64(len(part))
		if block.filled == len(block.memory) {
			if err := s.leave(block); err != nil {
				return err
			}
		}
	}
	return s.Driver.Submit()
}

// room gives a block with room for something: all of it, if it is not longer than a block.
func (s *Session) room(bytes int) (*block, error) {
	now := &s.staging.blocks[s.staging.now]
	if now.memory != nil && now.marks == nil && now.filled+min(bytes, stagingBytes) > len(now.memory) {
		if err := s.leave(now); err != nil {
			return nil, err
		}
		now = &s.staging.blocks[s.staging.now]
	}
	if now.memory == nil {
		memory, err := s.Driver.Pinned(stagingBytes)
		if err != nil {
			return nil, err
		}
		now.memory = memory
	}
	for _, mark := range now.marks {
		if err := s.Driver.Reached(mark); err != nil {
			return nil, err
		}
		now.filled = 0
	}
	now.marks = nil
	return now, nil
}

// leave marks the end of what a block is copied for, and goes on with the next one.
func (s *Session) leave(b *block) error {
	for queue, sent := range b.sent {
		if !sent {
			continue
		}
		mark, err := s.Driver.Mark(queue == 1)
		if err != nil {
			return err
		}
		b.marks = append(b.marks, mark)
	}
	b.sent = [2]bool{}
	s.staging.now = (s.staging.now + 1) % stagingBlocks
	return nil
}
