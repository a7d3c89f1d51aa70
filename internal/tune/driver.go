package tune

import (
	"context"
	"errors"
	"math/big"
	"slices"
	"time"

	"github.com/ricci-lang/ricci/internal/space"
	"github.com/ricci-lang/ricci/internal/tune/search"
)

// driver is the state of a run.
type driver struct {
	Options
	strategy     search.Strategy
	known        map[string]int         // by key: the measurement
	resumed      map[string]Measurement // by key: what the strategy has not asked for yet
	seeds        map[string]bool
	outcome      *Outcome
	best         int // the number of the best measurement plus 1
	bestEstimate float64
	start        time.Time
	lastProgress time.Time // when the best became better
	sinceBest    int       // evaluations since then
	generation   int
	twins        map[string][]space.Point // points of a batch that are candidates of other points in it
}

// stale is how many known or pruned points in a row a strategy may propose before it
// counts as having converged.
const stale = 10_000

// collecting is how long a batch may take to collect once it has a point: where the cost
// model refuses nearly all, the others are measured meanwhile.
const collecting = time.Second

// replay tells the strategy what is known, and prepares the answers of a resumed run.
func (d *driver) replay() {
	for _, m := range d.Resumed {
		if d.Space.Contains(m.Point) && !isInterrupt(m.Err) {
			m.Earlier, m.At = true, 0
			d.resumed[d.Key(m.Point)] = m
		}
	}
	for _, m := range d.Earlier {
		if !d.Space.Contains(m.Point) || isInterrupt(m.Err) {
			continue
		}
		if _, twice := d.known[d.Key(m.Point)]; twice {
			continue
		}
		m.Earlier, m.At = true, 0
		delete(d.resumed, d.Key(m.Point))
		d.add(m)
	}
}

// add remembers a measurement and tells the strategy.
func (d *driver) add(m Measurement) {
	n := len(d.outcome.Measurements)
	d.known[d.Key(m.Point)] = n
	d.outcome.Measurements = append(d.outcome.Measurements, m)
	if !m.Failed() && (d.best == 0 || m.Seconds < d.outcome.Measurements[d.best-1].Seconds) {
		d.best, d.sinceBest = n+1, 0
		if !m.Earlier {
			d.lastProgress = d.start.Add(m.At)
		}
	}
	d.strategy.Report(m.Point, m.Seconds, m.Failed())
}

func (d *driver) loop(ctx context.Context) {
	for {
		if reason := d.reasonToStop(ctx); reason != "" {
			d.outcome.Stopped = reason
			return
		}
		batch := d.batch(ctx)
		if len(batch) == 0 {
			if d.outcome.Stopped = d.reasonToStop(ctx); d.outcome.Stopped == "" {
				d.outcome.Stopped = Converged
				if d.nothingLeft(ctx) {
					d.outcome.Stopped = Exhausted
				}
			}
			return
		}
		d.measure(ctx, batch)
	}
}

// batch collects the points of a generation: unknown ones, as many as are asked for.
func (d *driver) batch(ctx context.Context) []Measurement {
	var list []Measurement
	chosen := map[string]bool{}
	start := d.Now()
	for idle := 0; len(list) < d.room() && idle < stale && !d.complete(len(chosen)); {
		if ctx.Err() != nil || len(list) > 0 && d.Now().Sub(start) > collecting {
			break
		}
		p, ok := d.strategy.Next()
		if !ok {
			break
		}
		key := d.Key(p)
		if at, known := d.known[key]; known {
			m := &d.outcome.Measurements[at]
			d.strategy.Report(p, m.Seconds, m.Failed())
			idle++
			continue
		}
		if chosen[key] { // the report of that one will come with the batch
			if !slices.ContainsFunc(list, func(m Measurement) bool { return slices.Equal(m.Point, p) }) {
				d.twins[key] = append(d.twins[key], p)
			}
			idle++
			continue
		}
		if d.hopeless(p) && !d.seeds[key] {
			d.outcome.Pruned++
			d.add(Measurement{Point: p, Pruned: true, At: d.elapsed()})
			idle++
			continue
		}
		chosen[key] = true
		m := d.resumed[key] // or nothing
		delete(d.resumed, key)
		m.Point, m.Seed = p, d.seeds[key]
		list = append(list, m)
	}
	return list
}

// complete reports whether every point is known or chosen.
func (d *driver) complete(chosen int) bool {
	return d.Space.Count().Cmp(big.NewInt(int64(len(d.known)+chosen))) <= 0
}

// countable is how many points a space may have at most for all of them to be looked at again.
const countable = 4096

// nothingLeft reports whether every point is known or hopeless. That a strategy proposes
// nothing new does not say so: it may have converged.
func (d *driver) nothingLeft(ctx context.Context) bool {
	if d.complete(0) {
		return true
	}
	count := d.Space.Count()
	if count.Cmp(big.NewInt(countable)) > 0 {
		return false
	}
	for n := range count.Int64() {
		p := d.Space.At(big.NewInt(n))
		if _, known := d.known[d.Key(p)]; ctx.Err() != nil || !known && !d.hopeless(p) {
			return false
		}
	}
	return true
}

// hopeless reports whether the cost model finds a point too bad to measure. A point
// without an estimate is not.
func (d *driver) hopeless(p space.Point) bool {
	if d.Estimate == nil || d.Prune <= 0 {
		return false
	}
	seconds, err := d.Estimate(p)
	if err != nil {
		return false
	}
	d.bestEstimate = min(d.bestEstimate, seconds)
	return seconds > d.Prune*d.bestEstimate
}

// measure runs a batch and tells everybody.
func (d *driver) measure(ctx context.Context, batch []Measurement) {
	var points []space.Point
	for _, m := range batch {
		if !m.Earlier {
			points = append(points, m.Point)
		}
	}
	results := d.Trials.Measure(ctx, points)
	d.generation++
	event := Event{Generation: d.generation}
	for _, m := range batch {
		if !m.Earlier {
			m.Result, m.At, results = results[0], d.elapsed(), results[1:]
			if isInterrupt(m.Err) && ctx.Err() != nil {
				continue
			}
		}
		d.count(m)
		event.add(m)
		for _, p := range d.twins[d.Key(m.Point)] {
			d.strategy.Report(p, m.Seconds, m.Failed())
		}
	}
	clear(d.twins)
	if d.Progress != nil {
		d.complement(&event)
		d.Progress(event)
	}
}

// count remembers a measurement of this run, or of the one that it resumes.
func (d *driver) count(m Measurement) {
	d.outcome.Evaluations++
	d.sinceBest++
	if m.Failed() {
		d.outcome.Failed++
	}
	d.add(m)
	switch {
	case m.Earlier:
		d.outcome.Resumed++
	case d.Record != nil:
		d.Record(m)
	}
}

func isInterrupt(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

func (d *driver) elapsed() time.Duration { return d.Now().Sub(d.start) }

// finish makes the outcome.
func (d *driver) finish() (*Outcome, error) {
	for _, m := range d.Resumed {
		if answer, left := d.resumed[d.Key(m.Point)]; left {
			delete(d.resumed, d.Key(m.Point))
			d.count(answer)
		}
	}
	o := d.outcome
	o.Elapsed = d.elapsed()
	if len(d.Seeds) > 0 {
		if at, ok := d.known[d.Key(d.Space.Repair(d.Seeds[0]))]; ok {
			o.Default = &o.Measurements[at]
		}
	}
	if d.best == 0 {
		return o, &NothingFound{o}
	}
	o.Best = o.Measurements[d.best-1]
	return o, nil
}
