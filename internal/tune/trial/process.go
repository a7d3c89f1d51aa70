package trial

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/ricci-lang/ricci/internal/numerics"
)

// Variable is the environment variable that tells a process that it is a worker.
const Variable = "RICCI_TUNE_WORKER"

// A worker is a child process that serves requests.
type worker struct {
	command *exec.Cmd
	in      *json.Encoder
	close   func() error // of the pipe to the process
	answers chan response
	log     *boundedLog
	gone    bool          // it was stopped
	ended   chan struct{} // closed when the process has ended
	err     error         // how, once ended
}

// start makes a worker that is ready, if there is none.
func (r *Runner) start(ctx context.Context) error {
	if r.worker != nil {
		return nil
	}
	w, err := r.startWith(ctx, r.layout)
	if err == nil {
		r.worker = w
	}
	return err
}

// startWith makes a worker with room for arrays.
func (r *Runner) startWith(ctx context.Context, l layout) (*worker, error) {
	w, err := startWorker(r.options.Worker)
	if err != nil {
		return nil, err
	}
	if _, err = w.ask(ctx, request{Setup: r.setup(l)}, setupTimeout); err == nil {
		return w, nil
	}
	w.stop()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, fmt.Errorf("the process for measurements (%s) does not work: %v", strings.Join(r.options.Worker, " "), err)
}

// setup says what a worker prepares.
func (r *Runner) setup(l layout) *setup {
	s := &setup{Layout: l, Device: r.options.Device.Driver().Name, Threads: r.threads(), Strict: r.kernel.Numerics == numerics.Strict}
	if r.options.Cache != nil {
		s.CacheDir = r.options.Cache.Dir()
	}
	return s
}

// threads is on how many threads candidates run.
func (r *Runner) threads() int64 { return int64(max(1, r.kernel.Machine.Cores)) }

// How long a worker may take to be ready, and to load a candidate and its arrays.
const (
	setupTimeout = 20 * time.Second
	loadTimeout  = 2 * time.Second
)

func startWorker(commandLine []string) (*worker, error) {
	command := exec.Command(commandLine[0], commandLine[1:]...)
	command.Env = append(os.Environ(), Variable+"=1", "GOTRACEBACK=none")
	ownGroup(command)
	in, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	w := &worker{command: command, in: json.NewEncoder(in), close: in.Close, log: &boundedLog{}, answers: make(chan response), ended: make(chan struct{})}
	command.Stderr = w.log
	if err := command.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(w.ended)
		defer func() { w.err = command.Wait() }()
		decoder := json.NewDecoder(out)
		for {
			var a response
			if decoder.Decode(&a) != nil {
				kill(command) // it has ended, or writes nonsense
				return
			}
			w.answers <- a
		}
	}()
	return w, nil
}

// stop ends the worker that measures, if there is one. A new one is started when it is needed.
func (r *Runner) stop() {
	if r.worker != nil {
		r.worker.stop()
		r.worker = nil
	}
}

// stop ends the process.
func (w *worker) stop() {
	if w.gone {
		return
	}
	w.gone = true
	_ = w.close()
	kill(w.command)
	for {
		select {
		case <-w.answers: // nobody waits for it any more
		case <-w.ended:
			return
		}
	}
}

// ask asks the worker that measures.
func (r *Runner) ask(ctx context.Context, q request, timeout time.Duration) (response, error) {
	answer, err := r.worker.ask(ctx, q, timeout)
	if r.worker.gone {
		r.worker = nil
	}
	return answer, err
}

// ask sends a request and waits for the answer. After an error other than one that
// the worker reports itself, and one of a device that is lost to it, the worker is gone.
func (w *worker) ask(ctx context.Context, q request, timeout time.Duration) (response, error) {
	sent := make(chan error, 1)
	go func() { sent <- w.in.Encode(q) }() // a worker that hangs reads nothing
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case a := <-w.answers:
		if err := <-sent; err != nil {
			w.stop()
			return a, err
		}
		switch {
		case a.Broken != "":
			w.stop()
			return a, fmt.Errorf("the process for measurements cannot go on: %s", a.Broken)
		case a.Lost: // for this process; the next one asks for the device again
			w.stop()
			return a, &Error{Crashed, errors.New(a.Error)}
		case a.Error != "":
			return a, &Error{Faulted, errors.New(a.Error)}
		}
		return a, nil
	case <-w.ended:
		err := &Error{Crashed, errors.New(w.cause())}
		w.stop()
		return response{}, err
	case <-timer.C:
		w.stop()
		return response{}, &Error{Hung, fmt.Errorf("no end after %s", timeout.Round(time.Millisecond))}
	case <-ctx.Done():
		w.stop()
		return response{}, ctx.Err()
	}
}

// cause says in a line why a process ended.
func (w *worker) cause() string {
	for _, line := range strings.Split(w.log.String(), "\n") {
		line = strings.Trim(line, "[]")
		if strings.HasPrefix(line, "signal SIG") || strings.HasPrefix(line, "SIG") {
			signal, _, _ := strings.Cut(strings.TrimPrefix(line, "signal "), " code=")
			return signal
		}
	}
	if w.err != nil {
		return w.err.Error()
	}
	return "the process ended"
}

// A boundedLog keeps the beginning of what a process writes to its stderr.
type boundedLog struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

const logBytes = 16 << 10

// Write never fails.
func (l *boundedLog) Write(p []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.text.Write(p[:min(len(p), max(0, logBytes-l.text.Len()))])
	return len(p), nil
}

// String returns what was kept.
func (l *boundedLog) String() string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.String()
}
