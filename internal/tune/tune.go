// Package tune searches a space of candidates for the fastest one.
package tune

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/ricci-lang/ricci/internal/space"
	"github.com/ricci-lang/ricci/internal/tune/search"
)

// How it works
//
// Run asks a strategy (package search) for a batch of points, has them measured
// (Trials: compiled in parallel, measured one after the other), tells the strategy,
// and goes on until an abort condition holds, the strategy is done, or the context
// ends. A batch is a generation.
//
// No point is measured twice: a proposal whose cost is known is answered from
// memory. What earlier runs measured is part of that memory and is told to the
// strategy first.
//
// A run that was interrupted is resumed in another way: it is repeated. The strategy
// starts as it did, and what it proposes is answered with what was measured then, at
// the end of the batch as it was. So it comes to where it was, and goes on as if
// nothing had happened. What it does not ask for (its proposals hang on the clock here
// and there) is told at the end.
//
// The seeds come first, the first of them being the default: the outcome is never
// worse than that. A cost model may spare measurements: a point whose estimate is
// worse than Prune times the best estimate so far counts as failed without a trial;
// seeds are always measured.

// A Result is what a trial found out about a point.
type Result struct {
	Seconds float64
	Err     error  // why the candidate failed; Seconds means nothing then
	Warning string // something to tell the user about, which is no failure
}

// Trials compiles and measures candidates.
type Trials interface {
	// Measure returns a result for each point, in their order. When ctx ends it
	// returns early; the points that were not measured have ctx.Err as their error.
	Measure(ctx context.Context, points []space.Point) []Result
}

// A Measurement is a point with its result.
type Measurement struct {
	Point space.Point
	Result
	// At is when the result was known, counted from the beginning of the run.
	At      time.Duration
	Earlier bool // known before the run
	Pruned  bool // not measured, since the cost model finds it hopeless
	Seed    bool
}

// Failed reports whether the candidate has no cost.
func (m *Measurement) Failed() bool { return m.Err != nil || m.Pruned }

// Options say what to search, how, and for how long.
type Options struct {
	Space    *space.Space
	Trials   Trials
	Strategy string // empty for the default
	Seed     uint64
	Seeds    []space.Point // tried first; the first one is the default
	Earlier  []Measurement // what is known already
	Resumed  []Measurement // what the run that this one resumes has measured; Abort counts it
	Abort    Abort
	Batch    int // points per generation; 0 means 16

	// Key names the candidate of a point: points with equal keys are one candidate, which
	// is measured once. Nil means that all points differ.
	Key func(space.Point) string
	// Estimate predicts the seconds of a point; nil or Prune = 0 means that every
	// point is measured.
	Estimate func(space.Point) (float64, error)
	Prune    float64
	// BestEstimate is the best estimate of Earlier, so that what was hopeless then stays so;
	// 0 when it is not known.
	BestEstimate float64

	Progress func(Event) // called after every generation; may be nil
	// Record is called with every new measurement as soon as it is known, so that
	// nothing is lost when the process ends; may be nil.
	Record func(Measurement)
	Now    func() time.Time // nil means time.Now
}

// Outcome is what a run learnt.
type Outcome struct {
	Best         Measurement // the fastest one
	Default      *Measurement
	Measurements []Measurement // in their order, earlier ones first
	Stopped      Reason
	Elapsed      time.Duration
	Evaluations  int // measured in this run and in what it resumes, failed ones included
	Resumed      int // among them: measured before
	Failed       int // among them
	Pruned       int
}

// A NothingFound error says that no candidate worked.
type NothingFound struct{ Outcome *Outcome }

// Error tells how many candidates failed and why the first one did.
func (e *NothingFound) Error() string {
	for i := range e.Outcome.Measurements {
		if m := &e.Outcome.Measurements[i]; m.Err != nil {
			return fmt.Sprintf("none of the %d candidates worked; the first one failed: %v", e.Outcome.Evaluations, m.Err)
		}
	}
	return fmt.Sprintf("no candidate was measured: %s", e.Outcome.Stopped)
}

// Run searches. When ctx ends it returns what was learnt until then. The error is
// a *NothingFound when no candidate worked.
func Run(ctx context.Context, o Options) (*Outcome, error) {
	strategy, err := search.Named(o.Strategy, o.Space, o.Seed, o.Seeds)
	if err != nil {
		return nil, err
	}
	if o.Batch <= 0 {
		o.Batch = 16
	}
	if o.Key == nil {
		o.Key = o.Space.Key
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	d := &driver{Options: o, strategy: strategy, known: map[string]int{}, resumed: map[string]Measurement{}, twins: map[string][]space.Point{}, seeds: map[string]bool{}, outcome: &Outcome{}, bestEstimate: math.Inf(1)}
	if o.BestEstimate > 0 {
		d.bestEstimate = o.BestEstimate
	}
	for _, p := range o.Seeds {
		d.seeds[o.Key(o.Space.Repair(p))] = true
	}
	d.start = o.Now()
	d.lastProgress = d.start
	d.replay()
	d.loop(ctx)
	return d.finish()
}
