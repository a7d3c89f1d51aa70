package device

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/ricci-lang/ricci/internal/source"
)

// TestQueueOrder runs launches one after the other, in the order in which they were added.
func TestQueueOrder(t *testing.T) {
	q := NewQueue()
	var order []int // without a lock: the race detector would see two at a time
	for n := range 100 {
		q.Add(func() error { order = append(order, n); return nil })
	}
	if err := q.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	for n, got := range order {
		if n != got {
			t.Fatalf("launch %d ran in place %d", got, n)
		}
	}
	if len(order) != 100 {
		t.Errorf("%d launches ran", len(order))
	}
}

// TestQueueErrors: each error is given once, to whoever asks first, and those behind run all the same.
func TestQueueErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewQueue()
		one, two, three := errors.New("one"), errors.New("two"), errors.New("three")
		first := q.Add(func() error { return one })
		q.Add(func() error { return two })
		ran := false
		last := q.Add(func() error { ran = true; return three })
		synctest.Wait()
		if !first.Done() || !last.Done() || !ran {
			t.Fatal("the launches have not ended")
		}
		for range 2 { // a completion says the same as often as it is asked
			if err := first.Wait(t.Context()); err != one {
				t.Errorf("the first launch: %v", err)
			}
		}
		err := q.Wait(t.Context())
		if errors.Is(err, one) || !errors.Is(err, two) || !errors.Is(err, three) {
			t.Errorf("the queue gives %v, expected the errors that nobody was given", err)
		}
		if err := q.Wait(t.Context()); err != nil {
			t.Errorf("the queue gives %v once more", err)
		}
	})
}

// TestQueueWaiting: a wait ends with its context, and takes no error away then.
func TestQueueWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, gate, failure := NewQueue(), make(chan struct{}), errors.New("failure")
		c := q.Add(func() error { <-gate; return failure })
		ctx, cancel := context.WithCancel(t.Context())
		ends := make(chan error, 2)
		go func() { ends <- c.Wait(ctx) }()
		go func() { ends <- q.Wait(ctx) }()
		synctest.Wait()
		if len(ends) > 0 || c.Done() {
			t.Fatal("a wait ended before the launch")
		}
		cancel()
		for range 2 {
			if err := <-ends; err != context.Canceled {
				t.Errorf("a wait whose context was cancelled gives %v", err)
			}
		}
		close(gate)
		if err := q.Wait(t.Context()); !errors.Is(err, failure) {
			t.Errorf("the error is lost: %v", err)
		}
	})
}

// TestQueueClose: Close waits and gives what is left, and nothing is taken behind it.
func TestQueueClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, gate, failure := NewQueue(), make(chan struct{}), errors.New("failure")
		q.Add(func() error { <-gate; return failure })
		ends := make(chan error)
		go func() { ends <- q.Close() }()
		synctest.Wait()
		late := q.Add(func() error { t.Error("a launch behind Close ran"); return nil })
		if err := late.Wait(t.Context()); err != ErrQueueClosed || !late.Done() {
			t.Errorf("a launch behind Close: %v", err)
		}
		close(gate)
		if err := <-ends; !errors.Is(err, failure) {
			t.Errorf("Close gives %v", err)
		}
		if err := q.Close(); err != nil {
			t.Errorf("Close once more: %v", err)
		}
	})
}

// TestQueuePanic: a panic is an internal error of its launch.
func TestQueuePanic(t *testing.T) {
	c := NewQueue().Add(func() error { panic("broken") })
	var internal *source.InternalError
	if err := c.Wait(t.Context()); !errors.As(err, &internal) {
		t.Errorf("the launch gives %v", err)
	}
}
