package device

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/ricci-lang/ricci/internal/source"
)

// A Queue is a Stream for devices whose launches are function calls: a goroutine runs them in order. One that fails does not
// keep those behind it from running.
type Queue struct {
	mutex  sync.Mutex
	last   *launch   // the newest one
	failed []*launch // whose errors nobody was given yet
	closed bool
}

// NewQueue makes an empty queue. It needs no goroutine while nothing runs.
func NewQueue() *Queue { return &Queue{} }

// ErrQueueClosed is the error of launches in a queue that is closed.
var ErrQueueClosed = errors.New("the stream is closed")

// A launch is a call in a queue.
type launch struct {
	done  chan struct{}
	err   error
	queue *Queue
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
		if l.err = guarded(run); l.err != nil {
			q.mutex.Lock()
			q.failed = append(q.failed, l)
			q.mutex.Unlock()
		}
	}()
	return l
}

// guarded makes an error of a panic: nobody above it could.
func guarded(run func() error) (err error) {
	defer source.RecoverInternal("stream", &err)
	return run()
}

// Wait ends when all that was added before has ended, with the errors that nobody was given yet.
func (q *Queue) Wait(ctx context.Context) error {
	q.mutex.Lock()
	last := q.last
	q.mutex.Unlock()
	if last != nil {
		if err := last.end(ctx); err != nil {
			return err
		}
	}
	q.mutex.Lock()
	defer q.mutex.Unlock()
	var errs []error
	for _, l := range q.failed {
		errs = append(errs, l.err)
	}
	q.failed = nil
	return errors.Join(errs...)
}

// Close waits for what runs; nothing can be added any more.
func (q *Queue) Close() error {
	q.mutex.Lock()
	q.closed = true
	q.mutex.Unlock()
	return q.Wait(context.Background())
}

// end waits for the launch.
func (l *launch) end(ctx context.Context) error {
	select {
	case <-l.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Wait ends with the launch.
func (l *launch) Wait(ctx context.Context) error {
	if err := l.end(ctx); err != nil {
		return err
	}
	l.queue.mutex.Lock()
	defer l.queue.mutex.Unlock()
	l.queue.failed = slices.DeleteFunc(l.queue.failed, func(other *launch) bool { return other == l })
	return l.err
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
