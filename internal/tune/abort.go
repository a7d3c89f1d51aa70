package tune

import (
	"context"
	"math/big"
	"time"
)

// Abort says when a search ends: as soon as one of the conditions that are set
// (not 0) holds. Without any it ends when the strategy is done.
type Abort struct {
	Evaluations int           // so many points were measured in this run, with what it resumes
	Time        time.Duration // the run took so long, and something was measured
	Fraction    float64       // this part of the space is known
	Speedup     float64       // the best is so many times faster than the default
	Seconds     float64       // the best costs no more than this
	// No progress: the best stayed the same for so many evaluations, or so long.
	IdleEvaluations int
	IdleTime        time.Duration
}

// A Reason says why a search ended.
type Reason string

// The reasons.
const (
	Exhausted       Reason = "the space has nothing more to try"
	Converged       Reason = "the strategy has nothing more to try"
	Interrupted     Reason = "it was interrupted"
	EvaluationsDone Reason = "the number of evaluations was reached"
	TimeOver        Reason = "the time was over"
	FractionDone    Reason = "the fraction of the space was reached"
	SpeedupReached  Reason = "the speed-up was reached"
	CostReached     Reason = "the cost was reached"
	NoProgress      Reason = "there was no more progress"
)

// conditions lists the abort conditions in the order in which they are reported.
func (d *driver) conditions() []struct {
	reason Reason
	holds  func() bool
} {
	a := d.Abort
	return []struct {
		reason Reason
		holds  func() bool
	}{
		{CostReached, func() bool { return a.Seconds > 0 && d.best > 0 && d.bestSeconds() <= a.Seconds }},
		{SpeedupReached, func() bool { return a.Speedup > 0 && d.speedup() >= a.Speedup }},
		{EvaluationsDone, func() bool { return a.Evaluations > 0 && d.evaluations() >= a.Evaluations }},
		{TimeOver, func() bool { return a.Time > 0 && d.elapsed() >= a.Time && d.outcome.Evaluations > 0 }},
		{FractionDone, func() bool { return a.Fraction > 0 && d.fraction() >= a.Fraction }},
		{NoProgress, func() bool { return a.IdleEvaluations > 0 && d.sinceBest >= a.IdleEvaluations }},
		{NoProgress, func() bool { return a.IdleTime > 0 && d.Now().Sub(d.lastProgress) >= a.IdleTime }},
	}
}

// reasonToStop returns why the search should end now, or nothing.
func (d *driver) reasonToStop(ctx context.Context) Reason {
	if ctx.Err() != nil {
		return Interrupted
	}
	for _, c := range d.conditions() {
		if c.holds() {
			return c.reason
		}
	}
	return ""
}

func (d *driver) bestSeconds() float64 { return d.outcome.Measurements[d.best-1].Seconds }

// speedup returns how many times faster than the default the best is; 0 while one
// of the two is not known.
func (d *driver) speedup() float64 {
	if len(d.Seeds) == 0 || d.best == 0 {
		return 0
	}
	at, ok := d.known[d.Space.Key(d.Space.Repair(d.Seeds[0]))]
	if !ok || d.outcome.Measurements[at].Failed() {
		return 0
	}
	return d.outcome.Measurements[at].Seconds / d.bestSeconds()
}

// fraction returns which part of the space is known.
func (d *driver) fraction() float64 {
	known, all := new(big.Float).SetInt64(int64(len(d.known))), new(big.Float).SetInt(d.Space.Count())
	f, _ := known.Quo(known, all).Float64()
	return f
}

// evaluations counts the measurements of this run and of the one that it resumes.
func (d *driver) evaluations() int { return d.outcome.Evaluations + len(d.resumed) }

// room returns how many points the next generation may have.
func (d *driver) room() int {
	n := d.Batch
	if e := d.Abort.Evaluations; e > 0 {
		n = min(n, e-d.evaluations())
	}
	if e := d.Abort.IdleEvaluations; e > 0 {
		n = min(n, e-d.sinceBest)
	}
	return n
}
