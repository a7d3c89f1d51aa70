package trial

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// A Timing says how long a call takes, in seconds.
type Timing struct {
	Least   float64
	Median  float64
	Samples int
	// Cut says that sampling ended early because the candidate was clearly slower
	// than the limit.
	Cut bool
}

func newTiming(samples []float64) Timing {
	sorted := slices.Sorted(slices.Values(samples))
	return Timing{Least: sorted[0], Median: sorted[len(sorted)/2], Samples: len(sorted)}
}

// How much is measured.
const (
	sufficient   = 0.03 // seconds of samples
	leastSamples = 5
	mostSamples  = 200
	// cutFactor is how much slower than the best a candidate may be before its
	// measurement ends early; the noise of a machine is below it.
	cutFactor = 1.5
	// giveUp is how much slower than the best the first call of a candidate may be before no
	// other follows. It is cold, and how much of its time that is does not depend on the
	// kernel: sufficient is added.
	giveUp = 2
	// Calls that take longer than long are measured fewer times: a disturbance is small beside them.
	long, leastLong = 0.05, 2
)

// Measure calls a candidate, checks what it computes, and times it. Best is the
// time of the best candidate so far, beyond which sampling may end early; 0 never
// ends it early. The error is an *Error when the candidate is to blame.
func (r *Runner) Measure(ctx context.Context, c *Candidate, best float64) (Timing, error) {
	if c.Err != nil {
		return Timing{}, c.Err
	}
	if r.options.Turn != nil {
		release, err := r.options.Turn(ctx)
		if err != nil {
			return Timing{}, err
		}
		defer release()
	}
	timing, err := r.measure(ctx, c, best)
	switch FailureOf(err) {
	case Wrong, Faulted, Crashed: // perhaps through what an earlier one did, or somebody else
		r.stop()
		return r.measure(ctx, c, best)
	}
	return timing, err
}

// measure is Measure without a second chance.
func (r *Runner) measure(ctx context.Context, c *Candidate, best float64) (Timing, error) {
	seconds, slow, err := r.compared(ctx, c, 0, best)
	switch {
	case err != nil:
		return Timing{}, err
	case slow:
		return Timing{Least: seconds, Median: seconds, Samples: 1, Cut: true}, nil
	}
	t := timed{Seconds: sufficient, Least: leastSamples, Most: mostSamples, Limit: best * cutFactor}
	if seconds > long {
		t.Least = leastLong
	}
	samples, err := r.samples(ctx, t, seconds)
	if err != nil {
		return Timing{}, err
	}
	timing := newTiming(samples)
	timing.Cut = t.Limit > 0 && timing.Least > t.Limit
	return timing, nil
}

// samples times the code of a slot, of which a call took so many seconds.
func (r *Runner) samples(ctx context.Context, t timed, seconds float64) ([]float64, error) {
	calls := float64(leastSamples+4) * seconds
	answer, err := r.ask(ctx, request{Time: &t}, r.callTimeout()+loadTimeout+r.layout.copyTime()+time.Duration(4*(t.Seconds+calls)*float64(time.Second)))
	if err == nil && len(answer.Samples) == 0 {
		err = source.Internalf("trial", source.Span{}, "a measurement without samples")
	}
	return answer.Samples, err
}

// compared calls a candidate for the first time, once for all arguments for which there is a
// reference, and compares its outputs with it. Outputs that were found right before are known by
// their digests: many schedules compute the same bits, and large files are slow. A candidate whose
// first call is much slower than the best (if not 0) is given up: nothing else is asked about it.
func (r *Runner) compared(ctx context.Context, c *Candidate, slot int, best float64) (seconds float64, slow bool, err error) {
	tooSlow := func() bool { return best > 0 && seconds > giveUp*best+sufficient }
	if r.reference == nil {
		answer, err := r.call(ctx, c, slot, r.inputPath())
		seconds = answer.Seconds
		return seconds, err == nil && tooSlow(), err
	}
	runs := r.reference.runs
	if timed := runs[len(runs)-1]; r.repeated && len(runs) > 1 {
		// Most likely the bits on the arguments are those of a candidate that was found right in all
		// runs: then nothing is new, and the other arguments need not be read.
		answer, err := r.call(ctx, c, slot, timed.inputs)
		if seconds = answer.Seconds; err != nil || tooSlow() || timed.accepts(answer.Digests) {
			return seconds, err == nil && tooSlow(), err
		}
	}
	for _, run := range runs {
		answer, err := r.call(ctx, c, slot, run.inputs)
		if err != nil {
			return answer.Seconds, false, err
		}
		if seconds = answer.Seconds; tooSlow() {
			return seconds, true, nil
		}
		if r.repeated = run.accepts(answer.Digests); r.repeated {
			continue
		}
		outputs, err := r.outputs(ctx)
		if err == nil {
			err = run.compare(outputs)
		}
		if err != nil {
			return seconds, false, err
		}
		run.accepted = append(run.accepted, answer.Digests)
	}
	return seconds, false, nil
}

// call calls a candidate once, for the arguments in a file.
func (r *Runner) call(ctx context.Context, c *Candidate, slot int, inputs string) (response, error) {
	if err := r.start(ctx); err != nil {
		return response{}, err
	}
	return r.ask(ctx, request{Call: &called{Slot: slot, Inputs: inputs, Code: c.code}}, r.callTimeout()+loadTimeout+r.layout.copyTime())
}

// outputs returns what the last call has computed.
func (r *Runner) outputs(ctx context.Context) (map[string]*tensor.Tensor, error) {
	path := filepath.Join(r.dir, "outputs")
	if _, err := r.ask(ctx, request{Write: &written{path}}, loadTimeout+r.layout.copyTime()); err != nil {
		return nil, err
	}
	return r.layout.readOutputs(path)
}

// A RaceLimit says how long a race may be.
type RaceLimit struct {
	Rounds int       // at most
	Until  time.Time // no round starts that would not end by then; zero for any time
}

// Standings are how a race ended, by finalist: a timing, or an error for one that failed
// or never had a turn.
type Standings struct {
	Timings []Timing
	Errs    []error
	Rounds  int // that all finalists ran in
}

// Race times finalists by samples that take turns. What was measured when ctx ends
// counts.
func (r *Runner) Race(ctx context.Context, finalists []*Candidate, limit RaceLimit) Standings {
	n := len(finalists)
	s := Standings{Timings: make([]Timing, n), Errs: make([]error, n)}
	first, samples := make([]float64, n), make([][]float64, n)
	for i, c := range finalists {
		if s.Errs[i] = c.Err; s.Errs[i] == nil {
			first[i], _, s.Errs[i] = r.compared(ctx, c, i+1, 0)
		}
		if r.worker == nil && ctx.Err() == nil { // it crashed, and with it the earlier ones are gone
			rest := r.Race(ctx, slices.Delete(slices.Clone(finalists), i, i+1), limit)
			return Standings{slices.Insert(rest.Timings, i, Timing{}), slices.Insert(rest.Errs, i, s.Errs[i]), rest.Rounds}
		}
	}
	for round := time.Duration(0); s.Rounds < limit.Rounds; s.Rounds++ {
		start := r.options.Now()
		if !limit.Until.IsZero() && start.Add(round).After(limit.Until) || !r.round(ctx, first, samples, s.Errs) {
			break
		}
		round = r.options.Now().Sub(start)
	}
	for i := range finalists {
		switch {
		case s.Errs[i] == nil && len(samples[i]) == 0:
			s.Errs[i] = errNoTurn
		case s.Errs[i] == nil:
			s.Timings[i] = newTiming(samples[i])
		}
	}
	return s
}

// errNoTurn is the error of those that did not run.
var errNoTurn = errors.New("there was no time for a turn")

// round adds to the samples of all finalists; it reports false when ctx ended.
func (r *Runner) round(ctx context.Context, first []float64, samples [][]float64, errs []error) bool {
	for i := range samples {
		if errs[i] != nil {
			continue
		}
		more, err := r.turn(ctx, i, first[i])
		if err != nil && ctx.Err() != nil {
			return false
		}
		samples[i], errs[i] = append(samples[i], more...), err
	}
	return true
}

// turn takes some samples of a finalist.
func (r *Runner) turn(ctx context.Context, i int, seconds float64) ([]float64, error) {
	if r.worker == nil {
		return nil, errors.Join(ctx.Err(), fmt.Errorf("another finalist crashed"))
	}
	if r.options.Turn != nil {
		release, err := r.options.Turn(ctx)
		if err != nil {
			return nil, err
		}
		defer release()
	}
	return r.samples(ctx, timed{Slot: i + 1, Seconds: sufficient / 6, Least: 1, Most: 20}, seconds)
}
