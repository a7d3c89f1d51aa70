package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/ricci-lang/ricci/internal/device/host"
	"github.com/ricci-lang/ricci/internal/device/measure"
	"github.com/ricci-lang/ricci/internal/machine"
)

// A request is a line that the parent writes to a worker; exactly one field is
// set. Each is answered by one reply.
type request struct {
	Prepare *job               `json:"prepare,omitempty"`
	Run     *runRequest        `json:"run,omitempty"`
	Samples int                `json:"samples,omitempty"` // how many elements of each output
	Meter   *measure.Options   `json:"meter,omitempty"`   // prepares measuring peaks
	Measure *measure.Selection `json:"measure,omitempty"`
	Forget  bool               `json:"forget,omitempty"`  // the samples of the meter
	Drop    bool               `json:"drop,omitempty"`    // what Prepare made
	Version *job               `json:"version,omitempty"` // of the library of a shim
}

// A runRequest asks for one sample of the time of a call.
type runRequest struct {
	Calls int  `json:"calls"`
	Warm  bool `json:"warm"` // calls before, which do not count
}

type reply struct {
	Error   string         `json:"error,omitempty"`
	Missing bool           `json:"missing,omitempty"` // the candidate cannot do the row: no error
	Seconds float64        `json:"seconds,omitempty"` // per call; for Prepare from the arguments to the first result
	Samples []float64      `json:"samples,omitempty"`
	Peaks   *machine.Peaks `json:"peaks,omitempty"`
	Text    string         `json:"text,omitempty"`
}

// errMissing says that a candidate is not there or does not do a row.
var errMissing = errors.New("not available")

// A worker serves one parent.
type worker struct {
	candidate *candidate
	meter     *measure.Meter
}

// Serve answers requests until the input ends: the life of a child process that
// holds one candidate, its libraries and its buffers.
func Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	// Libraries keep things for each thread: OpenMP its team, and oneDNN memory that
	// is made with a primitive and missing when another thread runs it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	w := &worker{}
	defer w.drop()
	defer func() {
		if w.meter != nil {
			w.meter.Close()
		}
	}()
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var q request
		if err := json.Unmarshal(line, &q); err != nil {
			return fmt.Errorf("a request that is none: %w", err)
		}
		answer := new(reply)
		if err := w.answer(ctx, &q, answer); err != nil {
			answer.Error, answer.Missing = err.Error(), errors.Is(err, errMissing)
		}
		text, err := json.Marshal(answer)
		if err != nil {
			return err
		}
		if _, err := out.Write(append(text, '\n')); err != nil {
			return err
		}
	}
}

func (w *worker) answer(ctx context.Context, q *request, a *reply) (err error) {
	switch {
	case q.Prepare != nil:
		w.drop()
		if w.candidate, err = q.Prepare.candidate(ctx); err != nil {
			return err
		}
		err = w.candidate.call()
		a.Seconds = time.Since(w.candidate.started).Seconds()
	case q.Run != nil:
		if w.candidate == nil {
			return errors.New("nothing is prepared")
		}
		a.Seconds, err = w.candidate.time(q.Run)
	case q.Samples > 0:
		if w.candidate == nil {
			return errors.New("nothing is prepared")
		}
		a.Samples, err = w.candidate.samples(q.Samples)
	case q.Meter != nil:
		err = w.prepareMeter(ctx, *q.Meter)
	case q.Measure != nil:
		if w.meter == nil {
			return errors.New("no meter is prepared")
		}
		err = w.meter.Sample(ctx, *q.Measure)
		a.Peaks = w.meter.Peaks()
	case q.Forget:
		w.meter.Forget()
	case q.Drop:
		w.drop()
	case q.Version != nil:
		a.Text, err = q.Version.version(ctx)
	}
	return err
}

func (w *worker) prepareMeter(ctx context.Context, options measure.Options) error {
	compilers, err := host.Find(ctx)
	if err != nil {
		return err
	}
	w.meter, err = measure.NewMeter(ctx, compilers[0], machine.Host(), options)
	return err
}

func (w *worker) drop() {
	if w.candidate != nil {
		w.candidate.close()
		w.candidate = nil
	}
}
