package tune

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/ricci-lang/ricci/internal/tune/space"
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
