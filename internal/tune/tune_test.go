package tune

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ricci-lang/ricci/internal/space"
	"github.com/ricci-lang/ricci/internal/tune/search"
)

// objective is a Trials with a cost function and a clock of its own: every candidate
// takes a second.
type objective struct {
	cost     func(space.Point) (float64, error)
	measured []string
	space    *space.Space
	clock    time.Time
	cancel   func()
	after    int // evaluations after which cancel is called
}

func (o *objective) Measure(ctx context.Context, points []space.Point) []Result {
	results := make([]Result, len(points))
	for i, p := range points {
		if ctx.Err() != nil {
			results[i].Err = ctx.Err()
			continue
		}
		o.measured = append(o.measured, o.space.Key(p))
		o.clock = o.clock.Add(time.Second)
		results[i].Seconds, results[i].Err = o.cost(p)
		if o.cancel != nil && len(o.measured) == o.after {
			o.cancel()
		}
	}
	return results
}

func (o *objective) now() time.Time { return o.clock }

func upTo(n int64) func([]int64) []int64 {
	return func([]int64) []int64 {
		list := make([]int64, n)
		for i := range list {
			list[i] = int64(i)
		}
		return list
	}
}

// bowl is a space of 100×100 points with its minimum of 1 ms at (70, 20); the
// diagonal fails.
func bowl(t *testing.T) *objective {
	t.Helper()
	s, err := space.New(space.Group{{Name: "x", Values: upTo(100)}}, space.Group{{Name: "y", Values: upTo(100)}})
	if err != nil {
		t.Fatal(err)
	}
	return &objective{space: s, cost: func(p space.Point) (float64, error) {
		if p[0] == p[1] {
			return 0, errors.New("on the diagonal")
		}
		return 1e-3 * (1 + math.Hypot(float64(p[0]-70), float64(p[1]-20))), nil
	}}
}

func TestRun(t *testing.T) {
	o := bowl(t)
	events := 0
	outcome, err := Run(context.Background(), Options{
		Space: o.space, Trials: o, Seed: 1, Seeds: []space.Point{{1, 2}}, Now: o.now,
		Abort:    Abort{Evaluations: 200},
		Progress: func(Event) { events++ },
	})
	if err != nil {
		t.Fatal(err)
	}
	if outcome.Evaluations != 200 || outcome.Stopped != EvaluationsDone || events != 13 || len(o.measured) != 200 {
		t.Errorf("%d evaluations, %d measured, %d events, stopped since %s", outcome.Evaluations, len(o.measured), events, outcome.Stopped)
	}
	if outcome.Default == nil || o.space.Key(outcome.Default.Point) != "1,2" || outcome.Best.Seconds > outcome.Default.Seconds {
		t.Errorf("default %v, best %v", outcome.Default, outcome.Best)
	}
}

// TestAbort: every condition ends the run, and says so.
func TestAbort(t *testing.T) {
	for _, c := range []struct {
		abort Abort
		want  Reason
		holds func(*Outcome) bool
	}{
		{Abort{Evaluations: 37}, EvaluationsDone, func(o *Outcome) bool { return o.Evaluations == 37 }},
		{Abort{Time: 40 * time.Second}, TimeOver, func(o *Outcome) bool { return o.Elapsed >= 40*time.Second && o.Evaluations < 60 }},
		{Abort{Fraction: 0.01}, FractionDone, func(o *Outcome) bool { return o.Evaluations >= 100 && o.Evaluations < 120 }},
		{Abort{Speedup: 2}, SpeedupReached, func(o *Outcome) bool { return o.Default.Seconds/o.Best.Seconds >= 2 }},
		{Abort{Seconds: 0.02}, CostReached, func(o *Outcome) bool { return o.Best.Seconds <= 0.02 }},
		{Abort{IdleEvaluations: 100}, NoProgress, func(o *Outcome) bool { return idle(o) >= 100 }},
		{Abort{IdleTime: 90 * time.Second}, NoProgress, func(o *Outcome) bool { return idle(o) >= 90 }},
		{Abort{Evaluations: 500, IdleEvaluations: 30, Time: time.Hour}, NoProgress, func(o *Outcome) bool { return o.Evaluations < 500 }},
	} {
		o := bowl(t)
		outcome, err := Run(context.Background(), Options{Space: o.space, Trials: o, Seed: 5, Seeds: []space.Point{{0, 99}}, Now: o.now, Abort: c.abort})
		if err != nil {
			t.Fatal(err)
		}
		if outcome.Stopped != c.want || !c.holds(outcome) {
			t.Errorf("%+v: stopped since %s, %d evaluations, %v", c.abort, outcome.Stopped, outcome.Evaluations, outcome.Elapsed)
		}
	}
}

// idle counts the measurements after the best one.
func idle(o *Outcome) int {
	for i, m := range o.Measurements {
		if m.At == o.Best.At {
			return len(o.Measurements) - 1 - i
		}
	}
	return -1
}

// TestWhole: a strategy that has tried everything ends by itself, and nothing is
// measured twice.
func TestWhole(t *testing.T) {
	for _, strategy := range []string{"exhaustive", "random", "bandit", "genetic"} {
		s, err := space.New(space.Group{{Name: "x", Values: upTo(9)}, {Name: "y", Values: upTo(9)}})
		if err != nil {
			t.Fatal(err)
		}
		o := &objective{space: s, cost: func(p space.Point) (float64, error) { return float64(1 + p[0]*p[1]), nil }}
		outcome, err := Run(context.Background(), Options{Space: s, Trials: o, Strategy: strategy, Now: o.now})
		if err != nil || outcome.Stopped != Exhausted || outcome.Evaluations != 81 {
			t.Errorf("%s: %v, %s after %d of 81", strategy, err, outcome.Stopped, outcome.Evaluations)
		}
		seen := map[string]bool{}
		for _, key := range o.measured {
			if seen[key] {
				t.Errorf("%s measures %s twice", strategy, key)
			}
			seen[key] = true
		}
	}
}

// TestTwins: where many points are one candidate, strategies go on until they have all they
// may measure, although a batch has several points of a candidate.
func TestTwins(t *testing.T) {
	for _, strategy := range search.Names() {
		s, err := space.New(space.Group{{Name: "x", Values: upTo(1000)}}, space.Group{{Name: "y", Values: upTo(1000)}})
		if err != nil {
			t.Fatal(err)
		}
		key := func(p space.Point) string { return fmt.Sprint(p[0] / 50) }
		o := &objective{space: s, cost: func(p space.Point) (float64, error) { return float64(1 + p[0]/50), nil }}
		outcome, err := Run(context.Background(), Options{Space: s, Trials: o, Strategy: strategy, Key: key, Seed: 3, Now: o.now, Abort: Abort{Evaluations: 18}})
		if err != nil || outcome.Evaluations != 18 && strategy != "exhaustive" {
			t.Errorf("%s: %v, %s after %d of 18", strategy, err, outcome.Stopped, outcome.Evaluations)
		}
	}
}

// TestInterrupt: a run that is interrupted in the middle of a batch returns what it
// learnt, and a second one goes on from there without measuring anything again.
func TestInterrupt(t *testing.T) {
	o := bowl(t)
	ctx, cancel := context.WithCancel(context.Background())
	o.cancel, o.after = cancel, 53
	var recorded []Measurement
	options := Options{Space: o.space, Trials: o, Seed: 9, Seeds: []space.Point{{3, 90}}, Now: o.now, Record: func(m Measurement) { recorded = append(recorded, m) }}
	first, err := Run(ctx, options)
	if err != nil {
		t.Fatal(err)
	}
	if first.Stopped != Interrupted || first.Evaluations != 53 || len(recorded) != 53 || first.Failed > 5 {
		t.Fatalf("stopped since %s after %d evaluations, %d recorded, %d failed", first.Stopped, first.Evaluations, len(recorded), first.Failed)
	}
	options.Earlier, options.Abort = recorded, Abort{Evaluations: 100}
	second, err := Run(context.Background(), options)
	if err != nil {
		t.Fatal(err)
	}
	if second.Evaluations != 100 || len(second.Measurements) != 153 || second.Best.Seconds > first.Best.Seconds {
		t.Errorf("the second run has %d evaluations, knows %d, best %g after %g", second.Evaluations, len(second.Measurements), second.Best.Seconds, first.Best.Seconds)
	}
	if second.Default == nil || !second.Default.Earlier {
		t.Errorf("the default of the first run is not known: %v", second.Default)
	}
	seen := map[string]bool{}
	for _, key := range o.measured {
		if seen[key] {
			t.Errorf("%s is measured twice", key)
		}
		seen[key] = true
	}
}

// TestResume: a run that was interrupted anywhere and is resumed measures what it would
// have measured, in the same order, and as many points in all.
func TestResume(t *testing.T) {
	for _, strategy := range []string{"bandit", "genetic", "annealing", "evolution", "pattern", "random"} {
		options := func(o *objective) Options {
			return Options{
				Space: o.space, Trials: o, Strategy: strategy, Seed: 9, Seeds: []space.Point{{3, 90}, {60, 30}}, Now: o.now, Abort: Abort{Evaluations: 150},
				Earlier: []Measurement{{Point: space.Point{3, 4}, Result: Result{Seconds: 1}}},
			}
		}
		whole := bowl(t)
		if _, err := Run(t.Context(), options(whole)); err != nil {
			t.Fatal(err)
		}
		for _, after := range []int{1, 16, 53, 149, 150} {
			o := bowl(t)
			ctx, cancel := context.WithCancel(t.Context())
			o.cancel, o.after = cancel, after
			first := options(o)
			var recorded []Measurement
			first.Record = func(m Measurement) { recorded = append(recorded, m) }
			if _, err := Run(ctx, first); err != nil || len(recorded) != after {
				t.Fatalf("%s: %d recorded, %v", strategy, len(recorded), err)
			}
			second := options(o)
			second.Resumed = recorded
			outcome, err := Run(t.Context(), second)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(o.measured, whole.measured) {
				t.Errorf("%s after %d: the resumed run measures other points", strategy, after)
			}
			if outcome.Evaluations != 150 || outcome.Resumed != after || len(outcome.Measurements) != 151 || outcome.Stopped != EvaluationsDone {
				t.Errorf("%s after %d: %d evaluations, %d resumed, %d known, %s", strategy, after, outcome.Evaluations, outcome.Resumed, len(outcome.Measurements), outcome.Stopped)
			}
		}
	}
}

// TestPrune: with an estimate that ranks well few bad points are measured, seeds
// always.
func TestPrune(t *testing.T) {
	o := bowl(t)
	options := Options{
		Space: o.space, Trials: o, Strategy: "random", Seed: 2, Seeds: []space.Point{{0, 99}}, Now: o.now,
		Abort:    Abort{Evaluations: 60},
		Estimate: func(p space.Point) (float64, error) { return math.Hypot(float64(p[0]-68), float64(p[1]-22)) + 3, nil },
		Prune:    3,
	}
	outcome, err := Run(context.Background(), options)
	if err != nil {
		t.Fatal(err)
	}
	if outcome.Pruned < 100 || outcome.Best.Seconds > 4e-3 || outcome.Default == nil || outcome.Default.Pruned {
		t.Errorf("%d pruned, best %g, default %v", outcome.Pruned, outcome.Best.Seconds, outcome.Default)
	}
}

// TestNothingLeft: a search that has found all that the cost model does not rule out says
// so, and the next one, which is told what it has measured, finds nothing more.
func TestNothingLeft(t *testing.T) {
	s, err := space.New(space.Group{{Name: "x", Values: upTo(9)}, {Name: "y", Values: upTo(9)}})
	if err != nil {
		t.Fatal(err)
	}
	o := &objective{space: s, cost: func(p space.Point) (float64, error) { return float64(1 + p[0]*p[1]), nil }}
	options := Options{
		Space: s, Trials: o, Now: o.now, Prune: 4,
		Estimate: func(p space.Point) (float64, error) { return float64(1 + p[0] + p[1]), nil },
	}
	first, err := Run(context.Background(), options)
	if err != nil || first.Stopped != Exhausted || first.Pruned == 0 {
		t.Fatalf("%v: %s after %d, %d pruned", err, first.Stopped, first.Evaluations, first.Pruned)
	}
	for _, m := range first.Measurements {
		if !m.Pruned {
			options.Earlier = append(options.Earlier, m)
		}
	}
	options.BestEstimate, options.Seed = 1, 7
	second, err := Run(context.Background(), options)
	if err != nil || second.Stopped != Exhausted || second.Evaluations != 0 {
		t.Errorf("%v: %s after %d more", err, second.Stopped, second.Evaluations)
	}
	d := &driver{Options: options, known: map[string]int{}, outcome: &Outcome{}, bestEstimate: 1}
	if d.Key = s.Key; d.nothingLeft(context.Background()) {
		t.Error("nothing is left where nothing is known")
	}
}

// TestNothingWorks: the error says why.
func TestNothingWorks(t *testing.T) {
	o := bowl(t)
	o.cost = func(space.Point) (float64, error) { return 0, errors.New("the compiler crashed") }
	_, err := Run(context.Background(), Options{Space: o.space, Trials: o, Now: o.now, Abort: Abort{Evaluations: 20}})
	var nothing *NothingFound
	if !errors.As(err, &nothing) || nothing.Outcome.Failed != 20 || !strings.Contains(err.Error(), "none of the 20 candidates worked; the first one failed: the compiler crashed") {
		t.Errorf("got %v", err)
	}
}

// TestEvent: the line of progress.
func TestEvent(t *testing.T) {
	e := Event{Generation: 3, Best: 226e-6, Median: 4238e-6, Worst: 7345e-6, Overall: 8.125e-6, Speedup: 1.5, Evaluations: 48, EvaluationLimit: 100, AllFailed: 2, Pruned: 7, Left: 61 * time.Second}
	want := "generation 3  candidates 48/100  best/median/worst µs 226/4238/7345  overall 8.12 (1.50× the default)  failed 2  pruned 7  left 1m1s"
	if e.String() != want {
		t.Errorf("got  %s\nwant %s", e, want)
	}
	e = Event{Generation: 1, Best: math.NaN(), Median: math.NaN(), Worst: math.NaN(), Overall: math.NaN(), Left: -1}
	if want := "generation 1  candidates 0  best/median/worst µs –/–/–  overall –"; e.String() != want {
		t.Errorf("got  %s\nwant %s", e, want)
	}
}

// TestSameRun: the same seed and costs give the same run.
func TestSameRun(t *testing.T) {
	var first []string
	for range 2 {
		o := bowl(t)
		if _, err := Run(context.Background(), Options{Space: o.space, Trials: o, Seed: 11, Now: o.now, Abort: Abort{Evaluations: 150}}); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = o.measured
		} else if !slices.Equal(first, o.measured) {
			t.Error("two runs with one seed differ")
		}
	}
}
