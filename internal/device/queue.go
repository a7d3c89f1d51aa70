package device

import (
	"context"
	"errors"
	"sync"
)

// A Queue is a Stream for devices whose launches are function calls: a goroutine runs them in order.
type Queue struct {
	mutex  sync.Mutex
	last   *launch // the newest one
	errs   []error // of launches that nobody waited for
	closed bool
}

// NewQueue makes an empty queue. It needs no goroutine while nothing runs.
func NewQueue() *Queue { return &Queue{} }

// ErrQueueClosed is the error of launches in a queue that is closed.
var ErrQueueClosed = errors.New("the stream is closed")

// A launch is a call in a queue.
type launch struct {
	done   chan struct{}
	err    error
	queue  *Queue
	waited bool
}

// Add runs a function when those before it have ended.
func (q *Queue) Add(run func() error) Completion {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	l := &launch{done: make(chan struct{}), queue: q}
	if q.closed {
		l.err = ErrQueueClosed
		close(l.done)
		return l
	}
	before := q.last
	q.last = l
	go func() {
		defer close(l.done)
		if before != nil {
			<-before.done
		}
		if l.err = run(); l.err != nil {
			q.note(l)
		}
	}()
	return l
}

// note keeps an error for Wait.
func (q *Queue) note(l *launch) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	if !l.waited {
		q.errs = append(q.errs, l.err)
	}
}

// Wait ends when all that was added before has ended.
func (q *Queue) Wait(ctx context.Context) error {
	q.mutex.Lock()
	last := q.last
	q.mutex.Unlock()
	if last != nil {
		select {
		case <-last.done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	q.mutex.Lock()
	defer q.mutex.Unlock()
	err := errors.Join(q.errs...)
	q.errs = nil
	return err
}

// Close waits for what runs; nothing can be added any more.
func (q *Queue) Close() error {
	q.mutex.Lock()
	q.closed = true
	q.mutex.Unlock()
	return q.Wait(context.Background())
}

// Wait ends with the launch.
func (l *launch) Wait(ctx context.Context) error {
	l.queue.mutex.Lock()
	l.waited = true
	l.queue.mutex.Unlock()
	select {
	case <-l.done:
		return l.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Done reports whether the launch has ended.
func (l *launch) Done() bool {
	select {
	case <-l.done:
		return true
	default:
		return false
	}
}
