package tune

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/estimate"
	"github.com/ricci-lang/ricci/internal/tune/database"
	"github.com/ricci-lang/ricci/internal/tune/space"
)

// What the cost model decides.
const (
	// hopeless is how many times worse than the best estimate an estimate has to be
	// before the candidate is not even compiled.
	hopeless = 4
	// sampled is how many points the model looks at for seeds, seeded how many it
	// proposes.
	sampled, seeded = 600, 8
	// neighbours is how many schedules of other sizes are tried.
	neighbours = 8
)

// prepareEstimates makes the cost model.
func (r *run) prepareEstimates() (err error) {
	r.estimates = map[string]float64{}
	r.model, err = estimate.New(r.tuning.Func, r.tuning.Machine, schedule.Options{Strides: r.tuning.Strides})
	return err
}

// estimate predicts the seconds of a point; an illegal one takes for ever.
func (r *run) estimate(p space.Point) (float64, error) {
	key := r.space.points.Key(p)
	seconds, known := r.estimates[key]
	if !known {
		seconds = math.Inf(1)
		if q := r.propose(p); q.err == nil {
			var err error
			if seconds, err = r.model.Seconds(q.tree); err != nil {
				return 0, err
			}
		}
		r.estimates[key] = seconds
	}
	return seconds, nil
}

// seeds are the points that are tried first: the default; the best of other sizes of
// the same program, and of other versions; the best of some by the cost model.
func (r *run) seeds(ctx context.Context, db *database.DB) []space.Point {
	list := []space.Point{r.space.maker.Origin()}
	known, err := db.Neighbours(ctx, r.tuning.Configuration)
	if err != nil {
		r.warn("what was learnt about other sizes is not known: %v", err)
	}
	for _, n := range nearest(known, r.tuning.Configuration, neighbours) {
		if p := parsePoint(n.Point, len(list[0])); p != nil && strings.HasPrefix(n.Space, r.space.name+" ") {
			list = append(list, r.space.points.Repair(p))
		}
	}
	return append(list, r.promising()...)
}

// promising returns the points with the best estimates among random ones.
func (r *run) promising() []space.Point {
	type judged struct {
		point   space.Point
		seconds float64
	}
	var list []judged
	rng := rand.New(rand.NewPCG(r.options.Seed, 7))
	for range sampled {
		p := r.space.points.Random(rng)
		if seconds, err := r.estimate(p); err == nil && !math.IsInf(seconds, 1) {
			list = append(list, judged{p, seconds})
		}
	}
	slices.SortStableFunc(list, func(a, b judged) int {
		switch {
		case a.seconds < b.seconds:
			return -1
		case a.seconds > b.seconds:
			return 1
		}
		return 0
	})
	var points []space.Point
	for _, j := range list {
		same := func(p space.Point) bool { return slices.Equal(p, j.point) }
		if len(points) < seeded && !slices.ContainsFunc(points, same) {
			points = append(points, j.point)
		}
	}
	return points
}
