package tune

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// An Event tells about a generation.
type Event struct {
	Generation          int
	Best, Median, Worst float64 // seconds, of the candidates of this generation that worked; NaN without any
	Candidates          int     // of this generation
	Failed              int     // among them
	Warnings            []string

	Overall         float64 // seconds of the best candidate so far; NaN before there is one
	Speedup         float64 // over the default; 0 while it is not known
	Evaluations     int     // of the run and of what it resumes
	AllFailed       int     // of the run
	Pruned          int     // by the cost model
	Elapsed         time.Duration
	Left            time.Duration // a guess from the abort conditions; negative when nobody knows
	EvaluationLimit int

	seconds []float64
}

// add counts a measurement of the generation.
func (e *Event) add(m Measurement) {
	e.Candidates++
	switch {
	case m.Failed():
		e.Failed++
	default:
		e.seconds = append(e.seconds, m.Seconds)
	}
	if m.Warning != "" {
		e.Warnings = append(e.Warnings, m.Warning)
	}
}

// complement fills in what concerns the whole run.
func (d *driver) complement(e *Event) {
	e.Best, e.Median, e.Worst, e.Overall = math.NaN(), math.NaN(), math.NaN(), math.NaN()
	if n := len(e.seconds); n > 0 {
		slices.Sort(e.seconds)
		e.Best, e.Median, e.Worst = e.seconds[0], e.seconds[n/2], e.seconds[n-1]
	}
	if d.best > 0 {
		e.Overall = d.bestSeconds()
	}
	e.Speedup = d.speedup()
	e.Evaluations, e.AllFailed, e.Pruned = d.outcome.Evaluations, d.outcome.Failed, d.outcome.Pruned
	e.Elapsed, e.EvaluationLimit = d.elapsed(), d.Abort.Evaluations
	e.Left = d.left(e.Elapsed)
}

// left guesses how long the run will take, from the conditions that are certain to
// hold at some time.
func (d *driver) left(elapsed time.Duration) time.Duration {
	left := time.Duration(-1)
	consider := func(t time.Duration) {
		if t = max(t, 0); left < 0 || t < left {
			left = t
		}
	}
	if d.Abort.Time > 0 {
		consider(d.Abort.Time - elapsed)
	}
	if done := d.outcome.Evaluations - d.outcome.Resumed; d.Abort.Evaluations > 0 && done > 0 {
		consider(time.Duration(float64(elapsed) / float64(done) * float64(d.Abort.Evaluations-d.evaluations())))
	}
	return left
}

// String is the line of progress that Tensor Comprehensions made familiar.
func (e Event) String() string {
	text := fmt.Sprintf("generation %d  candidates %d", e.Generation, e.Evaluations)
	if e.EvaluationLimit > 0 {
		text += fmt.Sprintf("/%d", e.EvaluationLimit)
	}
	text += fmt.Sprintf("  best/median/worst µs %s/%s/%s  overall %s", micros(e.Best), micros(e.Median), micros(e.Worst), micros(e.Overall))
	if e.Speedup > 0 {
		text += fmt.Sprintf(" (%.2f× the default)", e.Speedup)
	}
	if e.AllFailed > 0 {
		text += fmt.Sprintf("  failed %d", e.AllFailed)
	}
	if e.Pruned > 0 {
		text += fmt.Sprintf("  pruned %d", e.Pruned)
	}
	if e.Left >= 0 {
		text += "  left " + e.Left.Round(time.Second).String()
	}
	return text
}

// micros writes seconds as microseconds, three digits being certain at most.
func micros(seconds float64) string {
	us := seconds * 1e6
	switch {
	case math.IsNaN(us):
		return "–"
	case us < 10:
		return fmt.Sprintf("%.2f", us)
	case us < 100:
		return fmt.Sprintf("%.1f", us)
	}
	return fmt.Sprintf("%.0f", us)
}
