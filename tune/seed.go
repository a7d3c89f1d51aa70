package tune

import (
	"context"
	"crypto/sha256"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/estimate"
	"github.com/ricci-lang/ricci/internal/space"
	search "github.com/ricci-lang/ricci/internal/tune"
	"github.com/ricci-lang/ricci/internal/tune/knob"
)

// What the cost model decides.
const (
	// hopeless is how many times worse than the best estimate an estimate has to be
	// before the candidate is not even compiled.
	hopeless = 4
	// sampled is how many points the model looks at for seeds; of the best ones looked
	// are lowered to see how large their code is, and seeded are proposed.
	sampled, looked, seeded = 600, 60, 8
	// Statements may be written out so often, or so many times as often as in the
	// default schedule.
	leastWritten, mostWritten = knob.Written, 1
	// Code may have so many bytes of C, or be so many times as large as the default's.
	leastCode, mostCode = 24 << 10, 1.5
	// looking is the part of a search's time, and the time of one without a limit, that
	// looking for seeds takes at most.
	looking, longestLook = 0.1, 5 * time.Second
	// neighbours is how many schedules of other sizes are tried.
	neighbours = 8
)

// A prediction is what is known of a point before it is compiled.
type prediction struct {
	tree    [sha256.Size]byte // of its text; zero for an illegal schedule
	seconds float64           // +∞ for an illegal schedule
	sized   bool              // the size of the code has been looked at
}

// hopelessTimes is how many times the best estimate makes a candidate hopeless; 0: none is, since the model does not know
// enough of machines with groups of items.
func (r *run) hopelessTimes() float64 {
	if r.tuning.Machine.Grid != nil {
		return 0
	}
	return hopeless
}

// prepareEstimates makes the cost model, and sets the limit for the size of code.
func (r *run) prepareEstimates() (err error) {
	r.predictions = map[string]*prediction{}
	if r.model, err = estimate.New(r.tuning.Func, r.tuning.Machine, schedule.Options{Strides: r.tuning.Strides}); err != nil {
		return err
	}
	if r.bestEstimate, err = r.model.Seconds(r.tuning.Default); err != nil {
		return err
	}
	r.longest = max(leastWritten, mostWritten*written(r.tuning.Func, r.tuning.Default))
	bytes, err := r.runner.Size(r.tuning.Default)
	r.largest = max(leastCode, int(mostCode*float64(bytes)))
	return err
}

// predict asks the cost model about a point.
func (r *run) predict(point space.Point) (*prediction, *proposal, error) {
	key := r.space.points.Key(point)
	if known := r.predictions[key]; known != nil {
		return known, nil, nil
	}
	p, q := &prediction{seconds: math.Inf(1), sized: true}, r.propose(point)
	if q.err == nil {
		p.tree = sha256.Sum256([]byte(q.text))
	}
	if q.err == nil && written(r.tuning.Func, q.tree) <= r.longest {
		var err error
		if p.seconds, err = r.model.Seconds(q.tree); err != nil {
			return nil, nil, err
		}
		p.sized = false
	}
	r.predictions[key] = p
	return p, q, nil
}

// key names the schedule of a point: points may share one.
func (r *run) key(point space.Point) string {
	if p, _, err := r.predict(point); err == nil && p.tree != [sha256.Size]byte{} {
		return string(p.tree[:])
	}
	return r.space.points.Key(point)
}

// estimate predicts the seconds of a point. An illegal one takes for ever, and so
// does one whose code takes a compiler very long: partial tiles on several levels
// double it for each of them.
func (r *run) estimate(point space.Point) (float64, error) {
	p, q, err := r.predict(point)
	if err != nil {
		return 0, err
	}
	if times := r.hopelessTimes(); !p.sized && (times == 0 || p.seconds <= times*r.bestEstimate) {
		if q == nil {
			q = r.propose(point)
		}
		p.sized = true
		if bytes, err := r.runner.Size(q.tree); err != nil || bytes > r.largest {
			p.seconds = math.Inf(1)
		}
		r.bestEstimate = min(r.bestEstimate, p.seconds)
	}
	return p.seconds, nil
}

// leastEstimate returns the least estimate of what earlier runs have measured: later ones
// judge by it what is hopeless, as those did. 0 when there is none.
func (r *run) leastEstimate(earlier []search.Measurement) float64 {
	least := math.Inf(1)
	for _, m := range earlier {
		if p, _, err := r.predict(m.Point); err == nil && !m.Failed() {
			least = min(least, p.seconds)
		}
	}
	if math.IsInf(least, 1) {
		return 0
	}
	r.bestEstimate = min(r.bestEstimate, least)
	return least
}

// seeds are the points that are tried first: the default; the best of other sizes of
// the same program, and of other versions; those that the space names; the best of some by the cost
// model.
func (r *run) seeds(ctx context.Context) []space.Point {
	list := []space.Point{r.space.origin}
	known, err := r.session.Neighbours(ctx, r.tuning.Configuration)
	if err != nil {
		r.warn("what was learnt about other sizes is not known: %v", err)
	}
	for _, n := range nearest(known, r.tuning.Configuration, neighbours) {
		if p := parsePoint(n.Point, len(list[0])); p != nil && strings.HasPrefix(n.Space, r.space.name+" ") {
			list = append(list, r.space.points.Repair(p))
		}
	}
	if s, ok := r.space.maker.(starter); ok {
		for _, p := range s.Starts() {
			list = append(list, r.space.points.Repair(p))
		}
	}
	return append(list, r.promising(ctx)...)
}

// promising returns the points with the best estimates among random ones.
func (r *run) promising(ctx context.Context) []space.Point {
	type judged struct {
		point   space.Point
		seconds float64
	}
	var list []judged
	rng := rand.New(rand.NewPCG(r.options.Seed, 7))
	patience := longestLook
	if r.options.Time > 0 {
		patience = min(patience, time.Duration(looking*float64(r.options.Time)))
	}
	start := time.Now()
	for i := 0; i < sampled && ctx.Err() == nil && time.Since(start) < patience; i++ {
		p := r.space.points.Random(rng)
		if known, _, err := r.predict(p); err == nil && !math.IsInf(known.seconds, 1) {
			list = append(list, judged{p, known.seconds})
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
	for _, j := range list[:min(len(list), looked)] {
		if len(points) == seeded || ctx.Err() != nil || time.Since(start) > 2*patience {
			break
		}
		same := func(p space.Point) bool { return r.key(p) == r.key(j.point) }
		if seconds, err := r.estimate(j.point); err == nil && !math.IsInf(seconds, 1) && !slices.ContainsFunc(points, same) {
			points = append(points, j.point)
		}
	}
	return points
}
