package serve

import (
	"context"
	"encoding/json"
	"time"

	"github.com/ricci-lang/ricci/internal/source"
)

// take begins the work on a line.
func (s *session) take(l line) {
	var r request
	if l.err != nil {
		s.answer(nil, nil, refusef("%v", l.err))
		return
	}
	if err := strictly(l.text, &r); err != nil {
		s.answer(idOf(l.text), nil, refusef("this is no request: %v", err))
		return
	}
	if !isID(r.ID) {
		s.answer(nil, nil, refusef("the id of a request is a whole number or a text"))
		return
	}
	if r.Method == "cancel" { // at once, whatever waits
		result, err := s.cancel(r.Params)
		s.answer(r.ID, result, err)
		return
	}
	ctx, cancel := context.WithCancelCause(s.ctx)
	if err := s.enter(string(r.ID), cancel); err != nil {
		cancel(err)
		s.answer(r.ID, nil, err)
		return
	}
	s.all.Add(1)
	go func() {
		defer s.all.Done()
		result, err := s.await(ctx, &r)
		s.leave(string(r.ID))
		if cause := context.Cause(ctx); err != nil && cause != nil {
			err = cause
		}
		cancel(nil)
		s.answer(r.ID, result, err)
	}()
}

// grace is how long a cancelled request has to end by itself: a search keeps what it has found.
const grace = 2 * time.Second

// await works on a request. What runs a kernel or the evaluator cannot be interrupted: it is left alone when it is cancelled.
func (s *session) await(ctx context.Context, r *request) (any, error) {
	type outcome struct {
		result any
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		result, err := s.work(ctx, r)
		done <- outcome{result, err}
	}()
	select {
	case o := <-done:
		return o.result, o.err
	case <-ctx.Done():
	}
	select {
	case o := <-done:
		return o.result, o.err
	case <-time.After(grace):
		return nil, ctx.Err()
	}
}

// enter notes a request in progress.
func (s *session) enter(id string, cancel context.CancelCauseFunc) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	switch {
	case s.running[id] != nil:
		return refusef("a request with the id %s is in progress", id)
	case len(s.running) >= mostRequests:
		return refusef("%d requests are in progress, and no more are taken", mostRequests)
	}
	s.running[id] = cancel
	return nil
}

func (s *session) leave(id string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	delete(s.running, id)
}

// work waits for its turn and runs the method.
func (s *session) work(ctx context.Context, r *request) (result any, err error) {
	defer source.RecoverInternal("service", &err)
	m, found := methods()[r.Method]
	if !found {
		return nil, refusef("there is no method %q; the methods are %v", r.Method, methodNames())
	}
	select {
	case s.working <- struct{}{}:
		defer func() { <-s.working }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	j := &job{session: s, ctx: ctx, id: r.ID}
	defer j.done()
	return m(j, r.Params)
}

// cancel ends another request.
func (s *session) cancel(params json.RawMessage) (any, error) {
	var p struct {
		Request json.RawMessage `json:"request"`
	}
	if err := strictly(params, &p); err != nil {
		return nil, refusef("cancel: %v", err)
	}
	s.mutex.Lock()
	cancel := s.running[string(p.Request)]
	s.mutex.Unlock()
	if cancel != nil {
		cancel(errCancelled)
	}
	return map[string]bool{"cancelled": cancel != nil}, nil
}
