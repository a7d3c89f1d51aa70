// Package serve answers requests of other programs: to check, compile, tune, show and run programs. docs/serve.md is the contract.
package serve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/ricci-lang/ricci/internal/scratch"
	"github.com/ricci-lang/ricci/internal/source"
)

// How it works
//
// One goroutine reads lines. Each request gets a goroutine and a context of its own, so that a long one keeps no other waiting
// and can be cancelled; a semaphore bounds how many work at once. The methods are a table (methods.go), each a function from its
// params, a struct that is decoded strictly, to a result. Whatever goes wrong in one is the answer of its
// request, also a panic. The session ends when its input does and all is answered, or when answers cannot be written any more.

// Protocol is the version of what requests and answers look like.
const Protocol = 1

// Limits of a session.
const (
	lineLimit    = 64 << 20
	atOnce       = 16   // requests that work
	mostRequests = 1024 // requests that wait or work
)

// Options say what a session knows of its program.
type Options struct {
	Version string
	Worker  []string // the command line of a process that measures candidates of the tuner
}

// A session answers the requests of one program.
type session struct {
	options Options
	ctx     context.Context
	stop    context.CancelCauseFunc
	dir     *scratch.Dir // for libraries that the cache does not take
	working chan struct{}
	all     sync.WaitGroup

	writing sync.Mutex
	out     io.Writer

	mutex   sync.Mutex
	running map[string]context.CancelCauseFunc // by the text of the id
}

// A request is a line of the input.
type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

var (
	errCancelled = errors.New("the request was cancelled")
	errEnded     = errors.New("the session has ended")
)

// Run answers the requests of in until its end.
func Run(ctx context.Context, in io.Reader, out io.Writer, options Options) error {
	dir, err := scratch.NewDir("", "serve")
	if err != nil {
		return err
	}
	defer dir.Close()
	s := &session{options: options, dir: dir, out: out, working: make(chan struct{}, atOnce), running: map[string]context.CancelCauseFunc{}}
	s.ctx, s.stop = context.WithCancelCause(ctx)
	lines := make(chan line)
	go s.read(in, lines)
	for open := true; open; {
		select {
		case <-s.ctx.Done():
			open = false
		case l, more := <-lines:
			if open = more; more {
				s.take(l)
			}
		}
	}
	s.all.Wait() // at the end of the input what was asked is still answered
	err = context.Cause(s.ctx)
	s.stop(errEnded)
	return err
}

// A line is one of the input, or why there is none.
type line struct {
	text []byte
	err  error
}

// read gives the lines of the input. One that is too long is left out, and said so.
func (s *session) read(in io.Reader, lines chan<- line) {
	defer close(lines)
	r := bufio.NewReaderSize(in, 1<<16)
	for {
		text, err := readLine(r)
		if len(bytes.TrimSpace(text)) > 0 || errors.Is(err, errTooLong) {
			l := line{text: text}
			if errors.Is(err, errTooLong) {
				l, err = line{err: err}, nil
			}
			select {
			case lines <- l:
			case <-s.ctx.Done():
				return
			}
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				s.stop(err)
			}
			return
		}
	}
}

var errTooLong = fmt.Errorf("the request has more than %d bytes", lineLimit)

// readLine reads a line to its end; at most lineLimit of it are kept.
func readLine(r *bufio.Reader) (text []byte, err error) {
	tooLong := false
	for {
		part, err := r.ReadSlice('\n')
		if tooLong = tooLong || len(text)+len(part) > lineLimit; !tooLong {
			text = append(text, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case tooLong && (err == nil || errors.Is(err, io.EOF)):
			return nil, errTooLong
		}
		return text, err
	}
}

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
	return m(&job{session: s, ctx: ctx, id: r.ID}, r.Params)
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

// write writes an object as a line; a session whose answers are lost ends.
func (s *session) write(object any) {
	var b bytes.Buffer
	e := json.NewEncoder(&b) // which ends with a new line, and has none within
	e.SetEscapeHTML(false)
	if err := e.Encode(object); err != nil {
		s.stop(source.Internalf("service", source.Span{}, "%w", err))
		return
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	if _, err := s.out.Write(b.Bytes()); err != nil {
		s.stop(err)
	}
}

// answer writes what became of a request.
func (s *session) answer(id json.RawMessage, result any, err error) {
	if id == nil {
		id = json.RawMessage("null")
	}
	if err != nil {
		s.write(struct {
			ID    json.RawMessage `json:"id"`
			Error *Failure        `json:"error"`
		}{id, failureOf(err)})
		return
	}
	s.write(struct {
		ID     json.RawMessage `json:"id"`
		Result any             `json:"result"`
	}{id, result})
}
