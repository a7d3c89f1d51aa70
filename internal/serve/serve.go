// Package serve answers requests of other programs: to check, compile, tune, show and run programs. docs/serve.md is the contract.
package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/ricci-lang/ricci/internal/scratch"
	"github.com/ricci-lang/ricci/internal/source"
)

// How it works
//
// One goroutine reads lines (lines.go). Each request gets a goroutine and a context of its own, so that a long one keeps no other waiting
// and can be cancelled (work.go); a semaphore bounds how many work at once. The methods are a table (methods.go), each a function from its
// params, a struct that is decoded strictly, to a result. Programs of the last requests (programs.go) and worlds of strands (worlds.go) stay from one to the next. Whatever goes wrong in one is the answer of its
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

	worlds   worlds
	programs programs
	all      sync.WaitGroup

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
	return errors.Join(err, s.worlds.close(), s.programs.close())
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
