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
)

// Measure calls a candidate, checks what it computes, and times it. Best is the
// time of the best candidate so far, beyond which sampling may end early; 0 never
// ends it early. The error is an *Error when the candidate is to blame.
func (r *Runner) Measure(ctx context.Context, c *Candidate, best float64) (Timing, error) {
	if c.Err != nil {
		return Timing{}, c.Err
	}
	if r.options.Turn != nil {
		release, err := r.options.Turn()
		if err != nil {
			return Timing{}, err
		}
		defer release()
	}
	seconds, err := r.verified(ctx, c)
	if err != nil {
		return Timing{}, err
	}
	t := timed{Seconds: sufficient, Least: leastSamples, Most: mostSamples, Limit: best * cutFactor}
	if t.Limit > 0 && seconds > 10*t.Limit+sufficient {
		return Timing{Least: seconds, Median: seconds, Samples: 1, Cut: true}, nil
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

// verified calls a candidate for the first time and compares its outputs with the
// reference. A wrong result is tried again in a fresh worker.
func (r *Runner) verified(ctx context.Context, c *Candidate) (seconds float64, err error) {
	seconds, err = r.compared(ctx, c, 0)
	if f := FailureOf(err); f != Wrong && f != Faulted {
		return seconds, err
	}
	r.stop()
	return r.compared(ctx, c, 0)
}

func (r *Runner) compared(ctx context.Context, c *Candidate, slot int) (seconds float64, err error) {
	outputs, seconds, err := r.first(ctx, c, slot)
	if err == nil && r.reference != nil {
		err = r.reference.compare(outputs)
	}
	return seconds, err
}

// first calls a candidate once and reads its outputs.
func (r *Runner) first(ctx context.Context, c *Candidate, slot int) (map[string]*tensor.Tensor, float64, error) {
	if err := r.start(ctx); err != nil {
		return nil, 0, err
	}
	path := filepath.Join(r.dir, "outputs")
	answer, err := r.ask(ctx, request{Call: &called{Slot: slot, Code: c.code, Outputs: path}}, r.callTimeout()+loadTimeout+r.layout.copyTime())
	if err != nil {
		return nil, 0, err
	}
	outputs, err := r.layout.readOutputs(path)
	return outputs, answer.Seconds, err
}

// Race times finalists by samples that take turns, and returns a timing for each.
// Candidates that fail have the error instead.
func (r *Runner) Race(ctx context.Context, finalists []*Candidate, rounds int) ([]Timing, []error) {
	errs, first := make([]error, len(finalists)), make([]float64, len(finalists))
	samples := make([][]float64, len(finalists))
	for i, c := range finalists {
		if errs[i] = c.Err; errs[i] == nil {
			first[i], errs[i] = r.compared(ctx, c, i+1)
		}
		if r.worker == nil && ctx.Err() == nil { // it crashed, and with it the earlier ones are gone
			rest := slices.Delete(slices.Clone(finalists), i, i+1)
			timings, others := r.Race(ctx, rest, rounds)
			return slices.Insert(timings, i, Timing{}), slices.Insert(others, i, errs[i])
		}
	}
	for range rounds {
		for i := range finalists {
			if errs[i] == nil {
				samples[i], errs[i] = r.turn(ctx, i, first[i], samples[i])
			}
		}
	}
	timings := make([]Timing, len(finalists))
	for i := range finalists {
		if errs[i] == nil {
			timings[i] = newTiming(samples[i])
		}
	}
	return timings, errs
}

// turn takes some samples of a finalist.
func (r *Runner) turn(ctx context.Context, i int, seconds float64, samples []float64) ([]float64, error) {
	if r.worker == nil {
		return samples, errors.Join(ctx.Err(), fmt.Errorf("another finalist crashed"))
	}
	release := func() {}
	if r.options.Turn != nil {
		var err error
		if release, err = r.options.Turn(); err != nil {
			return samples, err
		}
	}
	defer release()
	more, err := r.samples(ctx, timed{Slot: i + 1, Seconds: sufficient / 6, Least: 1, Most: 20}, seconds)
	return append(samples, more...), err
}
